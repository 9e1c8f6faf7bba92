extension DocumentCollection {
    /// Documents that have the same values.
    public struct Duplicates: Sendable, Hashable {
        /// The common values, in the order of the keys.
        public let values: [DocumentValue]
        /// The IDs of the documents, at least two, in the order in which the documents were first stored.
        public let ids: [DocumentID]
    }

    /// Returns the documents that have the same values at one or more keys, in the order of the values.
    ///
    /// ```swift
    /// let copies = try photos.duplicates(by: [.value("sha256")])
    /// let bursts = try photos.duplicates(by: [.value("taken"), .value("camera")])
    /// ```
    ///
    /// A document that has no value at one of the keys, or `null`, is not a duplicate of any other. With `[]` in a
    /// path, one common element is enough. All documents are read from one snapshot.
    ///
    /// - Parameters:
    ///   - keys: the keys, at least one.
    ///   - filter: the condition that the compared documents satisfy.
    ///   - options: the hint, the limits and the progress of the queries.
    /// - Throws: ``DocIndexError`` with `invalidQuery` without keys; the errors of ``summarize(_:where:options:)``.
    /// - Complexity: two passes. The first is that of ``summarize(_:where:options:)``; the second is omitted without
    ///   duplicates, and reads only the duplicates if there is one path, an index on it, and not too many values.
    public func duplicates(
        by keys: [Aggregation.GroupKey], where filter: Filter = .all, options: Query.Options = Query.Options()
    ) throws -> [Duplicates] {
        guard !keys.isEmpty else {
            throw DocIndexError(.invalidQuery, "duplicates are found by the values of at least one field; name one")
        }
        let view = try pinnedToNewest()
        var found: [[UInt8]: Int] = [:]
        var groups: [(values: [DocumentValue], ids: [DocumentID])] = []
        for group in try view.summarize(Aggregation(by: keys), where: filter, options: options) {
            guard (group.values.first?.intValue ?? 0) > 1 else { continue }
            let values = group.key.compactMap { $0 }.filter { !$0.isNull }
            guard values.count == keys.count else { continue }
            found[values.flatMap { OrderedValue.encoded($0) }] = groups.count
            groups.append((values, []))
        }
        if groups.isEmpty { return [] }
        let query = Query(Self.candidates(keys, groups.map(\.values), filter))
        let (rows, plan) = try view.prepare(query, options)
        let names = rows.collection.names.current
        let summary = GroupSummary(Aggregation(by: keys), names: names)
        try QueryExecutor(rows: rows, query: query, plan: plan, options: options).run { row, record in
            let matching = try rows.reading(row) {
                try summary.keys(of: BodyReader(record.body, names: names)).compactMap {
                    found[$0.flatMap { OrderedValue.encoded($0) }]
                }
            }
            guard !matching.isEmpty else { return true }
            let id = try rows.document(in: record, row: row).id
            for group in matching { groups[group].ids.append(id) }
            return true
        }
        return groups.map { Duplicates(values: $0.values, ids: $0.ids) }
    }

    /// The number of values for which the second pass looks them up instead of reading everything.
    private static let lookupLimit = 1000

    /// A condition that every duplicate satisfies, restricted to few documents if an index may find them.
    private static func candidates(
        _ keys: [Aggregation.GroupKey], _ values: [[DocumentValue]], _ filter: Filter
    ) -> Filter {
        guard case .value(let path) = keys[0], values.count <= lookupLimit else { return filter }
        let known = Filter.isIn(path, values.map { $0[0] })
        return filter.isAll ? known : .and([filter, known])
    }
}
