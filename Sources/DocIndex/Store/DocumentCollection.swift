public import LevelKit

/// One collection of a store: its documents, and the ways to find them.
///
/// A value that may be copied and used by any thread.
public struct DocumentCollection: Sendable {
    /// The store.
    public let store: DocumentStore
    let entry: Catalog.CollectionEntry
    /// What is read from; `nil` for the newest state at each call.
    private let snapshot: Snapshot?

    init(store: DocumentStore, entry: Catalog.CollectionEntry, snapshot: Snapshot? = nil) {
        self.store = store
        self.entry = entry
        self.snapshot = snapshot
    }

    private func reader() throws -> RowReader {
        RowReader(snapshot: try newestState(), collection: entry)
    }

    /// What is read from: the snapshot of this collection, or a new one.
    func newestState() throws -> Snapshot { try snapshot ?? store.database.snapshot() }

    /// The index of a name; `nil` if there is none, or it is not built yet.
    func index(named name: String) -> (any DocumentIndex)? {
        entry.indexes.first { $0.isReady && $0.definition.name.hasSameBytes(as: name) }?.index
    }

    /// The name.
    public var name: String { entry.name }

    /// What was declared of the collection.
    public var definition: CollectionDefinition {
        CollectionDefinition(entry.name, id: entry.idField, indexes: entry.indexes.map(\.definition))
    }

    /// How many documents the collection has.
    ///
    /// - Complexity: O(1).
    public func count() throws -> Int {
        try reader().documentCount()
    }

    /// The bytes that each index takes in tables. What is still in memory does not count.
    public func indexSizes() throws -> [(name: String, byteCount: UInt64)] {
        try entry.indexes.map { entry in
            let space: StoreKeyspace = entry.definition.kind == .text ? .text : .values
            let prefix = space.prefix(entry.number)
            let upper = KeyRange.successor(ofPrefix: prefix) ?? [0xff]
            return (entry.definition.name, try store.database.approximateByteCount(from: prefix, to: upper))
        }
    }

    // MARK: - Documents

    /// The document of an id; `nil` if there is none.
    public func document(_ id: DocumentID) throws -> Document? {
        let rows = try reader()
        return try rows.row(of: id).map { try rows.document($0) }
    }

    /// Stores a document under the id that it holds, in place of the one that was there.
    ///
    /// - Returns: the id.
    /// - Throws: ``DocIndexError`` with `invalidID` if the document has no id.
    @discardableResult
    public func put(_ content: DocumentObject, durability: Durability = .buffered) throws -> DocumentID {
        try store.write(durability: durability) { try $0.put(content, in: entry.name) }
    }

    /// Deletes a document.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func delete(_ id: DocumentID, durability: Durability = .buffered) throws -> Bool {
        try store.write(durability: durability) { try $0.delete(id, in: entry.name) }
    }

    /// Calls `body` with each document in the order of ids, read from one snapshot.
    public func forEach(_ body: (Document) throws -> Void) throws {
        let rows = try reader()
        var cursor = try rows.idCursor()
        while try cursor.advance() {
            try body(try rows.document(rows.row(inIDValue: cursor.value)))
        }
    }
}

// MARK: - Queries

extension DocumentCollection {
    /// The documents that a query asks for.
    ///
    /// - Throws: ``DocIndexError``: `invalidQuery`, `corruption`; `LevelError`.
    public func find(_ query: Query) throws -> [Document] {
        var documents: [Document] = []
        try forEach(matching: query) {
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
    /// - Returns: the plan that was used and what was read.
    @discardableResult
    public func forEach(matching query: Query, _ body: (Document) throws -> Bool) throws -> Explanation {
        try query.validate()
        let rows = try reader()
        let plan = try self.plan(query, rows: rows)
        var runner = QueryRunner(rows: rows, indexes: valueIndexes, query: query)
        var count = 0
        try runner.run(plan) { document in
            count += 1
            return try body(document)
        }
        return Explanation(
            plan: plan, keysExamined: runner.work.keysExamined, documentsExamined: runner.work.documentsExamined,
            resultCount: count)
    }

    /// How many documents satisfy a condition.
    public func count(where predicate: Predicate) throws -> Int {
        if predicate == .all { return try count() }
        return try forEach(matching: Query(predicate)) { _ in true }.resultCount
    }

    /// How a query would be answered, without answering it.
    public func plan(_ query: Query) throws -> Plan {
        try query.validate()
        return try plan(query, rows: try reader())
    }

    private func plan(_ query: Query, rows: RowReader) throws -> Plan {
        let planner = Planner(indexes: valueIndexes, documentCount: try rows.documentCount()) { ranges, limit in
            var count = 0
            for range in ranges where count < limit {
                var cursor = try rows.snapshot.cursor(in: range)
                while count < limit, try cursor.advance() { count += 1 }
            }
            return count
        }
        return try planner.plan(query)
    }

    private var valueIndexes: [ValueIndex] {
        entry.indexes.filter(\.isReady).compactMap { $0.index as? ValueIndex }
    }
}

/// How a query was answered.
public struct Explanation: Sendable, Hashable {
    /// The plan.
    public let plan: Plan
    /// Index entries and ids that were read.
    public let keysExamined: Int
    /// Documents that were read.
    public let documentsExamined: Int
    /// Documents in the answer.
    public let resultCount: Int
}

// MARK: - Text

extension DocumentCollection {
    /// A document that a search found.
    public struct Hit: Sendable, Hashable {
        /// The document.
        public let document: Document
        /// How well it matches; larger is better. Comparable within one search only.
        public let score: Double
    }

    /// The documents whose texts match, the best first.
    ///
    /// - Parameters:
    ///   - text: see ``TextQuery``.
    ///   - predicate: what else must hold.
    ///   - limit: how many at most; `nil` for all.
    /// - Throws: ``DocIndexError``: `unknownIndex` if the collection has no text index, `invalidQuery`.
    /// - Complexity: reads every posting of every word.
    public func search(
        _ text: String, where predicate: Predicate = .all, limit: Int? = 20
    ) throws -> [Hit] {
        try search(try TextQuery(parsing: text), where: predicate, limit: limit)
    }

    /// The documents that match a query that was read before, the best first.
    public func search(_ query: TextQuery, where predicate: Predicate = .all, limit: Int? = 20) throws -> [Hit] {
        let rows = try reader()
        let matches = try self.matches(query, rows: rows)
        // Equal scores in the order of rows.
        let ranked = matches.sorted { ($1.score, $0.row) < ($0.score, $1.row) }
        var hits: [Hit] = []
        for match in ranked {
            if let limit, hits.count >= limit { break }
            let document = try rows.document(match.row)
            if predicate.matches(document.content) { hits.append(Hit(document: document, score: match.score)) }
        }
        return hits
    }

    /// How many documents match.
    public func searchCount(_ query: TextQuery, where predicate: Predicate = .all) throws -> Int {
        let rows = try reader()
        let matches = try self.matches(query, rows: rows)
        if predicate == .all { return matches.count }
        return try matches.count { predicate.matches(try rows.document($0.row).content) }
    }

    private func matches(_ query: TextQuery, rows: RowReader) throws -> [TextSearch<Snapshot>.Match] {
        guard let index = entry.indexes.first(where: { $0.isReady && $0.definition.kind == .text })?.index as? TextIndex
        else {
            throw DocIndexError(
                .unknownIndex, "the collection \(name) has no text index; declare one of type text in its schema")
        }
        var search = try TextSearch(reader: rows.snapshot, index: index) { try rows.document($0).content }
        return try search.matches(query)
    }
}
