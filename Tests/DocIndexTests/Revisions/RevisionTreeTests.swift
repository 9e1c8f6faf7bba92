import TestSupport
import Testing

@testable import DocIndex

struct RevisionTreeTests {
    /// A history of a document: every revision has at most one parent.
    private struct History {
        var paths: [RevisionPath] = []
        var deleted: Set<Revision> = []

        init(count: Int, using random: inout SplitMix64) throws {
            for number in 0..<count {
                let id: RevisionID
                if Int.random(in: 0..<5, using: &random) == 0 {
                    id = try #require(RevisionID("text \(number)"))
                } else {
                    id = try #require(
                        RevisionID(bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }))
                }
                var ancestors: [RevisionID] = []
                if let parent = paths.randomElement(using: &random), Int.random(in: 0..<8, using: &random) > 0 {
                    ancestors = [parent.revision.id] + parent.ancestors
                }
                let revision = try #require(Revision(generation: ancestors.count + 1, id: id))
                paths.append(try #require(RevisionPath(revision, ancestors: ancestors)))
                if Int.random(in: 0..<4, using: &random) == 0 { deleted.insert(revision) }
            }
        }
    }

    @Test(arguments: 0..<300) func `A revision tree agrees with a naive implementation, whatever the order of arrival`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let history = try History(count: .random(in: 1...25, using: &random), using: &random)
        var naive = NaiveRevisionTree()
        var tree: RevisionTree?
        for path in history.paths.shuffled(using: &random) {
            let isDeleted = history.deleted.contains(path.revision)
            // An ancestor that is known only by its ID arrives later than its descendants.
            naive.merge(path, isDeleted: isDeleted)
            if tree?.merge(path, .init(isDeleted: isDeleted)) == nil {
                tree = RevisionTree(path, .init(isDeleted: isDeleted))
            }
            let tree = try #require(tree)
            #expect(Set(tree.leaves.keys) == naive.leaves)
            #expect(tree.winner == naive.winner)
            #expect(
                tree.parents.keys.allSatisfy { naive.nodes.contains($0) } && tree.parents.count == naive.nodes.count)
            for leaf in tree.leaves.keys {
                #expect(Set(tree.path(to: leaf).revisions) == naive.ancestors(of: leaf).union([leaf]))
            }
        }
    }

    @Test(arguments: 0..<200) func `A tree is read back from its bytes`(seed: UInt64) throws {
        let tree = try randomTree(seed)
        let bytes = tree.encoded
        #expect(RevisionTree(bytes.span) == tree)
        for count in 0..<bytes.count { #expect(RevisionTree(Array(bytes[..<count]).span) == nil) }
        #expect(RevisionTree((bytes + [0]).span) == nil)
    }

    @Test(arguments: 0..<200) func `A tree is rebuilt from its leaves, unless a leaf is missing or occurs twice`(
        seed: UInt64
    ) throws {
        let tree = try randomTree(seed)
        // A commit of this store above the last shown one is new; one at or below it counts as a peer's.
        for shown: UInt64 in [0, 1 << 40] {
            let leaves = DocumentRevisions.leaves(of: tree, shown: shown)
            let winner = tree.isDeleted ? nil : tree.winner
            let needed = tree.leaves.filter { !$0.value.isDeleted && $0.key != winner }.map(\.key)
            let versions = needed.map { DocumentRevisions.Version($0, ["id": "a"]) }
            let copy = DocumentRevisions(leaves: leaves, versions: versions).tree(commit: 1 << 40)
            #expect(copy?.parents == tree.parents)
            #expect(copy?.leaves.mapValues(\.isDeleted) == tree.leaves.mapValues(\.isDeleted))
            if shown == 0 {
                #expect(copy == tree)
            } else {
                #expect(copy?.leaves.values.allSatisfy { $0.commit == nil } == true)
            }
            #expect(DocumentRevisions(leaves: leaves + leaves.prefix(1), versions: versions).tree(commit: 1) == nil)
            #expect(DocumentRevisions(leaves: [], versions: []).tree(commit: 1) == nil)
            if leaves.count > 1 {
                #expect(DocumentRevisions(leaves: leaves.reversed(), versions: versions).tree(commit: 1) == nil)
            }
            if !versions.isEmpty {
                #expect(DocumentRevisions(leaves: leaves, versions: []).tree(commit: 1) == nil, "a version is missing")
            }
        }
    }

    @Test func `A revision tree with changed bytes is read as a valid tree or rejected`() throws {
        var random = SplitMix64(seed: 7)
        for seed in 0..<200 {
            var bytes = try randomTree(UInt64(seed)).encoded
            for _ in 0..<50 {
                bytes[bytes.indices.randomElement(using: &random)!] = .random(in: 0...255, using: &random)
                guard let tree = RevisionTree(bytes.span) else { continue }
                #expect(tree.encoded.count <= bytes.count)
                #expect(RevisionTree(tree.encoded.span) == tree)
                for leaf in tree.leaves.keys { #expect(tree.path(to: leaf).revisions.allSatisfy(tree.contains)) }
            }
        }
    }

    private func randomTree(_ seed: UInt64) throws -> RevisionTree {
        var random = SplitMix64(seed: seed)
        let history = try History(count: .random(in: 1...25, using: &random), using: &random)
        var tree: RevisionTree?
        for path in history.paths {
            let leaf = RevisionTree.Leaf(
                isDeleted: history.deleted.contains(path.revision), commit: Bool.random(using: &random) ? 1 << 40 : nil)
            if tree?.merge(path, leaf) == nil { tree = RevisionTree(path, leaf) }
        }
        return try #require(tree)
    }

    @Test func `A leaf that is alive wins over a later deletion`() throws {
        var tree = RevisionTree(try path("2-b", ["a"]), .init(isDeleted: false))
        tree.merge(try path("9-c", ["x", "y"]), .init(isDeleted: true))
        #expect(tree.winner == Revision("2-b"))
        #expect(!tree.hasConflict && !tree.isDeleted)
    }

    @Test func `Cutting keeps the given depth below each leaf`() throws {
        let ids = (1...50).map { "\($0)" }
        var tree = RevisionTree(try path("51-end", ids.reversed()), .init(isDeleted: false))
        tree.merge(try path("12-side", ids[..<11].reversed()), .init(isDeleted: false))
        tree.cut(toDepth: 10)
        #expect(Set(tree.leaves.keys) == [try #require(Revision("51-end")), try #require(Revision("12-side"))])
        #expect(tree.path(to: try #require(Revision("51-end"))).ancestors.count == 9)
        #expect(tree.path(to: try #require(Revision("12-side"))).ancestors.count == 9)
        #expect(tree.parents.count == 20)
        #expect(RevisionTree(tree.encoded.span) == tree)
    }

    @Test func `A path that was cut becomes longer again when its beginning arrives`() throws {
        var tree = RevisionTree(try path("5-e", ["d", "c"]), .init(isDeleted: false))
        #expect(!tree.merge(try path("4-d", ["c", "b", "a"]), .init(isDeleted: false)))
        #expect(tree.path(to: try #require(Revision("5-e"))).ancestors.map(\.description) == ["d", "c", "b", "a"])
        #expect(tree.leaves.count == 1)
    }

    @Test func `A path that connects two leaves makes the older one an ancestor`() throws {
        var tree = RevisionTree(try path("3-c", ["b", "a"]), .init(isDeleted: false))
        tree.merge(try path("6-f", ["e"]), .init(isDeleted: false))
        #expect(tree.hasConflict)
        tree.merge(try path("5-e", ["d", "c"]), .init(isDeleted: false))
        #expect(Array(tree.leaves.keys) == [try #require(Revision("6-f"))])
    }

    @Test func `The closest common ancestor of leaves is found`() throws {
        var tree = RevisionTree(try path("4-x", ["c", "b", "a"]), .init(isDeleted: false))
        tree.merge(try path("3-y", ["b", "a"]), .init(isDeleted: false))
        #expect(tree.commonAncestor(of: tree.leavesInOrder) == Revision("2-b"))
        tree.merge(try path("2-z", []), .init(isDeleted: false))
        #expect(tree.commonAncestor(of: tree.leavesInOrder) == nil)
    }

    private func path(_ revision: String, _ ancestors: [String]) throws -> RevisionPath {
        var ids: [RevisionID] = []
        for ancestor in ancestors { ids.append(try #require(RevisionID(ancestor))) }
        let revision = try #require(Revision(revision))
        return try #require(RevisionPath(revision, ancestors: ids))
    }
}
