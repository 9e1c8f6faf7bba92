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
        executor.entryVisit = QueryExecutor.EntryVisit(paths: paths) {
            results.append($0)
            return true
        }
        try executor.run { row, record in
            results.append(try rows.reading(row) { try fields.object(record) })
            return true
        }
        return results
    }
}

/// The fields that results are reduced to.
private final class SelectedFields {
    private struct Field {
        let name: String
        let path: ResolvedPath
    }

    private let names: FieldNames
    private let selection: Selection
    private let documents: DocumentCache?

    init(_ paths: [FieldPath], _ rows: RowReader) {
        names = rows.collection.names.current
        selection = rows.collection.selection(of: paths)
        documents = rows.documents?.cache
    }

    /// The fields, resolved for documents that are not in memory with their selected fields.
    private lazy var fields: [Field] = {
        var fields: [Field] = []
        for path in selection.paths {
            let name = path.description
            if fields.contains(where: { $0.name.hasSameBytes(as: name) }) { continue }
            fields.append(Field(name: name, path: ResolvedPath(path, names: names)))
        }
        return fields
    }()

    /// Returns the fields of a document, and keeps them if the document is in memory.
    func object(_ record: borrowing RowRecord) throws -> DocumentObject {
        guard let cached = record.cached else { return try newObject(record) }
        if let known = cached.object(selectedBy: selection) { return known }
        let object = try newObject(record)
        documents?.keep(object, selectedBy: selection, of: cached)
        return object
    }

    private func newObject(_ record: borrowing RowRecord) throws -> DocumentObject {
        var members: [DocumentObject.Member] = []
        members.reserveCapacity(fields.count)
        if let content = record.cached?.document?.content {
            for field in fields {
                guard let value = value(at: field.path.path, in: content) else { continue }
                members.append(DocumentObject.Member(name: field.name, value: value))
            }
        } else {
            let reader = try BodyReader(record.body, names: names)
            for field in fields {
                guard let value = try value(at: field.path, in: reader) else { continue }
                members.append(DocumentObject.Member(name: field.name, value: value))
            }
        }
        return DocumentObject(distinctMembers: members)
    }

    private func value(at path: ResolvedPath, in reader: borrowing BodyReader) throws -> DocumentValue? {
        guard path.path.hasArrayStep else { return try reader.value(at: path) }
        var elements: [DocumentValue] = []
        try reader.forEachElement(at: path) { elements.append($0) }
        return .array(elements)
    }

    private func value(at path: FieldPath, in content: DocumentObject) -> DocumentValue? {
        guard path.hasArrayStep else { return path.value(in: content) }
        var elements: [DocumentValue] = []
        path.forEachElement(in: content) { elements.append($0) }
        return .array(elements)
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
        if rows.search == nil { rows.keepPlan(best, for: key) }
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
