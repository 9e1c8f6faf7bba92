package import LevelKit

/// The keys and values below the documents, for code that shows the layout of a store.
extension StoreSnapshot {
    /// The state as keys and values.
    package var keys: Snapshot { snapshot }
}

extension DocumentStore {
    /// Returns the levels and sizes of the database.
    package func statistics() throws -> Database.Statistics { try database.statistics() }

    /// Returns the approximate size in tables of the keys in a range.
    package func approximateByteCount(in range: KeyRange) throws -> UInt64 {
        try database.approximateByteCount(in: range)
    }
}
