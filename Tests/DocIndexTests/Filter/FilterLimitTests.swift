import DocIndex
import TestSupport
import Testing

/// The limits of conditions: neither a notation nor a condition built by a program exhausts the stack or stalls the
/// planner.
@Suite struct FilterLimitTests {
    private static let leaf = Filter.compare("a", .equal, 1)

    private static let wraps: [@Sendable (Filter) -> Filter] = [
        { .and([$0, leaf]) }, { .or([leaf, $0]) }, { .not($0) }, { .anyElement("list", $0) }, { .and([$0]) },
        { .or([.not($0), .compare("b", .less, 2)]) }, { .and([.anyElement("list", $0), .exists("c")]) },
    ]

    private static func nested(_ depth: Int, _ wrap: (Filter) -> Filter) -> Filter {
        var filter = leaf
        while depthOf(wrap(filter)) <= depth { filter = wrap(filter) }
        return filter
    }

    private static func depthOf(_ filter: Filter) -> Int {
        switch filter {
        case .and(let parts), .or(let parts): 1 + (parts.content.map(depthOf).max() ?? 0)
        case .not(let part), .anyElement(_, let part): 1 + depthOf(part.content)
        default: 1
        }
    }

    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("a", on: "a"), .value("v", on: "v"), .value("part", on: "a", where: "b > 2 or c exists"),
                .value("list", on: "list[].a"), .text("words", on: "title"),
            ])
    ])

    @Test(arguments: [
        "(", "NOT ", "NOT (", "a ANY (", "a = 1 AND (", "(a = 1 OR ", "a ANY (b = 1 or c ANY (", "month(", "a IN (",
        "@[", "-",
        "a.", "\"", "json '[", "a = json \"{", "a MATCHES /(", "SEARCH \"(", "a NEAR ",
    ])
    func `No nesting in a condition overflows a small stack`(piece: String) throws {
        for tail in ["b = 1", "", ")", "\""] {
            let text = String(repeating: piece, count: 20_000) + tail
            #expect(withSmallStack { (try? Filter(parsing: text)).map { !$0.description.isEmpty } ?? true } == true)
        }
    }

    @Test(arguments: [
        "{\"$not\":", "{\"$and\":[", "{\"$or\":[{\"a\":1},", "{\"$nor\":[", "{\"a\":{\"$elemMatch\":",
        "{\"a\":{\"$allMatch\":",
        "{\"a\":", "{\"a\":{\"$not\":", "{\"a\":{\"$eq\":[", "[", "{\"a\":{\"$in\":[{\"b\":",
    ])
    func `No nesting in a selector overflows a small stack`(piece: String) throws {
        for count in [15, 20, 30, 60, 63, 64, 65, 100, 250, 509, 20_000] {
            for core in ["{\"a\":1}", "1", "{}"] {
                let ends = String(piece.reversed().compactMap { ["{": "}", "[": "]"][$0] as Character? })
                let text = String(repeating: piece, count: count) + core + String(repeating: ends, count: count)
                let isSound = withSmallStack {
                    guard let filter = try? Filter(selector: text) else { return true }
                    let read = try? Filter(parsing: filter.description)
                    return filter.matches(["a": [["a": 1]]]) || read != filter || true
                }
                #expect(isSound == true, "\(piece) \(count)")
            }
        }
    }

    @Test func `Conditions of the maximum depth are answered on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for id in 0..<20 {
                try collection.put(["id": .int(Int64(id)), "a": .int(Int64(id % 3)), "list": [["a": 1]]])
            }
            for wrap in Self.wraps {
                let filter = Self.nested(Filter.maximumDepth, wrap)
                let isAnswered = withSmallStack {
                    do {
                        _ = try collection.find(Query(filter, sort: [.ascending("a")], limit: 5))
                        _ = try collection.count(where: filter)
                        _ = try collection.facets("a", where: filter)
                        _ = try collection.distinct("v", where: filter)
                        _ = try collection.explain(Query(filter))
                        _ = filter.matches(["a": 1, "list": [["a": 1]]])
                        return filter == filter && filter.hashValue == filter.hashValue
                    } catch {
                        print(error)
                        return false
                    }
                }
                #expect(isAnswered == true)
            }
        }
    }

    @Test func `A condition that a program nests too deeply is rejected wherever it is used`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "a": 1, "title": "fog"])
            for depth in [129, 2000] {
                let deep = (0..<depth).reduce(Self.leaf) { filter, _ in .not(filter) }
                let query = Query(deep)
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.find(query) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.count(where: deep) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.page(query) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.plan(query) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.explain(query) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.facets("a", where: deep) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.distinct("a", where: deep) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.observe(query) }
                expectFailure(.queryTooLarge, containing: "128 deep") { try collection.search("fog", where: deep) }
                #expect(!deep.matches(["a": 1]))
                #expect(deep.description.contains("…"))
            }
        }
    }

    @Test func `A condition nested a million levels is built, rejected and released on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for wrap in Self.wraps {
                let isRejected = withSmallStack {
                    var deep = Self.leaf
                    for _ in 0..<1_000_000 { deep = wrap(deep) }
                    guard !deep.matches(["a": 1]), deep == wrap(deep), deep.hashValue == wrap(deep).hashValue,
                        deep.description.contains("…")
                    else { return false }
                    do {
                        _ = try collection.find(Query(deep && .exists("a")))
                        return false
                    } catch {
                        return (error as? DocIndexError)?.code == .queryTooLarge
                    }
                }
                #expect(isRejected == true)
            }
        }
    }

    @Test func `Conditions joined by operators in a loop are not nested`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for id in 0..<10 { try collection.put(["id": .int(Int64(id)), "a": .int(Int64(id))]) }
            var anyOf = Filter.compare("a", .equal, 0)
            var allOf = Filter.compare("a", .greater, -1)
            for number in 1..<2000 {
                anyOf = anyOf || .compare("a", .equal, .int(Int64(2 * number)))
                allOf = allOf && .not(.compare("a", .equal, .int(Int64(1000 + number))))
            }
            #expect(try collection.count(where: anyOf) == 5)
            #expect(try collection.count(where: allOf) == 10)
            #expect(!(!anyOf) == anyOf)
        }
    }

    @Test func `A query has at most 10000 conditions`() throws {
        func conditions(_ count: Int, _ word: String) -> String {
            (0..<count).map { "f\($0 % 500) > \($0)" }.joined(separator: word)
        }
        for word in [" OR ", " AND ", " "] {
            #expect(throws: Never.self) { try Filter(parsing: conditions(10_000, word)) }
            expectFailure(.queryTooLarge, containing: "10000", "10001") {
                try Filter(parsing: conditions(10_001, word))
            }
        }
        expectFailure(.queryTooLarge, containing: "10000") { try Filter(parsing: conditions(200_000, " OR ")) }
        let selector = (0..<10_001).map { "{\"a\":\($0)}" }.joined(separator: ",")
        expectFailure(.queryTooLarge, containing: "10000") { try Filter(selector: "{\"$or\":[\(selector)]}") }
    }

    private static func conditions(_ numbers: Range<Int>) -> [Filter] {
        numbers.map { .compare("v", .equal, .int(Int64($0))) }
    }

    private static func values(_ numbers: Range<Int>) -> [DocumentValue] { numbers.map { .int(Int64($0)) } }

    /// Filters of 10,001 conditions.
    private static let tooManyConditions: [Filter] = [
        .or(conditions(0..<10_001)), .and(conditions(0..<10_001)),
        .and([.or(conditions(0..<5000)), .not(.or(conditions(5000..<10_001)))]),
        // The condition on the array counts as well.
        .anyElement("list", .or(conditions(0..<10_000))), .or(Array(repeating: Filter.none, count: 10_001)),
    ]

    /// Filters whose lists have 100,001 values.
    private static let tooManyValues: [Filter] = [
        .isIn("v", values(0..<100_001)), .not(.isIn("v", values(0..<100_001))),
        .and([.isIn("v", values(0..<50_000)), .isIn("a", values(0..<50_001))]),
        .anyElement("list", .isIn("a", values(0..<100_001))),
    ]

    /// Returns the calls that do not reject a condition by naming the limit.
    private static func callsThatAnswer(
        _ filter: Filter, beyond limit: Int, in collection: DocumentCollection
    ) -> [String] {
        let query = Query(filter)
        let calls: [(name: String, run: () throws -> Void)] = [
            ("find", { _ = try collection.find(query) }), ("count", { _ = try collection.count(where: filter) }),
            ("page", { _ = try collection.page(query) }), ("plan", { _ = try collection.plan(query) }),
            ("explain", { _ = try collection.explain(query) }), ("observe", { _ = try collection.observe(query) }),
            ("facets", { _ = try collection.facets("a", where: filter) }),
            ("distinct", { _ = try collection.distinct("a", where: filter) }),
            ("search", { _ = try collection.search("fog", where: filter) }),
        ]
        return calls.filter { !isRejected(by: limit, $0.run) }.map(\.name)
    }

    private static func isRejected(by limit: Int, _ call: () throws -> Void) -> Bool {
        do {
            try call()
            return false
        } catch {
            guard let error = error as? DocIndexError else { return false }
            return error.code == .queryTooLarge && error.message.contains("at most \(limit) ")
        }
    }

    @Test func `A condition that a program makes too wide is rejected wherever it is used`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "a": 1, "v": 1, "title": "fog"])
            for (limit, filters) in [(10_000, Self.tooManyConditions), (100_000, Self.tooManyValues)] {
                for (number, filter) in filters.enumerated() {
                    let answering = withSmallStack { Self.callsThatAnswer(filter, beyond: limit, in: collection) }
                    #expect(answering?.isEmpty == true, "\(limit), condition \(number): \(answering ?? [])")
                }
            }
        }
    }

    @Test func `Conditions of the maximum width are answered on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for id in 0..<20 { try collection.put(["id": .int(Int64(id)), "v": .int(Int64(id * 1000))]) }
            // Each with the number of documents that it finds.
            let conditions: [(filter: Filter, count: Int)] = [
                (Filter.or(Self.conditions(0..<10_000)), 10),
                (Filter.and(Self.conditions(5..<10_005).map { Filter.not($0) }), 10),
                (Filter.not(Filter.or(Self.conditions(9000..<19_000))), 10),
                (Filter.isIn("v", Self.values(500..<100_500)), 19),
                (Filter.and([.isIn("v", Self.values(0..<50_000)), .isIn("v", Self.values(3000..<53_000))]), 17),
            ]
            for (number, (filter, count)) in conditions.enumerated() {
                let found = withSmallStack { Self.counts(of: filter, in: collection) }
                #expect(found == [count, count], "condition \(number)")
            }
        }
    }

    /// Returns how many documents a condition finds, and how many it counts; nothing if it fails.
    private static func counts(of filter: Filter, in collection: DocumentCollection) -> [Int] {
        do {
            return [try collection.find(Query(filter)).count, try collection.count(where: filter)]
        } catch {
            print(error)
            return []
        }
    }

    @Test func `The lists of a query have at most 100000 values`() throws {
        func list(_ count: Int) -> String { "a IN (" + (0..<count).map { "\($0)" }.joined(separator: ",") + ")" }
        #expect(throws: Never.self) { try Filter(parsing: list(100_000)) }
        expectFailure(.queryTooLarge, containing: "100000", "100001") { try Filter(parsing: list(100_001)) }
    }
}
