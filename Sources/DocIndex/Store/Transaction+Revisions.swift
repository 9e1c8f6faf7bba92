internal import LevelKit

extension Transaction {
    /// Gives a document, which this transaction has stored or deleted, the revisions that it has in another store.
    ///
    /// - Returns: `false` if it keeps its own revisions: the collection is not replicated, or others may
    ///   have seen revisions of it that the other store does not know.
    /// - Throws: ``DocIndexError`` with `invalidDocument` if the revisions contradict each other or the document.
    package func restore(
        _ revisions: DocumentRevisions, of id: DocumentID, in collection: String
    ) throws -> Bool {
        let entry = try entry(collection)
        guard entry.isReplicated else { return false }
        let position = try edit(Target(collection: entry.number, id: id), in: entry)
        let edit = edits[position]
        guard let tree = revisions.tree(commit: 1), tree.isDeleted == (edit.content == nil) else {
            throw DocIndexError(
                .invalidDocument,
                "the revisions of the document \(id) of \(entry.name) contradict each other or the document")
        }
        for version in revisions.versions where try Self.id(of: version.content, in: entry) != id {
            throw DocIndexError(
                .invalidID, "the version \(version.revision) of the document \(id) of \(entry.name) has a different ID")
        }
        let shown = try WriterState.storedProgress(StoreKey.replication.prefix(entry.number), in: database)
        let state = try RevisionState.read(id, document: edit.base.document, of: entry, shown: shown, in: database)
        guard state.canRestore(tree) else { return false }
        if state.equals(revisions), edit.base.document?.content == edit.content { return true }
        edits[position].restored = revisions
        return true
    }
}
