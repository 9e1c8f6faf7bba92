import LevelKit

@testable import DocIndex

extension Database {
    /// Stores a catalog and its copy, as a store does.
    func putCatalog(_ encoded: [UInt8]) throws {
        let batch = WriteBatch()
        try batch.putWithCopy(encoded, forKey: StoreKey.catalogKey)
        try write(batch)
    }
}
