internal import LevelKit

extension DocumentCollection {
    /// Returns whether the collection takes part in a replication, or has.
    package func isReplicated() throws -> Bool { try reader().collection.isReplicated }

    /// Returns the revisions of a document or of a deleted one; `nil` if nobody else can have seen any.
    ///
    /// In contrast to ``stored(_:of:)``, nothing is noted as shown.
    package func revisions(of id: DocumentID) throws -> DocumentRevisions? {
        let reader = try reader()
        return try revisions(of: id, reader.document(of: id), reading: reader)
    }

    /// Returns the revisions of a document that was read from this collection; see ``revisions(of:)``.
    package func revisions(of document: Document) throws -> DocumentRevisions? {
        try revisions(of: document.id, document, reading: reader())
    }

    private func revisions(
        of id: DocumentID, _ document: Document?, reading reader: RowReader
    ) throws -> DocumentRevisions? {
        guard let state = try state(of: id, document, reading: reader) else { return nil }
        if state.stored == nil, document.map({ $0.sequence > state.shown }) ?? true { return nil }
        guard let tree = state.tree else { return nil }
        let versions = try state.kept.sorted().map { revision in
            guard
                let content = try RevisionState.content(
                    revision, of: id, in: reader.collection, reading: reader.snapshot)
            else { throw RevisionTree.damaged(id, reader.collection) }
            return DocumentRevisions.Version(revision, content)
        }
        return DocumentRevisions(
            leaves: DocumentRevisions.leaves(of: tree, shown: state.shown), versions: versions)
    }

    /// Returns the leaves of a document that was read from this collection, the winner first; empty if the collection
    /// is not replicated.
    package func leaves(of document: Document) throws -> [DocumentRevisions.Leaf] {
        guard let state = try state(of: document.id, document, reading: reader()), let tree = state.tree else {
            return []
        }
        return DocumentRevisions.leaves(of: tree, shown: state.shown)
    }

    private func state(
        of id: DocumentID, _ document: Document?, reading reader: RowReader
    ) throws -> RevisionState? {
        guard reader.collection.isReplicated else { return nil }
        let shown = try WriterState.storedProgress(StoreKey.replication.prefix(number), in: reader.snapshot)
        return try RevisionState.read(id, document: document, of: reader.collection, shown: shown, in: reader.snapshot)
    }

    /// Calls `body` with each deleted document whose revisions are stored, in the order of IDs.
    ///
    /// - Complexity: O(*n*) in the documents with stored revisions.
    package func forEachTombstone(_ body: (DocumentID, DocumentRevisions) throws -> Void) throws {
        let reader = try reader()
        guard reader.collection.isReplicated else { return }
        let prefix = StoreKey.revisions.prefix(number)
        var cancellation = CancellationCheck()
        var cursor = try reader.snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            let key = cursor.key
            guard let id = DocumentID(encoded: key.extracting(prefix.count..<key.count)) else {
                throw DocIndexError(
                    .corruption, "the key of revisions of \(name) cannot be read; run verify and rebuild the store")
            }
            guard let tree = RevisionTree(cursor.value) else { throw RevisionTree.damaged(id, reader.collection) }
            guard tree.isDeleted, let revisions = try revisions(of: id, nil, reading: reader) else { continue }
            try body(id, revisions)
        }
    }
}
