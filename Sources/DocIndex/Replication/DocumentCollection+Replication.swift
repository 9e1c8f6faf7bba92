internal import LevelKit

/// The leaves of a document after its last change.
package struct RevisionListing: Sendable, Hashable {
    /// The commit of the change.
    package let sequence: UInt64
    package let id: DocumentID
    /// The leaves, the winner first.
    package let leaves: [Revision]
    /// Whether the document is deleted.
    package let isDeleted: Bool
}

extension DocumentStore {
    /// Notes in a batch that everything written so far may have left the store, because a copy has it too.
    func showEverything(_ state: WriterState, in batch: WriteBatch) throws {
        try state.load(from: database)
        for collection in currentCatalog.collections where collection.isReplicated {
            try batch.put(
                WriterState.encoded(sequence: state.sequence), forKey: StoreKey.replication.prefix(collection.number))
            state.didShow(state.sequence, of: collection.number)
        }
    }
}

extension DocumentCollection {
    /// Makes the collection take part in replications. From then on, its edits keep what replicas need; until then,
    /// they cost nothing.
    package func startReplication() throws {
        try store.withWriter { _ in
            var catalog = store.currentCatalog
            guard let position = catalog.collections.firstIndex(where: { $0.number == number }),
                !catalog.collections[position].isReplicated
            else { return }
            catalog.collections[position].isReplicated = true
            try store.save(catalog)
        }
    }

    /// Notes durably that everything written so far, or up to a commit, may leave the store, so that no later edit
    /// replaces it.
    ///
    /// - Returns: that commit. Only changes up to it may be sent.
    package func show(through commit: UInt64 = .max) throws -> UInt64 {
        try store.withWriter { state in
            try state.load(from: store.database)
            let last = min(commit, state.sequence)
            if try state.shown(number, in: store.database) < last {
                try store.database.put(
                    WriterState.encoded(sequence: last), forKey: StoreKey.replication.prefix(number),
                    durability: .synced)
                state.didShow(last, of: number)
            }
            return last
        }
    }

    /// Returns the documents that changed after a commit, with their leaves, in the order of commits. Documents that
    /// were deleted before anyone saw them are left out.
    ///
    /// Everything that is returned is noted as shown.
    ///
    /// - Parameters:
    ///   - limit: the approximate maximum number. A commit is never split.
    ///   - isWanted: whether a commit is of interest.
    ///   - lists: whether a document is listed, by its ID and its content; `nil` if it is deleted.
    /// - Returns: the documents, and the last commit that was read.
    /// - Throws: ``DocIndexError`` with `epochChanged`, `corruption`; `LevelError`.
    package func revisions(
        since sequence: UInt64, limit: Int, where isWanted: (UInt64) -> Bool = { _ in true },
        lists: (DocumentID, DocumentObject?) -> Bool = { _, _ in true }
    ) throws -> (listings: [RevisionListing], position: UInt64) {
        let shown = try show()
        let (changes, position) = try store.visitChanges(since: sequence, epoch: nil, in: name, limit: limit)
        let reader = try newestReader()
        var listings: [RevisionListing] = []
        for change in changes where change.sequence <= shown && isWanted(change.sequence) {
            let state = try RevisionState.read(
                change.id, document: reader.document(of: change.id), of: reader.collection, shown: shown,
                in: reader.snapshot)
            // A document that changed in between has a later entry in the feed.
            guard let tree = state.tree, state.document.map({ $0.sequence == change.sequence }) ?? change.isDeletion,
                tree.leaves.values.allSatisfy({ ($0.commit ?? 0) <= shown }), lists(change.id, state.document?.content)
            else { continue }
            listings.append(
                RevisionListing(
                    sequence: change.sequence, id: change.id, leaves: tree.leavesInOrder, isDeleted: tree.isDeleted))
        }
        return (listings, min(max(position, sequence), max(shown, sequence)))
    }

    /// Returns a view of the revisions of this moment.
    ///
    /// - Parameter isShown: whether the revisions may leave the store; they are then noted as shown.
    package func revisionReader(isShown: Bool) throws -> RevisionReader {
        let rows = try newestReader()
        // Noted after the snapshot was taken, so that it covers everything in it.
        return RevisionReader(rows: rows, shown: isShown ? try show() : 0)
    }

    /// Returns leaves of a document with their content; see ``RevisionReader/stored(_:of:)``. They are noted as shown.
    package func stored(_ revisions: [Revision]?, of id: DocumentID) throws -> [DocumentRevision] {
        try revisionReader(isShown: true).stored(revisions, of: id)
    }

    /// Returns revisions that are unknown to this store; see ``RevisionReader/missing(_:of:)``.
    package func missing(
        _ revisions: [Revision], of id: DocumentID
    ) throws -> (missing: [Revision], possibleAncestors: [Revision]) {
        try revisionReader(isShown: false).missing(revisions, of: id)
    }

    /// Returns the winning revision of a document; `nil` if there is no document.
    package func revision(of id: DocumentID) throws -> Revision? {
        let reader = try reader()
        guard let document = try reader.document(of: id) else { return nil }
        return try RevisionState.read(
            id, document: document, of: reader.collection, shown: 0, in: reader.snapshot
        ).tree?.winner
    }

    /// Returns a record that is never replicated; `nil` if there is none.
    package func localRecord(_ name: String) throws -> [UInt8]? {
        try newestReader().snapshot.value(forKey: StoreKey.localRecord(number, name))
    }
}
