import DocIndex
import TestSupport
import Testing

/// Live results.
@Suite struct LiveQueryTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.value("n", on: "n"), .value("kind", on: "kind", "n")])
    ])

    private static func document(_ id: Int, _ random: inout SplitMix64) -> DocumentObject {
        [
            "id": .int(Int64(id)), "n": .int(Int64(random.number(below: 20))),
            "kind": .int(Int64(random.number(below: 3))), "note": .int(Int64(random.number(below: 1000))),
        ]
    }

    private static let queries: [(String, String, Int?)] = [
        ("kind = 1", "n", 10), ("", "-n", 5), ("kind in (0, 1)", "", nil), ("n >= 10", "kind,-n", 3),
        ("n < 3", "-note", 1),
        ("", "", 4), ("n = 5", "", nil), ("kind = 9", "n", 5), ("", "n", 0),
    ]

    @Test(arguments: 0..<9) func `Applying the differences of a live result in order gives the result of a new query`(
        number: Int
    ) async throws {
        let (condition, sort, limit) = Self.queries[number]
        let query = Query(
            try Filter(parsing: condition), sort: sort.isEmpty ? [] : try Query.SortKey.parse(sort), limit: limit)
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let collection = try store.collection("c")
        var random = TestRun.random(stream: 80 + UInt64(number))
        try store.write { transaction in
            for id in 0..<40 { try transaction.put(Self.document(id, &random), in: "c") }
        }
        var updates = try collection.observe(query).makeAsyncIterator()
        var shown: [Document] = []
        try #require(try await updates.next()).apply(to: &shown)
        #expect(try shown == collection.find(query))
        for _ in 0..<TestRun.rounds(60, long: 3000) {
            let before = try collection.find(query)
            // Sometimes several commits are observed together.
            for _ in 0..<random.pick([1, 1, 3]) {
                try store.write { transaction in
                    for _ in 0..<random.pick([1, 2, 15]) {
                        let id = random.number(below: 50)
                        if random.once(in: 3) {
                            try transaction.delete(.int(Int64(id)), in: "c")
                        } else {
                            try transaction.put(Self.document(id, &random), in: "c")
                        }
                    }
                }
            }
            let after = try collection.find(query)
            if before == after { continue }
            let update = try #require(try await updates.next())
            update.apply(to: &shown)
            #expect(shown == after, "\(query), \(TestRun.repetition)")
            #expect(try update.sequence == store.sequence())
        }
        try store.close()
        #expect(try await updates.next() == nil)
    }

    @Test func `A new summary is delivered only when it differs`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let collection = try store.collection("c")
        var sums = try collection.observe(Aggregation([.count, .sum("n")]), where: Filter(parsing: "kind = 1"))
            .makeAsyncIterator()
        #expect(try await sums.next()?.first?.values == [0, 0])
        try collection.put(["id": 1, "kind": 1, "n": 5])
        #expect(try await sums.next()?.first?.values == [1, 5])
        try collection.put(["id": 2, "kind": 2, "n": 7])
        try collection.put(["id": 3, "kind": 1, "n": 7])
        #expect(try await sums.next()?.first?.values == [2, 12])
        try store.close()
        #expect(try await sums.next() == nil)
    }

    @Test func `A live query with an offset is rejected`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            _ = expectFailure(.invalidQuery) { try store.collection("c").observe(Query(offset: 1)) }
        }
    }
}
