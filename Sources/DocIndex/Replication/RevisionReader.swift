internal import LevelKit

/// Reads the revisions of the documents of one collection at one moment.
package struct RevisionReader {
    let rows: RowReader
    let shown: UInt64

    /// Returns the given revisions of a document that are unknown to this store, and leaves that could be their
    /// ancestors.
    package func missing(
        _ revisions: [Revision], of id: DocumentID
    ) throws -> (missing: [Revision], possibleAncestors: [Revision]) {
        guard let tree = try state(of: id).tree else { return (revisions, []) }
        let missing = revisions.filter { !tree.contains($0) }
        let newest = missing.map(\.generation).max() ?? 0
        return (missing, tree.leavesInOrder.filter { $0.generation < newest })
    }

    /// Returns leaves of a document with their content.
    ///
    /// - Parameter revisions: the wanted revisions; `nil` for all leaves. In place of a revision that has descendants,
    ///   their leaves are returned.
    /// - Returns: those of them that are stored, the winner first.
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    package func stored(_ revisions: [Revision]?, of id: DocumentID) throws -> [DocumentRevision] {
        let state = try state(of: id)
        guard let tree = state.tree else { return [] }
        let wanted = revisions.map(Set.init)
        return try tree.leavesInOrder.compactMap { revision in
            let path = tree.path(to: revision)
            guard let leaf = tree.leaves[revision],
                wanted.map({ path.revisions.contains(where: $0.contains) }) ?? true
            else { return nil }
            let content =
                revision == tree.winner && !leaf.isDeleted
                ? state.document?.content
                : try RevisionState.content(revision, of: id, in: rows.collection, reading: rows.snapshot)
            if content == nil, !leaf.isDeleted { throw RevisionTree.damaged(id, rows.collection) }
            return DocumentRevision(path, isDeleted: leaf.isDeleted, content: content)
        }
    }

    /// Returns the closest ancestor of a revision whose content is stored; `nil` if there is none.
    ///
    /// - Parameter candidates: the ancestors of interest; `nil` for all.
    package func closestContent(
        on path: RevisionPath, of id: DocumentID, among candidates: [Revision]? = nil
    ) throws -> (revision: Revision, content: DocumentObject)? {
        let state = try state(of: id)
        guard let tree = state.tree else { return nil }
        for revision in path.revisions.dropFirst() where candidates?.contains(revision) ?? true {
            if revision == tree.winner, let document = state.document { return (revision, document.content) }
            guard state.kept.contains(revision),
                let content = try RevisionState.content(
                    revision, of: id, in: rows.collection, reading: rows.snapshot)
            else { continue }
            return (revision, content)
        }
        return nil
    }

    private func state(of id: DocumentID) throws -> RevisionState {
        try RevisionState.read(
            id, document: rows.document(of: id), of: rows.collection, shown: shown, in: rows.snapshot)
    }
}
