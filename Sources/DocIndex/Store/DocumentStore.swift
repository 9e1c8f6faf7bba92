public import LevelKit
internal import Synchronization

/// Collections of documents with declared indexes, kept in one LevelDB.
///
/// ```swift
/// let store = try DocumentStore.open(at: "photos.store", schema: Schema(json: file))
/// let photos = try store.collection("photos")
/// try photos.put(["id": "2019-07-14-0031", "rating": 5, "caption": "Fog over the old bridge"])
/// for photo in try photos.search("bridge") { print(photo.document.id, photo.score) }
/// ```
///
/// A document, its index entries and its words are written in one atomic batch: after a crash all of them are there or
/// none. One thread at a time writes; any number read, each from a snapshot, and never wait for the writer.
public final class DocumentStore: Sendable {
    /// How a store is opened.
    public struct Options: Sendable, Hashable {
        /// The options of the database below.
        public var database = DatabaseOptions()

        /// The defaults: a larger write buffer and cache than the database has by itself.
        public init() {
            database.writeBufferByteCount = 16 << 20
            database.cacheByteCount = 64 << 20
        }
    }

    let database: Database
    private let writer = WriterLock()
    private let catalog: Mutex<Catalog>

    private init(database: Database, catalog: Catalog) {
        self.database = database
        self.catalog = Mutex(catalog)
    }

    /// The absolute path of the directory.
    public var path: String { database.path }

    /// The schema that is in force.
    public var schema: Schema { currentCatalog.schema }

    // MARK: - Opening and closing

    /// Opens a store; makes one where there is none and a schema is given.
    ///
    /// Where the schema is not the one in force, the store is brought to it before this returns: new indexes are built,
    /// those that are no longer declared are deleted. Killed in between, the next open goes on.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - schema: what the store is to hold; `nil` to take an existing store as it is.
    /// - Throws: ``DocIndexError``: `notADocumentStore`, `storeTooNew`, `invalidSchema`, `corruption`; `LevelError`, such
    ///   as `databaseNotFound` or `locked`.
    /// - Complexity: O(*n*) in the documents of a collection that gains an index, else O(1).
    public static func open(
        at path: String, schema: Schema? = nil, options: Options = Options()
    ) throws -> DocumentStore {
        try schema?.validate()
        var databaseOptions = options.database
        databaseOptions.createIfMissing = databaseOptions.createIfMissing && schema != nil
        let database = try Database.open(at: path, options: databaseOptions)
        do {
            return try open(on: database, schema: schema)
        } catch {
            try database.close()
            throw error
        }
    }

    /// Opens the store that an open database holds, or makes one in an empty database if a schema is given.
    ///
    /// For programs that look at the keys below as well. Whoever writes them by hand breaks the store. Closing either
    /// closes both.
    ///
    /// - Throws: as ``open(at:schema:options:)``.
    public static func open(on database: Database, schema: Schema? = nil) throws -> DocumentStore {
        try schema?.validate()
        guard database.order == .bytewise else {
            throw DocIndexError(
                .notADocumentStore,
                "the database at \(database.path) has the order \(database.order.name); a document store needs the "
                    + "bytewise order")
        }
        let catalog = try storedCatalog(in: database, mayBeNew: schema != nil)
        let store = DocumentStore(database: database, catalog: catalog)
        try store.adopt(schema)
        return store
    }

    /// Closes the store. Later calls throw `LevelError.Code.closed`. Closing twice does nothing.
    public func close() throws {
        try writer.withLock { try database.close() }
    }

    private static func storedCatalog(in database: Database, mayBeNew: Bool) throws -> Catalog {
        let record = try database.value(forKey: StoreKeyspace.catalogKey)
        // Another program may have the same key.
        if let record, record.starts(with: Catalog.beginning) {
            let catalog = try Catalog(encoded: record)
            for collection in catalog.collections { try collection.names.load(collection, from: database) }
            return catalog
        }
        var cursor = try database.cursor()
        guard mayBeNew, try !cursor.advance() else {
            throw DocIndexError(
                .notADocumentStore,
                "\(database.path) is a LevelDB database and no document store; "
                    + "make a store elsewhere and import into it")
        }
        return Catalog()
    }

    private func adopt(_ schema: Schema?) throws {
        let old = currentCatalog
        if let schema = schema ?? (old.hasOutdatedIndexes ? old.schema : nil) {
            let new = try old.changed(to: schema)
            // As bytes: two spellings of a name are equal texts and different names.
            if new.encoded != old.encoded || old.nextCollection == 1 { try save(new) }
        }
        try writer.withLock { try finishSchemaChange() }
    }

    /// Does what the catalog says is still to be done: deletes dropped indexes and builds new ones.
    private func finishSchemaChange() throws {
        var catalog = currentCatalog
        guard !catalog.dropped.isEmpty || catalog.collections.contains(where: { $0.indexes.contains { !$0.isReady } })
        else { return }
        let builder = IndexBuilder(database: database)
        for dropped in catalog.dropped { try builder.deleteEntries(of: dropped) }
        catalog.dropped = []
        for collection in catalog.collections.indices {
            let entry = catalog.collections[collection]
            let new = entry.indexes.filter { !$0.isReady }
            if new.isEmpty { continue }
            try builder.build(new, of: entry)
            for index in entry.indexes.indices { catalog.collections[collection].indexes[index].isReady = true }
        }
        try save(catalog)
    }

    private func save(_ catalog: Catalog) throws {
        try database.put(catalog.encoded, forKey: StoreKeyspace.catalogKey, durability: .synced)
        self.catalog.withLock { $0 = catalog }
    }

    // MARK: - Parts

    var currentCatalog: Catalog { catalog.withLock { $0 } }

    /// The store as it is at this moment: its collections do not see later writes.
    public func snapshot() throws -> StoreSnapshot {
        StoreSnapshot(store: self, snapshot: try database.snapshot(), catalog: currentCatalog)
    }

    /// The collections that the schema declares, in its order.
    public var collections: [DocumentCollection] {
        currentCatalog.collections.map { DocumentCollection(store: self, entry: $0) }
    }

    /// The collection of a name.
    ///
    /// - Throws: ``DocIndexError`` with `unknownCollection` that names those there are.
    public func collection(_ name: String) throws -> DocumentCollection {
        let catalog = currentCatalog
        guard let entry = catalog.collection(named: name) else {
            let known = catalog.collections.map(\.name).joined(separator: ", ")
            throw DocIndexError(.unknownCollection, "there is no collection \(name); the store has \(known)")
        }
        return DocumentCollection(store: self, entry: entry)
    }

    // MARK: - Writing

    /// Runs `body` and writes what it did to documents as one atomic batch. If `body` throws, nothing is written.
    ///
    /// ```swift
    /// try store.write { transaction in
    ///     try transaction.put(["id": "a", "title": "Harbour"], in: "photos")
    ///     try transaction.delete("b", in: "photos")
    /// }
    /// ```
    ///
    /// Other writers wait. The transaction reads its own writes; all is held in memory until the end.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; ``DocIndexError`` with `nestedWrite`; `LevelError`.
    public func write<R>(durability: Durability = .buffered, _ body: (Transaction) throws -> R) throws -> R {
        try writer.withLock {
            let transaction = Transaction(database: database, catalog: currentCatalog)
            defer { transaction.end() }
            let result = try body(transaction)
            try transaction.commit(durability: durability)
            return result
        }
    }

    /// Makes what was written before survive the loss of power.
    public func flush() throws {
        try writer.withLock {
            // A synced write of the catalog as it is: LevelDB syncs the whole log before it.
            try database.put(currentCatalog.encoded, forKey: StoreKeyspace.catalogKey, durability: .synced)
        }
    }
}

/// A store at one moment: what its collections read is of that moment, whatever is written meanwhile.
public struct StoreSnapshot: Sendable {
    private let store: DocumentStore
    private let snapshot: Snapshot
    private let catalog: Catalog

    init(store: DocumentStore, snapshot: Snapshot, catalog: Catalog) {
        self.store = store
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// The collections, in the order of the schema. Writing to one writes to the store.
    public var collections: [DocumentCollection] {
        catalog.collections.map { DocumentCollection(store: store, entry: $0, snapshot: snapshot) }
    }
}
