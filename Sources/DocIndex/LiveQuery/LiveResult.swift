internal import LevelKit

/// A query result that is kept current by reading the change feed.
struct LiveResult {
    let collection: DocumentCollection
    let query: Query
    let options: Query.Options
    private var window: LiveWindow
    /// The last commit included in the result; `nil` before the first update.
    private var sequence: UInt64?
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

    /// Applies the changes of every document that changed after a commit.
    private mutating func follow(_ rows: RowReader, behind known: UInt64) throws {
        let names = rows.collection.names.current
        let searches = rows.search.map(SearchResults.init)
        let conditions = query.filter.searches
        let filter = CompiledFilter(query.filter.normalized, names: names, searches: searches)
        let positions = SortPosition(query.sort, names: names)
        var cursor = try rows.snapshot.cursor(
            in: StoreKey.changes(behind: known), cache: .bypass)
        while try cursor.advance() {
            guard let key = StoreChange.Key(cursor.key) else { throw Self.damaged }
            guard key.collection == rows.collection.number else { continue }
            guard cursor.value.count > 1, cursor.value[0] <= 1,
                let id = DocumentID(encoded: cursor.value.extracting(1..<cursor.value.count))
            else { throw Self.damaged }
            guard cursor.value[0] == 0 else {
                window.replace(id, by: nil)
                continue
            }
            examinedCount += 1
            try searches?.look(at: key.row, for: conditions)
            var member: LiveWindow.Member?
            try rows.withRecord(key.row) { record, bodyStart, _ in
                let body = record.extracting(bodyStart..<record.count)
                guard try rows.reading(key.row, { try filter.matches(body, row: key.row) }) else { return }
                var position: [UInt8] = []
                try rows.reading(key.row) {
                    try positions.append(body, row: key.row, to: &position)
                }
                member = LiveWindow.Member(
                    position: position,
                    document: try RowReader.document(record: record, row: key.row, collection: rows.collection))
            }
            window.replace(id, by: member)
        }
    }

    /// Looks up results after the last member.
    private mutating func refill(_ rows: RowReader) throws {
        var query = query
        let missing = window.members.isEmpty ? query.limit : window.missingCount
        // One more shows whether there are further results.
        query.limit = missing.map { $0 == .max ? $0 : $0 + 1 }
        let plan = try collection.planner(rows, for: .documents).plan(query, hint: options.hint)
        let executor = QueryExecutor(
            rows: rows, query: query, plan: plan, options: options, after: window.members.last?.position)
        var found: [LiveWindow.Member] = []
        var hasMore = false
        try executor.run { row, record, bodyStart, _ in
            if let missing, found.count == missing {
                hasMore = true
                return false
            }
            let document = try RowReader.document(record: record, row: row, collection: rows.collection)
            found.append(
                LiveWindow.Member(
                    position: executor.positions.bytes(of: document.content, row: row), document: document))
            return true
        }
        examinedCount += executor.work.documentsExamined
        window.append(found, hasMore: hasMore)
    }

    private static var damaged: DocIndexError {
        DocIndexError(.corruption, "a record of the change feed is unreadable; run verify and rebuild")
    }
}
