internal import LevelKit

/// Value indexes that an earlier version of the library made, in whose entries arrays and objects have no content.
///
/// Most indexes hold neither, so their entries are what this version would write: they are taken over. The others are built
/// anew.
enum ContentAdoption {
    /// The catalog with the indexes taken over whose entries say all; `nil` where there is none.
    ///
    /// - Complexity: O(*n*) in the entries of the indexes of earlier versions.
    static func run(_ catalog: Catalog, in reader: some KeyValueReader) throws -> Catalog? {
        var new = catalog
        for collection in new.collections.indices {
            for position in new.collections[collection].indexes.indices {
                let entry = new.collections[collection].indexes[position]
                guard !entry.hasContent, entry.isReady, try !hasMarks(entry, in: reader) else { continue }
                new.collections[collection].indexes[position].hasContent = true
            }
        }
        return new == catalog ? nil : new
    }

    /// Whether an entry of an index has an array or object without content, or is none.
    ///
    /// - Complexity: O(*n*) in the entries.
    static func hasMarks(_ entry: Catalog.IndexEntry, in reader: some KeyValueReader) throws -> Bool {
        guard let index = entry.index as? ValueIndex else { return false }
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix(index.entryPrefix))
        while try cursor.advance() {
            try cancellation.step()
            var offset = index.entryPrefix.count
            for (position, component) in index.components.enumerated() {
                guard let end = index.skip(position, in: cursor.key, from: offset) else { return true }
                let mask: UInt8 = component.order == .descending ? 0xff : 0
                var kind = cursor.key[offset] ^ mask
                // Behind the mark of another kind, the value follows.
                if kind == OrderedValue.Kind.other.rawValue { kind = cursor.key[offset + 1] ^ mask }
                if kind == OrderedValue.Kind.arrayMark.rawValue || kind == OrderedValue.Kind.objectMark.rawValue {
                    return true
                }
                offset = end
            }
        }
        return false
    }
}
