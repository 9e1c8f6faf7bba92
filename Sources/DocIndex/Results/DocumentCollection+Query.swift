internal import LevelKit

// MARK: - Documents

extension DocumentCollection {
    /// Returns the documents that match a query.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`, `scanRefused`, `queryTooLarge` or `corruption`; `LevelError`;
    ///   `CancellationError` if the task is canceled.
    public func find(_ query: Query, options: Query.Options = Query.Options()) throws -> [Document] {
        let (rows, plan) = try prepare(query, options)
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        executor.reportsDamageAtEnd = true
        var documents: [Document] = []
        try executor.run { row, record in
            documents.append(try rows.document(in: record, row: row))
            return true
        }
        return documents
    }

    /// Returns the documents that satisfy a condition in the notation of ``Filter/init(parsing:)``. For strings that are
    /// not literals, such as saved searches; a literal is a ``FilterText``, whose interpolated values are bound.
    ///
    /// - Parameters:
    ///   - condition: the condition.
    ///   - sort: fields separated by commas, with `-` before a field in descending order.
    ///   - limit: the maximum number of documents; `nil` for all.
    @_disfavoredOverload
    public func find(_ condition: String, sort: String? = nil, limit: Int? = nil) throws -> [Document] {
        try find(
            Query(try Filter(parsing: condition), sort: try sort.map(Query.SortKey.parse) ?? [], limit: limit))
    }

    /// Calls `body` with each document of the result, in order, until it returns `false`.
    ///
    /// All documents come from a single snapshot. Concurrent writes have no effect.
    ///
    /// - Returns: The plan that was used, and how much was read.
    /// - Throws: Errors of `body` and of ``find(_:options:)``.
    @discardableResult
    public func forEach(
        matching query: Query, options: Query.Options = Query.Options(), _ body: (Document) throws -> Bool
    ) throws -> Plan.Execution {
        let clock = ContinuousClock()
        let begin = clock.now
        let (rows, plan) = try prepare(query, options)
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        var count = 0
        try executor.run { row, record in
            count += 1
            return try body(try rows.document(in: record, row: row))
        }
        return Plan.Execution(
            plan: plan, keysExamined: executor.work.keysExamined, documentsExamined: executor.work.documentsExamined,
            resultCount: count, didSwitchAccess: executor.didSwitchAccess, duration: clock.now - begin)
    }

    /// Returns the number of documents that satisfy a condition.
    ///
    /// - Complexity: That of the plan. If an index answers the condition exactly, no documents are read.
    public func count(where filter: Filter, options: Query.Options = Query.Options()) throws -> Int {
        try filter.validate()
        if filter.normalized.isAll { return try count() }
        let query = Query(filter)
        let (rows, plan) = try prepare(query, options, for: .count)
        return try QueryExecutor(rows: rows, query: query, plan: plan, options: options).count()
    }

    /// Returns the results of a query reduced to some paths: for each result, a document with the values at these paths
    /// only.
    ///
    /// If the plan reads the entries of one index in the order of the query, and the index covers the paths, no
    /// documents are read. Values of the index's components can be used too, unless they are numbers, because keys do
    /// not distinguish `1` from `1.0`.
    ///
    /// - Complexity: That of ``forEach(matching:options:_:)``, but only the requested values of a document are decoded.
    public func select(
        _ paths: [FieldPath], _ query: Query, options: Query.Options = Query.Options()
    ) throws -> [DocumentObject] {
        let (rows, plan) = try prepare(query, options, for: .fields(paths))
        let fields = SelectedFields(paths, rows)
        var results: [DocumentObject] = []
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        executor.reportsDamageAtEnd = true
        executor.entryVisit = QueryExecutor.EntryVisit(paths: paths, known: fields.knownObject) {
            results.append($0)
            return true
        }
        try executor.run { row, record in
            results.append(try rows.reading(row) { try fields.object(record, row: row) })
            return true
        }
        return results
    }
}

// MARK: - Plans

extension DocumentCollection {
    /// Returns the plan for a query without running it.
    public func plan(_ query: Query, options: Query.Options = Query.Options()) throws -> Plan {
        try prepare(query, options).1
    }

    /// Returns every plan considered for a query, cheapest first.
    public func plans(_ query: Query) throws -> [Plan] {
        try query.validate()
        return try planner(try reader(for: query.filter), for: .documents).options(for: query).map(\.plan)
    }

    /// Returns the reader and the plan for a query.
    ///
    /// - Parameter identity: the plan of the first page, which is used if it is still available; `nil` for the best one.
    func prepare(
        _ query: Query, _ options: Query.Options, for purpose: Planner.Purpose = .documents,
        continuing identity: String? = nil
    ) throws -> (RowReader, Plan) {
        var rows = try reader()
        let key = PlanCache.Key(query: query, purpose: purpose)
        if options.hint == nil, let plan = rows.knownPlan(for: key),
            identity.map({ plan.identity.hasSameBytes(as: $0) }) ?? true
        {
            return (rows, plan)
        }
        try query.validate()
        try addSearch(of: query.filter, to: &rows)
        let planner = try planner(rows, for: purpose)
        if let hint = options.hint { return (rows, try planner.plan(query, hint: hint)) }
        let best = try planner.plan(query)
        rows.keepPlan(best, for: key)
        return (rows, try identity.flatMap { try planner.plan(query, identity: $0, best: best) } ?? best)
    }

    /// Returns the reader for a condition. It includes the text index if the condition has a search.
    ///
    /// - Throws: ``DocIndexError`` with `unknownIndex` if the collection has no text index.
    func reader(for filter: Filter) throws -> RowReader {
        var rows = try reader()
        try addSearch(of: filter, to: &rows)
        return rows
    }

    private func addSearch(of filter: Filter, to rows: inout RowReader) throws {
        if !filter.searches.isEmpty { rows.search = try textSearch(in: rows) }
    }

    func planner(_ rows: RowReader, for purpose: Planner.Purpose) throws -> Planner {
        let count = try rows.documentCount()
        let cardinality = CardinalityEstimator(snapshot: rows.snapshot, database: store.database, documentCount: count)
        // Comparing plans counts the same few ranges several times.
        var known: [(index: UInt32, ranges: [KeyRange], count: Int)] = []
        return Planner(
            valueIndexes: rows.valueIndexes, geoIndexes: rows.geoIndexes, documentCount: count,
            countEntries: { ranges, index in
                for entry in known where entry.index == index.number && entry.ranges == ranges { return entry.count }
                let count = try cardinality.entryCount(in: ranges, of: index)
                known.append((index.number, ranges, count))
                return count
            }, idPath: FieldPath(names: rows.collection.idField), collection: rows.collection.number,
            countIDs: { try cardinality.entryCount(in: $0, behind: StoreKey.ids.prefix(rows.collection.number)) },
            textIndex: rows.search?.index,
            countMatches: { try rows.search?.estimatedCount($0) ?? 0 }, purpose: purpose)
    }
}
