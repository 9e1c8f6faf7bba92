internal import LevelKit

/// Reading rows without decoding them completely.
extension RowReader {
    /// Calls `body` with the record of a row.
    ///
    /// - Parameter isRepeated: whether the same query has read the row before, so that this is not another use.
    /// - Throws: ``DocIndexError`` with `corruption` if the document is missing or unreadable.
    func withRecord<R>(
        _ row: UInt64, isRepeated: Bool = false, _ body: (borrowing RowRecord) throws -> R
    ) throws -> R {
        if let cached = cachedRow(row) { return try cached.withRecord(body) }
        return try withStoredRecord(row, isRepeated: isRepeated, body)
    }

    /// Returns a row in memory; `nil` if it is not there.
    func cachedRow(_ row: UInt64) -> CachedRow? {
        documents?.row(row, of: collection)
    }

    /// Calls `body` with a record that was read from the database, after keeping it in memory if it is used often.
    func withCaching<R>(
        _ record: borrowing RowRecord, of row: UInt64, _ body: (borrowing RowRecord) throws -> R
    ) rethrows -> R {
        if let cached = documents?.add(record, row, of: collection) { return try cached.withRecord(body) }
        return try body(record)
    }

    /// Does the same as ``withRecord(_:isRepeated:_:)`` for a row that is not in memory.
    func withStoredRecord<R>(
        _ row: UInt64, isRepeated: Bool = false, _ body: (borrowing RowRecord) throws -> R
    ) throws -> R {
        var result: R?
        var failure: (any Error)?
        let isThere = try snapshot.withValue(forKey: StoreKey.document(collection.number, row: row)) { record in
            do {
                let record = try self.record(record, row: row)
                result = isRepeated ? try body(record) : try withCaching(record, of: row, body)
            } catch {
                failure = error
            }
            return true
        }
        if let failure { throw failure }
        guard isThere != nil, let result else { throw missing(row) }
        return result
    }

    /// Returns the record in the bytes that are stored for a row.
    @_lifetime(copy bytes)
    func record(_ bytes: Span<UInt8>, row: UInt64) throws -> RowRecord {
        guard let record = RowRecord(bytes) else { throw damaged(row, "its sequence number is invalid") }
        return record
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
