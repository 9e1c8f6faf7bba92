package import LevelKit

/// The keys and values below the documents, for code that shows the layout of a store.
extension StoreSnapshot {
    /// The state as keys and values.
    package var keys: Snapshot { snapshot }
}

extension DocumentStore {
    /// Returns the levels and sizes of the database.
    package func statistics() throws -> Database.Statistics { try database.statistics() }

    /// Returns the approximate size in tables of the keys from one key up to another one.
    package func approximateByteCount(from lower: [UInt8], to upper: [UInt8]) throws -> UInt64 {
        try database.approximateByteCount(from: lower, to: upper)
    }
}
