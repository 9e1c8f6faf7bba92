/// The record stored under an ID.
enum IDRecord: Sendable, Hashable {
    /// A varint: the row of the document.
    case row(UInt64)
    /// Varints: zero, and the position of the deletion in the feed of changes. It is needed when a document with that
    /// ID is stored again, because each ID has only one change.
    case deleted(sequence: UInt64, row: UInt64)

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .row(let row): Varint.append(row, to: &bytes)
        case .deleted(let sequence, let row):
            for number in [0, sequence, row] { Varint.append(number, to: &bytes) }
        }
        return bytes
    }

    /// Reads a record.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    init(_ bytes: Span<UInt8>, collection: String) throws {
        var offset = 0
        if let row = Varint.read(bytes, &offset) {
            if row > 0, offset == bytes.count {
                self = .row(row)
                return
            }
            if row == 0, let sequence = Varint.read(bytes, &offset), let row = Varint.read(bytes, &offset),
                offset == bytes.count
            {
                self = .deleted(sequence: sequence, row: row)
                return
            }
        }
        throw DocIndexError(
            .corruption, "an id of the collection \(collection) has no row; run verify and restore a backup")
    }

    /// The row of the document; `nil` for a deleted one.
    var row: UInt64? {
        if case .row(let row) = self { return row }
        return nil
    }
}
