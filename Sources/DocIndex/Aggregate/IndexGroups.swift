/// Counts all documents by one key from an index whose first component is the key, without reading documents.
struct IndexGroups {
    private let aggregation: Aggregation
    private let key: Aggregation.GroupKey
    let index: ValueIndex
    /// Whether entries contain the requested part of the date instead of the date.
    private let holdsPart: Bool
    private let counts: ValueCounts

    /// Fails if the aggregation computes anything but counts, or if no index has an entry of every document for each
    /// value.
    init?(_ aggregation: Aggregation, rows: RowReader) {
        guard aggregation.keys.count == 1, aggregation.measures.allSatisfy({ $0 == .count }) else { return nil }
        let key = aggregation.keys[0]
        var part: DocumentDate.Part?
        switch key {
        case .value: break
        case .datePart(_, let wanted):
            part = wanted
            // Two elements may belong to the same group, in which the document counts once.
            if key.path.hasArrayStep { return nil }
        case .range: if key.path.hasArrayStep { return nil }
        }
        let usable = rows.valueIndexes.filter { index in
            let component = index.components[0]
            return component.path == key.path && !index.definition.isSparse && index.definition.condition == nil
                && (component.hasOrderOfValues || part != nil && component.part == part)
                && (index.components.count == 1 || !index.definition.fields.contains(where: \.hasArrayStep))
        }
        // Prefer an index with few values to read.
        func isBest(_ index: ValueIndex) -> Bool {
            index.definition.countsValues && (part == nil || index.components[0].part == part)
        }
        guard
            let index = usable.first(where: isBest) ?? usable.first(where: \.definition.countsValues) ?? usable.first
        else { return nil }
        self.aggregation = aggregation
        self.key = key
        self.index = index
        holdsPart = index.components[0].part != nil
        counts = ValueCounts(rows: rows)
    }

    /// Returns the groups in key order; `nil` if an entry does not determine its group, as for an array. Adds the number
    /// of entries read to `keyCount`.
    func groups(examining keyCount: inout Int) throws -> [Aggregation.Group]? {
        var found = CountedGroups()
        var isComplete = true
        func add(_ group: DocumentValue?, _ count: Int) throws {
            found.add(group, count)
            if found.count > aggregation.groupLimit { throw aggregation.tooManyGroups }
        }
        try counts.forEachValue(of: index, examining: &keyCount) { bytes, count in
            guard isComplete else { return }
            switch index.decoded(0, bytes) {
            case .missing: if !key.path.hasArrayStep { try add(nil, count) }
            case .value(.null) where holdsPart: try add(nil, count)
            case .value(let value) where holdsPart: try add(value, count)
            case .value(let value): try add(GroupSummary.group(value, key), count)
            // The document may contain a date in a string that the index did not recognize as one.
            case nil: isComplete = false
            }
        }
        guard isComplete else { return nil }
        return found.sorted().map { entry in
            let count = DocumentValue.int(Int64(entry.count))
            return Aggregation.Group(key: [entry.key], values: aggregation.measures.map { _ in count })
        }
    }
}

/// Groups with their counts. They usually arrive in order, as read from an index.
private struct CountedGroups {
    struct Entry {
        /// The encoding of ``OrderedValue``, which determines the order of groups.
        let bytes: [UInt8]
        let key: DocumentValue?
        var count: Int
    }

    private var entries: [Entry] = []
    /// The index in ``entries`` of each group, once one has arrived out of order.
    private var places: [[UInt8]: Int]?
    private var bytes: [UInt8] = []

    var count: Int { entries.count }

    mutating func add(_ key: DocumentValue?, _ count: Int) {
        bytes.removeAll(keepingCapacity: true)
        OrderedValue.append(key, to: &bytes)
        if let last = entries.last, places == nil {
            if last.bytes == bytes {
                entries[entries.count - 1].count += count
                return
            }
            if !last.bytes.lexicographicallyPrecedes(bytes) {
                places = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.bytes, $0) })
            }
        }
        if let place = places?[bytes] {
            entries[place].count += count
            return
        }
        places?[bytes] = entries.count
        entries.append(Entry(bytes: Array(bytes), key: key, count: count))
    }

    func sorted() -> [Entry] {
        places == nil ? entries : entries.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}
