internal import LevelKit

/// A document that replicas have edited independently.
package struct DocumentConflict: Sendable, Hashable {
    /// One version of the document.
    package struct Version: Sendable, Hashable {
        /// The revision.
        package let revision: Revision
        /// The content, with the ID.
        package let content: DocumentObject
    }

    /// The ID of the document.
    package let id: DocumentID
    /// The versions that are not deleted, at least two. The first one is what reads and queries return.
    package let versions: [Version]
    /// The version from which the others come; `nil` if it is unknown or no longer stored.
    package let base: Version?
}

extension DocumentCollection {
    /// Returns the conflict of a document; `nil` if it has none or does not exist.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    package func conflict(of id: DocumentID) throws -> DocumentConflict? {
        let reader = try reader()
        guard reader.collection.isReplicated, let document = try reader.document(of: id) else { return nil }
        let state = try RevisionState.read(
            id, document: document, of: reader.collection, shown: .max, in: reader.snapshot)
        guard let tree = state.stored, tree.hasConflict else { return nil }
        func version(_ revision: Revision) throws -> DocumentConflict.Version {
            let content =
                revision == tree.winner
                ? document.content
                : try RevisionState.content(revision, of: id, in: reader.collection, reading: reader.snapshot)
            guard let content else { throw RevisionTree.damaged(id, reader.collection) }
            return DocumentConflict.Version(revision: revision, content: content)
        }
        let alive = tree.leavesInOrder.filter { tree.leaves[$0]?.isDeleted == false }
        let ancestor = tree.commonAncestor(of: alive)
        return DocumentConflict(
            id: id, versions: try alive.map(version),
            base: try ancestor.flatMap { state.kept.contains($0) ? try version($0) : nil })
    }

    /// Returns the IDs of documents with a conflict, in the order of IDs.
    ///
    /// - Parameters:
    ///   - id: the ID after which to begin; `nil` for the first one.
    ///   - limit: the maximum number of IDs.
    /// - Complexity: O(*n*) in the versions that are stored apart from their documents.
    package func conflicted(after id: DocumentID? = nil, limit: Int = 100) throws -> [DocumentID] {
        let reader = try reader()
        let prefix = StoreKey.revisionBodies.prefix(reader.collection.number)
        var range = KeyRange.prefix(prefix)
        if let id {
            // Behind all versions of the document: their next byte begins an integer.
            range.lower = .included(StoreKey.revisionBodies(reader.collection.number, id) + [0xff])
        }
        var found: [DocumentID] = []
        var cancellation = CancellationCheck()
        var cursor = try reader.snapshot.cursor(in: range, cache: .bypass)
        while found.count < limit, try cursor.advance() {
            try cancellation.step()
            guard let (id, _) = StoreKey.documentRevision(in: cursor.key, behind: prefix.count) else {
                throw DocIndexError(
                    .corruption, "the key of a version of \(name) cannot be read; run verify and rebuild the store")
            }
            if try RevisionTree.read(id, of: reader.collection, in: reader.snapshot)?.hasConflict == true {
                found.append(id)
            }
            cursor.seek(to: StoreKey.revisionBodies(reader.collection.number, id) + [0xff])
        }
        return found
    }

    /// Resolves a conflict: the document gets the content, and all versions that were compared are its past.
    ///
    /// Replicas that resolve the same versions with the same content make the same revision, so no new conflict arises.
    ///
    /// - Parameters:
    ///   - id: the ID of the document.
    ///   - content: the resolved content, with the ID; `nil` to delete the document.
    ///   - revisions: the revisions of ``DocumentConflict/versions`` that were compared.
    /// - Throws: ``DocIndexError``: `conflict` if the document has other versions by now, or no conflict; `invalidID`
    ///   if the content has another ID; `LevelError`.
    package func resolve(_ id: DocumentID, with content: DocumentObject?, over revisions: [Revision]) throws {
        try store.replicate(name) { batch in
            let (target, base) = try batch.base(of: id)
            if let content, try Transaction.id(of: content, in: batch.collection) != id {
                throw DocIndexError(.invalidID, "the resolved content of \(id) has another ID; keep the ID")
            }
            let state = try batch.state(of: id, base.document)
            let alive = state.stored.map { tree in tree.leaves.filter { !$0.value.isDeleted }.map(\.key) } ?? []
            guard alive.count > 1, Set(alive) == Set(revisions),
                let change = state.resolution(with: content, sequence: batch.sequence)
            else {
                throw DocIndexError(
                    .conflict,
                    "the document \(id) of \(name) no longer has the versions that were compared; read the conflict "
                        + "again and resolve it")
            }
            batch.edits.append(
                Transaction.Edit(target: target, base: base, content: content, revisions: change))
        }
    }
}
