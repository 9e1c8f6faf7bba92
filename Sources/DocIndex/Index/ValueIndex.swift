internal import LevelKit

/// An index that orders documents by the values at one or more fields.
///
/// `V index value… row` → the values that are covered, or nothing. Every document is in the index, unless it is sparse
/// or partial: a field that is not there, `null`, and every kind of value have their place (see ``OrderedValue``). A
/// field with `[]` gives one entry for each distinct element, a document without elements has one entry with "missing"
/// in their place; ``IndexTuples`` says how several such fields are combined.
struct ValueIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition

    var entryPrefix: [UInt8] { StoreKeyspace.values.prefix(number) }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        guard definition.holds(document) else { return }
        let combinations = try IndexTuples(definition.fields).combinations(in: document)
        let covered = definition.covered.isEmpty ? [] : CoveredValues.encode(definition.covered, of: document)
        if combinations.count == 1 {
            if let key = key(of: combinations[0], row: row) { try body(key, covered) }
            return
        }
        var seen: Set<[UInt8]> = []
        for combination in combinations {
            if let key = key(of: combination, row: row), seen.insert(key).inserted { try body(key, covered) }
        }
    }

    /// The key of a combination of values; `nil` if a sparse index leaves it out.
    private func key(of combination: [DocumentValue?], row: UInt64) -> [UInt8]? {
        if definition.isSparse, combination[0] == nil { return nil }
        var key = prefix(of: combination)
        StoreKeyspace.appendRow(row, to: &key)
        return key
    }

    /// The beginning of the keys of all entries with these values, as many as are given.
    func prefix(of values: [DocumentValue?]) -> [UInt8] {
        var key = entryPrefix
        for (component, value) in zip(definition.components, values) { component.append(value, to: &key) }
        return key
    }

    func statistics(of document: DocumentObject) -> IndexStatistics { IndexStatistics() }

    /// The offset of the row in an entry's key; `nil` if the key is no entry of this index.
    func rowOffset(in key: Span<UInt8>) -> Int? {
        var offset = entryPrefix.count
        for component in definition.components {
            guard let next = component.skip(in: key, from: offset) else { return nil }
            offset = next
        }
        return offset
    }

    /// The row number at the end of an entry's key; `nil` if the key is no entry of this index.
    func row(of key: Span<UInt8>) -> UInt64? {
        rowOffset(in: key).flatMap { StoreKeyspace.row(in: key, at: $0) }
    }
}

extension IndexDefinition {
    /// Whether a partial index holds a document; true of every other index.
    func holds(_ document: DocumentObject) -> Bool { condition?.predicate.matches(document) ?? true }
}
