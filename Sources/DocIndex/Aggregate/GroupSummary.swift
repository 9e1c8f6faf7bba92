/// The groups of an aggregation while documents are read.
struct GroupSummary {
    private let aggregation: Aggregation
    private let keyPaths: [ResolvedPath]
    private let measurePaths: [ResolvedPath?]
    /// Whether each document belongs to exactly one group.
    private let isSingle: Bool
    private var bytes: [UInt8] = []
    private var positions: [[UInt8]: Int] = [:]
    private var found: [(bytes: [UInt8], key: [DocumentValue?], values: [Accumulator])] = []

    init(_ aggregation: Aggregation, names: FieldNames) {
        self.aggregation = aggregation
        keyPaths = aggregation.keys.map { key in
            ResolvedPath(key.path, names: names)
        }
        measurePaths = aggregation.measures.map { $0.path.map { ResolvedPath($0, names: names) } }
        isSingle = aggregation.keys.allSatisfy { !$0.path.hasArrayStep }
        if aggregation.keys.isEmpty { found = [([], [], aggregation.measures.map(Accumulator.init))] }
    }

    mutating func add(_ reader: borrowing BodyReader) throws {
        if isSingle, measurePaths.allSatisfy({ $0 == nil }) {
            let position = try self.position(of: reader)
            for measure in measurePaths.indices { found[position].values[measure].add(nil) }
            return
        }
        var values: [[DocumentValue]] = []
        for path in measurePaths {
            var own: [DocumentValue] = []
            if let path { try reader.forEachElement(at: path) { own.append($0) } }
            values.append(own)
        }
        for key in try keys(of: reader) {
            let position = try self.position(of: key)
            for measure in values.indices {
                guard measurePaths[measure] != nil else {
                    found[position].values[measure].add(nil)
                    continue
                }
                for value in values[measure] { found[position].values[measure].add(value) }
            }
        }
    }

    /// Returns the keys of the groups that a document belongs to.
    func keys(of reader: borrowing BodyReader) throws -> [[DocumentValue?]] {
        var keys: [[DocumentValue?]] = [[]]
        for (key, path) in zip(aggregation.keys, keyPaths) {
            let own = try Self.values(of: key, path, reader)
            keys = keys.flatMap { beginning in own.map { beginning + [$0] } }
        }
        return keys
    }

    /// Returns the index of the group of a document that belongs to exactly one.
    private mutating func position(of reader: borrowing BodyReader) throws -> Int {
        if keyPaths.isEmpty { return 0 }
        bytes.removeAll(keepingCapacity: true)
        var key: [DocumentValue?] = []
        for (group, path) in zip(aggregation.keys, keyPaths) {
            let value = try reader.value(at: path).flatMap { Self.group($0, group) }
            OrderedValue.append(value, to: &bytes)
            key.append(value)
        }
        if let position = positions[bytes] { return position }
        return try position(of: key)
    }

    private mutating func position(of key: [DocumentValue?]) throws -> Int {
        if key.isEmpty { return 0 }
        let bytes = key.flatMap { OrderedValue.encoded($0) }
        if let position = positions[bytes] { return position }
        guard found.count < aggregation.groupLimit else { throw aggregation.tooManyGroups }
        positions[bytes] = found.count
        found.append((bytes, key, aggregation.measures.map(Accumulator.init)))
        return found.count - 1
    }

    /// Returns the distinct values of a key in a document; a single `nil` if there are none at a path without `[]`.
    private static func values(
        of key: Aggregation.GroupKey, _ path: ResolvedPath, _ reader: borrowing BodyReader
    ) throws -> [DocumentValue?] {
        var values: [DocumentValue?] = []
        var seen: Set<[UInt8]> = []
        try reader.forEachElement(at: path) { value in
            let grouped = group(value, key)
            if seen.insert(OrderedValue.encoded(grouped)).inserted { values.append(grouped) }
        }
        if values.isEmpty, !path.path.hasArrayStep { return [nil] }
        return values
    }

    /// Returns the group of a value; `nil` for the group of documents without a suitable value.
    static func group(_ value: DocumentValue, _ key: Aggregation.GroupKey) -> DocumentValue? {
        switch key {
        case .value: return OrderedValue.canonical(value)
        case .datePart(_, let part): return IndexedDate(reading: value).map { .int($0.value(of: part)) }
        case .range(_, let width):
            guard let number = value.numberValue, number.isFinite else { return nil }
            return OrderedValue.canonical(.double((number / width).rounded(.down) * width))
        }
    }

    /// The groups in key order.
    var groups: [Aggregation.Group] {
        found.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map {
            Aggregation.Group(key: $0.key, values: $0.values.map(\.result))
        }
    }
}

/// Counts the documents for each value at one path.
struct FacetCounts {
    private let path: ResolvedPath
    private let names: FieldNames
    /// Single values and strings are compared by their bytes in the body and decoded once at the end.
    private var encoded = ByteCounts()
    private var counts: [DocumentValue: Int] = [:]

    init(_ path: FieldPath, names: FieldNames) {
        self.path = ResolvedPath(path, names: names)
        self.names = names
    }

    /// Counts the values of a document.
    mutating func add(_ reader: borrowing BodyReader, of body: Span<UInt8>, row: UInt64) throws(BodyError) {
        if !path.path.hasArrayStep {
            if let range = try reader.places.range(of: path) { encoded.add(body.extracting(range), row: row) }
            return
        }
        if let texts = try reader.places.distinctTexts(at: path) {
            for range in texts { encoded.add(body.extracting(range), row: row) }
            return
        }
        // Equal numbers may have different bytes.
        var seen: Set<DocumentValue> = []
        try reader.forEachElement(at: path) { seen.insert(OrderedValue.canonical($0)) }
        for value in seen { counts[value, default: 0] += 1 }
    }

    /// Returns the values with their counts, at least the `limit` most frequent ones; `nil` for all.
    ///
    /// - Throws: the error that `rows` reports for a value that cannot be decoded.
    func facets(_ rows: RowReader, limit: Int?) throws -> [DocumentCollection.Facet] {
        try encoded.strings.facets(limit: limit, beside: counts, count: { encoded.entries[$0].count }) { number in
            try rows.reading(encoded.entries[number].row) {
                try BodyDecoder.value(encoded.strings[number], names: names)
            }
        }
    }
}
