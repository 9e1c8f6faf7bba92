@testable import DocIndex

/// The same as ``RevisionTree``, computed from all edges each time and without shortcuts.
struct NaiveRevisionTree {
    /// A child and its parent.
    struct Edge: Hashable {
        let child: Revision
        let parent: Revision
    }

    var nodes: Set<Revision> = []
    var edges: Set<Edge> = []
    var deleted: Set<Revision> = []

    mutating func merge(_ path: RevisionPath, isDeleted: Bool) {
        if isDeleted, !nodes.contains(path.revision) { deleted.insert(path.revision) }
        let revisions = Array(path.revisions)
        nodes.formUnion(revisions)
        for (child, parent) in zip(revisions, revisions.dropFirst()) {
            edges.insert(Edge(child: child, parent: parent))
        }
    }

    var leaves: Set<Revision> { nodes.filter { node in !edges.contains { $0.parent == node } } }

    var winner: Revision? {
        let alive = leaves.subtracting(deleted)
        let candidates = alive.isEmpty ? leaves : alive
        return candidates.first { candidate in
            candidates.allSatisfy { other in
                if other == candidate { return true }
                if other.generation != candidate.generation { return other.generation < candidate.generation }
                return bytes(other).lexicographicallyPrecedes(bytes(candidate))
            }
        }
    }

    private func bytes(_ revision: Revision) -> [UInt8] { revision.id.bytes ?? Array(revision.id.description.utf8) }

    func ancestors(of revision: Revision) -> Set<Revision> {
        edges.filter { $0.child == revision }.reduce(into: []) { all, edge in
            all.insert(edge.parent)
            all.formUnion(ancestors(of: edge.parent))
        }
    }
}
