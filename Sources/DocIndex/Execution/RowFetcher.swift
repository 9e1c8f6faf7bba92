internal import LevelKit

/// Reads documents of rising rows: steps to one that is near, and looks up one that is alone.
struct RowFetcher: ~Copyable {
    /// Documents that are stepped over rather than looked up.
    static let stepLimit: UInt64 = 8

    private let rows: RowReader
    private var cursor: Cursor
    /// Where the cursor stands; 0 before its first move, and the largest number behind the last document.
    private var cursorRow: UInt64 = 0

    init(_ rows: RowReader) throws {
        self.rows = rows
        cursor = try rows.documentCursor(fillsCache: true)
    }

    /// Calls `body` with the record of a row; see ``RowReader/withRecord(_:_:)``.
    ///
    /// - Parameters:
    ///   - row: greater than the one before.
    ///   - next: the one that is to be read after it; `nil` if there is none.
    mutating func withRecord<R>(
        _ row: UInt64, before next: UInt64?,
        _ body: (_ record: Span<UInt8>, _ bodyStart: Int, _ sequence: UInt64) throws -> R
    ) throws -> R {
        if cursorRow == 0 || cursorRow > row || row - cursorRow > Self.stepLimit {
            // A seek costs as much as to look the row up, and pays off if the next one is reached by steps.
            guard let next, next > row, next - row <= Self.stepLimit else { return try rows.withRecord(row, body) }
            cursor.seek(to: StoreKeyspace.document(rows.collection.number, row: row))
            try advance()
        }
        while cursorRow < row { try advance() }
        // There is none: the ordinary way says so.
        guard cursorRow == row else { return try rows.withRecord(row, body) }
        let (start, sequence) = try rows.start(of: cursor.value, row: row)
        return try body(cursor.value, start, sequence)
    }

    private mutating func advance() throws {
        // A row that was passed over for damage is not met, and the ordinary way finds the damage.
        cursorRow = try cursor.advanceUnchecked() ? rows.row(ofDocumentKey: cursor.key) : .max
    }
}
