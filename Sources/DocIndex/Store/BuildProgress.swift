/// How far the building of indexes has come.
public struct BuildProgress: Sendable, Hashable {
    /// The collection.
    public let collection: String
    /// The indexes that are built together.
    public let indexes: [String]
    /// The row that was reached. Rows are the numbers of documents in the order in which they were first stored; those
    /// of deleted documents are not used again.
    public let row: UInt64
    /// The last row that there is, which may grow while others write.
    public let lastRow: UInt64

    /// How much is done, from 0 to 1.
    public var fraction: Double { lastRow == 0 ? 1 : Double(row) / Double(lastRow) }
}
