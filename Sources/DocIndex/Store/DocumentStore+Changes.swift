internal import LevelKit

extension DocumentStore {
    /// Returns the sequence number of the last commit; 0 before the first.
    public func sequence() throws -> UInt64 {
        try WriterState.storedSequence(in: database)
    }

    /// An identifier that distinguishes this store from its copies. Keep it with every sequence number that you use
    /// later.
    public var epoch: StoreEpoch { currentCatalog.epoch }

    /// Returns the changes to documents after a commit, in the order of commits. For each document, only the last
    /// change is returned. Deletions are included.
    ///
    /// ```swift
    /// var position: UInt64 = 0
    /// let changes = try store.changes(since: position)
    /// for change in changes { … }
    /// position = changes.last?.sequence ?? position
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: the last commit already known; 0 for all changes.
    ///   - epoch: the epoch in which that number was read; `nil` if it was read from this store since it was opened.
    ///   - collection: a collection; `nil` for all.
    ///   - limit: the approximate maximum number of changes. A commit is never split, so the last commit may exceed the
    ///     limit.
    /// - Throws: ``DocIndexError``: `epochChanged` for a number from another copy, or one that this store has not
    ///   reached; `unknownCollection`, `corruption`.
    /// - Complexity: O(*n*) in the changes that are read.
    public func changes(
        since sequence: UInt64, epoch: StoreEpoch? = nil, in collection: String? = nil, limit: Int = .max
    ) throws -> [StoreChange] {
        try visitChanges(since: sequence, epoch: epoch, in: collection, limit: limit).changes
    }

    /// Does the same as ``changes(since:epoch:in:limit:)``, and also returns the last commit that was read. The next
    /// call continues there, and does not read the changes of other collections again.
    func visitChanges(
        since sequence: UInt64, epoch: StoreEpoch?, in collection: String?, limit: Int
    ) throws -> (changes: [StoreChange], position: UInt64) {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        let ownEpoch = catalog.stored.epoch
        if let epoch, epoch != ownEpoch {
            throw DocIndexError(
                .epochChanged,
                "commit \(sequence) belongs to epoch \(epoch), but the store has \(ownEpoch): it is a copy or "
                    + "was restored from one; read all documents, and continue from the sequence number of this store")
        }
        if sequence > 0 {
            let last = try WriterState.storedSequence(in: snapshot)
            guard sequence <= last else {
                throw DocIndexError(
                    .epochChanged,
                    "commit \(sequence) was requested, but the last commit is \(last): the number belongs to "
                        + "another store or another copy; read all documents, and continue from the sequence number "
                        + "of this store")
            }
        }
        if let collection, catalog.collection(named: collection) == nil { _ = try self.collection(collection) }
        var changes: [StoreChange] = []
        var position = sequence
        var cursor = try snapshot.cursor(in: StoreKey.changes(behind: sequence), cache: .bypass)
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

    /// Returns a sequence of the changes after a commit and of all future commits.
    ///
    /// Each element contains the changes of one or more whole commits. The sequence ends when the store is closed. It
    /// does not poll. A consumer that is slower than the writer gets larger elements, and each document at most once,
    /// because a document that changes again moves to its last change.
    ///
    /// ```swift
    /// for try await changes in store.changeStream(since: position) { … }
    /// ```
    ///
    /// - Parameters: those of ``changes(since:epoch:in:limit:)``; `batchLimit` is the approximate maximum number of
    ///   changes per element.
    public func changeStream(
        since sequence: UInt64, epoch: StoreEpoch? = nil, in collection: String? = nil, batchLimit: Int = 1000
    ) -> DocumentStore.ChangeStream {
        DocumentStore.ChangeStream(
            store: self, sequence: sequence, epoch: epoch, collection: collection, limit: max(1, batchLimit))
    }
}

extension DocumentStore {
    /// The present and future changes of a store; see ``DocumentStore/changeStream(since:epoch:in:batchLimit:)``.
    public struct ChangeStream: AsyncSequence, Sendable {
        let store: DocumentStore
        let sequence: UInt64
        let epoch: StoreEpoch?
        let collection: String?
        let limit: Int

        /// Creates an iterator, which starts listening for commits.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(stream: self, position: sequence, signals: CommitSignals(store.signal))
        }

        /// An iterator over batches of changes.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let stream: DocumentStore.ChangeStream
            var position: UInt64
            var signals: CommitSignals

            /// Returns the next changes; `nil` when the store is closed or the task is canceled.
            public mutating func next() async throws -> [StoreChange]? { try await next(isolation: #isolation) }

            /// Returns the next changes without leaving the actor of the caller.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [StoreChange]? {
                try await signals.next(of: &position, isolation: actor) { [stream] position in
                    let read = try stream.store.visitChanges(
                        since: position, epoch: stream.epoch, in: stream.collection, limit: stream.limit)
                    position = read.position
                    return read.changes.isEmpty ? nil : read.changes
                }
            }
        }
    }
}
