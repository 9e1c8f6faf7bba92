internal import LevelKit

/// One collection of a store: its documents, and the ways to find them.
///
/// A value that may be copied and used by any thread.
public struct DocumentCollection: Sendable {
    /// The store.
    public let store: DocumentStore
    let number: UInt32
    /// The name.
    public let name: String
    /// What is read from; `nil` for the newest state at each call.
    private let pinned: Pinned?

    private struct Pinned: Sendable {
        let snapshot: Snapshot
        let entry: Catalog.CollectionEntry
    }

    init(
        store: DocumentStore, number: UInt32, name: String, pinned: (Snapshot, Catalog.CollectionEntry)? = nil
    ) {
        self.store = store
        self.number = number
        self.name = name
        self.pinned = pinned.map { Pinned(snapshot: $0.0, entry: $0.1) }
    }

    /// What is read from, and the indexes that fit it.
    func reader() throws -> RowReader {
        if let pinned { return RowReader(snapshot: pinned.snapshot, collection: pinned.entry) }
        let (snapshot, catalog) = try store.state()
        return RowReader(snapshot: snapshot, collection: try entry(in: catalog))
    }

    /// What the catalog says of the collection now; `nil` if the collection is pinned to a moment.
    func newestEntry() throws -> Catalog.CollectionEntry? {
        pinned == nil ? try entry(in: store.currentCatalog) : nil
    }

    private func entry(in catalog: Catalog) throws -> Catalog.CollectionEntry {
        guard let entry = catalog.collection(numbered: number) else {
            throw DocIndexError(.unknownCollection, "the store has no collection \(name) any more")
        }
        return entry
    }

    /// What was declared of the collection.
    public var definition: CollectionDefinition {
        guard let entry = try? pinned?.entry ?? entry(in: store.currentCatalog) else {
            return CollectionDefinition(name)
        }
        return CollectionDefinition(
            entry.name, id: entry.idField, indexes: entry.indexes.filter { !$0.isRetiring }.map(\.definition))
    }

    /// How many documents the collection has.
    ///
    /// - Complexity: O(1).
    public func count() throws -> Int {
        try reader().documentCount()
    }

    /// The bytes that each index takes in tables. What is still in memory does not count.
    public func indexSizes() throws -> [(name: String, byteCount: UInt64)] {
        try reader().collection.indexes.filter { !$0.isRetiring }.map { entry in
            let space: StoreKeyspace = entry.definition.kind == .text ? .text : .values
            let prefix = space.prefix(entry.number)
            let upper = KeyRange.successor(ofPrefix: prefix) ?? [0xff]
            return (entry.definition.name, try store.database.approximateByteCount(from: prefix, to: upper))
        }
    }
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
        guard let index = rows.textIndex
        else {
            throw DocIndexError(
                .unknownIndex, "the collection \(name) has no text index; declare one of type text in its schema")
        }
        var search = try TextSearch(reader: rows.snapshot, index: index) { try rows.document($0).content }
        return try search.matches(query)
    }
}
