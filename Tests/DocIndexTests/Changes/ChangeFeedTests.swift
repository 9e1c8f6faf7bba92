import DocIndex
import TestSupport
import Testing

/// The changes that the store reports since a commit.
@Suite struct ChangeFeedTests {
    struct Stop: Error {}

    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("v", on: "v")]), CollectionDefinition("albums", id: "name"),
    ])

    /// Returns changes as strings: `+a` for a stored document and `-a` for a deleted one, preceded by the number of the
    /// commit.
    private func texts(_ changes: [StoreChange]) -> [String] {
        changes.map { "\($0.sequence) \($0.collection) \($0.isDeletion ? "-" : "+")\($0.id)" }
    }

    // MARK: - One entry per document

    @Test func `A new store has no commits and no changes`() throws {
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            #expect(try store.sequence() == 0)
            #expect(try store.changes(since: 0).isEmpty)
        }
    }

    @Test func `A sequence number that the store has not reached belongs to another store`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            expectFailure(.epochChanged, containing: "commit 1 ") { try store.changes(since: 1) }
            try store.collection("photos").put(["id": "a"])
            #expect(try store.changes(since: 1).isEmpty)
            for sequence in [2, UInt64.max] {
                expectFailure(.epochChanged, containing: "the last commit is 1") {
                    try store.changes(since: sequence)
                }
            }
        }
    }

    @Test func `A document that changes again moves to its last change in the feed`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for id in ["a", "b", "c"] { try photos.put(["id": .string(id), "v": 0]) }
            #expect(texts(try store.changes(since: 0)) == ["1 photos +a", "2 photos +b", "3 photos +c"])
            for round in 1...5 { try photos.put(["id": "a", "v": .int(Int64(round))]) }
            #expect(texts(try store.changes(since: 0)) == ["2 photos +b", "3 photos +c", "8 photos +a"])
            #expect(texts(try store.changes(since: 2)) == ["3 photos +c", "8 photos +a"])
            #expect(texts(try store.changes(since: 7)) == ["8 photos +a"])
            #expect(try store.changes(since: 8).isEmpty)
            #expect(try photos.document("a")?.sequence == 8)
        }
    }

    @Test func `A deletion is a change, and storing the same ID again replaces it`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a"])
            try photos.put(["id": "b"])
            try photos.delete("a")
            #expect(texts(try store.changes(since: 0)) == ["2 photos +b", "3 photos -a"])
            // Deleting it again is not a change.
            try photos.delete("a")
            #expect(try store.sequence() == 3)
            try photos.insert(["id": "a", "v": 1])
            #expect(texts(try store.changes(since: 0)) == ["2 photos +b", "4 photos +a"])
            try photos.delete("a")
            try photos.delete("b")
            #expect(texts(try store.changes(since: 0)) == ["5 photos -a", "6 photos -b"])
        }
    }

    @Test func `All changes of a commit share its number and are ordered by collection and row`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                try transaction.put(["name": "x"], in: "albums")
                try transaction.put(["id": "b"], in: "photos")
                try transaction.put(["id": "a"], in: "photos")
                try transaction.put(["id": "gone"], in: "photos")
                try transaction.delete("gone", in: "photos")
            }
            #expect(texts(try store.changes(since: 0)) == ["1 photos +b", "1 photos +a", "1 albums +x"])
            try store.write { transaction in
                try transaction.delete("x", in: "albums")
                try transaction.put(["id": "a", "v": 2], in: "photos")
            }
            #expect(texts(try store.changes(since: 0)) == ["1 photos +b", "2 photos +a", "2 albums -x"])
        }
    }

    @Test func `The changes of one collection are those the whole feed contains for it`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            for number in 0..<10 {
                try store.collection("photos").put(["id": .int(Int64(number))])
                try store.collection("albums").put(["name": .int(Int64(number))])
            }
            let all = try store.changes(since: 3)
            for name in ["photos", "albums"] {
                #expect(try store.changes(since: 3, in: name) == all.filter { $0.collection == name })
                #expect(try store.changes(since: 3, in: name, limit: 2).count == 2)
            }
            expectFailure(.unknownCollection, containing: "fotos", "photos") {
                try store.changes(since: 0, in: "fotos")
            }
        }
    }

    @Test func `IDs of both kinds are returned unchanged by the feed`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let ids: [DocumentID] = ["", "\0", "1", 1, -1, .int(.min), .int(.max), "\u{e9}", "e\u{301}"]
            for id in ids { try store.collection("photos").put(["id": id.value]) }
            #expect(try store.changes(since: 0).map(\.id) == ids)
        }
    }

    // MARK: - Failed commits

    @Test func `A transaction that is rolled back or changes nothing takes no sequence number`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try photos.put(["id": "b", "v": 1])
            try photos.delete("b")
            let before = try store.changes(since: 0)
            #expect(throws: Stop.self) {
                try store.write { transaction in
                    try transaction.put(["id": "a", "v": 2], in: "photos")
                    try transaction.put(["id": "b"], in: "photos")
                    try transaction.put(["id": "c"], in: "photos")
                    throw Stop()
                }
            }
            try photos.put(["id": "a", "v": 1])
            try store.write { transaction in
                try transaction.put(["id": "a", "v": 7], in: "photos")
                try transaction.put(["id": "a", "v": 1], in: "photos")
                try transaction.put(["id": "b"], in: "photos")
                try transaction.delete("b", in: "photos")
            }
            #expect(try store.changes(since: 0) == before)
            #expect(try store.sequence() == 3)
            try photos.put(["id": "c"])
            #expect(try store.sequence() == 4)
        }
    }

    @Test func `A commit that a unique index rejects takes no sequence number`() throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("v", on: "v", unique: true)])])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "v": 1])
            expectFailure(.duplicateValue) { try collection.put(["id": 2, "v": 1]) }
            try collection.put(["id": 2, "v": 2])
            #expect(texts(try store.changes(since: 0)) == ["1 c +1", "2 c +2"])
        }
    }

    // MARK: - Limits

    @Test func `A limit never splits a commit, and the pages together are the whole feed`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            var random = TestRun.random(stream: 42)
            for _ in 0..<40 {
                try store.write { transaction in
                    for _ in 0...random.number(below: 7) {
                        let id = DocumentValue.int(Int64(random.number(below: 90)))
                        let v = DocumentValue.int(Int64(random.number(below: 1 << 40)))
                        if random.once(in: 2) {
                            try transaction.put(["id": id, "v": v], in: "photos")
                        } else {
                            try transaction.put(["name": id, "v": v], in: "albums")
                        }
                    }
                }
            }
            let all = try store.changes(since: 0)
            for limit in [1, 2, 3, 5, 8, 50, all.count, all.count + 1, .max] {
                for collection in [nil, "photos"] {
                    let whole = all.filter { collection == nil || $0.collection == collection }
                    var pages: [StoreChange] = []
                    var position: UInt64 = 0
                    while true {
                        let page = try store.changes(since: position, in: collection, limit: limit)
                        guard let last = page.last else { break }
                        position = last.sequence
                        pages += page
                        // At least `limit` changes unless it is the last page, and fewer than that without its last
                        // commit.
                        #expect(page.count >= min(limit, whole.count - pages.count + page.count))
                        #expect(page.count { $0.sequence != last.sequence } < limit, "\(TestRun.repetition)")
                    }
                    #expect(pages == whole, "limit \(limit), \(TestRun.repetition)")
                }
            }
            #expect(try store.changes(since: 0, limit: 0).isEmpty)
        }
    }

    // MARK: - Copies

    @Test func `A store keeps its epoch, and a checkpoint gets a new one`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            var store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.collection("photos").put(["id": "a"])
            let epoch = store.epoch
            try store.checkpoint(to: directory + "/copy")
            #expect(store.epoch == epoch)
            try store.close()
            store = try DocumentStore.open(at: path)
            #expect(store.epoch == epoch)
            #expect(StoreEpoch(text: epoch.description) == epoch)
            let copy = try DocumentStore.open(at: directory + "/copy")
            #expect(copy.epoch != epoch)
            // Both continue independently, with the same numbers for different commits.
            try copy.collection("photos").put(["id": "in the copy"])
            try store.collection("photos").put(["id": "in the store"])
            #expect(texts(try store.changes(since: 1, epoch: epoch)) == ["2 photos +in the store"])
            for (one, other) in [(store, copy.epoch), (copy, epoch)] {
                expectFailure(.epochChanged, containing: "commit 1", one.epoch.description, other.description) {
                    try one.changes(since: 1, epoch: other)
                }
                try expectSound(one)
            }
            try copy.close()
            try store.close()
        }
    }

    @Test func `A store restored from a checkpoint has a new epoch`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            var store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.collection("photos").put(["id": "a"])
            try store.checkpoint(to: directory + "/copy")
            try store.collection("photos").put(["id": "b"])
            let epoch = store.epoch
            try store.close()
            let copy = try DocumentStore.open(at: directory + "/copy")
            let epochs = [epoch, copy.epoch]
            try copy.close()
            try DocumentStore.restore(at: path, from: directory + "/copy")
            store = try DocumentStore.open(at: path)
            #expect(!epochs.contains(store.epoch))
            #expect(try store.sequence() == 1)
            expectFailure(.epochChanged) { try store.changes(since: 2, epoch: epoch) }
            try store.close()
        }
    }

    @Test func `Two new stores have different epochs`() throws {
        let epochs = try (0..<20).map { _ in try withTemporaryStore(schema: Self.schema) { $0.epoch } }
        #expect(Set(epochs).count == 20)
    }

    // MARK: - A model

    private struct Key: Hashable {
        let collection: String
        let id: DocumentID
    }

    @Test func `After random commits, the feed has the last change of each document and deletion`() throws {
        var random = TestRun.random(stream: 43)
        try withTemporaryDirectory { directory in
            var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            var documents: [Key: Int64] = [:]
            var last: [Key: (sequence: UInt64, isDeletion: Bool)] = [:]
            var sequence: UInt64 = 0
            for round in 0..<TestRun.rounds(150, long: 5000) {
                var new = documents
                let fails = random.once(in: 6)
                let outcome = Result {
                    try store.write { transaction in
                        for _ in 0..<random.number(below: 6) {
                            let isPhoto = random.once(in: 2)
                            let id = DocumentID.int(Int64(random.number(below: 25)))
                            let key = Key(collection: isPhoto ? "photos" : "albums", id: id)
                            if random.once(in: 3) {
                                try transaction.delete(id, in: key.collection)
                                new[key] = nil
                            } else {
                                let v = Int64(random.number(below: 3))
                                try transaction.put(
                                    [isPhoto ? "id" : "name": id.value, "v": .int(v)], in: key.collection)
                                new[key] = v
                            }
                        }
                        if fails { throw Stop() }
                    }
                }
                if case .success = outcome {
                    let changed = Set(documents.keys).union(new.keys).filter { documents[$0] != new[$0] }
                    if !changed.isEmpty { sequence += 1 }
                    for key in changed { last[key] = (sequence, new[key] == nil) }
                    documents = new
                }
                if random.once(in: 15) {
                    try store.close()
                    store = try DocumentStore.open(at: directory + "/s")
                }
                let comment: Comment = "round \(round), \(TestRun.repetition)"
                #expect(try store.sequence() == sequence, comment)
                let since = UInt64(random.number(below: Int(sequence) + 1))
                let changes = try store.changes(since: since)
                #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.sequence <= $1.sequence }, comment)
                let expected = last.filter { $0.value.sequence > since }
                #expect(changes.count == expected.count, comment)
                for change in changes {
                    let known = expected[Key(collection: change.collection, id: change.id)]
                    #expect(known?.sequence == change.sequence, comment)
                    #expect(known?.isDeletion == change.isDeletion, comment)
                }
            }
            try expectSound(store)
            try store.close()
        }
    }
}
