internal import LevelKit

/// Records without which no document can be read: the catalog and the member names. Each is stored twice.
extension WriteBatch {
    /// Adds a record and its copy.
    func putWithCopy(_ value: [UInt8], forKey key: [UInt8]) throws {
        try put(value, forKey: key)
        try put(value, forKey: StoreKey.copy(of: key))
    }
}

extension KeyValueReader {
    /// Returns the record under a key, or its copy if the record is lost; `nil` if there is neither.
    func valueOrCopy(forKey key: [UInt8]) throws -> [UInt8]? {
        try value(forKey: key) ?? value(forKey: StoreKey.copy(of: key))
    }
}
