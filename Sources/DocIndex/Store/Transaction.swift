internal import LevelKit

/// Changes to documents that are written together; see ``DocumentStore/write(durability:_:)``.
///
/// Valid only within the closure that receives it, on the thread that runs the closure.
public final class Transaction {
    /// A document of a collection.
    struct Target: Hashable {
        let collection: UInt32
        let id: DocumentID
    }

    /// The stored state of a document before the transaction.
    enum Base {
        case absent
        case deleted(sequence: UInt64, row: UInt64)
        case stored(Document, row: UInt64)

        var document: Document? {
            if case .stored(let document, _) = self { return document }
            return nil
        }
    }

    /// The pending change of a document.
    struct Edit {
        let target: Target
        let base: Base
        /// `nil` if the document is deleted.
        var content: DocumentObject?
        /// The change of the stored body, and the numbers of the indexes that it affects, if `base` and `content` have
        /// only the members that these need.
        var partial: (splice: BodySplice, indexes: [UInt32])?
        /// The change of the document's revisions; `nil` if it follows from the edit.
        var revisions: RevisionChange?
        /// Revisions from another store that the document takes over; `nil` for none.
        var restored: DocumentRevisions?
    }

    let database: Database
    let catalog: LoadedCatalog
    /// The position of each document in `edits`.
    private var positions: [Target: Int] = [:]
    /// In the order in which documents were first touched.
    var edits: [Edit] = []
    /// Markers to store, or to remove where the value is `nil`.
    private(set) var markers: [String: [UInt8]?] = [:]
    private var isOpen = true
    /// Documents with an `update` in progress.
    private var updating: Set<Target> = []

    init(database: Database, catalog: LoadedCatalog) {
        self.database = database
        self.catalog = catalog
    }

    func end() { isOpen = false }

    /// The number of documents touched so far.
    public var changeCount: Int { edits.count }

    // MARK: - Reading

    /// Returns a document as seen by this transaction; `nil` if there is none with that ID.
    public func document(_ id: DocumentID, in collection: String) throws -> Document? {
        let entry = try self.entry(collection)
        let target = Target(collection: entry.number, id: id)
        if let position = positions[target] {
            let edit = edits[position]
            guard let content = edit.content else { return nil }
            if let stored = edit.base.document, stored.content == content { return stored }
            return Document(id: id, content: content)
        }
        return try base(of: target, in: entry).document
    }

    /// Returns whether this transaction sees a document with that ID.
    public func contains(_ id: DocumentID, in collection: String) throws -> Bool {
        let entry = try self.entry(collection)
        if let position = positions[Target(collection: entry.number, id: id)] { return edits[position].content != nil }
        return try RowReader.record(of: id, collection: entry, in: database)?.row != nil
    }

    // MARK: - Writing

    /// Stores a document under its ID and replaces the existing document, if any. A document without an ID gets a new
    /// one as its first member; see ``DocumentID/generated()``.
    ///
    /// - Parameters:
    ///   - content: the document.
    ///   - collection: the collection.
    ///   - condition: the condition on the stored document.
    /// - Returns: the ID.
    /// - Throws: ``DocIndexError``: `unknownCollection`; `invalidID` for an ID that is neither a string nor an integer;
    ///   `documentExists`, `documentMissing` or `conflict` if the condition does not hold.
    @discardableResult
    public func put(
        _ content: DocumentObject, in collection: String, if condition: Document.WriteCondition = .none
    ) throws -> DocumentID {
        let entry = try self.entry(collection)
        if content[entry.idField] == nil {
            let id = DocumentID.generated()
            var whole: DocumentObject = [:]
            whole[entry.idField] = id.value
            for member in content { whole[member.name] = member.value }
            try set(whole, id: id, in: entry, if: condition)
            return id
        }
        let id = try Self.id(of: content, in: entry)
        try set(content, id: id, in: entry, if: condition)
        return id
    }

    /// Stores a document that does not exist yet. A document without an ID gets a new one.
    ///
    /// - Returns: the ID.
    /// - Throws: ``DocIndexError`` with `documentExists`; the errors of ``put(_:in:if:)->_``.
    @discardableResult
    public func insert(_ content: DocumentObject, in collection: String) throws -> DocumentID {
        try put(content, in: collection, if: .absent)
    }

    /// Replaces an existing document.
    ///
    /// - Throws: ``DocIndexError`` with `documentMissing`; the errors of ``put(_:in:if:)->_``.
    public func replace(_ content: DocumentObject, in collection: String) throws {
        _ = try Self.id(of: content, in: try entry(collection))
        try put(content, in: collection, if: .present)
    }

    /// Changes a document in place. Its ID must not change. Within `body`, the document cannot be written in any other
    /// way.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: ``DocIndexError``: `documentMissing`, `invalidID`, `conflict`; `nestedWrite` if an update of the
    ///   document is in progress; what `body` throws. If it throws, nothing has changed.
    @discardableResult
    public func update<R>(
        _ id: DocumentID, in collection: String, if condition: Document.WriteCondition = .present,
        _ body: (inout DocumentObject) throws -> R
    ) throws -> R {
        let entry = try self.entry(collection)
        let target = Target(collection: entry.number, id: id)
        let position = try edit(target, in: entry)
        guard var content = edits[position].content else { throw Self.missing(id, entry) }
        try requireNotUpdating(target, in: entry)
        updating.insert(target)
        defer { updating.remove(target) }
        let result = try body(&content)
        updating.remove(target)
        guard try Self.id(of: content, in: entry) == id else {
            throw DocIndexError(
                .invalidID,
                "the document \(id) of \(entry.name) cannot change its id; insert a new document")
        }
        try set(content, id: id, in: entry, if: condition == .none ? .present : condition)
        return result
    }

    /// Applies a JSON Merge Patch (RFC 7396) to a document: members that are `null` in the patch are removed, objects
    /// are merged, and any other value replaces the existing one. An attachment is replaced by another one, or by a
    /// value that is not an object; its members cannot be patched.
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate` if an object in the patch would change an attachment; the errors
    ///   of ``update(_:in:if:_:)-(_,String,_,_)``.
    public func patch(
        _ id: DocumentID, _ patch: DocumentObject, in collection: String,
        if condition: Document.WriteCondition = .present
    ) throws {
        try update(id, in: collection, if: condition) { try $0.mergePatchKeepingAttachments(patch) }
    }

    /// Deletes a document.
    ///
    /// - Returns: whether the document existed.
    /// - Throws: ``DocIndexError``: `unknownCollection`; `documentMissing` or `conflict` if the condition does not
    ///   hold.
    @discardableResult
    public func delete(_ id: DocumentID, in collection: String, if condition: Document.WriteCondition = .none) throws
        -> Bool
    {
        let entry = try self.entry(collection)
        let target = Target(collection: entry.number, id: id)
        let position = try edit(target, in: entry)
        let wasThere = edits[position].content != nil
        try set(nil, id: id, in: entry, if: condition)
        return wasThere
    }

    /// Stores a marker together with the documents of this transaction, replacing any marker with that name; `nil`
    /// removes it.
    ///
    /// A program that stores many documents in many transactions can use a marker to resume exactly after the last one;
    /// see ``DocumentStore/marker(_:)``. A marker is not a document: it is not indexed and is not reported as a change.
    ///
    /// - Throws: ``DocIndexError`` with `nestedWrite` if the transaction has ended.
    public func setMarker(_ name: String, to value: [UInt8]?) throws {
        guard isOpen else {
            throw DocIndexError(.nestedWrite, "the transaction has ended; use it only within its closure")
        }
        markers[name] = .some(value)
    }

    // MARK: - Edits

    private func set(
        _ content: DocumentObject?, id: DocumentID, in entry: LoadedCollection,
        if condition: Document.WriteCondition
    ) throws {
        let target = Target(collection: entry.number, id: id)
        try requireNotUpdating(target, in: entry)
        let position = try edit(target, in: entry)
        try Self.check(condition, edits[position], in: entry)
        edits[position].content = content
        edits[position].restored = nil
    }

    /// Throws if an update of the document is in progress. The write would be lost when the update's closure ends.
    private func requireNotUpdating(_ target: Target, in entry: LoadedCollection) throws {
        guard !updating.isEmpty, updating.contains(target) else { return }
        throw DocIndexError(
            .nestedWrite,
            "the document \(target.id) of \(entry.name) is being updated; change the value passed to the closure")
    }

    private static func check(
        _ condition: Document.WriteCondition, _ edit: Edit, in entry: LoadedCollection
    ) throws {
        let id = edit.target.id
        switch condition {
        case .none: break
        case .absent:
            guard edit.content == nil else {
                throw DocIndexError(
                    .documentExists, "\(entry.name) already has a document \(id); a put without a condition replaces it"
                )
            }
        case .present:
            guard edit.content != nil else { throw missing(id, entry) }
        case .sequence(let expected):
            guard let stored = edit.base.document, edit.content != nil else { throw missing(id, entry) }
            guard stored.sequence == expected else {
                throw DocIndexError(
                    .conflict,
                    "the document \(id) of \(entry.name) was written by commit \(stored.sequence), not by "
                        + "\(expected); read it again and repeat the change")
            }
        }
    }

    private static func missing(_ id: DocumentID, _ entry: LoadedCollection) -> DocIndexError {
        DocIndexError(.documentMissing, "\(entry.name) has no document \(id); use put to store it")
    }

    /// Returns the position of a document in `edits`, where it is added unchanged if necessary.
    func edit(_ target: Target, in entry: LoadedCollection) throws -> Int {
        if let position = positions[target] { return position }
        let base = try base(of: target, in: entry)
        edits.append(Edit(target: target, base: base, content: base.document?.content))
        positions[target] = edits.count - 1
        return edits.count - 1
    }

    private func base(of target: Target, in entry: LoadedCollection) throws -> Base {
        try Self.base(of: target, in: entry, reading: database)
    }

    /// Returns the stored state of a document.
    static func base(of target: Target, in entry: LoadedCollection, reading database: Database) throws -> Base {
        switch try RowReader.record(of: target.id, collection: entry, in: database) {
        case nil: return .absent
        case .deleted(let sequence, let row): return .deleted(sequence: sequence, row: row)
        case .row(let row):
            guard let document = try RowReader.document(row, of: target.id, collection: entry, in: database)
            else {
                throw DocIndexError(
                    .corruption,
                    "row \(row) of the collection \(entry.name) is referenced but contains no document; "
                        + "run verify and restore a backup")
            }
            return .stored(document, row: row)
        }
    }

    func entry(_ name: String) throws -> LoadedCollection {
        guard isOpen else {
            throw DocIndexError(.nestedWrite, "the transaction has ended; use it only within its closure")
        }
        guard let entry = catalog.collection(named: name) else {
            let known = catalog.collections.map(\.name).joined(separator: ", ")
            throw DocIndexError(.unknownCollection, "no collection named \(name); the store has \(known)")
        }
        return entry
    }

    /// Returns the ID in a document; `nil` if it has none yet.
    func idIfPresent(of content: DocumentObject, in collection: String) throws -> DocumentID? {
        let entry = try self.entry(collection)
        return content[entry.idField] == nil ? nil : try Self.id(of: content, in: entry)
    }

    /// Returns the ID in a document.
    static func id(of content: DocumentObject, in entry: LoadedCollection) throws -> DocumentID {
        guard let value = content[entry.idField] else {
            throw DocIndexError(
                .invalidID, "the document has no member \(entry.idField), which holds the id in \(entry.name)")
        }
        guard let id = DocumentID(value) else {
            throw DocIndexError(
                .invalidID,
                "the member \(entry.idField), which holds the id in \(entry.name), must be a string or an integer")
        }
        return id
    }
}
