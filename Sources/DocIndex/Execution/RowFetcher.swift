internal import LevelKit

/// Reads documents by ascending rows: steps to rows close by, and looks up single rows.
struct RowFetcher: ~Copyable {
    private let rows: RowReader
    /// The cursor; `nil` until the first seek.
    private var steps: Steps?
    /// The row at the cursor: 0 before the first move, and the maximum after the last document.
    private var cursorRow: UInt64 = 0
    /// The number of documents that were not in memory.
    private(set) var readCount = 0

    init(_ rows: RowReader) { self.rows = rows }

    /// Calls `body` with the record of a row; see ``RowReader/withRecord(_:isRepeated:_:)``.
    ///
    /// - Parameters:
    ///   - row: A row greater than the previous one.
    ///   - next: The next row that will be read; `nil` if there is none.
    mutating func withRecord<R>(
        _ row: UInt64, before next: UInt64?, _ body: (borrowing RowRecord) throws -> R
    ) throws -> R {
        if let cached = rows.cachedRow(row) { return try cached.withRecord(body) }
        readCount += 1
        if cursorRow == 0 || cursorRow > row || row - cursorRow > CostModel.stepLimit {
            // A seek costs as much as a lookup. It pays off if the next row can be reached in a few steps.
            guard let next, next > row, next - row <= CostModel.stepLimit else {
                return try rows.withStoredRecord(row, body)
            }
            let steps = try steps ?? Steps(rows)
            self.steps = steps
            cursorRow = try steps.cursor.seek(to: row)
        }
        guard let steps else { return try rows.withStoredRecord(row, body) }
        while cursorRow < row { cursorRow = try steps.cursor.advance() }
        // If the row does not exist, the lookup reports it. An earlier version of the row may follow a damaged block with
        // the newest one; a lookup finds out.
        guard cursorRow == row, steps.cursor.isSound() else { return try rows.withStoredRecord(row, body) }
        return try steps.cursor.withRecord(row, body)
    }
}

/// A class because no optional can lend bytes of a noncopyable cursor.
private final class Steps {
    var cursor: DocumentCursor

    init(_ rows: RowReader) throws { cursor = try DocumentCursor(rows) }
}

/// A cursor over documents.
private struct DocumentCursor: ~Copyable {
    private let rows: RowReader
    private var cursor: Cursor

    init(_ rows: RowReader) throws {
        self.rows = rows
        cursor = try rows.documentCursor(fillsCache: true)
    }

    /// Returns whether no damage was skipped.
    mutating func isSound() -> Bool { (try? cursor.checkForErrors()) != nil }

    /// Moves to the first document from a row on. Returns its row; the maximum if there is none.
    mutating func seek(to row: UInt64) throws -> UInt64 {
        cursor.seek(to: StoreKey.document(rows.collection.number, row: row))
        return try advance()
    }

    /// Moves to the next document. Returns its row; the maximum if there is none.
    mutating func advance() throws -> UInt64 {
        // A row skipped because of damage is not found here. The lookup then reports the damage.
        try cursor.advanceUnchecked() ? rows.row(ofDocumentKey: cursor.key) : .max
    }

    /// Calls `body` with the record at the cursor, after keeping it in memory if it is used often.
    func withRecord<R>(_ row: UInt64, _ body: (borrowing RowRecord) throws -> R) throws -> R {
        try rows.withCaching(try rows.record(cursor.value, row: row), of: row, body)
    }
}
