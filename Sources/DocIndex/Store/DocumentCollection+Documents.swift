public import LevelKit

// MARK: - Reading documents

extension DocumentCollection {
    /// Returns the document with an ID; `nil` if there is none.
    ///
    /// - Complexity: two lookups.
    public func document(_ id: DocumentID) throws -> Document? {
        if let found = try newestDocument(id) { return found.document }
        return try reader().document(of: id)
    }

    /// The result of a lookup.
    private struct Found {
        let document: Document?
    }

    /// Looks a document up in the newest state without a snapshot, which would cost more than both lookups.
    ///
    /// - Returns: `nil` if concurrent writes interfered, or the collection is pinned to a snapshot.
    private func newestDocument(_ id: DocumentID) throws -> Found? {
        guard let entry = try newestEntry() else { return nil }
        for _ in 0..<3 {
            let documents = store.documents.newest
            guard let row = try RowReader.record(of: id, collection: entry, in: store.database)?.row else {
                return Found(document: nil)
            }
            // Rows are never reused: the row contains this document, or nothing if it was deleted in between.
            if let document = try RowReader.document(
                row, of: id, collection: entry, in: store.database, documents: documents)
            {
                return Found(document: document)
            }
        }
        return nil
    }

    /// Returns the documents with the given IDs, in that order and from one snapshot; `nil` for each missing document.
    public func documents(_ ids: some Sequence<DocumentID>) throws -> [Document?] {
        let rows = try reader()
        return try ids.map { try rows.document(of: $0) }
    }

    /// Returns whether there is a document with that ID.
    ///
    /// - Complexity: one lookup.
    public func contains(_ id: DocumentID) throws -> Bool {
        if let entry = try newestEntry() {
            return try RowReader.record(of: id, collection: entry, in: store.database)?.row != nil
        }
        return try reader().row(of: id) != nil
    }

    /// Calls `body` with each document in ID order. All documents are read from one snapshot.
    public func forEach(_ body: (Document) throws -> Void) throws {
        try forEach(in: .all, body)
    }

    /// Calls `body` with each document of a range of IDs, in the order of IDs. All documents are read from one
    /// snapshot.
    ///
    /// - Parameters:
    ///   - range: the range of IDs.
    ///   - order: descending to start at the last ID.
    ///   - body: receives each document.
    /// - Throws: what `body` throws; `CancellationError` if the task is canceled.
    public func forEach(
        in range: DocumentID.Interval, order: IndexDefinition.Component.Order = .ascending,
        _ body: (Document) throws -> Void
    ) throws {
        let rows = try reader()
        var cursor = try rows.snapshot.cursor(
            in: range.keys(in: number), direction: order == .descending ? .descending : .ascending)
        var cancellation = CancellationCheck()
        while try cursor.advance() {
            try cancellation.step()
            guard let row = try rows.row(inIDValue: cursor.value) else { continue }
            try body(try rows.document(row))
        }
    }
}

extension DocumentID {
    /// A range of IDs. String IDs come first, ordered by their UTF-8 bytes; integer IDs follow, ordered by value.
    public struct Interval: Sendable, Hashable {
        private let lower: DocumentID?
        private let upper: DocumentID?
        private let includesUpper: Bool
        private let prefix: String?

        /// All IDs.
        public static let all = DocumentID.Interval(lower: nil, upper: nil, includesUpper: false, prefix: nil)

        /// IDs from the lower bound up to but not including the upper bound.
        public static func range(_ range: Range<DocumentID>) -> DocumentID.Interval {
            DocumentID.Interval(lower: range.lowerBound, upper: range.upperBound, includesUpper: false, prefix: nil)
        }

        /// IDs from the lower bound up to and including the upper bound.
        public static func range(_ range: ClosedRange<DocumentID>) -> DocumentID.Interval {
            DocumentID.Interval(lower: range.lowerBound, upper: range.upperBound, includesUpper: true, prefix: nil)
        }

        /// Returns the interval of all IDs from `id` on.
        public static func from(_ id: DocumentID) -> DocumentID.Interval {
            DocumentID.Interval(lower: id, upper: nil, includesUpper: false, prefix: nil)
        }

        /// String IDs that start with `prefix`.
        public static func prefix(_ prefix: String) -> DocumentID.Interval {
            DocumentID.Interval(lower: nil, upper: nil, includesUpper: false, prefix: prefix)
        }

        func keys(in collection: UInt32) -> KeyRange {
            let all = StoreKey.ids.prefix(collection)
            if let prefix {
                // Without the zero byte that terminates a string.
                return .prefix(Array(StoreKey.id(collection, .string(prefix)).dropLast()))
            }
            var range = KeyRange.prefix(all)
            if let lower { range.lower = .included(StoreKey.id(collection, lower)) }
            if let upper {
                let key = StoreKey.id(collection, upper)
                range.upper = includesUpper ? .included(key) : .excluded(key)
            }
            return range
        }
    }
}

// MARK: - Writing documents

extension DocumentCollection {
    /// Stores a document under its ID and replaces the existing document, if any. A document without an ID gets a new
    /// one.
    ///
    /// - Parameters:
    ///   - content: the document.
    ///   - condition: the condition on the stored document.
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    /// - Returns: the ID.
    /// - Throws: the errors of ``Transaction/put(_:in:if:)->_``.
    @discardableResult
    public func put(
        _ content: DocumentObject, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) throws -> DocumentID {
        try store.write(durability: durability) { try $0.put(content, in: name, if: condition) }
    }

    /// Stores a document that does not exist yet. A document without an ID gets a new one.
    ///
    /// - Returns: the ID.
    /// - Throws: ``DocIndexError`` with `documentExists`; the errors of ``Transaction/put(_:in:if:)->_``.
    @discardableResult
    public func insert(_ content: DocumentObject, durability: Durability = .buffered) throws -> DocumentID {
        try store.write(durability: durability) { try $0.insert(content, in: name) }
    }

    /// Replaces an existing document.
    ///
    /// - Throws: ``DocIndexError`` with `documentMissing`; the errors of ``Transaction/put(_:in:if:)->_``.
    public func replace(_ content: DocumentObject, durability: Durability = .buffered) throws {
        try store.write(durability: durability) { try $0.replace(content, in: name) }
    }

    /// Changes a document in place.
    ///
    /// ```swift
    /// try photos.update("2019-07-14-0031") { $0["rating"] = 5 }
    /// ```
    ///
    /// - Returns: what `body` returns.
    /// - Throws: the errors of ``Transaction/update(_:in:if:_:)-(_,String,_,_)``.
    @discardableResult
    public func update<R>(
        _ id: DocumentID, if condition: Document.WriteCondition = .present, durability: Durability = .buffered,
        _ body: (inout DocumentObject) throws -> R
    ) throws -> R {
        try store.write(durability: durability) { try $0.update(id, in: name, if: condition, body) }
    }

    /// Applies a JSON Merge Patch (RFC 7396) to a document.
    ///
    /// - Throws: the errors of ``Transaction/patch(_:_:in:if:)``.
    public func patch(
        _ id: DocumentID, _ patch: DocumentObject, if condition: Document.WriteCondition = .present,
        durability: Durability = .buffered
    ) throws {
        try store.write(durability: durability) { try $0.patch(id, patch, in: name, if: condition) }
    }

    /// Deletes a document.
    ///
    /// - Returns: whether the document existed.
    /// - Throws: the errors of ``Transaction/delete(_:in:if:)-(_,String,_)``.
    @discardableResult
    public func delete(
        _ id: DocumentID, if condition: Document.WriteCondition = .none, durability: Durability = .buffered
    ) throws -> Bool {
        try store.write(durability: durability) { try $0.delete(id, in: name, if: condition) }
    }
}
