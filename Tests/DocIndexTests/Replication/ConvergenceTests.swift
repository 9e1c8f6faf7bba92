import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Random edits, deletions and resolutions in several stores that exchange revisions at random.
struct ConvergenceTests {
    @Test(arguments: [false, true])
    func `Stores that have exchanged everything have the same leaves, winners and content`(hasHub: Bool) throws {
        for round in 0..<TestRun.rounds(10, long: 500) {
            try withTemporaryDirectory { directory in
                var random = TestRun.random(stream: UInt64(round * 2 + (hasHub ? 1 : 0)))
                try run(in: directory, hasHub: hasHub, &random)
            }
        }
    }

    private func run(in directory: String, hasHub: Bool, _ random: inout SplitMix64) throws {
        let group = try ReplicaGroup(count: 4, in: directory)
        for _ in 0..<80 {
            let replica = Int.random(in: group.collections.indices, using: &random)
            let collection = group.collections[replica]
            let id = DocumentID.string("d\(Int.random(in: 0..<5, using: &random))")
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                let content: DocumentObject = [
                    "id": id.value, "n": .int(.random(in: 0..<4, using: &random)), "title": "fog and rain",
                    "tags": .array([.string("t\(Int.random(in: 0..<3, using: &random))")]),
                ]
                try collection.put(content)
                #expect(try collection.document(id)?.content == content, "an edit is what is read next")
            case 9..<11:
                try collection.delete(id)
                #expect(try collection.document(id) == nil)
            case 11:
                guard let conflict = try collection.conflict(of: id) else { break }
                let longest = conflict.versions.map(\.content).max { $0.description < $1.description }
                let chosen = Bool.random(using: &random) ? conflict.merged(sets: ["tags"]) ?? longest : longest
                try collection.resolve(id, with: chosen, over: conflict.versions.map(\.revision))
                #expect(try collection.conflict(of: id) == nil)
                #expect(try collection.document(id)?.content == chosen)
            default:
                let other = hasHub && replica != 0 ? 0 : Int.random(in: group.collections.indices, using: &random)
                if other == replica { break }
                try group.pull(replica, from: other, limit: Int.random(in: 1...4, using: &random))
                if Bool.random(using: &random) { try group.pull(other, from: replica, limit: 3) }
            }
        }
        try group.settle()
        let first = try group.leaves(0)
        for replica in group.collections.indices {
            #expect(try group.leaves(replica) == first, "replica \(replica); \(TestRun.repetition)")
            try expectSound(group.stores[replica])
        }
        for (id, seen) in group.seen {
            var naive = seen
            for stored in try group.collections[0].stored(nil, of: id) {
                naive.merge(stored.path, isDeleted: stored.isDeleted)
            }
            let leaves = Set(first[id]?.keys.map { $0 } ?? [])
            // What left a store is a leaf or an ancestor of one. Later exchanges may add leaves.
            #expect(naive.leaves == leaves, "\(id); \(TestRun.repetition)")
            let winner = try #require(naive.winner)
            for collection in group.collections {
                #expect(try collection.revision(of: id) == (naive.deleted.contains(winner) ? nil : winner))
            }
        }
        try group.close()
    }

    @Test func `Edits that nobody has seen are one generation`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            for n in 0..<50 { try group.collections[0].put(["id": "a", "n": .int(Int64(n))]) }
            try group.pull(1, from: 0)
            #expect(try group.collections[1].revision(of: "a")?.generation == 1)
            for n in 0..<50 { try group.collections[1].put(["id": "a", "n": .int(Int64(100 + n))]) }
            try group.pull(0, from: 1)
            #expect(try group.collections[0].revision(of: "a")?.generation == 2)
            #expect(try group.collections[0].document("a")?.content == ["id": "a", "n": 149])
            try group.close()
        }
    }

    @Test func `A document deleted before anyone saw it is not sent`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            try group.collections[0].put(["id": "a"])
            try group.collections[0].delete("a")
            #expect(try group.collections[0].revisions(since: 0, limit: 10).listings.isEmpty)
            try group.close()
        }
    }

    @Test func `Two imports of one catalog are one revision and no conflict`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            for collection in group.collections {
                for n in 0..<20 { try collection.put(["id": .string("p\(n)"), "n": .int(Int64(n))]) }
            }
            try group.settle()
            for collection in group.collections {
                #expect(try collection.conflicted() == [])
                #expect(try collection.revision(of: "p3")?.generation == 1)
            }
            try group.close()
        }
    }

    @Test func `A peer's version with the same content replaces one that nobody has seen`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 1, in: directory)
            let photos = group.collections[0]
            try photos.put(["n": 1, "id": "a"])
            let foreign = try #require(Revision("1-00112233445566778899aabbccddeeff"))
            let path = try #require(RevisionPath(foreign, ancestors: []))
            try group.stores[0].replicate("photos") { batch in
                let arrival = DocumentRevision(path, isDeleted: false, content: ["id": "a", "n": 1])
                try batch.add([arrival], of: "a", listed: [foreign])
            }
            #expect(try photos.revision(of: "a") == foreign)
            #expect(try photos.conflict(of: "a") == nil)
            try photos.put(["id": "a", "n": 2])
            #expect(try photos.revision(of: "a")?.generation == 2)
            try expectSound(group.stores[0])
            try group.close()
        }
    }

    @Test func `A conflict shows its versions and their base, and the feed and the list name it`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            let (left, right) = (group.collections[0], group.collections[1])
            try left.put(["id": "a", "n": 0])
            try group.settle()
            try left.put(["id": "a", "n": 1])
            try right.put(["id": "a", "n": 2])
            try group.pull(0, from: 1)
            let conflict = try #require(try left.conflict(of: "a"))
            #expect(Set(conflict.versions.map(\.content)) == [["id": "a", "n": 1], ["id": "a", "n": 2]])
            #expect(conflict.versions.first?.content == (try left.document("a")?.content))
            #expect(conflict.base?.content == ["id": "a", "n": 0])
            #expect(try left.conflicted() == ["a"])
            #expect(try left.conflicted(after: "a") == [])
            #expect(try group.stores[0].changes(since: 0).last?.hasConflict == true)
            #expect(throws: DocIndexError.self) {
                try left.resolve("a", with: nil, over: [conflict.versions[0].revision])
            }
            // Both resolve in the same way before they hear of each other.
            try group.pull(1, from: 0)
            let revisions = conflict.versions.map(\.revision)
            for collection in [left, right] { try collection.resolve("a", with: ["id": "a", "n": 3], over: revisions) }
            #expect(try left.revision(of: "a") == right.revision(of: "a"))
            try group.settle()
            #expect(try left.conflicted() == [] && right.conflicted() == [])
            #expect(try group.leaves(0) == group.leaves(1))
            for store in group.stores { try expectSound(store) }
            try group.close()
        }
    }

    @Test func `The base of a conflict is the last version that both sides had`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            let (left, right) = (group.collections[0], group.collections[1])
            try left.put(["id": "a", "n": 0])
            try group.settle()
            try left.put(["id": "a", "n": 1])
            try group.settle()
            try left.put(["id": "a", "n": 2])
            try right.put(["id": "a", "n": 3])
            try group.settle()
            for collection in [left, right] {
                #expect(try collection.conflict(of: "a")?.base?.content == ["id": "a", "n": 1])
                #expect(try collection.conflict(of: "a")?.versions.count == 2)
            }
            // An edit of one version leaves the conflict and its base.
            try left.put(["id": "a", "n": 4])
            #expect(try left.conflict(of: "a")?.base?.content == ["id": "a", "n": 1])
            for store in group.stores { try expectSound(store) }
            try group.close()
        }
    }

    @Test func `A unique index does not refuse a document that a replica has accepted`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            try group.collections[0].put(["id": "a", "code": "x"])
            try group.collections[1].put(["id": "b", "code": "x"])
            try group.settle()
            for collection in group.collections {
                #expect(try collection.count() == 2)
                #expect(throws: DocIndexError.self) { try collection.put(["id": "c", "code": "x"]) }
            }
            try group.close()
        }
    }

    @Test func `The versions of an ID that continues another one with a zero byte are told apart`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            let ids: [DocumentID] = ["a", "a\u{0}b", "a\u{0}"]
            for (n, collection) in group.collections.enumerated() {
                for id in ids { try collection.put(["id": id.value, "n": .int(Int64(n))]) }
            }
            try group.settle()
            for collection in group.collections {
                #expect(try Set(collection.conflicted()) == Set(ids))
                for id in ids { #expect(try collection.conflict(of: id)?.versions.count == 2) }
            }
            for store in group.stores { try expectSound(store) }
            try group.close()
        }
    }

    @Test func `A document that occurs twice in a batch is refused, and nothing is written`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 1, in: directory)
            let revision = try #require(Revision("1-a"))
            let path = try #require(RevisionPath(revision, ancestors: []))
            #expect(throws: DocIndexError.self) {
                try group.stores[0].replicate("photos") { batch in
                    for _ in 0..<2 {
                        let arrival = DocumentRevision(path, isDeleted: false, content: ["id": "a"])
                        try batch.add([arrival], of: "a", listed: [path.revision])
                    }
                }
            }
            #expect(try group.collections[0].count() == 0)
            try group.close()
        }
    }

    @Test func `A copy of a store does not replace a revision that the original may have sent`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 1, in: directory)
            let photos = group.collections[0]
            try photos.put(["id": "a", "n": 1])
            try group.stores[0].checkpoint(to: directory + "/copy.store")
            let copy = try DocumentStore.open(at: directory + "/copy.store", schema: ReplicaGroup.schema)
            try copy.collection("photos").put(["id": "a", "n": 2])
            try photos.put(["id": "a", "n": 3])
            #expect(try copy.collection("photos").revision(of: "a")?.generation == 2)
            #expect(try photos.revision(of: "a")?.generation == 1)
            try expectSound(copy)
            try copy.close()
            try group.close()
        }
    }

    @Test func `Deleting a document with a conflict deletes all its versions`() throws {
        try withTemporaryDirectory { directory in
            let group = try ReplicaGroup(count: 2, in: directory)
            for (n, collection) in group.collections.enumerated() {
                try collection.put(["id": "a", "n": .int(Int64(n))])
            }
            try group.settle()
            #expect(try group.collections[0].conflicted() == ["a"])
            try group.collections[0].delete("a")
            try group.settle()
            for collection in group.collections {
                #expect(try collection.document("a") == nil)
                #expect(try collection.conflicted() == [])
            }
            try group.close()
        }
    }

    @Test func `A collection that is not replicated stores nothing more`() throws {
        try withTemporaryStore(schema: ReplicaGroup.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "n": 1])
            try photos.put(["id": "a", "n": 2])
            try photos.delete("a")
            let kinds = Set(try allPairs(in: store.database).map { $0.key[0] })
            #expect(kinds.isDisjoint(with: [StoreKey.revisions, .revisionBodies, .replication].map(\.rawValue)))
            #expect(
                try store.database.value(forKey: StoreKey.catalogKey).map { String(decoding: $0, as: UTF8.self) }?
                    .hasPrefix("{\"docindex\":5") == true)
        }
    }

    @Test func `Damaged revision records are reported, and a rebuild sets them aside`() throws {
        for kind in [StoreKey.revisions, .revisionBodies] {
            try withTemporaryDirectory { directory in
                let group = try ReplicaGroup(count: 2, in: directory)
                for (n, collection) in group.collections.enumerated() {
                    try collection.put(["id": "a", "n": .int(Int64(n))])
                }
                try group.settle()
                let store = group.stores[0]
                let key = try #require(try allPairs(in: store.database).first { $0.key[0] == kind.rawValue }?.key)
                try store.database.put([0xff], forKey: key)
                #expect(try !store.verify().isSound)
                #expect(throws: DocIndexError.self) { try group.collections[0].conflict(of: "a") }
                let document = try group.collections[0].document("a")
                _ = try store.rebuild()
                try expectSound(store)
                #expect(try group.collections[0].document("a")?.content == document?.content)
                try group.close()
            }
        }
    }
}
