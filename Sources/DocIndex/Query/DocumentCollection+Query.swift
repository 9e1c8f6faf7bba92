internal import LevelKit

// MARK: - Documents

extension DocumentCollection {
    /// The documents that a query asks for.
    ///
    /// - Throws: ``DocIndexError``: `invalidQuery`, `queryTooLarge`, `corruption`; `LevelError`; `CancellationError` if the
    ///   task is cancelled meanwhile.
    public func find(_ query: Query, options: QueryOptions = QueryOptions()) throws -> [Document] {
        var documents: [Document] = []
        try forEach(matching: query, options: options) {
            documents.append($0)
            return true
        }
        return documents
    }

    /// The documents that satisfy a condition in the notation of the shell.
    ///
    /// - Parameter sort: fields with commas between them, `-` before one that is descending.
    public func find(_ condition: String, sort: String? = nil, limit: Int? = nil) throws -> [Document] {
        try find(
            Query(try Predicate(parsing: condition), sort: try sort.map(Query.SortKey.parse) ?? [], limit: limit))
    }

    /// Calls `body` with each document of the answer, in order, until it returns `false`.
    ///
    /// All is read from one moment, whatever is written meanwhile.
    ///
    /// - Returns: the plan that was used and what was read.
    /// - Throws: what `body` throws; as ``find(_:options:)``.
    @discardableResult
    public func forEach(
        matching query: Query, options: QueryOptions = QueryOptions(), _ body: (Document) throws -> Bool
    ) throws -> Explanation {
        let clock = ContinuousClock()
        let begin = clock.now
        let (rows, plan) = try prepare(query, options)
        let runner = QueryRunner(rows: rows, query: query, plan: plan, options: options)
        var count = 0
        try runner.run { row, record, _, _ in
            count += 1
            return try body(try RowReader.document(record: record, row: row, collection: rows.collection))
        }
        return Explanation(
            plan: plan, keysExamined: runner.work.keysExamined, documentsExamined: runner.work.documentsExamined,
            resultCount: count, didLeaveWalk: runner.didLeaveWalk, duration: clock.now - begin)
    }

    /// How many documents satisfy a condition.
    ///
    /// - Complexity: that of the plan. Where an index answers the condition exactly, no document is read.
    public func count(where predicate: Predicate, options: QueryOptions = QueryOptions()) throws -> Int {
        try predicate.validate()
        if predicate.normalized.isAll { return try count() }
        let query = Query(predicate)
        let (rows, plan) = try prepare(query, options, for: .count)
        return try QueryRunner(rows: rows, query: query, plan: plan, options: options).count()
    }

    /// What a query asks for, reduced to some paths: a document of each result that has what is there and no more.
    ///
    /// Where the plan is the entries of one index, in the order of the query, and the index covers the paths, its entries are
    /// read and no document. A component of the index has its value as well, unless that is a whole number: keys do not
    /// tell `1` from `1.0`.
    ///
    /// - Complexity: as ``forEach(matching:options:_:)``, but nothing else of a document is decoded.
    public func select(
        _ paths: [FieldPath], _ query: Query, options: QueryOptions = QueryOptions()
    ) throws -> [DocumentObject] {
        let (rows, plan) = try prepare(query, options, for: .fields(paths))
        let names = rows.collection.names.current
        let resolved = paths.map { ResolvedPath($0, names: names) }
        var results: [DocumentObject] = []
        let runner = QueryRunner(rows: rows, query: query, plan: plan, options: options)
        runner.entryVisit = QueryRunner.EntryVisit(paths: paths) {
            results.append($0)
            return true
        }
        try runner.run { row, record, bodyStart, _ in
            try rows.reading(row) {
                let reader = try BodyReader(record.extracting(bodyStart..<record.count), names: names)
                var result = DocumentObject()
                for path in resolved {
                    if path.path.hasArrayStep {
                        var elements: [DocumentValue] = []
                        try reader.forEachElement(at: path) { elements.append($0) }
                        result[path.path.description] = .array(elements)
                    } else if let value = try reader.value(at: path) {
                        result[path.path.description] = value
                    }
                }
                results.append(result)
            }
            return true
        }
        return results
    }
}

// MARK: - Plans

extension DocumentCollection {
    /// How a query would be answered, without answering it.
    public func plan(_ query: Query, options: QueryOptions = QueryOptions()) throws -> Plan {
        try prepare(query, options).1
    }

    /// Every plan that was considered for a query, the cheapest first.
    public func plans(_ query: Query) throws -> [Plan] {
        try query.validate()
        return try planner(try reader(for: query.predicate), for: .documents).options(for: query).map(\.plan)
    }

    /// What is read from, and the plan for it.
    func prepare(
        _ query: Query, _ options: QueryOptions, for purpose: Planner.Purpose = .documents
    ) throws -> (RowReader, Plan) {
        try query.validate()
        let rows = try reader(for: query.predicate)
        return (rows, try planner(rows, for: purpose).plan(query, hint: options.hint))
    }

    /// What is read from for a condition: with the text index where that is asked.
    ///
    /// - Throws: ``DocIndexError`` with `unknownIndex` if there is none.
    func reader(for predicate: Predicate) throws -> RowReader {
        var rows = try reader()
        if !predicate.searches.isEmpty { rows.search = try textSearch(in: rows) }
        return rows
    }

    func planner(_ rows: RowReader, for purpose: Planner.Purpose) throws -> Planner {
        let count = try rows.documentCount()
        let cardinality = Cardinality(snapshot: rows.snapshot, database: store.database, documentCount: count)
        // Ranges of one index come several times while plans are compared, and there are few.
        var known: [(index: UInt32, ranges: [KeyRange], count: Int)] = []
        return Planner(
            valueIndexes: rows.valueIndexes, geoIndexes: rows.geoIndexes, documentCount: count,
            countEntries: { ranges, index in
                for entry in known where entry.index == index.number && entry.ranges == ranges { return entry.count }
                let count = try cardinality.entryCount(in: ranges, of: index)
                known.append((index.number, ranges, count))
                return count
            }, idPath: FieldPath(names: rows.collection.idField), collection: rows.collection.number,
            countIDs: { try cardinality.entryCount(in: $0, behind: StoreKeyspace.ids.prefix(rows.collection.number)) },
            textIndex: rows.search?.index,
            countMatches: { try rows.search?.estimatedCount($0) ?? 0 }, purpose: purpose)
    }
}

/// How a query was answered.
public struct Explanation: Sendable, Hashable {
    /// The plan.
    public let plan: Plan
    /// Index entries and keys of documents that were read.
    public let keysExamined: Int
    /// Documents that were read and checked.
    public let documentsExamined: Int
    /// Documents in the answer.
    public let resultCount: Int
    /// Whether the walk along an index or the scan that was planned met too few results, so that the documents of all rows
    /// among which they are were read instead.
    public let didLeaveWalk: Bool
    /// The time from the choice of the plan to the last result, with what the caller did meanwhile.
    public let duration: Duration
}
