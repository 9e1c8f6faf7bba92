internal import LevelKit

/// Adopts value indexes built by earlier versions, whose entries lack the content of arrays and objects.
///
/// Most indexes contain neither arrays nor objects, so this version would write the same entries, and the index is
/// kept. The others are rebuilt.
enum ContentAdoption {
    /// Returns the catalog with the complete indexes of earlier versions adopted; `nil` if there are none.
    ///
    /// - Complexity: O(*n*) in the number of entries of these indexes.
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

    /// Returns whether an entry of an index contains an array or object without content, or is invalid.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    static func hasMarks(_ entry: Catalog.IndexEntry, in reader: some KeyValueReader) throws -> Bool {
        guard let index = LoadedIndex(entry).valueIndex else { return false }
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix(index.entryPrefix))
        while try cursor.advance() {
            try cancellation.step()
            var offset = index.entryPrefix.count
            for (position, component) in index.components.enumerated() {
                guard let end = index.skip(position, in: cursor.key, from: offset) else { return true }
                let mask: UInt8 = component.order == .descending ? 0xff : 0
                var kind = cursor.key[offset] ^ mask
                // The mark for any other kind is followed by the value.
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
