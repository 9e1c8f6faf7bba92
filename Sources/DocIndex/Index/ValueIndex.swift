internal import LevelKit

/// An index that orders documents by the values at one or more fields.
///
/// `V index value… row` → nothing. Every document is in the index: a field that is not there, `null`, and every kind of
/// value have their place (see ``OrderedValue``). A field with `[]` gives one entry for each distinct element; a
/// document without elements has one entry with "missing" in their place.
struct ValueIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition

    var entryPrefix: [UInt8] { StoreKeyspace.values.prefix(number) }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) rethrows {
        // The bytes before the field with `[]`, its elements, and the bytes behind it.
        var key = entryPrefix
        var elements: [[UInt8]]?
        var tail: [UInt8] = []
        for field in definition.fields {
            if field.hasArrayStep {
                elements = Self.distinctElements(at: field, in: document)
            } else if elements == nil {
                OrderedValue.append(field.value(in: document), to: &key)
            } else {
                OrderedValue.append(field.value(in: document), to: &tail)
            }
        }
        StoreKeyspace.appendRow(row, to: &tail)
        guard let elements else {
            return try body(key + tail, [])
        }
        for element in elements { try body(key + element + tail, []) }
    }

    func statistics(of document: DocumentObject) -> IndexStatistics { IndexStatistics() }

    private static func distinctElements(at field: FieldPath, in document: DocumentObject) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        field.forEachElement(in: document) { elements.append(OrderedValue.encoded($0)) }
        switch elements.count {
        case 0: return [OrderedValue.encoded(nil)]
        case 1: return elements
        default:
            var seen: Set<[UInt8]> = []
            return elements.filter { seen.insert($0).inserted }
        }
    }

    /// The row number at the end of an entry's key; `nil` if the key is no entry of this index.
    func row(of key: Span<UInt8>) -> UInt64? {
        var offset = entryPrefix.count
        for _ in definition.fields {
            guard let next = OrderedValue.skip(in: key, from: offset) else { return nil }
            offset = next
        }
        return StoreKeyspace.row(in: key, at: offset)
    }
}
