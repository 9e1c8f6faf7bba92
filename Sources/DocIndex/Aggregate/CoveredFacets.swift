internal import LevelKit

/// Counts the values at some paths from the entries of one index, without reading documents. Applies if the plan scans
/// only that index and its entries contain the values, as components or as covered values. If the index counts its
/// values, the counters are read instead of the entries.
struct CoveredFacets {
    private let index: ValueIndex
    private let scan: Plan.IndexScan
    private let sources: [ValueIndex.ValuePlace]
    /// The count of each value, by the bytes of a component or by the covered value.
    private var encoded: [[[UInt8]: Int]]
    /// The latest bytes of each component and the length of their run: equal values are adjacent.
    private var runs: [(bytes: [UInt8], count: Int)]
    private var ends: [Int]
    private var values: [[DocumentValue: Int]]

    /// Fails if the plan does not scan the entries of exactly one index, if a document may have several entries in the
    /// scan, or if the entries do not contain all paths.
    init?(_ plan: Plan, _ paths: [FieldPath], rows: RowReader) {
        guard plan.isExact, case .ranges(let scan) = plan.access,
            let index = rows.index(named: scan.index)?.valueIndex
        else { return nil }
        let isOneValue = scan.hasRisingRows && scan.ranges.count == 1
        guard isOneValue || !index.definition.fields.contains(where: \.hasArrayStep) else { return nil }
        var sources: [ValueIndex.ValuePlace] = []
        for path in paths {
            let (component, covered) = index.places(of: path)
            guard let source = component ?? covered else { return nil }
            sources.append(source)
        }
        self.index = index
        self.scan = scan
        self.sources = sources
        encoded = paths.map { _ in [:] }
        runs = paths.map { _ in ([], 0) }
        ends = index.components.map { _ in 0 } + [0]
        values = paths.map { _ in [:] }
    }

    /// Returns the facets of each path; `nil` if an entry does not contain a whole value, such as an array.
    mutating func counts(_ executor: QueryExecutor) throws -> [[DocumentCollection.Facet]]? {
        let needsCovered = sources.contains(where: \.isCovered)
        var isComplete = true
        if index.definition.countsValues, !needsCovered {
            try executor.forEachCount(of: scan, index) { entry, count in
                guard try scan.filters.isEmpty || index.admits(entry, scan.filters) else { return }
                try add(entry, [], Int(clamping: count))
            }
            return facets()
        }
        try executor.forEachEntry(of: scan) { cursor in
            try executor.noteKey()
            guard isComplete, try scan.filters.isEmpty || index.admits(cursor.key, scan.filters) else { return }
            let covered =
                needsCovered
                ? CoveredValues.decode(cursor.value.copied(), count: index.definition.covered.count) : []
            guard let covered else {
                isComplete = false
                return
            }
            try add(cursor.key, covered, 1)
        }
        return isComplete ? facets() : nil
    }

    /// Returns the facets of each path from the counts; `nil` if an entry does not contain a whole value.
    private mutating func facets() -> [[DocumentCollection.Facet]]? {
        for position in runs.indices { endRun(position) }
        var facets: [[DocumentCollection.Facet]] = []
        for (position, source) in sources.enumerated() {
            guard case .component(let component) = source else {
                facets.append(values[position].map { DocumentCollection.Facet(value: $0.key, count: $0.value) })
                continue
            }
            var own: [DocumentCollection.Facet] = []
            for (bytes, count) in encoded[position] {
                let isDescending = index.components[component].order == .descending
                switch OrderedValue.decoded(bytes.span, isDescending: isDescending) {
                case .missing: break
                case .value(let value): own.append(DocumentCollection.Facet(value: value, count: count))
                case nil: return nil
                }
            }
            facets.append(own)
        }
        return facets
    }

    private mutating func add(_ key: Span<UInt8>, _ covered: [[DocumentValue]], _ count: Int) throws {
        ends[0] = index.entryPrefix.count
        for position in index.components.indices {
            guard let end = index.skip(position, in: key, from: ends[position]) else { throw index.damaged }
            ends[position + 1] = end
        }
        for (position, source) in sources.enumerated() {
            switch source {
            case .component(let component):
                let bytes = key.extracting(ends[component]..<ends[component + 1])
                let last = runs[position].bytes
                if runs[position].count == 0 || !bytes.hasSameBytes(as: last.span) {
                    endRun(position)
                    runs[position] = (bytes.copied(), 0)
                }
                runs[position].count += count
            case .covered(let place):
                for value in Set(covered[place].map(OrderedValue.canonical)) {
                    values[position][value, default: 0] += count
                }
            }
        }
    }

    private mutating func endRun(_ position: Int) {
        guard runs[position].count > 0 else { return }
        encoded[position][runs[position].bytes, default: 0] += runs[position].count
        runs[position].count = 0
    }
}
