public import LevelKit
internal import Synchronization

/// Collections of documents with declared indexes, stored in one LevelDB database.
///
/// ```swift
/// let store = try DocumentStore.open(at: "photos.store", schema: Schema(json: file))
/// let photos = try store.collection("photos")
/// try photos.put(["id": "2019-07-14-0031", "rating": 5, "caption": "Fog over the old bridge"])
/// for photo in try photos.search("bridge") { print(photo.document.id, photo.score) }
/// ```
///
/// A document, its index entries and its words are written in one atomic batch: after a crash, either all or none of
/// them exist. One thread at a time writes. Any number of threads read; each read uses a snapshot and never waits for
/// the writer.
public final class DocumentStore: Sendable {
    /// Options for opening a store.
    public struct Options: Sendable, Hashable {
        /// The options of the underlying database.
        public var database = DatabaseOptions()
        /// Whether opening with a different schema waits until its indexes are built. Otherwise call
        /// ``DocumentStore/finishSchemaChange(_:)`` from any thread. Until that finishes, the old indexes answer and
        /// the new ones do not.
        public var finishesSchemaChange = true
        /// The maximum size of the documents that the store keeps in memory because they were read more than once, in
        /// bytes, as estimated; 0 for none. Documents above 1/32 of it are not kept. The cache of the database,
        /// `DatabaseOptions.cacheByteCount`, does not include them.
        public var documentCacheByteCount = defaultDocumentCacheByteCount
        /// The maximum size of the columns that the store keeps in memory, in bytes; 0 for none. A column has the value
        /// of one field in each document of a collection. It is built when facets, groups, sorted or selected results have
        /// read half as many documents or index entries for want of it as the collection has documents.
        public var columnByteCount = defaultColumnByteCount
        /// The maximum size of the codes of a vector index that the store keeps in memory from the first search on, in bytes;
        /// 0 to read them for each search. A code of 512 dimensions takes 128 bytes.
        public var vectorCodeByteCount = defaultVectorCodeByteCount
        /// Whether those documents and columns are kept from their first use on.
        package var cachesDocumentsAtFirstUse = false
        /// When the words of new documents are written as segments of text indexes.
        package var textMaintenance = TextMaintenanceLimits()

        /// Creates options with defaults: a larger write buffer and cache, and larger table files, than the database uses
        /// by default.
        public init(finishesSchemaChange: Bool = true) {
            self.finishesSchemaChange = finishesSchemaChange
            database.writeBufferByteCount = 16 << 20
            database.cacheByteCount = 48 << 20
            database.maxFileByteCount = 8 << 20
        }

        /// The default of ``documentCacheByteCount``: 16 MiB.
        public static let defaultDocumentCacheByteCount = 16 << 20
        /// The default of ``columnByteCount``: 24 MiB.
        public static let defaultColumnByteCount = 24 << 20
        /// The default of ``vectorCodeByteCount``: 64 MiB.
        public static let defaultVectorCodeByteCount = 64 << 20
    }

    let database: Database
    let writer: WriterLock
    /// Held while indexes are built or documents migrated, so that only one thread at a time does so.
    let maintenance: WriterLock
    let writerState: WriterState
    let signal: ChangeSignal
    private let catalog: Mutex<LoadedCatalog>
    private let ownership: ExclusiveOwnership
    /// The files of large attachments.
    let files: ContentDirectory
    private let external = Mutex<(any ExternalContents)?>(nil)
    /// Held while content is added, or garbage deleted, so that neither loses what the other relies on.
    let contentGate = WriterLock()
    /// Runs the writes of asynchronous callers, one after another.
    let writes = BlockingExecutor("DocIndex.writes")

    private init(database: Database, catalog: LoadedCatalog, documents: DocumentCache) throws {
        let signal = ChangeSignal()
        let files = ContentDirectory(of: database)
        // Another process may write the store and collect garbage while this one reads it.
        if database.mode == .readOnly { try files.keepFiles() }
        // Closing the database in any way ends all streams of changes.
        guard
            let ownership = ExclusiveOwnership(
                of: database,
                onClose: {
                    signal.finish()
                    files.releaseFiles()
                })
        else {
            throw LevelError(
                .locked,
                "the database at \(database.path) already has an open store; use that store, or close it first")
        }
        self.signal = signal
        self.files = files
        self.ownership = ownership
        writer = WriterLock(refusal: database.refusal)
        maintenance = WriterLock(refusal: database.refusal)
        writerState = WriterState(documents: documents)
        self.database = database
        self.catalog = Mutex(catalog)
    }

    /// The absolute path of the directory.
    public var path: String { database.path }

    /// Where the contents of attachments are, if they are not in the store.
    package var externalContents: (any ExternalContents)? {
        get { external.withLock { $0 } }
        set { external.withLock { $0 = newValue } }
    }

    /// Whether the store was opened for reading only.
    package var isReadOnly: Bool { database.mode == .readOnly }

    /// The schema in effect.
    public var schema: Schema { currentCatalog.schema }

    // MARK: - Opening and closing

    /// Opens a store. Creates it if there is none and a schema is given.
    ///
    /// If the schema differs from the one in effect, the store is changed before this returns: new indexes are built,
    /// and indexes that are no longer declared are deleted. If the process is killed, the next open continues.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - schema: the declared collections and indexes; `nil` to open an existing store with its own schema.
    ///   - options: how the store is opened.
    ///   - mode: `readOnly` to read the store in its present state: nothing in the directory changes, and
    ///     other processes may write at the same time; only the deletion of unreferenced attachments is blocked until
    ///     the store is closed. The schema in effect applies, even if a change of it
    ///     is unfinished. Every call that would write throws `LevelError` with `readOnly`, and so does opening with
    ///     another schema. To see later writes, reopen the store.
    /// - Throws: ``DocIndexError``: `notADocumentStore`; `storeTooNew`, including if the store has a higher schema
    ///   version; `invalidSchema`; `corruption`; `LevelError`, such as `databaseNotFound` or `locked`.
    /// - Complexity: O(*n*) in the documents of a collection that gains an index; otherwise O(*t*) in the table files
    ///   of the database, plus converting the log to a table file.
    public static func open(
        at path: String, schema: Schema? = nil, options: Options = Options(), mode: Database.Mode = .readWrite
    ) throws -> DocumentStore {
        try schema?.validate()
        var databaseOptions = options.database
        databaseOptions.createIfMissing = databaseOptions.createIfMissing && schema != nil
        let stored =
            mode == .readWrite ? try openableCatalog(at: path, schema: schema, options: databaseOptions) : nil
        let database = try Database.open(at: path, options: databaseOptions, mode: mode)
        do {
            return try open(
                on: database, schema: schema, finishesSchemaChange: options.finishesSchemaChange,
                textMaintenance: options.textMaintenance, stored: stored,
                documents: DocumentCache(
                    byteLimit: options.documentCacheByteCount, columnByteLimit: options.columnByteCount,
                    vectorCodeByteLimit: options.vectorCodeByteCount,
                    addsAtFirstUse: options.cachesDocumentsAtFirstUse))
        } catch {
            try database.close()
            throw error
        }
    }

    /// Opens the store in an open database, or creates one in an empty database if a schema is given.
    ///
    /// For programs that also read the underlying keys. Writing them directly corrupts the store. Closing the store
    /// closes the database, and vice versa. If the database is open for reading only, so is the store.
    ///
    /// - Throws: the errors of ``open(at:schema:options:mode:)``; `LevelError` with `locked` if another store is using
    ///   this database.
    public static func open(
        on database: Database, schema: Schema? = nil, finishesSchemaChange: Bool = true,
        documentCacheByteCount: Int = Options.defaultDocumentCacheByteCount,
        columnByteCount: Int = Options.defaultColumnByteCount
    ) throws -> DocumentStore {
        try open(
            on: database, schema: schema, finishesSchemaChange: finishesSchemaChange,
            textMaintenance: TextMaintenanceLimits(), stored: nil,
            documents: DocumentCache(byteLimit: documentCacheByteCount, columnByteLimit: columnByteCount))
    }

    package static func open(
        on database: Database, schema: Schema? = nil, finishesSchemaChange: Bool = true,
        textMaintenance: TextMaintenanceLimits
    ) throws -> DocumentStore {
        try open(
            on: database, schema: schema, finishesSchemaChange: finishesSchemaChange,
            textMaintenance: textMaintenance, stored: nil,
            documents: DocumentCache(
                byteLimit: Options.defaultDocumentCacheByteCount, columnByteLimit: Options.defaultColumnByteCount))
    }

    private static func open(
        on database: Database, schema: Schema?, finishesSchemaChange: Bool, textMaintenance: TextMaintenanceLimits,
        stored: StoredCatalog?, documents: DocumentCache
    ) throws -> DocumentStore {
        try schema?.validate()
        guard database.order == .bytewise else {
            throw DocIndexError(
                .notADocumentStore,
                "the database at \(database.path) has the key order \(database.order.name); a document store needs the "
                    + "bytewise order")
        }
        let catalog = try storedCatalog(
            in: database, mayBeNew: schema != nil && database.mode == .readWrite, known: stored)
        let store = try DocumentStore(
            database: database, catalog: LoadedCatalog(loading: catalog, from: database),
            documents: documents)
        if database.mode == .readOnly {
            try store.requireInForce(schema)
            return store
        }
        try store.withWriter { _ in store.texts.setLimits(textMaintenance) }
        // When opened for inspection, indexes built by outdated rules stay unchanged and continue to answer. Text
        // indexes with another stemmer do not, because searches would miss documents.
        if schema != nil || finishesSchemaChange { try store.adopt(schema) }
        guard finishesSchemaChange else { return store }
        do {
            try store.finishSchemaChange()
        } catch let error as DocIndexError where error.isOfIndexEntries {
            // A failed index does not prevent opening the store; see `failedIndexes`.
        }
        return store
    }

    /// Closes the store. Later calls throw `LevelError.Code.closed`. Closing a store twice does nothing.
    ///
    /// If many words are pending, they are first written as a segment of the text index, so that the next open does not
    /// have to read those documents again. If the log is long, its content is first written to a table file, so that
    /// opening for reading does not have to do that each time.
    public func close() throws {
        if database.mode == .readOnly { return try database.close() }
        try writer.withLock {
            let catalog = loadedCatalog
            // Words from this stemmer do not belong in segments of another one.
            let hasNewSegments =
                !catalog.collections.contains(where: \.readable.hasOtherStemmers) && texts.settle(catalog)
            // If this fails, the log keeps everything.
            if hasNewSegments || database.pendingByteCount >= Self.longLogByteCount { try? database.flush() }
            try database.close()
        }
    }

    /// The size of a log whose content is written to a table file at the end. Each opening for reading would take some
    /// ten milliseconds for a log of this size.
    private static let longLogByteCount = 1 << 20

    /// A catalog and the record that it was decoded from.
    private struct StoredCatalog {
        let record: [UInt8]
        let catalog: Catalog
    }

    /// - Parameter known: a catalog that need not be decoded again if its record is the stored one.
    private static func storedCatalog(
        in database: Database, mayBeNew: Bool, known: StoredCatalog? = nil
    ) throws -> Catalog {
        let record = try database.valueOrCopy(forKey: StoreKey.catalogKey)
        if let known, known.record == record { return known.catalog }
        if let catalog = try record.flatMap(Catalog.init(ifEncoded:)) { return catalog }
        var cursor = try database.cursor()
        guard mayBeNew, try !cursor.advance() else {
            throw DocIndexError(
                .notADocumentStore,
                "\(database.path) is a LevelDB database but not a document store; "
                    + "create a store in another directory and import the data")
        }
        return Catalog()
    }

    /// Returns the catalog of a store that is not open, or throws what opening it for writing would throw after LevelDB
    /// has changed the files: that the database is not a store, or one of a later version.
    ///
    /// - Parameter schema: the schema to open it with, if any.
    /// - Returns: `nil` if opening the database decides, for example because another process uses it.
    private static func openableCatalog(
        at path: String, schema: Schema?, options: DatabaseOptions
    ) throws -> StoredCatalog? {
        // If no database may exist, opening says so, whatever is in it.
        guard options.order == .bytewise, !options.errorIfExists, let closed = ClosedDatabase(at: path) else {
            return nil
        }
        do {
            if let record = closed.value(forKey: StoreKey.catalogKey),
                let catalog = try Catalog(ifEncoded: record)
            {
                if let schema { _ = try catalog.changed(to: schema) }
                return StoredCatalog(record: record, catalog: catalog)
            }
            // Rare: it is not a store, it is empty, or its files are damaged.
            guard let database = try? Database.open(at: path, options: options, mode: .readOnly) else { return nil }
            defer { try? database.close() }
            _ = try storedCatalog(in: database, mayBeNew: schema != nil)
        } catch let error as DocIndexError {
            if closed.isUnchanged { throw error }
        }
        return nil
    }

    /// Throws if a store has a later format than this version knows. Does not open it, and returns if it is not a store, or
    /// if another process uses it.
    package static func requireKnownFormat(at path: String) throws {
        guard let record = ClosedDatabase(at: path)?.value(forKey: StoreKey.catalogKey),
            Catalog.mayBeOfLaterFormat(record)
        else { return }
        do {
            _ = try Catalog(ifEncoded: record)
        } catch let error as DocIndexError where error.code == .storeTooNew {
            throw error
        } catch {
            // Commands that need a store tell.
        }
    }

    /// Throws if a schema differs from the one in effect, which cannot be changed here.
    private func requireInForce(_ schema: Schema?) throws {
        guard let schema else { return }
        let catalog = currentCatalog
        _ = try catalog.changed(to: schema)
        guard schema.difference(from: catalog.schema).isEmpty else {
            throw LevelError(
                .readOnly,
                "the store at \(path) is open read-only and has a different schema; open it for writing to change the "
                    + "schema, or omit the schema")
        }
    }

    /// Stores a catalog together with the batch, then publishes it to readers. Called under the writer's lock.
    ///
    /// Readers take their snapshot and the catalog under a lock that is not held while LevelDB writes, because LevelDB
    /// may delay a writer. In between, they see the new state with the old catalog, which is still valid: entries
    /// dropped by the new catalog are deleted later, and no document is written until then.
    func save(_ new: Catalog, with batch: WriteBatch = WriteBatch()) throws {
        try batch.putWithCopy(new.encoded, forKey: StoreKey.catalogKey)
        try database.write(batch, durability: .buffered)
        catalog.withLock { $0 = LoadedCatalog(new, replacing: $0) }
        try database.put(new.encoded, forKey: StoreKey.catalogKey, durability: .synced)
    }

    // MARK: - Parts

    var loadedCatalog: LoadedCatalog { catalog.withLock { $0 } }
    var currentCatalog: Catalog { loadedCatalog.stored }

    /// Returns a snapshot of the store. Its collections do not see later writes.
    public func snapshot() throws -> StoreSnapshot {
        StoreSnapshot(store: self, state: try state())
    }

    /// A state of the store.
    struct State: Sendable {
        let snapshot: Snapshot
        /// The catalog that matches the snapshot.
        let catalog: LoadedCatalog
        /// Views of the text indexes, one of which matches the snapshot.
        let texts: TextIndexViews.Views
        let documents: DocumentCache.View
    }

    /// Returns the newest state.
    func state() throws -> State {
        let commitCount = documents.commitCount
        return try catalog.withLock { catalog in
            let (snapshot, texts) = try texts.views.snapshot { try database.snapshot() }
            return State(
                snapshot: snapshot, catalog: catalog, texts: texts,
                documents: DocumentCache.View(cache: documents, commitCount: commitCount))
        }
    }

    /// The text indexes in memory.
    var texts: TextIndexes { writerState.texts }

    /// The documents in memory.
    var documents: DocumentCache { writerState.documents }

    /// The declared collections, in the order of the schema.
    public var collections: [DocumentCollection] {
        currentCatalog.collections.map { DocumentCollection(store: self, number: $0.number, name: $0.name) }
    }

    /// Returns the collection with a name.
    ///
    /// - Throws: ``DocIndexError`` with `unknownCollection`; the message lists the existing collections.
    public func collection(_ name: String) throws -> DocumentCollection {
        let catalog = currentCatalog
        guard let entry = catalog.collection(named: name) else {
            let known = catalog.collections.map(\.name).joined(separator: ", ")
            throw DocIndexError(.unknownCollection, "no collection named \(name); the store has \(known)")
        }
        return DocumentCollection(store: self, number: entry.number, name: entry.name)
    }

    // MARK: - Writing

    /// Runs `body` and writes its changes as one atomic batch. If `body` throws, nothing is written.
    ///
    /// ```swift
    /// try store.write { transaction in
    ///     try transaction.put(["id": "a", "title": "Harbour"], in: "photos")
    ///     try transaction.delete("b", in: "photos")
    /// }
    /// ```
    ///
    /// Other writers wait. The transaction sees its own writes. All changes are held in memory until the end.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; ``DocIndexError`` with `nestedWrite`; `LevelError`.
    public func write<R>(durability: Durability = .buffered, _ body: (Transaction) throws -> R) throws -> R {
        try writeReportingCommit(durability: durability, body).result
    }

    /// Does the same as ``write(durability:_:)``, and also returns the number of the commit; `nil` if no document
    /// changed.
    func writeReportingCommit<R>(
        durability: Durability, _ body: (Transaction) throws -> R
    ) throws -> (result: R, sequence: UInt64?) {
        try writer.withLock {
            try noteOtherStemmers()
            let catalog = loadedCatalog
            let transaction = Transaction(database: database, catalog: catalog)
            defer { transaction.end() }
            let result = try body(transaction)
            var commit = Commit(database: database, catalog: catalog, state: writerState)
            let changes = try commit.write(
                transaction.edits, durability: durability, markers: transaction.markers)
            let sequence = changes.first?.sequence
            if let sequence { signal.commit(sequence) }
            return (result, sequence)
        }
    }

    /// Records, before the first write to a text index that another stemmer built, that the index contains terms of
    /// several stemmers, so that the original stemmer does not treat it as its own. Called under the writer's lock.
    func noteOtherStemmers() throws {
        let loaded = loadedCatalog
        guard loaded.collections.contains(where: \.readable.hasOtherStemmers) else { return }
        var catalog = loaded.stored
        for collection in catalog.collections.indices {
            for index in catalog.collections[collection].indexes.indices {
                let entry = catalog.collections[collection].indexes[index]
                if !entry.stemmers.isEmpty, !entry.isCurrent {
                    catalog.collections[collection].indexes[index].stemmers = []
                }
            }
        }
        try save(catalog)
    }

    /// Returns the last marker stored under a name with ``Transaction/setMarker(_:to:)``; `nil` if there is none.
    public func marker(_ name: String) throws -> [UInt8]? {
        try database.value(forKey: StoreKey.marker(name))
    }

    /// Runs `body` under the writer's lock, with the writer's state.
    func withWriter<R>(_ body: (WriterState) throws -> R) throws -> R {
        try writer.withLock { try body(writerState) }
    }

    /// Throws `nestedWrite` on a thread that is inside a write of this store.
    func requireNoWriteHere() throws { try writer.requireNotHeldHere() }

    /// Runs `body` while no other thread builds indexes or migrates documents.
    func withMaintenance<R>(_ body: () throws -> R) throws -> R {
        try maintenance.withLock(body)
    }

    /// Makes all earlier writes durable, so that they survive a power failure.
    public func flush() throws {
        try writer.withLock {
            // A synced write of the unchanged catalog, which also syncs everything written before it.
            try database.put(currentCatalog.encoded, forKey: StoreKey.catalogKey, durability: .synced)
        }
    }
}

/// A snapshot of a store: its collections do not see later writes.
public struct StoreSnapshot: Sendable {
    let store: DocumentStore
    private let state: DocumentStore.State

    init(store: DocumentStore, state: DocumentStore.State) {
        self.store = store
        self.state = state
    }

    var snapshot: Snapshot { state.snapshot }

    /// The collections, in the order of the schema. Writes to them go to the store.
    public var collections: [DocumentCollection] {
        state.catalog.collections.map { DocumentCollection(store: store, entry: $0, pinnedTo: state) }
    }
}
