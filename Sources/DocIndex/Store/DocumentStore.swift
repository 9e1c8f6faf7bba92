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
        /// Whether opening with another schema waits until its indexes are built. Otherwise call
        /// ``DocumentStore/finishSchemaChange(_:)`` from any thread; meanwhile old indexes answer, and new ones do not.
        public var finishesSchemaChange = true
        /// When the words of new documents are written as segments of text indexes.
        public var textMaintenance = TextMaintenanceLimits()

        /// The defaults: a larger write buffer and cache than the database has by itself.
        public init(finishesSchemaChange: Bool = true) {
            self.finishesSchemaChange = finishesSchemaChange
            database.writeBufferByteCount = 16 << 20
            database.cacheByteCount = 64 << 20
        }
    }

    let database: Database
    private let writer: WriterLock
    /// Held while indexes are built or documents migrated, so that one thread at a time does it.
    private let maintenance: WriterLock
    private let writerState = WriterState()
    let signal: ChangeSignal
    private let catalog: Mutex<Catalog>
    private let adoption: Adoption

    private init(database: Database, catalog: Catalog) throws {
        let signal = ChangeSignal()
        // However the database is closed, those who wait for the next commit hear of it.
        guard let adoption = Adoption(of: database, onClose: { signal.finish() }) else {
            throw LevelError(
                .locked,
                "there is a store over the database at \(database.path) already; use that one, or close it first")
        }
        self.signal = signal
        self.adoption = adoption
        writer = WriterLock(refusal: database.refusal)
        maintenance = WriterLock(refusal: database.refusal)
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
    ///   - mode: `readOnly` to read the store as it is at this moment: nothing in the directory changes, nothing is locked,
    ///     and other processes may write meanwhile. The schema in force answers, also where a change of it is not finished.
    ///     Every call that would write throws `LevelError` with `readOnly`, and so does opening with another schema. To read
    ///     what was written since, open the store anew.
    /// - Throws: ``DocIndexError``: `notADocumentStore`; `storeTooNew`, also for a schema of a lower version than the
    ///   store has; `invalidSchema`, `corruption`; `LevelError`, such as `databaseNotFound` or `locked`.
    /// - Complexity: O(*n*) in the documents of a collection that gains an index; else O(*t*) in the tables of the database,
    ///   and what the log holds is put into one.
    public static func open(
        at path: String, schema: Schema? = nil, options: Options = Options(), mode: Database.Mode = .readWrite
    ) throws -> DocumentStore {
        try schema?.validate()
        var databaseOptions = options.database
        databaseOptions.createIfMissing = databaseOptions.createIfMissing && schema != nil
        let database = try Database.open(at: path, options: databaseOptions, mode: mode)
        do {
            return try open(
                on: database, schema: schema, finishesSchemaChange: options.finishesSchemaChange,
                textMaintenance: options.textMaintenance)
        } catch {
            try database.close()
            throw error
        }
    }

    /// Opens the store that an open database holds, or makes one in an empty database if a schema is given.
    ///
    /// For programs that look at the keys below as well. Whoever writes them by hand breaks the store. Closing either
    /// closes both. Over a database that is open for reading, the store can be read only.
    ///
    /// - Throws: as ``open(at:schema:options:mode:)``; `LevelError` with `locked` while there is another store over this
    ///   database.
    public static func open(
        on database: Database, schema: Schema? = nil, finishesSchemaChange: Bool = true,
        textMaintenance: TextMaintenanceLimits = TextMaintenanceLimits()
    ) throws -> DocumentStore {
        try schema?.validate()
        guard database.order == .bytewise else {
            throw DocIndexError(
                .notADocumentStore,
                "the database at \(database.path) has the order \(database.order.name); a document store needs the "
                    + "bytewise order")
        }
        let catalog = try storedCatalog(in: database, mayBeNew: schema != nil && database.mode == .readWrite)
        let store = try DocumentStore(database: database, catalog: catalog)
        if database.mode == .readOnly {
            try store.requireInForce(schema)
            return store
        }
        try store.withWriter { _ in store.texts.setLimits(textMaintenance) }
        // Where only a look is meant, indexes of older rules stay as they are, and answer as until now; but for text indexes
        // of another stemmer, which would not find what is there.
        if schema != nil || finishesSchemaChange { try store.adopt(schema) }
        guard finishesSchemaChange else { return store }
        do {
            try store.finishSchemaChange()
        } catch let error as DocIndexError where error.code == .tooManyEntries {
            // One index less is no reason to keep everything else closed; see `failedIndexes`.
        }
        return store
    }

    /// Closes the store. Later calls throw `LevelError.Code.closed`. Closing twice does nothing.
    ///
    /// Where a load by transactions has left many words pending, they are written as a segment of the text index first, so that
    /// the next opening need not read those documents again.
    public func close() throws {
        if database.mode == .readOnly { return try database.close() }
        try writer.withLock {
            let catalog = currentCatalog
            // Words that this stemmer made do not belong into segments of another one.
            if !catalog.collections.contains(where: \.answering.hasOtherStemmers),
                texts.settle(catalog: catalog, database: database)
            {
                // Into tables: who only reads would read a segment from the log at each opening. The log keeps it if this fails.
                try? database.flush()
            }
            try database.close()
        }
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

    /// Throws if a schema is another one than that in force, which cannot be changed here.
    private func requireInForce(_ schema: Schema?) throws {
        guard let schema else { return }
        let catalog = currentCatalog
        _ = try catalog.changed(to: schema)
        guard schema.difference(from: catalog.schema).isEmpty else {
            throw LevelError(
                .readOnly,
                "the store at \(path) is open for reading and has another schema; open it for writing to change the "
                    + "schema, or leave the schema out")
        }
    }

    private func adopt(_ schema: Schema?) throws {
        try writer.withLock {
            if let catalog = try ContentAdoption.run(currentCatalog, in: database) { try save(catalog) }
            let old = currentCatalog
            guard let schema = schema ?? (old.hasOutdatedIndexes ? old.schema : nil) else { return }
            let new = try old.changed(to: schema)
            // As bytes: two spellings of a name are equal texts and different names.
            if new.encoded != old.encoded || old.nextCollection == 1 { try save(new) }
        }
    }

    // MARK: - Schema changes

    /// What a schema would change, without changing anything: for a dry run.
    public func changes(for schema: Schema) throws -> [SchemaChange] {
        try schema.validate()
        let catalog = currentCatalog
        _ = try catalog.changed(to: schema)
        var changes = schema.difference(from: catalog.schema)
        for collection in catalog.collections {
            for index in collection.indexes where !index.isCurrent && !index.isRetiring {
                let subject = SchemaChange.Subject.index(index.definition.name, collection: collection.name)
                if changes.contains(where: { $0.subject == subject }) { continue }
                changes.append(
                    SchemaChange(
                        kind: .changed, subject: subject,
                        reasons: ["it was made by the rules of another version of the library", "it is built anew"]))
            }
        }
        return changes
    }

    /// Brings the store to another schema while it is read and written.
    ///
    /// New indexes are built in slices of some milliseconds, between which others write. Until an index is complete, the
    /// one that it replaces answers. Killed or cancelled in between, it goes on where it was at the next
    /// ``finishSchemaChange(_:)`` or the next opening.
    ///
    /// - Parameter progress: called between slices; what it throws ends the work for now.
    /// - Returns: what was changed.
    /// - Throws: ``DocIndexError``: `invalidSchema`; `CancellationError` if the task is cancelled; what `progress` throws.
    /// - Complexity: O(*n*) in the documents of a collection that gains an index, else O(1).
    @discardableResult
    public func apply(
        _ schema: Schema, _ progress: (BuildProgress) throws -> Void = { _ in }
    ) throws -> [SchemaChange] {
        let changes = try self.changes(for: schema)
        try adopt(schema)
        try finishSchemaChange(progress)
        return changes
    }

    /// Does what is still to be done of a schema change: builds new indexes, and those anew whose rules are no longer in force,
    /// such as those of another Unicode version; deletes what was dropped. Does nothing where nothing is left.
    ///
    /// - Parameter progress: called between slices; what it throws ends the work for now.
    /// - Throws: as ``apply(_:_:)``.
    public func finishSchemaChange(_ progress: (BuildProgress) throws -> Void = { _ in }) throws {
        try adopt(nil)
        if !currentCatalog.hasPendingWork { return }
        var failure: DocIndexError?
        try maintenance.withLock {
            while let collection = currentCatalog.collections.first(where: { !$0.isBuilt }) {
                do {
                    try buildIndexes(of: collection.number, progress)
                } catch let error as DocIndexError where error.code == .tooManyEntries {
                    // That index is given up; the others go on.
                    failure = error
                }
            }
            while let dropped = currentCatalog.dropped.first {
                let builder = IndexBuilder(database: database, state: writerState)
                while try builder.deleteSlice(of: dropped) { try Self.checkCancellation() }
                try writer.withLock {
                    var catalog = currentCatalog
                    catalog.dropped.removeAll { $0.number == dropped.number }
                    try save(catalog)
                }
            }
        }
        if let failure { throw failure }
    }

    /// Indexes that could not be built, because a document would have too many entries. They hold nothing and answer
    /// nothing, and documents are stored without them. Change the document and call ``rebuildIndex(_:of:_:)``, or declare
    /// the index otherwise.
    public var failedIndexes: [FailedIndex] {
        currentCatalog.collections.flatMap { collection in
            collection.indexes.compactMap { entry in
                entry.failure.map {
                    FailedIndex(collection: collection.name, index: entry.definition.name, reason: $0)
                }
            }
        }
    }

    private func buildIndexes(of collection: UInt32, _ progress: (BuildProgress) throws -> Void) throws {
        var isDone = false
        while !isDone {
            let step = try writer.withLock { () -> BuildProgress? in
                let catalog = currentCatalog
                guard let entry = catalog.collection(numbered: collection) else { return nil }
                let building = entry.indexes.filter(\.isBuilding)
                let builder = IndexBuilder(database: database, state: writerState)
                let row: UInt64?
                do {
                    row = try builder.buildSlice(of: building, in: entry, catalog: catalog)
                } catch let failure as IndexBuilder.Failure {
                    try giveUp(failure, of: collection)
                    throw failure.error
                }
                if row == nil { try flip(collection) }
                let last = try writerState.counters(collection, in: database).nextRow - 1
                return BuildProgress(
                    collection: entry.name, indexes: building.map(\.definition.name), row: min(row ?? last, last),
                    lastRow: last)
            }
            guard let step else { return }
            isDone = step.row == step.lastRow && currentCatalog.collection(numbered: collection)?.isBuilt != false
            try progress(step)
            try Self.checkCancellation()
        }
    }

    /// Lets the new indexes answer in place of the old ones. Called under the writer's lock.
    private func flip(_ collection: UInt32) throws {
        var catalog = currentCatalog
        guard let position = catalog.collections.firstIndex(where: { $0.number == collection }) else { return }
        let batch = WriteBatch()
        for index in catalog.collections[position].indexes.indices {
            let entry = catalog.collections[position].indexes[index]
            if !entry.isBuilding { continue }
            guard try writerState.progress(of: entry.number, in: database) == .max else { continue }
            catalog.collections[position].indexes[index].isReady = true
            try batch.delete(StoreKeyspace.progress.prefix(entry.number))
        }
        for entry in catalog.collections[position].indexes where entry.isRetiring {
            let isNeeded = catalog.collections[position].indexes.contains {
                !$0.isReady && $0.definition.name.hasSameBytes(as: entry.definition.name)
            }
            if isNeeded { continue }
            catalog.collections[position].indexes.removeAll { $0.number == entry.number }
            catalog.dropped.append(Catalog.DroppedIndex(number: entry.number, kind: entry.definition.kind))
        }
        try save(catalog, with: batch)
    }

    /// Notes that an index cannot be built, and has what it holds deleted. Called under the writer's lock.
    private func giveUp(_ failure: IndexBuilder.Failure, of collection: UInt32) throws {
        var catalog = currentCatalog
        guard let position = catalog.collections.firstIndex(where: { $0.number == collection }),
            let index = catalog.collections[position].indexes.firstIndex(where: { $0.number == failure.index })
        else { return }
        let old = catalog.collections[position].indexes[index]
        catalog.dropped.append(Catalog.DroppedIndex(number: old.number, kind: old.definition.kind))
        catalog.collections[position].indexes[index].number = try Catalog.take(&catalog.nextIndex)
        catalog.collections[position].indexes[index].failure = failure.error.message
        try save(catalog)
    }

    private static func checkCancellation() throws {
        if Task.isCancelled { throw CancellationError() }
    }

    /// Stores a catalog, together with what is in the batch, and lets readers see it. Called under the writer's lock.
    ///
    /// Readers take their snapshot and the catalog under a lock that is not held while the engine writes, since it may
    /// let a writer wait. In between they see the new state with the old catalog, which fits it as well: what the new
    /// catalog gives up is deleted afterwards, and until then no document is written.
    func save(_ new: Catalog, with batch: WriteBatch = WriteBatch()) throws {
        try batch.put(new.encoded, forKey: StoreKeyspace.catalogKey)
        try database.write(batch, durability: .buffered)
        catalog.withLock { $0 = new }
        try database.put(new.encoded, forKey: StoreKeyspace.catalogKey, durability: .synced)
    }

    // MARK: - Parts

    var currentCatalog: Catalog { catalog.withLock { $0 } }

    /// The store as it is at this moment: its collections do not see later writes.
    public func snapshot() throws -> StoreSnapshot {
        let (snapshot, catalog, texts) = try state()
        return StoreSnapshot(store: self, snapshot: snapshot, catalog: catalog, texts: texts)
    }

    /// The newest state, the catalog that fits it, and the views of text indexes of which one each fits it.
    func state() throws -> (Snapshot, Catalog, TextIndexes.Views) {
        try catalog.withLock { catalog in
            let (snapshot, texts) = try texts.snapshot { try database.snapshot() }
            return (snapshot, catalog, texts)
        }
    }

    /// The text indexes in memory.
    var texts: TextIndexes { writerState.texts }

    /// The collections that the schema declares, in its order.
    public var collections: [DocumentCollection] {
        currentCatalog.collections.map { DocumentCollection(store: self, number: $0.number, name: $0.name) }
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
        return DocumentCollection(store: self, number: entry.number, name: entry.name)
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
            try noteOtherStemmers()
            let catalog = currentCatalog
            let transaction = Transaction(database: database, catalog: catalog)
            defer { transaction.end() }
            let result = try body(transaction)
            var commit = Commit(database: database, catalog: catalog, state: writerState)
            let changes = try commit.write(
                transaction.edits, durability: durability, markers: transaction.markers)
            if let change = changes.first { signal.commit(change.sequence) }
            return result
        }
    }

    /// Before the first write to a text index that another stemmer made: notes that the index has terms of several stemmers, so
    /// that the one that made it does not take it for its own. Called under the writer's lock.
    func noteOtherStemmers() throws {
        var catalog = currentCatalog
        guard catalog.collections.contains(where: \.answering.hasOtherStemmers) else { return }
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

    /// The marker that was stored last under a name with ``Transaction/setMarker(_:to:)``; `nil` if there is none.
    public func marker(_ name: String) throws -> [UInt8]? {
        try database.value(forKey: StoreKeyspace.marker(name))
    }

    /// Runs `body` under the writer's lock, with what the writer knows.
    func withWriter<R>(_ body: (WriterState) throws -> R) throws -> R {
        try writer.withLock { try body(writerState) }
    }

    /// Throws `nestedWrite` on a thread that is within a write of this store.
    func requireNoWriteHere() throws { try writer.requireNotHeldHere() }

    /// Runs `body` while no other thread builds indexes or migrates documents.
    func withMaintenance<R>(_ body: () throws -> R) throws -> R {
        try maintenance.withLock(body)
    }

    /// Makes what was written before survive the loss of power.
    public func flush() throws {
        try writer.withLock {
            // A synced write of the catalog as it is, which takes all that was written before with it.
            try database.put(currentCatalog.encoded, forKey: StoreKeyspace.catalogKey, durability: .synced)
        }
    }
}

/// A store at one moment: what its collections read is of that moment, whatever is written meanwhile.
public struct StoreSnapshot: Sendable {
    private let store: DocumentStore
    private let snapshot: Snapshot
    private let catalog: Catalog
    private let texts: TextIndexes.Views

    init(store: DocumentStore, snapshot: Snapshot, catalog: Catalog, texts: TextIndexes.Views) {
        self.store = store
        self.snapshot = snapshot
        self.catalog = catalog
        self.texts = texts
    }

    /// The collections, in the order of the schema. Writing to one writes to the store.
    public var collections: [DocumentCollection] {
        catalog.collections.map {
            DocumentCollection(store: store, number: $0.number, name: $0.name, pinned: (snapshot, $0, texts))
        }
    }
}
