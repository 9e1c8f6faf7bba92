import DocIndex
import LevelKit

/// Which records of the input are wanted, and under which names.
struct LoadFilter {
    /// The collections that are wanted; `nil` for all.
    var only: [String]?
    /// New names of collections.
    var renames: [(from: String, to: String)] = []
    /// New beginnings of keys; keys that begin otherwise stay.
    var prefixes: [(from: [UInt8], to: [UInt8])] = []

    /// The change as it is wanted; `nil` if it is not.
    func change(_ change: InputChange) -> InputChange? {
        switch change {
        case .pair(let key, let value): prefixes.isEmpty ? change : .pair(key: mapped(key), value: value)
        case .deletion(let key): prefixes.isEmpty ? change : .deletion(key: mapped(key))
        case .document(let name?, let id, let content):
            isWanted(name) ? .document(collection: renamed(name), id: id, content: content) : nil
        case .documentDeletion(let name?, let id):
            isWanted(name) ? .documentDeletion(collection: renamed(name), id: id) : nil
        case .document, .documentDeletion: change
        }
    }

    /// The schema with the collections that are wanted, under their new names.
    func schema(_ schema: Schema) -> Schema {
        var schema = schema
        schema.collections = schema.collections.filter { isWanted($0.name) }.map { collection in
            var collection = collection
            collection.name = renamed(collection.name)
            return collection
        }
        return schema
    }

    /// The first collection that is wanted and is none of those that the input has; `nil` if there is none.
    func missing(among names: Set<[UInt8]>) -> String? {
        only?.first { !names.contains(Array($0.utf8)) }
    }

    private func isWanted(_ name: String) -> Bool {
        only?.contains { $0.utf8.elementsEqual(name.utf8) } ?? true
    }

    private func renamed(_ name: String) -> String {
        renames.first { $0.from.utf8.elementsEqual(name.utf8) }?.to ?? name
    }

    private func mapped(_ key: [UInt8]) -> [UInt8] {
        guard let (from, to) = prefixes.first(where: { key.starts(with: $0.from) }) else { return key }
        return to + key.dropFirst(from.count)
    }
}
