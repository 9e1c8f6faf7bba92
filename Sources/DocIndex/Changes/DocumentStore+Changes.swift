internal import LevelKit

extension DocumentStore {
    /// The sequence number of the last commit; 0 before the first.
    public func sequence() throws -> UInt64 {
        try WriterState.storedSequence(in: database)
    }

    /// What tells this store apart from its copies; keep it with every sequence number that is to be used later.
    public var epoch: StoreEpoch { currentCatalog.epoch }

    /// What happened to documents behind a commit, in the order of commits: for each document the last change alone,
    /// deletions included.
    ///
    /// ```swift
    /// var position: UInt64 = 0
    /// let changes = try store.changes(since: position)
    /// for change in changes { … }
    /// position = changes.last?.sequence ?? position
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: the last commit that is known already; 0 for all.
    ///   - epoch: where that number comes from; `nil` if it was read from this store since it was opened.
    ///   - collection: one collection, or all.
    ///   - limit: about how many; a commit is never split, so the last one may make it more.
    /// - Throws: ``DocIndexError``: `epochChanged` for a number of another copy, or one that this store has not reached;
    ///   `unknownCollection`, `corruption`.
    /// - Complexity: O(*n*) in the changes that are read.
    public func changes(
        since sequence: UInt64, epoch: StoreEpoch? = nil, in collection: String? = nil, limit: Int = .max
    ) throws -> [StoreChange] {
        try visitChanges(since: sequence, epoch: epoch, in: collection, limit: limit).changes
    }

    /// As ``changes(since:epoch:in:limit:)``, and up to which commit the feed was read: the next call goes on there, and
    /// does not read again what other collections have changed.
    func visitChanges(
        since sequence: UInt64, epoch: StoreEpoch?, in collection: String?, limit: Int
    ) throws -> (changes: [StoreChange], position: UInt64) {
        let (snapshot, catalog, _) = try state()
        if let epoch, epoch != catalog.epoch {
            throw DocIndexError(
                .epochChanged,
                "commit \(sequence) is of the epoch \(epoch), and the store has \(catalog.epoch): it is a copy or was "
                    + "brought back from one; read all documents, and go on from the sequence number of this store")
        }
        if sequence > 0 {
            let last = try WriterState.storedSequence(in: snapshot)
            guard sequence <= last else {
                throw DocIndexError(
                    .epochChanged,
                    "commit \(sequence) is asked for, and the last commit of the store is \(last): the number is of "
                        + "another store or of another copy; read all documents, and go on from the sequence number "
                        + "of this store")
            }
        }
        if let collection, catalog.collection(named: collection) == nil { _ = try self.collection(collection) }
        var changes: [StoreChange] = []
        var position = sequence
        var cursor = try snapshot.cursor(in: StoreKeyspace.changes(behind: sequence), reverse: false, fillsCache: false)
        while try cursor.advance() {
            guard let change = StoreChange(key: cursor.key, value: cursor.value, catalog: catalog) else {
                throw DocIndexError(.corruption, "a change of the feed cannot be read; run verify and rebuild")
            }
            if changes.count >= limit, change.sequence != changes.last?.sequence { break }
            position = change.sequence
            if let collection, !change.collection.hasSameBytes(as: collection) { continue }
            changes.append(change)
        }
        return (changes, position)
    }

    /// The changes behind a commit, and then those of every commit to come, as soon as it is made.
    ///
    /// Each element holds the changes of one or more commits, whole ones. The sequence ends when the store is closed. It
    /// waits without asking again and again; one who is slower than the writer gets more with each element, and none
    /// twice, since a document that changes again moves to its last change.
    ///
    /// ```swift
    /// for try await changes in store.changeStream(since: position) { … }
    /// ```
    ///
    /// - Parameters: as of ``changes(since:epoch:in:limit:)``; `batchLimit` is about how many come at once.
    public func changeStream(
        since sequence: UInt64, epoch: StoreEpoch? = nil, in collection: String? = nil, batchLimit: Int = 1000
    ) -> ChangeStream {
        ChangeStream(store: self, sequence: sequence, epoch: epoch, collection: collection, limit: max(1, batchLimit))
    }
}

/// The changes of a store, now and to come; see ``DocumentStore/changeStream(since:epoch:in:batchLimit:)``.
public struct ChangeStream: AsyncSequence, Sendable {
    let store: DocumentStore
    let sequence: UInt64
    let epoch: StoreEpoch?
    let collection: String?
    let limit: Int

    /// Begins to listen.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: self, position: sequence, signals: store.signal.stream().makeAsyncIterator())
    }

    /// Gives the changes of one or more commits at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: ChangeStream
        var position: UInt64
        var signals: AsyncStream<UInt64>.AsyncIterator

        /// The next changes; `nil` when the store is closed or the task was cancelled.
        public mutating func next() async throws -> [StoreChange]? { try await next(isolation: #isolation) }

        /// The next changes, without leaving the actor of the caller.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [StoreChange]? {
            while !Task.isCancelled {
                do {
                    let read = try stream.store.visitChanges(
                        since: position, epoch: stream.epoch, in: stream.collection, limit: stream.limit)
                    position = read.position
                    if !read.changes.isEmpty { return read.changes }
                } catch let error as LevelError where error.code == .closed {
                    return nil
                }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }
    }
}
