internal import LevelKit

/// Reading rows without decoding them completely.
extension RowReader {
    /// Calls `body` with the record of a row, the offset of the encoded body, and the sequence number.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if the document is missing or unreadable.
    func withRecord<R>(
        _ row: UInt64, _ body: (_ record: Span<UInt8>, _ bodyStart: Int, _ sequence: UInt64) throws -> R
    ) throws -> R {
        var result: R?
        var failure: (any Error)?
        let isThere = try snapshot.withValue(forKey: StoreKey.document(collection.number, row: row)) { record in
            do {
                let (start, sequence) = try self.start(of: record, row: row)
                result = try body(record, start, sequence)
            } catch {
                failure = error
            }
            return true
        }
        if let failure { throw failure }
        guard isThere != nil, let result else { throw missing(row) }
        return result
    }

    /// Returns the offset of the body in a record, and the sequence number before it.
    func start(of record: Span<UInt8>, row: UInt64) throws -> (offset: Int, sequence: UInt64) {
        var offset = 0
        guard let sequence = Varint.read(record, &offset) else {
            throw damaged(row, "its sequence number is invalid")
        }
        return (offset, sequence)
    }

    /// Runs `body` and turns an error about a damaged body into one that names the row.
    func reading<R>(_ row: UInt64, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as BodyError {
            throw damaged(row, error)
        }
    }

    /// Returns the error for an unreadable body.
    func damaged(_ row: UInt64, _ error: BodyError) -> DocIndexError { damaged(row, "\(error)") }

    /// Returns a cursor over the documents in the order of rows.
    ///
    /// - Parameters:
    ///   - row: the first row.
    ///   - fillsCache: whether the blocks read stay in the cache; pass `true` to read a few of many documents.
    func documentCursor(from row: UInt64 = 0, fillsCache: Bool = false) throws -> Cursor {
        var range = KeyRange.prefix(StoreKey.documents.prefix(collection.number))
        if row > 0 { range.lower = .included(StoreKey.document(collection.number, row: row)) }
        return try snapshot.cursor(in: range, cache: fillsCache ? .fill : .bypass)
    }

    /// Returns the row in the key of a document.
    func row(ofDocumentKey key: Span<UInt8>) throws -> UInt64 {
        guard let row = StoreKey.row(in: key, at: collection.documentRowOffset) else {
            throw DocIndexError(
                .corruption, "a key of the collection \(collection.name) has no row; run verify and restore a backup")
        }
        return row
    }

    private func missing(_ row: UInt64) -> DocIndexError {
        DocIndexError(
            .corruption,
            "row \(row) of the collection \(collection.name) is referenced but contains no document; "
                + "run verify and restore a backup")
    }

    private func damaged(_ row: UInt64, _ reason: String) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the document in row \(row) of the collection \(collection.name) cannot be read: \(reason); "
                + "restore a backup")
    }
}
