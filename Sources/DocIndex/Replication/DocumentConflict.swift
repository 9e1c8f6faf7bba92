public import LevelKit

/// A document that replicas have edited independently, so that it has several versions.
///
/// All replicas choose the same version as the document, which reads and queries return. The others stay stored until
/// the conflict is resolved; see ``DocumentCollection/resolve(_:using:durability:)``.
public struct DocumentConflict: Sendable, Hashable {
    /// One version of the document.
    public struct Version: Sendable, Hashable {
        /// The revision.
        public let revision: Document.Revision
        /// The content, with the ID.
        public let content: DocumentObject
    }

    /// The ID of the document.
    public let id: DocumentID
    /// The versions that are not deleted, at least two. The first one is what reads and queries return.
    public let versions: [Version]
    /// The common ancestor of the versions; `nil` if it is unknown or no longer stored.
    public let base: Version?
    /// The member with the ID.
    let idField: String
}

extension DocumentCollection {
    /// Returns the conflict of a document; `nil` if it has none or does not exist.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    /// - Complexity: O(*n*) in the size of the versions.
    public func conflict(of id: DocumentID) throws -> DocumentConflict? {
        try conflict(of: id, reading: reader())
    }

    private func conflict(of id: DocumentID, reading reader: RowReader) throws -> DocumentConflict? {
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
            base: try ancestor.flatMap { state.kept.contains($0) ? try version($0) : nil },
            idField: reader.collection.idField)
    }

    /// Returns the IDs of documents with a conflict, in the order of IDs.
    ///
    /// - Parameters:
    ///   - id: the ID after which to begin; `nil` for the first one.
    ///   - limit: the maximum number of IDs.
    /// - Throws: ``DocIndexError`` with `corruption`; `LevelError`.
    /// - Complexity: O(*n*) in the versions that are stored apart from their documents.
    public func conflicted(after id: DocumentID? = nil, limit: Int = 100) throws -> [DocumentID] {
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
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    /// - Throws: ``DocIndexError``: `conflict` if the document has other versions by now, or no conflict; `invalidID`
    ///   if the content has a different ID; `LevelError`.
    public func resolve(
        _ id: DocumentID, with content: DocumentObject?, over revisions: [Document.Revision],
        durability: Durability = .buffered
    ) throws {
        guard try newestReader().collection.isReplicated else { throw noConflict(id) }
        try store.replicate(name, durability: durability) { batch in
            let (target, base) = try batch.base(of: id)
            if let content, try Transaction.id(of: content, in: batch.collection) != id {
                throw DocIndexError(.invalidID, "the resolved content of \(id) has a different ID; keep the ID")
            }
            let state = try batch.state(of: id, base.document)
            let alive = state.stored.map { tree in tree.leaves.filter { !$0.value.isDeleted }.map(\.key) } ?? []
            guard alive.count > 1, Set(alive) == Set(revisions),
                let change = state.resolution(with: content, sequence: batch.sequence)
            else { throw noConflict(id) }
            batch.edits.append(
                Transaction.Edit(target: target, base: base, content: content, revisions: change))
        }
    }

    private func noConflict(_ id: DocumentID) -> DocIndexError {
        DocIndexError(
            .conflict,
            "the document \(id) of \(name) does not have the versions that were compared; read the conflict again and "
                + "resolve it")
    }

    /// Resolves a conflict.
    ///
    /// - Returns: `false` if it stays, because the resolution is ``DocumentConflict/Resolution/later``.
    /// - Throws: ``DocIndexError``: `conflict` if the document has other versions by now, or if the resolution takes a
    ///   version that is not part of the conflict; `invalidID` if merged content has a different ID; `LevelError`.
    @discardableResult
    public func resolve(
        _ conflict: DocumentConflict, as resolution: DocumentConflict.Resolution, durability: Durability = .buffered
    ) throws -> Bool {
        if resolution == .later { return false }
        try resolve(
            conflict.id, with: conflict.content(resolution), over: conflict.versions.map(\.revision),
            durability: durability)
        return true
    }

    /// Resolves the conflict of a document, if it has one, as a resolver decides.
    ///
    /// The resolver runs without a lock. If the document gets other versions meanwhile, the resolver is asked again, up
    /// to ten times.
    ///
    /// ```swift
    /// for id in try photos.conflicted() {
    ///     try await photos.resolve(id, using: .threeWay(sets: ["keywords"]))
    /// }
    /// ```
    ///
    /// - Returns: whether a conflict was resolved.
    /// - Throws: what the resolver throws; `CancellationError` if the task is canceled before the commit begins; the
    ///   errors of ``resolve(_:as:durability:)``.
    @discardableResult
    public func resolve(
        _ id: DocumentID, using resolver: DocumentConflict.Resolver, durability: Durability = .buffered
    ) async throws -> Bool {
        var attempts = 10
        while true {
            attempts -= 1
            let conflict = try await BlockingExecutor.reads.run {
                try self.conflict(of: id, reading: self.newestReader())
            }
            guard let conflict else { return false }
            let resolution = try await resolver.resolution(of: conflict)
            if resolution == .later { return false }
            let content = try conflict.content(resolution)
            do {
                try await store.writes.run {
                    try self.resolve(
                        id, with: content, over: conflict.versions.map(\.revision), durability: durability)
                }
                return true
            } catch let error as DocIndexError where error.code == .conflict && attempts > 0 {
                continue
            }
        }
    }
}
