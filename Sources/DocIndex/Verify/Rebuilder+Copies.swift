internal import LevelKit

extension Rebuilder {
    /// Makes the copies of member names equal to the originals. The copy of the catalog is written with the catalog.
    mutating func correctCopies() throws {
        let prefix = [StoreKey.copies.rawValue]
        let catalogCopy = StoreKey.copy(of: StoreKey.catalogKey)
        var copies = try database.cursor(in: .prefix(prefix), cache: .bypass)
        while try copies.advance() {
            let key = copies.key.copied()
            guard key != catalogCopy else { continue }
            let original = try database.value(forKey: Array(key.dropFirst()))
            let isName = key.dropFirst().first == StoreKey.names.rawValue
            if !isName || original == nil { try remove(key) }
        }
        for collection in catalog.collections {
            let range = KeyRange.prefix(StoreKey.names.prefix(collection.number))
            var names = try database.cursor(in: range, cache: .bypass)
            while try names.advance() {
                try correct(StoreKey.copy(of: names.key.copied()), to: names.value.copied())
            }
        }
        try write(always: true)
    }
}
