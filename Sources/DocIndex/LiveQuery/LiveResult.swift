internal import LevelKit

/// A query result that is kept current by reading the change feed.
struct LiveResult {
    let collection: DocumentCollection
    let query: Query
    let options: Query.Options
    private var window: LiveWindow
    /// The last commit included in the result; `nil` before the first update.
    private var sequence: UInt64?
    /// The searches of the condition, as resolved at that commit. As long as they stay the same, whether a document
    /// matches depends on that document alone.
    private var searches: [Filter.Search: ResolvedQuery] = [:]
    /// The number of documents read to follow the store.
    private(set) var examinedCount = 0

    init(collection: DocumentCollection, query: Query, options: Query.Options) {
        self.collection = collection
        self.query = query
        self.options = options
        window = LiveWindow(limit: query.limit)
    }

    /// Returns the changes since the last call; `nil` if there are none. The first call returns the whole result.
    ///
    /// - Complexity: O(*n*) in the documents that changed.
    mutating func update() throws -> DocumentCollection.LiveQuery.Update? {
        // The feed and the documents are read from one snapshot.
        let rows = try collection.reader(for: query.filter)
        let newest = try WriterState.storedSequence(in: rows.snapshot)
        guard let known = sequence else {
            sequence = newest
            searches = try resolvedSearches(rows)
            try refill(rows)
            return DocumentCollection.LiveQuery.Update(changes: window.takeChanges(), sequence: newest)
        }
        guard newest > known else { return nil }
        try follow(rows, behind: known)
        sequence = newest
        if window.missingCount > 0 { try refill(rows) }
        let changes = window.takeChanges()
        return changes.isEmpty ? nil : DocumentCollection.LiveQuery.Update(changes: changes, sequence: newest)
    }

    /// Returns the searches of the condition, with the words that they look for in this state of the store.
    private func resolvedSearches(_ rows: RowReader) throws -> [Filter.Search: ResolvedQuery] {
        guard let search = rows.search else { return [:] }
        var resolved: [Filter.Search: ResolvedQuery] = [:]
        for condition in query.filter.searches { resolved[condition] = try search.resolved(condition.query) }
        return resolved
    }

    /// Applies the changes of every document that changed after a commit.
    private mutating func follow(_ rows: RowReader, behind known: UInt64) throws {
        let names = rows.collection.names.current
        let matches = rows.search.map(SearchResults.init)
        let filter = CompiledFilter(query.filter.normalized, names: names, searches: matches)
        let positions = SortPosition(query.sort, names: names)
        var isResolved = false
        var cursor = try rows.snapshot.cursor(
            in: StoreKey.changes(behind: known), cache: .bypass)
        while try cursor.advance() {
            guard let key = StoreChange.Key(cursor.key) else { throw Self.damaged }
            guard key.collection == rows.collection.number else { continue }
            if !isResolved {
                isResolved = true
                let resolved = try resolvedSearches(rows)
                if resolved != searches {
                    try reload(rows)
                    searches = resolved
                    return
                }
            }
            guard let change = StoreChange.Value(cursor.value) else { throw Self.damaged }
            guard !change.isDeletion else {
                window.replace(change.id, by: nil)
                continue
            }
            examinedCount += 1
            try matches?.look(at: key.row, for: searches)
            var member: LiveWindow.Member?
            try rows.withRecord(key.row) { record in
                let body = record.body
                guard try rows.reading(key.row, { try filter.matches(body, row: key.row) }) else { return }
                var position: [UInt8] = []
                try rows.reading(key.row) {
                    try positions.append(body, row: key.row, to: &position)
                }
                member = LiveWindow.Member(
                    position: position,
                    document: try rows.document(in: record, row: key.row))
            }
            window.replace(change.id, by: member)
        }
    }

    /// Looks up results after the last member.
    private mutating func refill(_ rows: RowReader) throws {
        let missing = window.members.isEmpty ? query.limit : window.missingCount
        let (found, hasMore) = try results(rows, limit: missing, after: window.members.last?.position)
        window.append(found, hasMore: hasMore)
    }

    /// Looks up all results again. Documents that did not change may match now, or no longer.
    private mutating func reload(_ rows: RowReader) throws {
        let (found, hasMore) = try results(rows, limit: query.limit, after: nil)
        window.replaceAll(by: found, hasMore: hasMore)
    }

    /// Returns the results after a position up to a limit, and whether there are more.
    private mutating func results(
        _ rows: RowReader, limit missing: Int?, after position: [UInt8]?
    ) throws -> (found: [LiveWindow.Member], hasMore: Bool) {
        var query = query
        // One more shows whether there are further results.
        query.limit = missing.map { $0 == .max ? $0 : $0 + 1 }
        let plan = try collection.planner(rows, for: .documents).plan(query, hint: options.hint)
        let executor = QueryExecutor(
            rows: rows, query: query, plan: plan, options: options, after: position)
        var found: [LiveWindow.Member] = []
        var hasMore = false
        try executor.run { row, record in
            if let missing, found.count == missing {
                hasMore = true
                return false
            }
            let document = try rows.document(in: record, row: row)
            found.append(
                LiveWindow.Member(
                    position: executor.positions.bytes(of: document.content, row: row), document: document))
            return true
        }
        examinedCount += executor.work.documentsExamined
        return (found, hasMore)
    }

    private static var damaged: DocIndexError {
        DocIndexError(.corruption, "a record of the change feed is unreadable; run verify and rebuild")
    }
}
