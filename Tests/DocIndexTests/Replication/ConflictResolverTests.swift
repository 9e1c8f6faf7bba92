import Synchronization
import TestSupport
import Testing

@testable import DocIndex

struct ConflictResolverTests {
    /// Makes a conflict of two versions of the document `a` in both of two stores.
    private static func conflict(
        in directory: String, base: DocumentObject = ["id": "a", "n": 0, "tags": ["x"]], _ left: DocumentObject,
        _ right: DocumentObject
    ) throws -> ReplicaGroup {
        let group = try ReplicaGroup(count: 2, in: directory)
        try group.collections[0].put(base)
        try group.settle()
        try group.collections[0].put(left)
        try group.collections[1].put(right)
        try group.pull(0, from: 1)
        try group.pull(1, from: 0)
        return group
    }

    private func withConflict(
        _ left: DocumentObject, _ right: DocumentObject,
        _ body: @escaping @Sendable (ReplicaGroup) async throws -> Void
    ) async throws {
        try await within {
            try await withTemporaryPath { path in
                let group = try Self.conflict(in: path, left, right)
                try await body(group)
                try group.settle()
                #expect(try group.leaves(0) == group.leaves(1))
                for store in group.stores { try expectSound(store) }
                try group.close()
            }
        }
    }

    @Test func `Replicas that merge the same versions at once make one revision`() async throws {
        try await withConflict(
            ["id": "a", "n": 1, "tags": ["x", "y"]], ["n": 0, "id": "a", "tags": ["z"], "new": true]
        ) {
            (group) async throws in
            for collection in group.collections {
                #expect(try await collection.asynchronous.conflicted() == ["a"])
                #expect(try await collection.asynchronous.resolve("a", using: .threeWay(sets: ["tags"])))
                #expect(
                    try collection.document("a")?.content == ["id": "a", "n": 1, "tags": ["y", "z"], "new": true])
                #expect(try collection.conflict(of: "a") == nil)
            }
            #expect(try group.collections[0].revision(of: "a") == group.collections[1].revision(of: "a"))
        }
    }

    @Test func `A live result follows a document through a conflict and its resolution`() async throws {
        try await within {
            try await withTemporaryPath { path in
                let group = try ReplicaGroup(count: 2, in: path)
                let photos = group.collections[0]
                for (n, collection) in group.collections.enumerated() {
                    try collection.put(["id": "a", "n": .int(Int64(n))])
                }
                let query = Query(try Filter(parsing: "n < 5"), sort: try Query.SortKey.parse("n"), limit: 3)
                var updates = try photos.observe(query).makeAsyncIterator()
                var shown: [Document] = []
                func follow() async throws {
                    try #require(try await updates.next()).apply(to: &shown)
                    #expect(try shown == photos.find(query))
                }
                try await follow()
                try group.pull(0, from: 1)
                // The other version may win, or not: a change of another document is seen in either case.
                try photos.put(["id": "b", "n": 2])
                try await follow()
                let conflict = try #require(try photos.conflict(of: "a"))
                #expect(try photos.resolve(conflict, as: .merge(["id": "a", "n": 4])))
                try await follow()
                #expect(shown.map(\.id) == ["b", "a"])
                try group.close()
            }
        }
    }

    @Test func `A conflict remains if one member has two new values, or if it is left to a person`() async throws {
        try await withConflict(["id": "a", "n": 1], ["id": "a", "n": 2]) { (group) async throws in
            let photos = group.collections[0]
            for resolver in [DocumentConflict.Resolver.threeWay(), .manual] {
                #expect(try await !photos.resolve("a", using: resolver))
                #expect(try photos.conflicted() == ["a"])
            }
            #expect(try await !photos.resolve("none", using: .winner))
            #expect(try photos.conflict(of: "a")?.differingMembers == ["n"])
        }
    }

    @Test func `Each resolution has the content that it names`() async throws {
        for index in 0..<4 {
            try await withConflict(["id": "a", "n": 1], ["id": "a", "n": 2]) { (group) async throws in
                let photos = group.collections[0]
                let conflict = try #require(try photos.conflict(of: "a"))
                #expect(conflict.base?.content["n"] == 0)
                let (winner, other) = (conflict.versions[0], conflict.versions[1])
                let merged: DocumentObject = ["id": "a", "n": 9]
                let cases: [(DocumentConflict.Resolution, DocumentObject?)] = [
                    (.keep, winner.content), (.take(other.revision), other.content), (.merge(merged), merged),
                    (.delete, nil),
                ]
                #expect(try !photos.resolve(conflict, as: .later))
                #expect(try photos.resolve(conflict, as: cases[index].0))
                #expect(try photos.document("a")?.content == cases[index].1)
                #expect(try photos.conflicted() == [])
                #expect(throws: DocIndexError.self, "it is resolved already") {
                    try photos.resolve(conflict, as: .keep)
                }
            }
        }
    }

    @Test func `A resolution that is not possible changes nothing`() async throws {
        try await withConflict(["id": "a", "n": 1], ["id": "a", "n": 2]) { (group) async throws in
            let photos = group.collections[0]
            let conflict = try #require(try photos.conflict(of: "a"))
            let stranger = try #require(Document.Revision("9-abc"))
            for (resolution, code) in [
                (DocumentConflict.Resolution.take(stranger), DocIndexError.Code.conflict),
                (.merge(["id": "b"]), .invalidID), (.merge(["n": 1]), .invalidID),
            ] {
                let synchronous = #expect(throws: DocIndexError.self) { try photos.resolve(conflict, as: resolution) }
                #expect(synchronous?.code == code)
                let error = await #expect(throws: DocIndexError.self) {
                    try await photos.resolve("a", using: DocumentConflict.Resolver { _ in resolution })
                }
                #expect(error?.code == code)
            }
            #expect(try photos.conflict(of: "a") == conflict)
        }
    }

    @Test func `A resolver is called again if the versions have changed, up to a limit`() async throws {
        try await withConflict(["id": "a", "n": 1], ["id": "a", "n": 2]) { (group) async throws in
            let photos = group.collections[0]
            let count = Mutex(0)
            func resolver(changing limit: Int) -> DocumentConflict.Resolver {
                DocumentConflict.Resolver { _ in
                    let asked = count.withLock { count in
                        count += 1
                        return count
                    }
                    if asked <= limit { try photos.put(["id": "a", "n": .int(Int64(100 + asked))]) }
                    return .keep
                }
            }
            let error = await #expect(throws: DocIndexError.self) {
                try await photos.resolve("a", using: resolver(changing: .max))
            }
            #expect(error?.code == .conflict)
            #expect(count.withLock { $0 } == 10)
            #expect(try await photos.resolve("a", using: resolver(changing: 12)))
            #expect(count.withLock { $0 } == 13)
            #expect(try photos.document("a")?.content["n"] == 112)
        }
    }

    @Test func `Versions with equal content need no decision, wherever the ID is`() async throws {
        try await withConflict(["id": "a", "n": 1], ["id": "a", "n": 1]) { (group) async throws in
            // Equal edits of one version are one revision; others of equal content come from a peer.
            let photos = group.collections[0]
            #expect(try photos.conflict(of: "a") == nil)
            let base = try #require(try photos.revision(of: "a"))
            let foreign = try #require(Revision("2-00112233445566778899aabbccddeeff"))
            let parent = try #require(try photos.stored(nil, of: "a").first?.path.ancestors)
            let path = try #require(RevisionPath(foreign, ancestors: parent))
            try group.stores[0].replicate("photos") { batch in
                let arrival = DocumentRevision(path, isDeleted: false, content: ["n": 1, "id": "a"])
                try batch.add([arrival], of: "a", listed: [base, foreign])
            }
            #expect(try photos.conflicted() == ["a"])
            #expect(try await photos.resolve("a", using: .manual))
            #expect(try photos.conflicted() == [])
        }
    }

    @Test func `A collection that is not replicated has no conflicts, and resolves none`() async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path, schema: ReplicaGroup.schema)
                let photos = try store.collection("photos")
                try photos.put(["id": "a"])
                #expect(try photos.conflict(of: "a") == nil)
                #expect(try photos.conflicted() == [])
                #expect(try await !photos.resolve("a", using: .winner))
                let error = #expect(throws: DocIndexError.self) { try photos.resolve("a", with: nil, over: []) }
                #expect(error?.code == .conflict)
                try store.close()
            }
        }
    }
}
