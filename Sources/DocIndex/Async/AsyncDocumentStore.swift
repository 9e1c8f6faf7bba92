public import LevelKit

/// The operations of a store for code that must not block its thread, such as code on the main actor.
///
/// Reads wait for the disk, and writes for other writers. Here they run on separate threads, the writes of a store one
/// after another, while the caller is suspended. Both forms may be mixed.
///
/// ```swift
/// let store = try await AsyncDocumentStore.open(at: "photos.store", schema: schema)
/// let photos = try store.collection("photos", of: Photo.self)
/// let best = try await photos.find("rating >= \(stars)", limit: 50)
/// ```
///
/// If the task is canceled before a call begins, the call throws `CancellationError` and does nothing. Queries and
/// index builds also stop when the task is canceled while they run. A write that has begun is completed.
public struct AsyncDocumentStore: Sendable {
    /// The store.
    public let store: DocumentStore

    /// Opens a store; see ``DocumentStore/open(at:schema:options:mode:)``.
    public static func open(
        at path: String, schema: Schema? = nil, options: DocumentStore.Options = DocumentStore.Options(),
        mode: Database.Mode = .readWrite
    ) async throws -> AsyncDocumentStore {
        try await BlockingExecutor.reads.run {
            try DocumentStore.open(at: path, schema: schema, options: options, mode: mode)
        }.asynchronous
    }

    /// Closes the store; see ``DocumentStore/close()``. Does so even if the task is canceled.
    public func close() async throws {
        try await store.writes.runEvenIfCancelled { [store] in try store.close() }
    }

    /// Returns the collection with a name. Does not block.
    ///
    /// - Throws: ``DocIndexError`` with `unknownCollection`.
    public func collection(_ name: String) throws -> AsyncDocumentCollection {
        try store.collection(name).asynchronous
    }

    /// Runs `body` and writes its changes as one atomic batch; see ``DocumentStore/write(durability:_:)``.
    ///
    /// ```swift
    /// try await store.write { transaction in
    ///     try transaction.put(photo, in: photos)
    ///     try transaction.delete("IMG_0232", in: photos)
    /// }
    /// ```
    public func write<R: Sendable>(
        durability: Durability = .buffered, _ body: @escaping @Sendable (Transaction) throws -> R
    ) async throws -> R {
        try await store.writes.run { [store] in try store.write(durability: durability, body) }
    }

    /// Undoes the changes of a commit; see ``DocumentStore/undo(_:overwriting:durability:)``.
    @discardableResult
    public func undo(
        _ commit: UInt64? = nil, overwriting: Bool = false, durability: Durability = .buffered
    ) async throws -> DocumentStore.Undo {
        try await store.writes.run { [store] in
            try store.undo(commit, overwriting: overwriting, durability: durability)
        }
    }

    /// Undoes the changes of consecutive commits; see
    /// ``DocumentStore/undo(commits:overwriting:durability:)``.
    @discardableResult
    public func undo(
        commits: ClosedRange<UInt64>, overwriting: Bool = false, durability: Durability = .buffered
    ) async throws -> DocumentStore.Undo {
        try await store.writes.run { [store] in
            try store.undo(commits: commits, overwriting: overwriting, durability: durability)
        }
    }

    /// Returns what an undo would do; see ``DocumentStore/previewUndo(of:)``.
    public func previewUndo(of commit: UInt64? = nil) async throws -> DocumentStore.Undo {
        try await run { try $0.previewUndo(of: commit) }
    }

    /// Returns the commits in the history, newest first; see ``DocumentStore/commits(before:limit:)``.
    public func commits(before sequence: UInt64? = nil, limit: Int = 20) async throws -> [DocumentStore.CommitSummary] {
        try await run { try $0.commits(before: sequence, limit: limit) }
    }

    /// Runs any blocking operation of the store, such as ``DocumentStore/verify(attachments:problemLimit:_:)`` or
    /// several reads from one ``DocumentStore/snapshot()``.
    public func run<R: Sendable>(_ body: @escaping @Sendable (DocumentStore) throws -> R) async throws -> R {
        try await BlockingExecutor.reads.run { [store] in try body(store) }
    }

    /// Changes the schema while the store is in use; see ``DocumentStore/apply(_:_:)``. If the task is canceled, the
    /// next opening continues.
    @discardableResult
    public func apply(
        _ schema: Schema, _ progress: @escaping @Sendable (DocumentStore.BuildProgress) throws -> Void = { _ in }
    ) async throws -> [Schema.Change] {
        try await run { try $0.apply(schema, progress) }
    }

    /// Makes all earlier writes durable; see ``DocumentStore/flush()``.
    public func flush() async throws { try await store.writes.run { [store] in try store.flush() } }

    /// Returns the changes to documents after a commit; see ``DocumentStore/changes(since:epoch:in:limit:)``.
    public func changes(
        since sequence: UInt64, epoch: StoreEpoch? = nil, in collection: String? = nil, limit: Int = .max
    ) async throws -> [StoreChange] {
        try await run { try $0.changes(since: sequence, epoch: epoch, in: collection, limit: limit) }
    }

    /// Returns a sequence of the changes after a commit and of all future commits; see
    /// ``DocumentStore/changeStream(since:epoch:in:batchLimit:)``.
    public func changeStream(
        since sequence: UInt64, epoch: StoreEpoch? = nil, in collection: String? = nil, batchLimit: Int = 1000
    ) -> AsyncDocumentStore.ChangeStream {
        AsyncDocumentStore.ChangeStream(
            stream: store.changeStream(since: sequence, epoch: epoch, in: collection, batchLimit: batchLimit))
    }
}

extension DocumentStore {
    /// The operations of this store for code that must not block its thread.
    public var asynchronous: AsyncDocumentStore { AsyncDocumentStore(store: self) }
}
