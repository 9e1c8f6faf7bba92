import DocIndex
import TestSupport
import Testing

/// Pages and tokens, with and without concurrent writes.
@Suite struct PageTests {
    @Test func `Concatenated pages are the whole result, whatever the plan`() throws {
        var queries = RandomQueries(TestRun.random(stream: 60))
        for _ in 0..<TestRun.rounds(3, long: 200) {
            let schema = Schema(collections: [CollectionDefinition("c", indexes: queries.indexes())])
            try withTemporaryStore(schema: schema) { store in
                try store.write { transaction in
                    for _ in 0..<80 {
                        try transaction.put(queries.documents.document(id: queries.documents.id()), in: "c")
                    }
                }
                let collection = try store.collection("c")
                for _ in 0..<25 {
                    var query = queries.query()
                    query.limit = nil
                    let whole = try collection.find(query)
                    for plan in try collection.plans(query) {
                        let options = Query.Options(hint: .plan(plan.identity))
                        query.limit = queries.documents.random.pick([1, 2, 3, 7, 50])
                        // A limit may exclude a plan.
                        guard try collection.plans(query).contains(where: { $0.identity == plan.identity }) else {
                            continue
                        }
                        let paged = try Self.pages(query, options, collection)
                        #expect(paged == whole, "\(query), \(plan), \(schema), \(TestRun.repetition)")
                    }
                }
            }
        }
    }

    private static func pages(
        _ query: Query, _ options: Query.Options, _ collection: DocumentCollection
    ) throws -> [Document] {
        var page = try collection.page(query, options: options)
        var all = page.documents
        while let next = page.next {
            page = try collection.page(query, after: DocumentCollection.Page.Token(next.text), options: options)
            all += page.documents
            if page.documents.isEmpty || all.count > 10_000 { break }
        }
        return all
    }

    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("n", on: "n"), .value("down", on: .field("n", order: .descending)),
                .value("kind, n", on: "kind", "n"), .value("tags", on: "tags[]"),
            ])
    ])

    @Test func `Documents that stay during inserts, deletions and changes are found exactly once`() throws {
        var random = TestRun.random(stream: 61)
        for _ in 0..<TestRun.rounds(12, long: 300) {
            try withTemporaryStore(schema: Self.schema) { store in
                let collection = try store.collection("c")
                func document(_ id: Int) -> DocumentObject {
                    [
                        "id": .int(Int64(id)), "n": .int(Int64(random.number(below: 6))),
                        "kind": .int(Int64(random.number(below: 2))), "tags": ["x", .string("t\(id % 3)")],
                    ]
                }
                var staying: Set<DocumentID> = []
                try store.write { transaction in
                    for id in 0..<120 {
                        try transaction.put(document(id), in: "c")
                        if id % 2 == 0 { staying.insert(.int(Int64(id))) }
                    }
                }
                let sorts: [[Query.SortKey]] = [
                    [], [.ascending("n")], [.descending("n")], [.descending("n"), .ascending("kind")],
                    [.ascending("kind"), .ascending("n")],
                ]
                let conditions = ["", "kind = 1", "kind in (0, 1) and n >= 1", "tags has x", "n = 3 or kind = 0"]
                var query = Query(
                    try Filter(parsing: random.pick(conditions)), sort: random.pick(sorts),
                    limit: random.pick([1, 3, 10]))
                let plans = try collection.plans(query).map(\.identity)
                let options = Query.Options(hint: .plan(random.pick(plans)))
                let expected = try collection.find(Query(query.filter, sort: query.sort)).map(\.id)
                    .filter(staying.contains)
                var found: [DocumentID] = []
                var token: DocumentCollection.Page.Token?
                repeat {
                    let page = try collection.page(
                        query, after: token, options: token == nil ? options : Query.Options())
                    found += page.documents.map(\.id)
                    token = page.next
                    query.limit = random.pick([1, 3, 10])
                    // Odd IDs are inserted, deleted and changed.
                    try store.write { transaction in
                        for _ in 0..<5 {
                            let id = random.number(below: 100) * 2 + 1
                            if random.once(in: 2) {
                                try transaction.delete(.int(Int64(id)), in: "c")
                            } else {
                                try transaction.put(document(id), in: "c")
                            }
                        }
                    }
                } while token != nil && found.count < 5000
                #expect(found.filter(staying.contains) == expected, "\(query), \(options.hint!), \(TestRun.repetition)")
            }
        }
    }

    @Test func `A token names its plan, fits only one query, and is rejected if damaged`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<50 { try transaction.put(["id": .int(Int64(id)), "n": .int(Int64(id % 5))], in: "c") }
            }
            let query = Query(sort: [.ascending("n")], limit: 4)
            let first = try collection.page(query, options: Query.Options(hint: .scan))
            let token = try #require(first.next)
            #expect(try collection.page(query, after: token).execution.plan.identity == "scan")
            var other = query
            other.sort = [.descending("n")]
            expectFailure(.invalidQuery) { _ = try collection.page(other, after: token) }
            expectFailure(.invalidQuery) { _ = try collection.page(query, after: DocumentCollection.Page.Token("")) }
            let bytes = Array(token.text.utf8)
            for position in bytes.indices {
                var changed = bytes
                changed[position] = changed[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let text = String(decoding: changed, as: UTF8.self)
                expectFailure(.invalidQuery) {
                    _ = try collection.page(query, after: DocumentCollection.Page.Token(text))
                }
            }
            #expect(try collection.page(Query(limit: 0)).documents.isEmpty)
            #expect(try collection.page(Query()).next == nil)
        }
    }
}
