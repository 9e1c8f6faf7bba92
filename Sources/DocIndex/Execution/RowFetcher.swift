internal import LevelKit

/// Reads documents by ascending rows: steps to rows close by, and looks up single rows.
struct RowFetcher: ~Copyable {
    private let rows: RowReader
    private var cursor: Cursor
    /// The row at the cursor: 0 before the first move, and the maximum after the last document.
    private var cursorRow: UInt64 = 0
    /// The number of documents that were not in memory.
    private(set) var readCount = 0

    init(_ rows: RowReader) throws {
        self.rows = rows
        cursor = try rows.documentCursor(fillsCache: true)
    }

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
            cursor.seek(to: StoreKey.document(rows.collection.number, row: row))
            try advance()
        }
        while cursorRow < row { try advance() }
        // If the row does not exist, the lookup reports it.
        guard cursorRow == row else { return try rows.withStoredRecord(row, body) }
        // An earlier version of the row may follow a damaged block with the newest one. A lookup finds out.
        do {
            try cursor.checkForErrors()
        } catch {
            return try rows.withStoredRecord(row, body)
        }
        return try rows.withCaching(try rows.record(cursor.value, row: row), of: row, body)
    }

    private mutating func advance() throws {
        // A row skipped because of damage is not found here. The lookup then reports the damage.
        cursorRow = try cursor.advanceUnchecked() ? rows.row(ofDocumentKey: cursor.key) : .max
    }
}
