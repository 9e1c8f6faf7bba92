/// The revisions of a document in a form that another store can take over, as a dump contains them.
package struct DocumentRevisions: Sendable, Hashable {
    /// A leaf of the tree.
    package struct Leaf: Sendable, Hashable {
        /// The revision with its ancestors, down to the first one that an earlier leaf has too.
        package let path: RevisionPath
        /// Whether the revision deletes the document.
        package let isDeleted: Bool
        /// Whether nobody else can have seen the revision, so that an edit replaces it.
        package let isNew: Bool

        /// Creates a leaf.
        package init(_ path: RevisionPath, isDeleted: Bool, isNew: Bool) {
            self.path = path
            self.isDeleted = isDeleted
            self.isNew = isNew
        }
    }

    /// The content of a revision that is not the document.
    package struct Version: Sendable, Hashable {
        package let revision: Document.Revision
        /// The content, with the ID.
        package let content: DocumentObject

        package init(_ revision: Document.Revision, _ content: DocumentObject) {
            self.revision = revision
            self.content = content
        }
    }

    /// The leaves, the winner first.
    package let leaves: [Leaf]
    /// The contents of the other leaves, and of the ancestor that a merge needs.
    package let versions: [Version]

    package init(leaves: [Leaf], versions: [Version]) {
        self.leaves = leaves
        self.versions = versions
    }

    /// Returns the leaves of a tree.
    ///
    /// - Parameter shown: the last commit that may have left the store.
    static func leaves(of tree: RevisionTree, shown: UInt64) -> [Leaf] {
        var known: Set<Revision> = []
        return tree.leavesInOrder.map { revision in
            var path = RevisionPath(revision)
            known.insert(revision)
            for ancestor in tree.path(to: revision).revisions.dropFirst() {
                path.ancestors.append(ancestor.id)
                guard known.insert(ancestor).inserted else { break }
            }
            let leaf = tree.leaves[revision]
            return Leaf(path, isDeleted: leaf?.isDeleted ?? false, isNew: (leaf?.commit ?? 0) > shown)
        }
    }

    /// Returns the tree; `nil` if the leaves contradict each other, or if a version that the tree needs is missing, or
    /// one is superfluous.
    ///
    /// - Parameter commit: the commit of the store that makes the revisions which nobody has seen.
    func tree(commit: UInt64) -> RevisionTree? {
        guard let first = leaves.first else { return nil }
        func stored(_ leaf: Leaf) -> RevisionTree.Leaf {
            RevisionTree.Leaf(isDeleted: leaf.isDeleted, commit: leaf.isNew ? commit : nil)
        }
        var tree = RevisionTree(first.path, stored(first))
        for leaf in leaves.dropFirst() where !tree.merge(leaf.path, stored(leaf)) { return nil }
        guard tree.leavesInOrder == leaves.map(\.path.revision),
            leaves.allSatisfy({ Array(tree.path(to: $0.path.revision).revisions).starts(with: $0.path.revisions) })
        else { return nil }
        let contents = Set(versions.map(\.revision))
        let winner = tree.isDeleted ? nil : tree.winner
        guard contents.count == versions.count, contents.allSatisfy({ tree.contains($0) && $0 != winner }),
            leaves.allSatisfy({ leaf in
                leaf.isDeleted || leaf.path.revision == winner || contents.contains(leaf.path.revision)
            })
        else { return nil }
        return tree
    }
}

extension RevisionState {
    /// Returns whether the document has exactly these revisions.
    func equals(_ revisions: DocumentRevisions) -> Bool {
        guard let tree, kept == Set(revisions.versions.map(\.revision)) else { return false }
        return DocumentRevisions.leaves(of: tree, shown: shown) == revisions.leaves
    }

    /// Returns whether the document can take over the revisions of another tree, because that tree has everything that
    /// others may have seen of this one.
    func canRestore(_ other: RevisionTree) -> Bool {
        guard let tree else { return true }
        return tree.leaves.allSatisfy { revision, leaf in
            if other.contains(revision) { return true }
            guard let commit = leaf.commit, commit > shown else { return false }
            return tree.parent(of: revision).map { other.contains($0) } ?? true
        }
    }

    /// Returns what changes when the document takes over revisions.
    ///
    /// - Parameter sequence: the number of the commit.
    /// - Returns: `nil` if the revisions contradict each other.
    func restoration(of revisions: DocumentRevisions, sequence: UInt64) -> RevisionChange? {
        guard let tree = revisions.tree(commit: sequence) else { return nil }
        var change = RevisionChange(tree: tree, removed: kept)
        for version in revisions.versions where change.removed.remove(version.revision) == nil {
            change.added[version.revision] = version.content
        }
        return change
    }
}
