import DocIndex
import LevelKit

/// Selects and renames records of the input.
struct LoadFilter {
    /// The collections to load; `nil` for all.
    var only: [String]?
    /// New names of collections.
    var renames: [(from: String, to: String)] = []
    /// Replacements of key prefixes; other keys are kept.
    var prefixes: [(from: [UInt8], to: [UInt8])] = []

    /// The change with its new name; `nil` if it is not selected.
    func change(_ change: InputChange) -> InputChange? {
        switch change {
        case .pair(let key, let value): prefixes.isEmpty ? change : .pair(key: mapped(key), value: value)
        case .deletion(let key): prefixes.isEmpty ? change : .deletion(key: mapped(key))
        case .document(let name?, let id, let content):
            isWanted(name) ? .document(collection: renamed(name), id: id, content: content) : nil
        case .documentDeletion(let name?, let id):
            isWanted(name) ? .documentDeletion(collection: renamed(name), id: id) : nil
        case .document, .documentDeletion: change
        case .replicated(let document): isWanted(document.collection) ? .replicated(renamed(document)) : nil
        }
    }

    private func renamed(_ document: ReplicatedDocument) -> ReplicatedDocument {
        var document = document
        document.collection = renamed(document.collection)
        return document
    }

    /// The selected collections of those that a header names, with their new names.
    func names(_ names: [String]) -> [String] { names.filter(isWanted).map(renamed) }

    /// The schema of the selected collections, with their new names.
    func schema(_ schema: Schema) -> Schema {
        var schema = schema
        schema.collections = schema.collections.filter { isWanted($0.name) }.map { collection in
            var collection = collection
            collection.name = renamed(collection.name)
            return collection
        }
        return schema
    }

    /// The first selected collection that the input does not contain; `nil` if there is none.
    func missing(among names: Set<[UInt8]>) -> String? {
        only?.first { !names.contains(Array($0.utf8)) }
    }

    private func isWanted(_ name: String) -> Bool {
        only?.contains { $0.hasSameBytes(as: name) } ?? true
    }

    private func renamed(_ name: String) -> String {
        renames.first { $0.from.hasSameBytes(as: name) }?.to ?? name
    }

    private func mapped(_ key: [UInt8]) -> [UInt8] {
        guard let (from, to) = prefixes.first(where: { key.starts(with: $0.from) }) else { return key }
        return to + key.dropFirst(from.count)
    }
}
