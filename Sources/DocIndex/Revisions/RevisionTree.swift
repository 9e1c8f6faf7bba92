/// The revisions of a document that a store knows: its leaves, and the paths that lead to them.
///
/// Most documents have one leaf. A second one appears when two replicas edit the same version. The leaves compare the
/// same on every replica, so all choose the same *winner*, whose content is the document.
///
/// Only the identities of ancestors are kept, and only up to a limit. If a path was cut in between, a replica cannot
/// tell that one leaf descends from another, and keeps both.
struct RevisionTree: Sendable, Hashable {
    /// The properties of a leaf, apart from its revision.
    struct Leaf: Sendable, Hashable {
        /// Whether the revision deletes the document.
        var isDeleted: Bool
        /// The commit of this store that made the revision; `nil` if it came from a peer.
        var commit: UInt64?
    }

    /// Every known revision with its parent; `nil` where the path begins or was cut.
    private(set) var parents: [Revision: RevisionID?]
    /// The revisions without children. Never empty.
    private(set) var leaves: [Revision: Leaf]

    /// The number of revisions that are kept on each path unless a caller chooses otherwise.
    static let usualDepth = 1000

    /// Creates a tree with one path.
    init(_ path: RevisionPath, _ leaf: Leaf) {
        parents = [:]
        leaves = [:]
        merge(path, leaf)
    }

    init(parents: [Revision: RevisionID?], leaves: [Revision: Leaf]) {
        self.parents = parents
        self.leaves = leaves
    }

    /// The leaf whose content is the document: one that is not a deletion before one that is, then the greater
    /// revision.
    var winner: Revision { leavesInOrder.first ?? Revision(valid: 1, .zero) }

    /// The leaves, the winner first.
    var leavesInOrder: [Revision] {
        if leaves.count == 1 { return Array(leaves.keys) }
        return leaves.sorted { a, b in
            a.value.isDeleted == b.value.isDeleted ? a.key > b.key : b.value.isDeleted
        }.map(\.key)
    }

    /// Whether more than one leaf is not a deletion.
    var hasConflict: Bool { leaves.count > 1 && leaves.values.count { !$0.isDeleted } > 1 }

    /// Whether the document is deleted.
    var isDeleted: Bool { leaves.values.allSatisfy(\.isDeleted) }

    /// Returns whether a revision is a leaf or an ancestor of one.
    func contains(_ revision: Revision) -> Bool { parents[revision] != nil }

    /// Returns the parent of a revision; `nil` for the first one of a path, and for an unknown one.
    func parent(of revision: Revision) -> Revision? {
        guard let parent = parents[revision], let parent else { return nil }
        return Revision(valid: revision.generation - 1, parent)
    }

    /// Returns the path that leads to a revision, which must be known.
    func path(to revision: Revision) -> RevisionPath {
        var path = RevisionPath(revision)
        var last = revision
        while let parent = parent(of: last) {
            path.ancestors.append(parent.id)
            last = parent
        }
        return path
    }

    /// Returns the closest revision that is an ancestor of all `revisions` or one of them; `nil` if none is known.
    func commonAncestor(of revisions: [Revision]) -> Revision? {
        guard let first = revisions.first else { return nil }
        var shared: Set<Revision>?
        for other in revisions.dropFirst() {
            let ancestors = Set(path(to: other).revisions)
            shared = shared.map { $0.intersection(ancestors) } ?? ancestors
        }
        return path(to: first).revisions.first { shared?.contains($0) ?? true }
    }
}

// MARK: - Changing

extension RevisionTree {
    /// Adds a revision with its path.
    ///
    /// A known revision stays as it is. Its path can still become longer at its older end.
    ///
    /// - Returns: whether the revision was not known.
    @discardableResult
    mutating func merge(_ path: RevisionPath, _ leaf: Leaf) -> Bool {
        let isNew = parents[path.revision] == nil
        var child: Revision?
        for revision in path.revisions {
            if let child, parents[child] == .some(.none) {
                parents[child] = .some(revision.id)
                leaves[revision] = nil
            }
            child = revision
            if parents[revision] == nil { parents[revision] = .some(.none) }
        }
        if isNew { leaves[path.revision] = leaf }
        return isNew
    }

    /// Adds a child of a leaf, which is then no longer one.
    mutating func extend(_ parent: Revision, to child: Revision, _ leaf: Leaf) {
        parents[child] = .some(parent.id)
        leaves[parent] = nil
        leaves[child] = leaf
    }

    /// Replaces a leaf by another revision with the same parent. Nobody must have seen the former one.
    mutating func replace(_ old: Revision, by new: Revision, _ leaf: Leaf) {
        let parent = parents.removeValue(forKey: old) ?? nil
        leaves[old] = nil
        parents[new] = .some(parent)
        leaves[new] = leaf
    }

    /// Notes that a peer has a leaf, which therefore must not be replaced any more.
    ///
    /// - Returns: whether that was not known.
    @discardableResult
    mutating func markForeign(_ revision: Revision) -> Bool {
        guard leaves[revision]?.commit != nil else { return false }
        leaves[revision]?.commit = nil
        return true
    }

    /// Forgets ancestors that are more than `depth - 1` generations older than every leaf that descends from them.
    mutating func cut(toDepth depth: Int) {
        guard parents.count > depth else { return }
        var kept: Set<Revision> = []
        // The oldest leaf reaches furthest, so a path can stop where it meets an earlier one.
        for leaf in leaves.keys.sorted() {
            var next: Revision? = leaf
            var count = 0
            while let revision = next, count < depth, kept.insert(revision).inserted {
                next = parent(of: revision)
                count += 1
            }
        }
        guard kept.count < parents.count else { return }
        for revision in parents.keys where !kept.contains(revision) { parents[revision] = nil }
        for revision in kept {
            if let parent = parent(of: revision), !kept.contains(parent) { parents[revision] = .some(.none) }
        }
    }
}

/// A revision and its known ancestors.
package struct RevisionPath: Sendable, Hashable {
    package let revision: Revision
    /// The IDs of the ancestors, the parent first. Each is one generation older than the one before.
    package var ancestors: [RevisionID]

    /// Creates a path.
    ///
    /// - Returns: `nil` if there are more ancestors than the generation permits.
    package init?(_ revision: Revision, ancestors: [RevisionID]) {
        guard ancestors.count < revision.generation else { return nil }
        self.revision = revision
        self.ancestors = ancestors
    }

    init(_ revision: Revision) {
        self.revision = revision
        ancestors = []
    }

    /// The revision and its ancestors, newest first.
    package var revisions: some Sequence<Revision> {
        let generation = revision.generation
        return ([revision.id] + ancestors).enumerated().lazy.map { Revision(valid: generation - $0.offset, $0.element) }
    }
}
