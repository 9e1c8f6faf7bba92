import DocIndex
import TestSupport
import Testing

/// Which plan is chosen, and what it reads.
@Suite struct PlannerTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("year", on: "year"), .value("kind", on: "kind"), .value("kind, year", on: "kind", "year"),
                .value("tags", on: "tags[]"), .value("n", on: "n"), .value("title", on: "title"),
                .text("text", on: "title"),
            ]),
        CollectionDefinition("bare"),
    ])

    /// 200 documents: 4 of each year, 66 or 67 of each kind, 10 of each tag, 1 of each n.
    private func withDocuments(_ body: (DocumentStore, DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                for id in 0..<200 {
                    let tag = DocumentValue.string("t\(id % 20)")
                    try transaction.put(
                        [
                            "id": .int(Int64(id)), "n": .int(Int64(199 - id)), "year": .int(Int64(1900 + id % 50)),
                            "kind": .int(Int64(id % 3)), "tags": [tag, "all"], "title": .string("title \(id)"),
                            "plain": .int(Int64(id % 7)),
                        ], in: "c")
                }
            }
            try body(store, try store.collection("c"))
        }
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let condition: String
        let sort: String?
        let limit: Int?
        let plan: String

        init(_ condition: String, sort: String? = nil, limit: Int? = nil, _ plan: String) {
            self.condition = condition
            self.sort = sort
            self.limit = limit
            self.plan = plan
        }

        var query: Query {
            get throws {
                Query(try Filter(parsing: condition), sort: try sort.map(Query.SortKey.parse) ?? [], limit: limit)
            }
        }

        var testDescription: String { "\(condition), \(sort ?? "no order"), \(limit ?? -1)" }
    }

    static let examples: [Example] = [
        .init("", "scan all documents"),
        .init("", sort: "plain", "scan all documents, then sort"),
        .init("plain = 1", "scan all documents"),
        .init("year = 1903", "index year (year = 1903)"),
        .init("year = 1903 and plain = 1", "index year (year = 1903)"),
        .init("year in (1901, 1902, 1901)", "index year (year IN (1901, 1902, 1901))"),
        .init("year >= 1940", "index year (year >= 1940)"),
        .init("year between 1940 and 1941", "index year (year >= 1940, year <= 1941)"),
        .init("year > 1949", "index year (year > 1949)"),
        .init("year > 1940 year < 1920", "nothing can satisfy the condition"),
        .init("year = 'x'", #"index year (year = "x")"#),
        .init("year missing", "index year (year MISSING)"),
        .init("title ^= 'title 19'", #"index title (title ^= "title 19")"#),
        .init("tags has t1", #"index tags (tags[] = "t1")"#),
        .init("tags has t1 and tags has all", #"index tags (tags[] = "t1")"#),
        // The smallest wins; several fields narrow the range together.
        .init("kind = 1 and n < 9", "index n (n < 9)"),
        .init("kind = 1 and year = 1903", "index kind, year (kind = 1, year = 1903)"),
        .init("kind = 1 and year < 1903", "index kind, year (kind = 1, year < 1903)"),
        .init(
            "kind in (0, 1) and year in (1900, 1901)",
            "index year (year IN (1900, 1901))"),
        // A condition that no index narrows enough, or answers only in part, is scanned.
        .init("year exists", "scan all documents"),
        .init("year < 1948", "scan all documents"),
        .init("tags has all", "scan all documents"),
        .init("not year = 1903", "scan all documents"),
        .init("title *= 19", "scan all documents"),
        .init("year = 1903 or plain = 1", "scan all documents"),
        // Each side of OR uses its own index.
        .init("n < 5 or year = 1903", "index n (n < 5) or index year (year = 1903)"),
        .init(
            "plain = 1 and (n < 5 or year = 1903)",
            "index n (n < 5) or index year (year = 1903)"),
        .init(
            "n = 1 or n = 2 or tags has t3",
            #"index n (n IN (1, 2)) or index tags (tags[] = "t3")"#),
        .init(
            "(n = 1 or year = 1903) kind = 1 year = 1900",
            "index kind, year (kind = 1, year = 1900)"),
        // An index has the requested order, and the first few entries are enough.
        .init("", sort: "year", limit: 5, "index year in order"),
        .init("", sort: "-year", limit: 5, "index year in order, backwards"),
        .init("plain = 1", sort: "n", limit: 5, "index n in order"),
        .init("year < 1930", sort: "n", limit: 5, "index n in order"),
        .init("year = 1903", sort: "n", limit: 5, "index year (year = 1903), keep the first"),
        .init("", sort: "year", "index year in order"),
        .init("", sort: "year,n", limit: 5, "scan all documents, keep the first"),
        .init("", sort: "plain", limit: 5, "scan all documents, keep the first"),
    ]

    @Test func `These queries have the expected plans, whose results match an exhaustive search`() throws {
        try withDocuments { store, collection in
            var model = ExpectedDocuments()
            try collection.forEach { model[$0.id] = $0.content }
            for example in Self.examples {
                let query = try example.query
                let plan = try collection.plan(query).description
                #expect(plan == example.plan, "\(example.testDescription)")
                #expect(
                    try collection.find(query).map(\.id) == NaiveQuery.answer(query, among: model),
                    "\(example.testDescription)")
            }
        }
    }

    @Test func `An explanation counts the keys, documents and results that were read`() throws {
        try withDocuments { (_, collection) throws in
            func explanation(_ condition: String, sort: String? = nil, limit: Int? = nil) throws -> [Int] {
                let query = try Example(condition, sort: sort, limit: limit, "").query
                let explanation = try collection.forEach(matching: query) { _ in true }
                return [explanation.keysExamined, explanation.documentsExamined, explanation.resultCount]
            }
            #expect(try explanation("") == [200, 200, 200])
            #expect(try explanation("", limit: 3) == [3, 3, 3])
            #expect(try explanation("", limit: 0) == [0, 0, 0])
            #expect(try explanation("plain = 1") == [200, 200, 29])
            #expect(try explanation("year = 1903") == [4, 4, 4])
            #expect(try explanation("year = 1903 plain = 1") == [4, 4, 0])
            // A document that both sides find is read once.
            #expect(try explanation("n = 196 or year = 1903") == [5, 4, 4])
            // The index scan ends at the last result.
            #expect(try explanation("", sort: "year", limit: 2) == [2, 2, 2])
            #expect(try explanation("", sort: "n", limit: 2)[2] == 2)
        }
    }

    /// Documents of which the matching ones come last in the requested order.
    @Test func `An unproductive index scan is abandoned, and the result is the same`() throws {
        let schema = Schema(collections: [
            CollectionDefinition(
                "c", indexes: [.value("kind", on: "kind"), .value("n", on: "n"), .value("both", on: "odd", "n")])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<3000 {
                    try transaction.put(
                        [
                            "id": .int(Int64(id)), "n": .int(Int64((id * 7) % 3000 / 3)),
                            "kind": (id * 7) % 3000 >= 2900 ? "late" : (id * 7) % 3000 < 100 ? "early" : "other",
                            "odd": .int(Int64(id % 2)),
                        ], in: "c")
                }
            }
            var model = ExpectedDocuments()
            try collection.forEach { model[$0.id] = $0.content }
            var leftCount = 0
            for kind in ["late", "early"] {
                for condition in ["kind = \(kind)", "kind = \(kind) and odd = 1"] {
                    for sort in ["n", "-n"] {
                        for (limit, offset) in [(5, 0), (20, 7), (1000, 0), (3, 40)] {
                            var query = Query(
                                try Filter(parsing: condition), sort: try Query.SortKey.parse(sort), limit: limit)
                            query.offset = offset
                            let expected = NaiveQuery.answer(query, among: model)
                            for plan in try collection.plans(query) where plan.identity.hasPrefix("ordered(") {
                                let options = Query.Options(hint: .plan(plan.identity))
                                var found: [DocumentID] = []
                                let explanation = try collection.forEach(matching: query, options: options) {
                                    found.append($0.id)
                                    return true
                                }
                                #expect(found == expected, "\(query) \(plan)")
                                #expect(explanation.resultCount == expected.count)
                                if explanation.didSwitchAccess { leftCount += 1 }
                                // Each page starts after the last one, wherever the index scan was abandoned.
                                var paged: [DocumentID] = []
                                var token: DocumentCollection.Page.Token?
                                var pages = query
                                pages.offset = 0
                                repeat {
                                    let page = try collection.page(pages, after: token, options: options)
                                    paged += page.documents.map(\.id)
                                    token = page.next
                                } while token != nil
                                pages.limit = nil
                                #expect(paged == NaiveQuery.answer(pages, among: model), "\(query) \(plan)")
                            }
                        }
                    }
                }
            }
            #expect(leftCount > 5)
        }
    }

    @Test func `An unproductive scan hands over to an index, and the result is the same`() throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("kind", on: "kind")])])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            // A quarter of them is of the kind, and all of these come last.
            try store.write { transaction in
                for id in 0..<4000 {
                    let kind = id < 3000 ? "early" : "late"
                    try transaction.put(
                        ["id": .int(Int64(id)), "kind": .string(kind), "odd": .int(Int64(id % 2))], in: "c")
                }
            }
            var leftCount = 0
            for condition in ["kind = late", "kind = late and odd = 1", "kind = early"] {
                for (limit, offset) in [(5, 0), (20, 7), (600, 30)] {
                    var query = Query(try Filter(parsing: condition), limit: limit)
                    query.offset = offset
                    func answer(_ options: Query.Options) throws -> (ids: [DocumentID], execution: Plan.Execution) {
                        var ids: [DocumentID] = []
                        let explanation = try collection.forEach(matching: query, options: options) {
                            ids.append($0.id)
                            return true
                        }
                        return (ids, explanation)
                    }
                    let planned = try answer(Query.Options())
                    let scanned = try answer(Query.Options(hint: .plan("scan")))
                    #expect(planned.ids == scanned.ids)
                    #expect(!scanned.execution.didSwitchAccess)
                    guard planned.execution.didSwitchAccess else { continue }
                    leftCount += 1
                    #expect(planned.execution.documentsExamined < scanned.execution.documentsExamined)
                    let text = "\(try collection.explain(query))"
                    #expect(text.contains("the scan found too few results; the rest came from index(kind)"))
                    // Each page starts after the last one, wherever the scan was abandoned.
                    var pages = query
                    pages.offset = 0
                    let first = try collection.page(pages)
                    let second = try collection.page(pages, after: first.next)
                    pages.limit = 2 * limit
                    #expect((first.documents + second.documents).map(\.id) == (try collection.find(pages)).map(\.id))
                }
            }
            #expect(leftCount > 0)
        }
    }

    @Test func `Documents with and without a location are found through the geo index`() throws {
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [.geo("gps", on: "gps"), .geo("sparse", on: "gps", sparse: true), .value("city", on: "city")])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            let places: [DocumentValue?] = [nil, .null, "nowhere", ["lat": 1, "lon": 2], ["lat": 91, "lon": 2], []]
            try store.write { transaction in
                for id in 0..<240 {
                    var document: DocumentObject = ["id": .int(Int64(id))]
                    if let place = places[id % places.count] { document["gps"] = place }
                    if id % 5 > 0 { document["city"] = "x" }
                    try transaction.put(document, in: "c")
                }
            }
            func count(_ condition: String) throws -> Int { try collection.count(where: Filter(parsing: condition)) }
            #expect(try count("gps missing") == 40)
            #expect(try count("gps exists") == 200)
            #expect(try count("gps exists and city missing") == (0..<240).count { $0 % 6 > 0 && $0 % 5 == 0 })
            let plans = try collection.plans(Query(Filter(parsing: "gps missing"))).map(\.identity)
            #expect(plans.contains("index(gps)") && !plans.contains("index(sparse)"))
            let exact = try collection.plans(Query(Filter(parsing: "gps exists and city missing")))
            #expect(exact.contains { $0.identity.hasPrefix("intersection(") && $0.isExact })
        }
    }

    @Test(arguments: [
        Query(), Query(sort: [.ascending("year")], limit: 100), Query(sort: [.ascending("plain")]),
        Query(.compare("kind", .equal, 1)),
    ])
    func `A visit ends when its closure says so or throws`(query: Query) throws {
        struct Stop: Error {}
        try withDocuments { _, collection in
            let all = try collection.find(query)
            for count in [1, 2, 50] {
                var visited: [Document] = []
                let explanation = try collection.forEach(matching: query) {
                    visited.append($0)
                    return visited.count < count
                }
                #expect(visited == Array(all.prefix(count)))
                #expect(explanation.resultCount == count)
                visited = []
                #expect(throws: Stop.self) {
                    try collection.forEach(matching: query) {
                        visited.append($0)
                        if visited.count == count { throw Stop() }
                        return true
                    }
                }
                #expect(visited == Array(all.prefix(count)))
            }
        }
    }

    @Test func `Limits and offsets of any size select a slice of the whole result`() throws {
        try withDocuments { _, collection in
            for sort: [Query.SortKey] in [[], [.ascending("year")], [.descending("plain"), .ascending("n")]] {
                let all = try collection.find(Query(sort: sort))
                #expect(all.count == 200)
                for offset in [0, 1, 2, 3, 199, 200, 201, .max / 2, .max] {
                    for limit in [0, 1, 2, 7, 199, 200, 201, .max / 4, .max / 2 - 1, .max / 2, .max] {
                        let found = try collection.find(Query(sort: sort, limit: limit, offset: offset))
                        #expect(found == Array(all.dropFirst(offset).prefix(limit)), "\(limit), \(offset)")
                    }
                    #expect(try collection.find(Query(sort: sort, offset: offset)) == Array(all.dropFirst(offset)))
                }
            }
        }
    }

    @Test func `The first of many sorted documents are found without keeping all`() throws {
        // More documents than the sorter collects before it truncates.
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c")])) { store in
            var random = TestRun.random(stream: 40)
            let numbers = (0..<2500).map { Int64($0) }.shuffled(using: &random)
            try store.write { transaction in
                for (id, number) in numbers.enumerated() {
                    try transaction.put(["id": .int(Int64(id)), "n": .int(number)], in: "c")
                }
            }
            let found = try store.collection("c").find(Query(sort: [.descending("n")], limit: 10, offset: 5))
            let expected: [DocumentValue?] = (2485...2494).reversed().map { .int($0) }
            #expect(found.map { $0["n"] } == expected, "\(TestRun.repetition)")
        }
    }

    @Test func `An empty collection returns empty results`() throws {
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            for collection in store.collections {
                for query in [
                    Query(), Query(sort: [.ascending("year")], limit: 3), Query(.compare("year", .equal, 1)),
                    Query(.not(.exists("n"))),
                ] {
                    #expect(try collection.find(query).isEmpty)
                    #expect(try collection.count(where: query.filter) == 0)
                }
            }
        }
    }

    @Test func `Index sizes are reported for each index`() throws {
        try withDocuments { store, collection in
            let names = try collection.indexSizes().map(\.name)
            #expect(names == ["year", "kind", "kind, year", "tags", "n", "title", "text"])
            #expect(try store.collection("bare").indexSizes().isEmpty)
        }
    }
}
