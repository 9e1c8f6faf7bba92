extension DocumentCollection {
    /// Computes aggregates such as counts and sums over the documents that match a condition, in groups.
    ///
    /// - Returns: the groups in key order; without keys a single group, even if no document matches.
    /// - Throws: ``DocIndexError``: `queryTooLarge` if there are more groups than allowed; the errors of
    ///   ``find(_:options:)``.
    /// - Complexity: that of the plan. Only the required values of each document are decoded. Counts of all documents
    ///   by one key read no documents if the key is the first component of an index: O(*n*) in the entries of the
    ///   index, or in its distinct values if it counts them.
    public func summarize(
        _ aggregation: Aggregation, where filter: Filter = .all, options: Query.Options = Query.Options()
    ) throws -> [Aggregation.Group] {
        try aggregation.validate()
        try filter.validate()
        let query = Query(filter)
        let (rows, plan) = try prepare(query, options)
        if let groups = try columnGroups(aggregation, query, rows: rows, plan: plan, options) { return groups }
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        if filter.normalized.isAll, options.hint == nil,
            let groups = try IndexGroups(aggregation, rows: rows)?.groups(examining: &executor.work.keysExamined)
        {
            if let path = aggregation.columnPath { executor.noteMissedColumns(for: [path]) }
            return groups
        }
        let names = rows.collection.names.current
        var summary = GroupSummary(aggregation, names: names)
        try executor.run { row, record in
            try rows.reading(row) {
                try summary.add(BodyReader(record.body, names: names))
            }
            return true
        }
        if let path = aggregation.columnPath { executor.noteMissedColumns(for: [path]) }
        return summary.groups
    }

    /// Returns the values at a path and the number of documents with each, the most frequent first. Values with equal
    /// counts are in value order.
    ///
    /// With `[]` in the path, a document counts once for each distinct element. Documents without a value are not
    /// counted.
    ///
    /// - Parameters:
    ///   - path: the field.
    ///   - filter: the condition that the counted documents satisfy.
    ///   - limit: the maximum number of values; `nil` for all.
    ///   - options: the hint, the limits and the progress of the query.
    /// - Complexity: without a condition and with an index over the path, no document is read.
    public func facets(
        _ path: FieldPath, where filter: Filter = .all, limit: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> [Facet] {
        try facets([path], where: filter, limit: limit, options: options)[0]
    }

    /// Returns the facets of several paths, computed in one pass over the documents that match a condition.
    ///
    /// - Complexity: that of the plan. If one index answers the condition exactly and contains the values at all paths,
    ///   as components or covered, its entries are read and no documents. Neither is read once the fields are in
    ///   memory as columns; see ``DocumentStore/Options/columnByteCount``.
    public func facets(
        _ paths: [FieldPath], where filter: Filter = .all, limit: Int? = nil,
        options: Query.Options = Query.Options()
    ) throws -> [[Facet]] {
        try filter.validate()
        let query = Query(filter)
        let (read, plan) = try prepare(query, options)
        if let facets = try columnFacets(paths, query, limit: limit, rows: read, plan: plan, options) { return facets }
        let executor = QueryExecutor(rows: read, query: query, plan: plan, options: options)
        if filter.normalized.isAll, options.hint == nil {
            let counter = ValueCounts(rows: read)
            let counted = try paths.map {
                try counter.counts(of: $0, limit: limit, examining: &executor.work.keysExamined)
            }
            if counted.allSatisfy({ $0 != nil }) {
                executor.noteMissedColumns(for: paths)
                return counted.map { Self.ranked($0 ?? [], limit: limit) }
            }
        }
        if var covered = CoveredFacets(plan, paths, rows: read), let facets = try covered.counts(executor) {
            executor.noteMissedColumns(for: paths)
            return facets.map { Self.ranked($0, limit: limit) }
        }
        let names = read.collection.names.current
        var counts = paths.map { FacetCounts($0, names: names) }
        try executor.run { row, record in
            try read.reading(row) {
                let body = record.body
                let reader = try BodyReader(body, names: names)
                for position in counts.indices { try counts[position].add(reader, of: body, row: row) }
            }
            return true
        }
        executor.noteMissedColumns(for: paths)
        return try counts.map { Self.ranked(try $0.facets(read, limit: limit), limit: limit) }
    }

    /// Returns the distinct values at a path, in ascending order of all kinds of values.
    ///
    /// - Parameters:
    ///   - path: the field.
    ///   - filter: the condition that the documents satisfy.
    ///   - limit: the maximum number of values; `nil` for all.
    ///   - options: the hint, the limits and the progress of the query.
    /// - Complexity: without a condition, or if conditions fix all components before the path in an index, one seek for
    ///   each value; no document is read. Otherwise, all matching documents are read.
    public func distinct(
        _ path: FieldPath, where filter: Filter = .all, limit: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> [DocumentValue] {
        try filter.validate()
        let rows = try reader()
        if options.hint == nil,
            let values = try ValueCounts(rows: rows).values(of: path, where: filter, limit: limit)
        {
            return values
        }
        let facets = try facets(path, where: filter, options: options)
        let values = facets.map(\.value).sorted { ValueOrder.collate($0, $1) < 0 }
        return limit.map { Array(values.prefix(max(0, $0))) } ?? values
    }

    /// Returns the name of the index whose keys are sufficient for
    /// ``facets(_:where:limit:options:)-(FieldPath,_,_,_)``; `nil` if documents are read.
    public func indexCounting(_ path: FieldPath, where filter: Filter = .all) throws -> String? {
        try filter.validate()
        guard filter.normalized.isAll else { return nil }
        return ValueCounts(rows: try reader()).index(over: path)?.definition.name
    }

    /// Returns the name of the index whose keys are sufficient for ``distinct(_:where:limit:options:)``; `nil` if
    /// documents are read.
    public func indexListing(_ path: FieldPath, where filter: Filter = .all) throws -> String? {
        try filter.validate()
        return ValueCounts(rows: try reader()).list(of: path, where: filter)?.index.definition.name
    }

    /// Returns the name of the index whose keys are sufficient for ``summarize(_:where:options:)``; `nil` if documents
    /// are read.
    public func indexGrouping(_ aggregation: Aggregation, where filter: Filter = .all) throws -> String? {
        try filter.validate()
        guard filter.normalized.isAll else { return nil }
        return IndexGroups(aggregation, rows: try reader())?.index.definition.name
    }

    static func ranked(_ facets: [Facet], limit: Int?) -> [Facet] {
        var largest = LargestCounts(limit: limit)
        for facet in facets { largest.add(facet.count) }
        let sorted = facets.filter { $0.count >= largest.least }.sorted {
            $0.count != $1.count ? $0.count > $1.count : ValueOrder.collate($0.value, $1.value) < 0
        }
        return limit.map { Array(sorted.prefix(max(0, $0))) } ?? sorted
    }
}
