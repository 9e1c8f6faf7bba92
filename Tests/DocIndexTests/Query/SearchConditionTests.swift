import DocIndex
import TestSupport
import Testing

/// Text searches within conditions: with any other condition, order and plan.
@Suite struct SearchConditionTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("n", on: "n"), .value("kind", on: "kind", "n"),
                .value("note", on: .field("note", order: .descending)),
                .geo("place", on: "gps"), .text("words", on: "title", "captions[]"),
            ])
    ])

    private static let words = ["fog", "rain", "sea", "gate", "golden", "bridge", "old", "new", "street", "harbour"]
    private static let searches = [
        "fog", "bridge", "golden gate", "\"golden gate\"", "sea OR rain", "fog -rain", "fog rain sea", "absent",
        "street OR \"old bridge\"", "harbour -gate -new",
    ]
    private static let conditions = [
        "n < 10", "kind = 1", "kind = 2 and n >= 15", "note exists", "gps near 10,10,2000", "n in (1, 5, 9, 13)",
        "not kind = 0", "title missing", "note mod 3, 1",
    ]

    private static func document(_ id: Int, _ random: inout SplitMix64) -> DocumentObject {
        func text() -> DocumentValue {
            .string((0..<random.number(below: 5)).map { _ in random.pick(words) }.joined(separator: " "))
        }
        var document: DocumentObject = [
            "id": .int(Int64(id)), "n": .int(Int64(random.number(below: 20))),
            "kind": .int(Int64(random.number(below: 3))),
        ]
        if !random.once(in: 4) { document["title"] = text() }
        if random.once(in: 2) { document["captions"] = .array((0..<random.number(below: 3)).map { _ in text() }) }
        if random.once(in: 2) { document["note"] = .int(Int64(random.number(below: 50))) }
        if random.once(in: 2) {
            document["gps"] = [
                "lat": .double(Double(random.number(below: 40))), "lon": .double(Double(random.number(below: 40))),
            ]
        }
        return document
    }

    /// A condition that contains a search half the time.
    private static func filter(_ random: inout SplitMix64, depth: Int = 2) throws -> Filter {
        if depth > 0 {
            switch random.number(below: 6) {
            case 0, 1:
                return .and([try filter(&random, depth: depth - 1), try filter(&random, depth: depth - 1)])
            case 2: return .or([try filter(&random, depth: depth - 1), try filter(&random, depth: depth - 1)])
            case 3: return .not(try filter(&random, depth: depth - 1))
            default: break
            }
        }
        return random.once(in: 2)
            ? try .search(random.pick(searches)) : try Filter(parsing: random.pick(conditions))
    }

    private static func sort(_ random: inout SplitMix64) throws -> [Query.SortKey] {
        try Query.SortKey.parse(random.pick(["n", "-n", "-note", "kind,-n", "id", "-kind"]))
    }

    /// Changes some documents, so that postings are in segments and in memory, and some are deleted.
    private static func change(
        _ model: inout ExpectedDocuments, in store: DocumentStore, count: Int, _ random: inout SplitMix64
    ) throws {
        try store.write { transaction in
            var touched: Set<Int> = []
            for _ in 0..<count {
                let number = random.number(below: 200)
                guard touched.insert(number).inserted else { continue }
                let id = DocumentID.int(Int64(number))
                if random.once(in: 4) {
                    try transaction.delete(id, in: "c")
                    model[id] = nil
                } else {
                    let content = document(number, &random)
                    try transaction.put(content, in: "c")
                    model[id] = content
                }
            }
        }
    }

    /// Prefixes of the identities of plans that must have been compared.
    private static let ways: Set<String> = ["scan", "search", "union", "intersection", "ordered"]

    @Test func `Searches combine with every condition, order and plan`() throws {
        var random = TestRun.random(stream: 120)
        var ways: Set<String> = []
        var nonempty = 0
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            var model = ExpectedDocuments()
            let rounds = TestRun.rounds(120, long: 4000)
            // Further rounds make up for what some miss.
            for round in 0..<10 * rounds where round < rounds || !ways.isSuperset(of: Self.ways) || nonempty <= 30 {
                if round % 10 == 0 { try Self.change(&model, in: store, count: 60, &random) }
                var query = Query(try Self.filter(&random))
                if random.once(in: 2) { query.sort = try Self.sort(&random) }
                if random.once(in: 2) { query.limit = random.pick([1, 3, 10, 40]) }
                if random.once(in: 4) { query.offset = random.pick([1, 5]) }
                let expected = NaiveQuery.answer(query, among: model)
                for plan in try collection.plans(query) {
                    let options = Query.Options(hint: .plan(plan.identity))
                    let found = try collection.find(query, options: options).map(\.id)
                    #expect(found == expected, "\(query.filter), \(query.sort), \(plan), \(TestRun.repetition)")
                    ways.insert(String(plan.identity.prefix { $0 != "(" }))
                    if query.limit == nil, query.offset == 0 {
                        let count = try collection.count(where: query.filter)
                        #expect(count == expected.count, "\(query.filter), \(TestRun.repetition)")
                    }
                }
                if !expected.isEmpty, query.filter.description.contains("SEARCH") { nonempty += 1 }
            }
        }
        #expect(ways.isSuperset(of: Self.ways), "\(ways)")
        #expect(nonempty > 30)
    }

    @Test func `Best-first order works with any other condition and plan, page by page`() throws {
        var random = TestRun.random(stream: 121)
        var ways: Set<String> = []
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            var model = ExpectedDocuments()
            for round in 0..<TestRun.rounds(60, long: 2000) {
                if round % 10 == 0 { try Self.change(&model, in: store, count: 80, &random) }
                let search = random.pick(Self.searches)
                let other = random.once(in: 4) ? Filter.all : try Self.filter(&random, depth: 0)
                // Scores of the search alone, if the other condition contributes none.
                guard other.description.contains("SEARCH") == false else { continue }
                let ranked = try collection.search(search, limit: nil).map(\.document)
                let expected = ranked.filter { NaiveQuery.holds(other, for: $0.content) }.map(\.id)
                let query = Query(.and([try .search(search), other]), sort: [.bestFirst])
                for plan in try collection.plans(query) {
                    let options = Query.Options(hint: .plan(plan.identity))
                    let comment: Comment = "\(query.filter), \(plan), \(TestRun.repetition)"
                    #expect(try collection.find(query, options: options).map(\.id) == expected, comment)
                    var some = query
                    some.limit = 3
                    some.offset = 1
                    let found = try collection.find(some, options: options).map(\.id)
                    #expect(found == Array(expected.dropFirst().prefix(3)), comment)
                    var paged: [DocumentID] = []
                    some.offset = 0
                    var page = try collection.page(some, options: options)
                    paged += page.documents.map(\.id)
                    while let next = page.next {
                        page = try collection.page(some, after: next, options: options)
                        paged += page.documents.map(\.id)
                    }
                    #expect(paged == expected, comment)
                    ways.insert(String(plan.identity.prefix { $0 != "(" }))
                }
                let worstFirst = Query(.and([try .search(search), other]), sort: [Query.SortKey(.score)])
                #expect(Set(try collection.find(worstFirst).map(\.id)) == Set(expected))
            }
        }
        #expect(ways.isSuperset(of: ["ranked", "scan", "search"]), "\(ways)")
    }

    @Test func `A document that matches only an alternative without a search scores zero and comes last`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "n": 5, "title": "sea"])
            try collection.put(["id": 2, "n": 1, "title": "fog at sea, and more words"])
            try collection.put(["id": 3, "n": 1, "title": "fog fog"])
            let query = Query(try Filter(parsing: "search 'fog' or n = 5"), sort: [.bestFirst])
            #expect(try collection.find(query).map(\.id) == [3, 2, 1])
            let both = Query(try Filter(parsing: "search 'fog' (search 'sea' or n = 1)"), sort: [.bestFirst])
            let either = try collection.search("fog OR sea").map(\.document.id)
            #expect(try collection.find(both).map(\.id) == either.filter { $0 != 1 })
        }
    }

    @Test func `Three notations of a search give the same condition, which can be saved`() throws {
        let text = try Filter(
            parsing: "search 'fog \"golden gate\"' and not search :typed", parameters: ["typed": "rain"])
        let swift = try Filter.search("fog \"golden gate\"") && !(try Filter.search("rain"))
        let selector = try Filter(
            selector: #"{"$and": [{"$text": "fog \"golden gate\""}, {"$not": {"$text": "rain"}}]}"#)
        #expect(text == swift && selector == swift)
        #expect(try Filter(parsing: text.description) == text)
        let query = Query(text, sort: [.bestFirst, .ascending("n")], limit: 5)
        #expect(try DocumentDecoder().decode(Query.self, from: DocumentEncoder().encode(query)) == query)
        #expect(try Query.SortKey.parse("-@score,n") == query.sort)
        // A field with that name is an ordinary field.
        #expect(try Filter(parsing: "search = fog") == .compare("search", .equal, "fog"))
        #expect(
            try Filter(parsing: "search exists search *= 'x'").description == "search EXISTS AND search *= \"x\"")
    }

    @Test func `A search that cannot be run is rejected`() throws {
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("c")])) { store in
            let collection = try store.collection("c")
            expectFailure(.unknownIndex, containing: "text index") {
                _ = try collection.find(Query(try .search("fog")))
            }
            expectFailure(.invalidQuery, containing: "search") { _ = try collection.find(Query(sort: [.bestFirst])) }
            let negative = Query(.not(try .search("fog")), sort: [.bestFirst])
            expectFailure(.invalidQuery, containing: "search") { _ = try collection.find(negative) }
            expectFailure(.invalidQuery, containing: "live query") {
                _ = try collection.observe(Query(try .search("fog"), sort: [.bestFirst]))
            }
        }
        expectFailure(.invalidQuery, containing: "character 8") { _ = try Filter(parsing: "search '\"fog'") }
        expectFailure(.invalidQuery, containing: "ANY") { _ = try Filter(parsing: "people any (search 'fog')") }
        expectFailure(.invalidQuery, containing: "$text") { _ = try Filter(selector: #"{"a": {"$text": "fog"}}"#) }
        expectFailure(.invalidQuery, containing: "partial") {
            _ = try IndexDefinition.Condition(parsing: "search 'fog'")
        }
    }

    @Test func `A search is explained`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<500 {
                    try transaction.put(
                        ["id": .int(Int64(id)), "n": .int(Int64(id)), "title": .string("fog \(id)")], in: "c")
                }
            }
            let best = try collection.explain(Query(try .search("fog"), sort: [.bestFirst], limit: 5))
            #expect(best.plan.identity == "ranked(words)" && best.plan.description.contains("SEARCH \"fog\""))
            #expect(best.json["plan"]?.objectValue?["op"] == "ranked")
            #expect(best.actual.documentsExamined == 0 && best.actual.resultCount == 5)
            let few = try collection.explain(Query(try Filter(parsing: "search 'fog' and n < 3")))
            #expect(few.plan.indexNames.contains("n"))
            #expect(few.actual.resultCount == 3)
            #expect(try collection.explain(Query(try .search("17"))).plan.identity == "search(words)")
        }
    }

    @Test func `In memory, a search covers every string of the document`() throws {
        var random = TestRun.random(stream: 122)
        var found = 0
        for id in 0..<300 {
            let document = Self.document(id, &random)
            for search in Self.searches {
                let filter = try Filter.search(search)
                #expect(
                    filter.matches(document) == NaiveQuery.holds(filter, for: document), "\(document) \(search)")
                if filter.matches(document) { found += 1 }
            }
        }
        #expect(found > 200)
        let document: DocumentObject = ["title": "golden old gate", "tags": ["harbor", "fog"]]
        for (search, isThere) in [
            ("title:gate", true), ("tags:gate", false), ("\"gate golden\"~1", true), ("\"gate golden\"~0", false),
            ("harbour~1", true), ("barbor~1", false), ("harb*", true), ("gol* -fog", false), ("+fog absent", true),
        ] { #expect(try Filter.search(search).matches(document) == isThere, "\(search)") }
    }

    @Test(arguments: ["search 'fog'", "search 'fog -rain' and n < 15", "search '\"golden gate\"' or kind = 1"])
    func `A live result follows a search`(condition: String) async throws {
        var random = TestRun.random(stream: 123)
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let collection = try store.collection("c")
        let query = Query(try Filter(parsing: condition), sort: [.ascending("n")], limit: 8)
        var model = ExpectedDocuments()
        var updates = try collection.observe(query).makeAsyncIterator()
        var shown: [Document] = []
        try #require(try await updates.next()).apply(to: &shown)
        for _ in 0..<TestRun.rounds(25, long: 500) {
            let before = shown
            try Self.change(&model, in: store, count: random.pick([1, 5, 30]), &random)
            let after = try collection.find(query)
            #expect(after.map(\.id) == NaiveQuery.answer(query, among: model), "\(TestRun.repetition)")
            if after == before { continue }
            try #require(try await updates.next()).apply(to: &shown)
            #expect(shown == after, "\(condition), \(TestRun.repetition)")
        }
        try store.close()
    }
}
