/// Counts all documents by one key from an index that has its values first, without reading documents.
struct IndexGroups {
    private let aggregation: Aggregation
    private let key: Aggregation.GroupKey
    let index: ValueIndex
    /// Whether entries hold the part of the date that is asked for, in place of the date.
    private let holdsPart: Bool
    private let counts: ValueCounts

    /// `nil` if anything but the count of documents is asked for, or no index has an entry of every document for each value.
    init?(_ aggregation: Aggregation, rows: RowReader) {
        guard aggregation.keys.count == 1, aggregation.measures.allSatisfy({ $0 == .count }) else { return nil }
        let key = aggregation.keys[0]
        var part: DatePart?
        switch key {
        case .value: break
        case .datePart(_, let wanted):
            part = wanted
            // Two elements may be of one group, in which the document counts once.
            if key.path.hasArrayStep { return nil }
        case .range: if key.path.hasArrayStep { return nil }
        }
        let usable = rows.valueIndexes.filter { index in
            let component = index.components[0]
            return component.path == key.path && !index.definition.isSparse && index.definition.condition == nil
                && (component.hasOrderOfValues || part != nil && component.part == part)
                && (index.components.count == 1 || !index.definition.fields.contains(where: \.hasArrayStep))
        }
        // Few values are read sooner than many.
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

    /// The groups in the order of their keys; `nil` if an entry does not tell the group, as of an array.
    func groups() throws -> [Aggregation.Group]? {
        var found = CountedGroups()
        var isComplete = true
        func add(_ group: DocumentValue?, _ count: Int) throws {
            found.add(group, count)
            if found.count > aggregation.groupLimit { throw aggregation.tooManyGroups }
        }
        try counts.forEachValue(of: index) { bytes, count in
            guard isComplete else { return }
            switch index.decoded(0, bytes) {
            case .missing: if !key.path.hasArrayStep { try add(nil, count) }
            case .value(.null) where holdsPart: try add(nil, count)
            case .value(let value) where holdsPart: try add(value, count)
            case .value(let value): try add(Summary.group(value, key), count)
            // Of a text that the index took for no date, the document may know better.
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

/// Groups with their counts, which mostly come in their order: as an index has them.
private struct CountedGroups {
    struct Entry {
        /// Those of ``OrderedValue``, by which groups are ordered.
        let bytes: [UInt8]
        let key: DocumentValue?
        var count: Int
    }

    private var entries: [Entry] = []
    /// Where each group stands in ``entries``, once one has come out of order.
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
