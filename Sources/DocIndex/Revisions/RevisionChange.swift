/// The known revisions of one document.
struct RevisionState {
    /// The stored tree; `nil` if none is stored, because the document has no more than one revision and this store made
    /// it. That revision follows from the content.
    let stored: RevisionTree?
    /// The document; `nil` if there is none or it is deleted.
    let document: Document?
    /// The revisions whose content is stored apart from the document.
    let kept: Set<Revision>
    /// The last commit that may have left the store.
    let shown: UInt64
    let idField: String

    /// The tree, even if it follows from the content; `nil` if no replica has ever seen a revision of the document.
    var tree: RevisionTree? {
        if let stored { return stored }
        guard let document else { return nil }
        return RevisionTree(
            RevisionPath(.made(from: nil, to: document.content, idField: idField)),
            RevisionTree.Leaf(isDeleted: false, commit: document.sequence))
    }

    /// Returns the only leaf of a tree if nobody else can have seen it, so that it may be replaced; otherwise `nil`.
    func replaceableLeaf(of tree: RevisionTree) -> Revision? {
        guard tree.leaves.count == 1, let (revision, leaf) = tree.leaves.first, let commit = leaf.commit,
            commit > shown
        else { return nil }
        return revision
    }
}

/// A version of a document with its path, as replicas exchange it.
package struct DocumentRevision: Sendable, Hashable {
    package let path: RevisionPath
    package let isDeleted: Bool
    /// The content, with the ID; `nil` for a deletion without content.
    package let content: DocumentObject?

    package init(_ path: RevisionPath, isDeleted: Bool, content: DocumentObject?) {
        self.path = path
        self.isDeleted = isDeleted
        self.content = content
    }
}

/// A change to the revisions of one document, as the records that it changes.
struct RevisionChange {
    /// The tree to store; `nil` if none is stored afterwards.
    var tree: RevisionTree?
    /// The versions to store apart from the document.
    var added: [Revision: DocumentObject] = [:]
    /// The versions to delete from there.
    var removed: Set<Revision> = []

    /// Whether the document then has several versions that are not deleted.
    var hasConflict: Bool { tree?.hasConflict ?? false }
}

extension RevisionState {
    /// Returns what an edit of this store changes; `nil` if it changes nothing, because nobody has seen the document.
    ///
    /// - Parameters:
    ///   - content: the new content; `nil` for a deletion, which deletes every version of the document.
    ///   - sequence: the number of the commit.
    func edit(to content: DocumentObject?, sequence: UInt64) -> RevisionChange? {
        // Without a record and above `shown`, the revision keeps following from the content.
        if stored == nil, document.map({ $0.sequence > shown }) ?? true { return nil }
        guard var tree else { return nil }
        let leaf = RevisionTree.Leaf(isDeleted: content == nil, commit: sequence)
        if let old = replaceableLeaf(of: tree) {
            let parent = tree.parent(of: old)
            if content == nil, parent == nil { return finished(nil) }
            tree.replace(old, by: .made(from: parent, to: content, idField: idField), leaf)
            return finished(tree)
        }
        if content != nil {
            let winner = tree.winner
            tree.extend(winner, to: .made(from: winner, to: content, idField: idField), leaf)
            return finished(tree, former: document.map { (winner, $0.content) })
        }
        for (old, _) in tree.leaves.filter({ !$0.value.isDeleted }) {
            tree.extend(old, to: .made(from: old, to: nil, idField: idField), leaf)
        }
        return finished(tree)
    }

    /// Returns what the resolution of a conflict changes: the winner gets a child with the content, and every other
    /// version is deleted.
    ///
    /// Stores that resolve the same versions with the same content make the same revisions.
    func resolution(with content: DocumentObject?, sequence: UInt64) -> RevisionChange? {
        guard var tree else { return nil }
        let winner = tree.winner
        for (old, _) in tree.leaves.filter({ !$0.value.isDeleted }) {
            let new = old == winner ? content : nil
            tree.extend(
                old, to: .made(from: old, to: new, idField: idField), .init(isDeleted: new == nil, commit: sequence))
        }
        return finished(tree)
    }

    /// Returns what the arrival of revisions changes, and the content of the document afterwards.
    ///
    /// - Parameters:
    ///   - arrivals: revisions with their content.
    ///   - listed: the leaves that the peer has. They are known to others from now on.
    ///   - content: reads a version that is stored apart from the document.
    /// - Returns: `nil` if nothing changes.
    func arrival(
        of arrivals: [DocumentRevision], listed: [Revision], depth: Int,
        _ content: (Revision) throws -> DocumentObject?
    ) rethrows -> (change: RevisionChange, content: DocumentObject?)? {
        let old = tree
        var tree = old
        var contents: [Revision: DocumentObject] = [:]
        if let winner = old?.winner, let document { contents[winner] = document.content }
        for arrival in arrivals {
            if let known = tree, let own = replaceableLeaf(of: known), repeats(arrival, own, of: known) {
                tree?.replace(own, by: arrival.path.revision, .init(isDeleted: false))
            }
            let leaf = RevisionTree.Leaf(isDeleted: arrival.isDeleted)
            if tree?.merge(arrival.path, leaf) == nil { tree = RevisionTree(arrival.path, leaf) }
            if tree?.leaves[arrival.path.revision] != nil, contents[arrival.path.revision] == nil {
                contents[arrival.path.revision] = arrival.content
            }
        }
        for revision in listed {
            if let commit = tree?.leaves[revision]?.commit, commit > shown { tree?.markForeign(revision) }
        }
        tree?.cut(toDepth: depth)
        guard let tree, tree != old else { return nil }
        let winner = tree.winner
        let winning = try contents[winner] ?? (kept.contains(winner) ? content(winner) : nil)
        return (finished(tree, contents: contents), tree.isDeleted ? nil : winning)
    }

    /// Returns whether an arrival has the content of a leaf of this store that nobody has seen, as when two stores have
    /// imported one catalog.
    private func repeats(_ arrival: DocumentRevision, _ own: Revision, of tree: RevisionTree) -> Bool {
        guard !arrival.isDeleted, !tree.contains(arrival.path.revision), var mine = document?.content,
            var theirs = arrival.content, arrival.path.revision.generation == own.generation,
            tree.parent(of: own)?.id == arrival.path.ancestors.first
        else { return false }
        mine.removeValue(forName: idField)
        theirs.removeValue(forName: idField)
        return mine == theirs
    }

    /// Returns the records to change.
    ///
    /// - Parameters:
    ///   - contents: the content of leaves that is already in memory.
    ///   - former: the revision and the content that an edit replaces. It is kept while the edit is not known to
    ///     others, as the base of a merge.
    private func finished(
        _ tree: RevisionTree?, contents: [Revision: DocumentObject] = [:], former: (Revision, DocumentObject)? = nil
    ) -> RevisionChange {
        var change = RevisionChange(tree: tree, removed: kept)
        guard let tree else { return change }
        for (revision, leaf) in tree.leaves where revision != tree.winner || leaf.isDeleted {
            if change.removed.remove(revision) == nil { change.added[revision] = contents[revision] }
        }
        // At most one base: what the versions have in common, or what others have seen of an edit that they have not.
        let bases = change.removed.filter { tree.contains($0) && tree.leaves[$0] == nil }
        let alive = tree.leavesInOrder.filter { tree.leaves[$0]?.isDeleted == false }
        let isUnseen = tree.leaves.values.contains { ($0.commit ?? 0) > shown && !$0.isDeleted }
        let base =
            tree.hasConflict
            ? tree.commonAncestor(of: alive) : isUnseen ? former?.0 ?? bases.max() : nil
        guard let base, tree.leaves[base] == nil else { return change }
        if change.removed.remove(base) == nil {
            change.added[base] = former?.0 == base ? former?.1 : contents[base]
        }
        return change
    }
}
