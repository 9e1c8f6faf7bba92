internal import LevelKit

/// The counters that the writer keeps for each collection.
struct CollectionCounters: Sendable, Hashable {
    /// The row of the next new document. Rows are never reused.
    var nextRow: UInt64 = 1
    var documentCount = 0
    /// The number of stored member names. It reveals a table that lost names, whose numbers would otherwise be reused.
    var nameCount = 0

    /// Far beyond what any collection reaches. A higher row is treated as damage and never incremented.
    static let lastRow = UInt64.max >> 2

    static func key(_ collection: UInt32) -> [UInt8] { StoreKey.counters.prefix(collection) }

    static func read(_ collection: UInt32, in reader: some KeyValueReader) throws -> CollectionCounters {
        guard let bytes = try reader.value(forKey: key(collection)) else { return CollectionCounters() }
        guard let values = Varint.readAll(bytes), values.count == 3, values[0] > 0, let count = Int(exactly: values[1]),
            let nameCount = Int(exactly: values[2])
        else {
            throw DocIndexError(
                .corruption, "the counters of collection \(collection) cannot be read; restore a backup")
        }
        return CollectionCounters(nextRow: values[0], documentCount: count, nameCount: nameCount)
    }

    /// Counts a new document.
    ///
    /// - Returns: its row.
    /// - Throws: ``DocIndexError`` with `corruption` if the counters exceed what any store reaches.
    mutating func addDocument(collection: String) throws -> UInt64 {
        guard nextRow <= Self.lastRow, documentCount < .max else { throw Self.contradiction(collection) }
        documentCount += 1
        nextRow += 1
        return nextRow - 1
    }

    /// Subtracts a deleted document.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if the count is 0.
    mutating func removeDocument(collection: String) throws {
        guard documentCount > 0 else { throw Self.contradiction(collection) }
        documentCount -= 1
    }

    static func contradiction(_ collection: String) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the counters of the collection \(collection) contradict its documents; run verify and restore a backup")
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(nextRow, to: &bytes)
        Varint.append(UInt64(documentCount), to: &bytes)
        Varint.append(UInt64(nameCount), to: &bytes)
        return bytes
    }
}
