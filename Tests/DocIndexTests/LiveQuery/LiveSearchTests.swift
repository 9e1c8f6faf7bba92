import TestSupport
import Testing

@testable import DocIndex

/// Live results with a search box, whose words depend on all documents.
@Suite struct LiveSearchTests {
    private static func schema(_ analyzer: TextAnalyzer) -> Schema {
        Schema(collections: [
            CollectionDefinition(
                "c", indexes: [.value("n", on: "n"), .text("text", on: .field("caption", analyzer: analyzer))])
        ])
    }

    private static let vocabulary = [
        "bridge", "bridges", "brigde", "bride", "fog", "foggy", "fogs", "harbour", "harbor", "the", "und", "snow",
    ]

    private static func document(_ id: Int, _ random: inout SplitMix64) -> DocumentObject {
        let words = (0..<random.number(below: 4)).map { _ in random.pick(vocabulary) }
        return [
            "id": .int(Int64(id)), "n": .int(Int64(random.number(below: 5))),
            "caption": .string(words.joined(separator: " ")),
        ]
    }

    private static func box(_ text: String, isTyping: Bool = false) -> Filter {
        .search(Filter.Search(SearchBox(text, isTyping: isTyping), text: text))
    }

    private static let queries: [Query] = [
        Query(box("brigde")), Query(box("foggi fog", isTyping: true), limit: 4),
        Query(box("the und harbour"), sort: [.descending("n")], limit: 3),
        Query(.and([.not(box("bridgez snowy")), .compare("n", .less, 3)]), sort: [.ascending("n")]),
        Query(.or([box("+harbor fogg"), box("brid")]), sort: [.descending("n")], limit: 6),
        Query(box("fog -snow brides"), limit: 0), Query(box("und"), sort: [.ascending("n")], limit: 5),
        Query(.or([.search(Filter.Search(.word("fog"), text: "fog")), box("sno", isTyping: true)])),
    ]

    @Test(arguments: 0..<8) func `A live search box always shows the result of a new search`(number: Int) async throws {
        let query = Self.queries[number]
        var random = TestRun.random(stream: 160 + UInt64(number))
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let schema = Self.schema(number.isMultiple(of: 2) ? .simple : .language(.english))
        let store = try DocumentStore.open(at: path, schema: schema)
        let collection = try store.collection("c")
        var updates = try collection.observe(query).makeAsyncIterator()
        var shown: [Document] = []
        try #require(try await updates.next()).apply(to: &shown)
        #expect(shown.isEmpty)
        for _ in 0..<TestRun.rounds(80, long: 3000) {
            let before = try collection.find(query)
            try store.write { transaction in
                for _ in 0..<random.pick([1, 2, 15]) {
                    let id = random.number(below: 40)
                    if random.once(in: 2) {
                        try transaction.delete(.int(Int64(id)), in: "c")
                    } else {
                        try transaction.put(Self.document(id, &random), in: "c")
                    }
                }
            }
            if random.once(in: 6) { try store.flushTextIndexes() }
            let after = try collection.find(query)
            if before == after { continue }
            try #require(try await updates.next()).apply(to: &shown)
            #expect(shown == after, "\(query), \(TestRun.repetition)")
        }
        let problems = try store.verify().problems
        #expect(problems.isEmpty)
        try store.close()
        #expect(try await updates.next() == nil)
    }

    @Test func `Groups with a search box are counted again after each commit`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema(.simple))
        let collection = try store.collection("c")
        try collection.put(["id": 1, "caption": "brigde"])
        var counts = try collection.observe(Aggregation([.count]), where: Self.box("bridge")).makeAsyncIterator()
        // No document has the word itself, so similar words are found.
        #expect(try await counts.next()?.first?.values == [1])
        try store.write { transaction in
            for id in 2...6 { try transaction.put(["id": .int(Int64(id)), "caption": "bridge"], in: "c") }
        }
        #expect(try await counts.next()?.first?.values == [5])
        try store.close()
    }

    @Test func `A live search box runs again only when its words change`() throws {
        try withTemporaryStore(schema: Self.schema(.simple)) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<600 {
                    let caption: DocumentValue = id % 3 == 0 ? "fog" : "snow"
                    try transaction.put(["id": .int(Int64(id)), "n": 1, "caption": caption], in: "c")
                }
            }
            let query = Query(Self.box("fog hrbour"), sort: [.ascending("n")])
            var live = LiveResult(collection: collection, query: query, options: Query.Options())
            var shown: [Document] = []
            try #require(try live.update()).apply(to: &shown)
            #expect(shown.count == 200)
            let first = live.examinedCount
            for id in 0..<100 {
                try collection.put(["id": .int(Int64(id)), "n": 2, "caption": id % 2 == 0 ? "fog" : "rain"])
                try live.update()?.apply(to: &shown)
            }
            #expect(live.examinedCount - first == 100)
            #expect(try shown == collection.find(query))
            // The misspelled word has a similar one now.
            try collection.put(["id": 700, "n": 1, "caption": "harbour"])
            try live.update()?.apply(to: &shown)
            #expect(live.examinedCount - first > 200)
            #expect(try shown == collection.find(query) && shown.contains { $0.id == 700 })
        }
    }
}
