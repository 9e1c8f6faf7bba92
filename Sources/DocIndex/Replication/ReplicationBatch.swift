package import LevelKit

/// Changes that a replication writes together.
package struct ReplicationBatch: ~Copyable {
    let database: Database
    let collection: LoadedCollection
    let shown: UInt64
    /// The number of the commit, unless no document changes.
    package let sequence: UInt64
    var edits: [Transaction.Edit] = []
    var records: [(key: [UInt8], value: [UInt8])] = []
    private var ids: Set<DocumentID> = []

    /// The number of revisions that are kept on each path.
    package var depth = RevisionTree.usualDepth

    init(database: Database, collection: LoadedCollection, shown: UInt64, sequence: UInt64) {
        self.database = database
        self.collection = collection
        self.shown = shown
        self.sequence = sequence
    }

    func base(of id: DocumentID) throws -> (Transaction.Target, Transaction.Base) {
        let target = Transaction.Target(collection: collection.number, id: id)
        return (target, try Transaction.base(of: target, in: collection, reading: database))
    }

    func state(of id: DocumentID, _ document: Document?) throws -> RevisionState {
        try RevisionState.read(id, document: document, of: collection, shown: shown, in: database)
    }

    /// Stores revisions of a document that a peer sent.
    ///
    /// - Parameters:
    ///   - id: the ID. It must not occur twice in a batch.
    ///   - arrivals: revisions with their content.
    ///   - listed: all leaves that the peer has.
    ///   - requiresListed: whether nothing is added if the result is `false`.
    /// - Returns: whether the document then has only leaves that the peer listed.
    /// - Throws: ``DocIndexError`` with `invalidID` if the content of a revision has a different ID, or if the batch
    ///   has the document already; or with `corruption`.
    @discardableResult
    package mutating func add(
        _ arrivals: [DocumentRevision], of id: DocumentID, listed: [Revision], requiresListed: Bool = false
    ) throws -> Bool {
        for case let content? in arrivals.map(\.content) where try Transaction.id(of: content, in: collection) != id {
            throw DocIndexError(.invalidID, "a version of the document \(id) has a different ID; it cannot be stored")
        }
        guard ids.insert(id).inserted else {
            throw DocIndexError(.invalidID, "the document \(id) occurs twice in a batch; add all its versions at once")
        }
        let (target, base) = try base(of: id)
        let state = try state(of: id, base.document)
        let arrival = try state.arrival(of: arrivals, listed: listed, depth: depth) { revision in
            try RevisionState.content(revision, of: id, in: collection, reading: database)
        }
        guard let (change, content) = arrival else {
            return state.tree.map { Set($0.leaves.keys).isSubset(of: listed) } ?? true
        }
        guard let tree = change.tree else { return true }
        if !tree.isDeleted, content == nil { throw RevisionTree.damaged(id, collection) }
        if requiresListed, !Set(tree.leaves.keys).isSubset(of: listed) {
            ids.remove(id)
            return false
        }
        if Set(tree.leaves.keys) == state.tree.map({ Set($0.leaves.keys) }) {
            // What is known about the leaves changes, but not what a peer would see.
            records.append((StoreKey.revisions(collection.number, id), tree.encoded))
        } else {
            edits.append(Transaction.Edit(target: target, base: base, content: content, revisions: change))
        }
        return Set(tree.leaves.keys).isSubset(of: listed)
    }

    /// The number of documents that the batch changes.
    package var changedDocumentCount: Int { edits.count }

    /// Returns a record that is never replicated, as it was before the batch; `nil` if there is none or it cannot be
    /// read.
    package func localRecord(_ name: String) -> [UInt8]? {
        try? database.value(forKey: StoreKey.localRecord(collection.number, name))
    }

    /// Stores a record that is never replicated, such as the position of a replication.
    package mutating func setLocalRecord(_ name: String, to value: [UInt8]) {
        records.append((StoreKey.localRecord(collection.number, name), value))
    }
}

extension DocumentStore {
    /// Runs `body` and writes its changes as one atomic batch. Unique indexes do not refuse them, because a replica
    /// must take what another one has accepted.
    ///
    /// - Returns: what `body` returns, and the number of the commit; `nil` if no document changed.
    @discardableResult
    package func replicate<R>(
        _ name: String, durability: Durability = .buffered, _ body: (inout ReplicationBatch) throws -> R
    ) throws -> (result: R, sequence: UInt64?) {
        try writer.withLock {
            try noteOtherStemmers()
            let catalog = loadedCatalog
            guard let collection = catalog.collection(named: name), collection.isReplicated else {
                throw DocIndexError(.unknownCollection, "no collection named \(name) takes part in a replication")
            }
            try writerState.load(from: database)
            guard writerState.sequence < WriterState.lastSequence else { throw WriterState.damagedSequence }
            var batch = ReplicationBatch(
                database: database, collection: collection,
                shown: try writerState.shown(collection.number, in: database), sequence: writerState.sequence + 1)
            let result = try body(&batch)
            if batch.edits.isEmpty, batch.records.isEmpty { return (result, nil) }
            var commit = Commit(database: database, catalog: catalog, state: writerState)
            commit.isUniqueEnforced = false
            let changes = try commit.write(batch.edits, durability: durability, with: batch.records)
            let sequence = changes.first?.sequence
            if let sequence { signal.commit(sequence) }
            return (result, sequence)
        }
    }
}
