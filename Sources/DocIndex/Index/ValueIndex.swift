internal import LevelKit

/// An index that orders documents by the values of one or more fields.
///
/// `V index value… row` → the covered values, or nothing. Every document is in the index, unless it is sparse or
/// partial: missing fields, `null` and every kind of value have their place in the order (see ``OrderedValue``). A
/// field with `[]` gives one entry for each distinct element, and a document without elements has one entry for the
/// missing value. ``IndexTuples`` describes how several such fields are combined.
struct ValueIndex: DocumentIndex {
    let number: UInt32
    let definition: IndexDefinition
    let entryPrefix: [UInt8]
    /// Copied from the definition, which is large.
    let components: [IndexDefinition.Component]
    let isUnique: Bool
    let isWatched: Bool
    /// Whether each component is descending. Components are large, and this is needed for each entry.
    private let directions: [Bool]
    private let shape: Shape
    private let isSparse: Bool
    private let hasCondition: Bool
    private let coversValues: Bool

    /// How entries are made from a document.
    private enum Shape {
        /// One value for each component.
        case plain
        /// A single component, with one entry for each distinct value at its path.
        case elements
        /// Several components, at least one with an array.
        case combinations(IndexTuples)
    }

    init(number: UInt32, definition: IndexDefinition) {
        self.number = number
        self.definition = definition
        entryPrefix = StoreKey.values.prefix(number)
        components = definition.components
        directions = components.map { $0.order == .descending }
        isUnique = definition.isUnique
        isWatched = definition.isUnique || definition.countsValues
        isSparse = definition.isSparse
        hasCondition = definition.condition != nil
        coversValues = !definition.covered.isEmpty
        let paths = definition.fields
        if !paths.contains(where: \.hasArrayStep) {
            shape = .plain
        } else if paths.count == 1 {
            shape = .elements
        } else {
            shape = .combinations(IndexTuples(paths))
        }
    }

    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        if case .plain = shape {
            if let (key, covered) = plainEntry(of: document, row: row) { try body(key, covered) }
            return
        }
        if hasCondition, !definition.holds(document) { return }
        let covered = coversValues ? CoveredValues.encode(definition.covered, of: document) : []
        switch shape {
        case .plain: break
        case .elements: try forEachElement(of: document, row: row) { try body($0, covered) }
        case .combinations(let tuples):
            let combinations = try tuples.combinations(in: document)
            if combinations.count == 1 {
                if let key = key(of: combinations[0], row: row) { try body(key, covered) }
                return
            }
            var seen: Set<[UInt8]> = []
            for combination in combinations {
                if let key = key(of: combination, row: row), seen.insert(key).inserted { try body(key, covered) }
            }
        }
    }

    /// Returns the only entry of a document in an index whose paths lead to single values; `nil` if there is none.
    private func plainEntry(of document: DocumentObject, row: UInt64) -> (key: [UInt8], value: [UInt8])? {
        if hasCondition, !definition.holds(document) { return nil }
        var key: [UInt8] = []
        key.reserveCapacity(64)
        key.append(contentsOf: entryPrefix)
        for position in components.indices {
            let value = components[position].path.value(in: document)
            if isSparse, position == 0, value == nil { return nil }
            components[position].append(value, to: &key)
        }
        StoreKey.appendRow(row, to: &key)
        return (key, coversValues ? CoveredValues.encode(definition.covered, of: document) : [])
    }

    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws {
        guard let old, let new, case .plain = shape, !isWatched else {
            return try updateEntries(old: old, new: new, row: row, in: &changes)
        }
        let (stale, fresh) = (plainEntry(of: old, row: row), plainEntry(of: new, row: row))
        let isSameKey = stale?.key == fresh?.key
        if let fresh, !isSameKey || stale?.value != fresh.value {
            try changes.batch.put(fresh.value, forKey: fresh.key)
        }
        if let stale, !isSameKey { try changes.batch.delete(stale.key) }
    }

    /// Calls `body` with the key of each distinct value of the single component.
    private func forEachElement(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8]) throws -> Void
    ) throws {
        let component = components[0]
        // All values in one buffer, to avoid one array per value.
        var values: [UInt8] = []
        var ends: [Int] = []
        component.path.forEachElement(in: document) { value in
            component.append(value, to: &values)
            ends.append(values.count)
        }
        if ends.isEmpty {
            if isSparse { return }
            component.append(nil, to: &values)
            ends.append(values.count)
        }
        var tail: [UInt8] = []
        StoreKey.appendRow(row, to: &tail)
        var key = entryPrefix
        var seen: Set<[UInt8]> = []
        for position in ends.indices {
            let start = position == 0 ? 0 : ends[position - 1]
            key.removeSubrange(entryPrefix.count...)
            key.append(contentsOf: values[start..<ends[position]])
            key.append(contentsOf: tail)
            if ends.count > 16 {
                guard seen.insert(key).inserted else { continue }
            } else if Self.isRepeated(position, values: values, ends: ends) {
                continue
            }
            try body(key)
        }
    }

    /// Returns whether an earlier value has the same bytes.
    private static func isRepeated(_ position: Int, values: [UInt8], ends: [Int]) -> Bool {
        let start = position == 0 ? 0 : ends[position - 1]
        let value = values[start..<ends[position]]
        var earlierStart = 0
        for earlier in 0..<position {
            if ends[earlier] - earlierStart == value.count, values[earlierStart..<ends[earlier]] == value {
                return true
            }
            earlierStart = ends[earlier]
        }
        return false
    }

    /// Returns the key of a combination of values; `nil` if a sparse index leaves it out.
    private func key(of combination: [DocumentValue?], row: UInt64) -> [UInt8]? {
        if isSparse, combination[0] == nil { return nil }
        var key = prefix(of: combination)
        StoreKey.appendRow(row, to: &key)
        return key
    }

    /// Returns the common prefix of all entries whose first components have these values.
    func prefix(of values: [DocumentValue?]) -> [UInt8] {
        var key = entryPrefix
        for (component, value) in zip(components, values) { component.append(value, to: &key) }
        return key
    }

    /// Returns the offset of the row in the key of an entry; `nil` if the key is not a valid entry of this index.
    func rowOffset(in key: Span<UInt8>) -> Int? {
        var offset = entryPrefix.count
        for position in directions.indices {
            guard let next = skip(position, in: key, from: offset) else { return nil }
            offset = next
        }
        return offset
    }

    /// Returns the offset after the value of a component at `offset`; `nil` if the value is incomplete or invalid.
    @inline(__always)
    func skip(_ position: Int, in key: Span<UInt8>, from offset: Int) -> Int? {
        OrderedValue.skip(in: key, from: offset, isDescending: directions[position])
    }

    /// The place of a path's value in an entry.
    enum ValuePlace {
        case component(Int)
        case covered(Int)

        var isCovered: Bool { if case .covered = self { true } else { false } }
    }

    /// Returns where entries contain the value of a path: the component that keeps whole values, and the covered value;
    /// `nil` if there is none.
    func places(of path: FieldPath) -> (component: ValuePlace?, covered: ValuePlace?) {
        let component = components.firstIndex { $0.path == path && $0.hasOrderOfValues && !path.hasArrayStep }
        let covered = definition.covered.firstIndex(of: path)
        return (component.map(ValuePlace.component), covered.map(ValuePlace.covered))
    }

    /// Decodes the value of a component; `nil` if the bytes are not a valid value.
    func decoded(_ position: Int, _ bytes: Span<UInt8>) -> OrderedValue.Decoded? {
        OrderedValue.decoded(bytes, isDescending: directions[position])
    }

    /// Returns the row at the end of an entry's key; `nil` if the key is not a valid entry of this index.
    func row(of key: Span<UInt8>) -> UInt64? {
        rowOffset(in: key).flatMap { StoreKey.row(in: key, at: $0) }
    }
}

extension IndexDefinition {
    /// Returns whether a partial index contains a document; always true for other indexes.
    func holds(_ document: DocumentObject) -> Bool { condition?.filter.isSatisfied(by: document) ?? true }
}
