import DocIndex
import TestSupport
import Testing

/// The limits of text queries: neither an input nor a query built by a program exhausts the stack or stalls a search.
@Suite struct TextQueryLimitTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.text("words", on: "title", .field("code", analyzer: .ngrams))])
    ])

    /// Returns a query in which `wrap` is applied `depth` times to a word.
    private static func nested(_ depth: Int, _ wrap: (TextQuery) -> TextQuery) -> TextQuery {
        (1..<depth).reduce(.word("fog")) { query, _ in wrap(query) }
    }

    private static let wraps: [@Sendable (TextQuery) -> TextQuery] = [
        { .and([$0, .word("rain")]) }, { .or([.word("rain"), $0]) }, { .except($0, .word("rain")) },
        { .except(.word("rain"), $0) }, { .prefer($0, .word("rain")) }, { .field("title", $0) }, { .boost($0, 1.01) },
    ]

    @Test(arguments: [
        "a:", "(", "((", "a:(", "-(", "NOT (", "+(", "\"a\" (", "(a OR ", "a:(b -c:(", "(x^2 ", "-", "+", "a:\"", "^",
        "~",
    ])
    func `No nesting in a search overflows a small stack`(piece: String) throws {
        for tail in ["x", "", ")", "\""] {
            let text = String(repeating: piece, count: 20_000) + tail
            let isRead = withSmallStack {
                _ = try? TextQuery(parsing: text)
                _ = TextQuery(forgiving: text)
                _ = TextQuery(forgiving: text, fields: ["a", "b"])
                return true
            }
            #expect(isRead == true)
        }
    }

    @Test func `Fields and parentheses may be nested 64 levels in total and no deeper`() throws {
        func fields(_ depth: Int) -> String { String(repeating: "a:", count: depth) + "x" }
        #expect(throws: Never.self) { try TextQuery(parsing: fields(63)) }
        expectFailure(.invalidQuery, containing: "64 deep") { try TextQuery(parsing: fields(64)) }
        let error = expectFailure(.invalidQuery, containing: "64 deep", "character") {
            try TextQuery(parsing: String(repeating: "a:(", count: 40) + "x" + String(repeating: ")", count: 40))
        }
        #expect(error?.position != nil)
    }

    @Test func `A query has at most 4096 words, including those in phrases`() throws {
        func words(_ count: Int) -> String { (0..<count).map { "w\($0)" }.joined(separator: " ") }
        #expect(throws: Never.self) { try TextQuery(parsing: words(4096)) }
        let tooMany = [
            words(4097), words(4097).replacing(" ", with: " OR "), "\"\(words(4097))\"", "\"\(words(4097))\"~3",
            words(4097).replacing(" ", with: "-"), "a -(\(words(4097)))",
        ]
        for text in tooMany {
            expectFailure(.queryTooLarge, containing: "4096", "4097") { try TextQuery(parsing: text) }
        }
    }

    @Test func `A query has at most 64 prefixes and fuzzy words`() throws {
        func expansions(_ count: Int, _ mark: String) -> String {
            (0..<count).map { "word\($0)\(mark)" }.joined(separator: " OR ")
        }
        for mark in ["*", "~", "~2"] {
            #expect(throws: Never.self) { try TextQuery(parsing: expansions(64, mark)) }
            expectFailure(.queryTooLarge, containing: "64", "65") { try TextQuery(parsing: expansions(65, mark)) }
        }
    }

    @Test func `A query has at most 65536 bytes`() throws {
        #expect(throws: Never.self) { try TextQuery(parsing: String(repeating: "x", count: 65_536)) }
        expectFailure(.queryTooLarge, containing: "65536", "65537") {
            try TextQuery(parsing: String(repeating: "x", count: 65_537))
        }
    }

    @Test func `For input beyond the limits, the forgiving form searches for the first words`() throws {
        let many = (0..<5000).map { "w\($0)" }.joined(separator: " ")
        guard case .and(let parts) = TextQuery(forgiving: many) else {
            Issue.record("no conjunction")
            return
        }
        #expect(parts.content.count == 4096)
        #expect(parts.content.first == .word("w0") && parts.content.last == .word("w4095"))
        #expect(TextQuery(forgiving: String(repeating: "a:", count: 3000) + "fog").isRead)
        #expect(TextQuery(forgiving: String(repeating: "fog ", count: 100_000)).isRead)
    }

    @Test func `A query that a program nests too deeply is rejected wherever it is used`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "title": "fog and rain", "code": "fog"])
            for wrap in Self.wraps {
                _ = try collection.search(Self.nested(64, wrap))
                Self.expectRefusal(of: Self.nested(65, wrap), by: collection)
            }
        }
    }

    @Test func `A query nested a million levels is built, rejected and released on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for wrap in Self.wraps {
                let isRejected = withSmallStack {
                    let deep = Self.nested(1_000_000, wrap)
                    guard deep == wrap(deep), deep.hashValue == wrap(deep).hashValue else { return false }
                    do {
                        _ = try collection.search(deep)
                        return false
                    } catch {
                        return (error as? DocIndexError)?.code == .queryTooLarge
                    }
                }
                #expect(isRejected == true)
            }
        }
    }

    private static func expectRefusal(of query: TextQuery, by collection: DocumentCollection) {
        let other = "id" |= "1"
        expectFailure(.queryTooLarge, containing: "64 deep") { try collection.search(query) }
        expectFailure(.queryTooLarge, containing: "64 deep") { try collection.search(query, where: other) }
        expectFailure(.queryTooLarge, containing: "64 deep") { try collection.count(matching: query) }
        expectFailure(.queryTooLarge, containing: "64 deep") { try collection.count(matching: query) }
        expectFailure(.queryTooLarge, containing: "64 deep") { try collection.rank(query) }
        let marked = TextMarking(before: "[", after: "]").marked("fog", for: query)
        #expect(marked == "fog")
    }

    @Test func `Queries of the maximum depth are answered on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "title": "fog and rain", "code": "fog"])
            try collection.put(["id": "2", "title": "rain", "code": "rain"])
            for wrap in Self.wraps {
                let query = Self.nested(64, wrap)
                let isAnswered = withSmallStack {
                    do {
                        _ = try collection.search(query)
                        _ = try collection.search(query, where: "title" |= "rain")
                        _ = try collection.count(matching: query)
                        _ = TextMarking(before: "[", after: "]").marked("fog and rain", for: query)
                        return query == query && query.hashValue == query.hashValue
                    } catch {
                        return false
                    }
                }
                #expect(isAnswered == true)
            }
        }
    }

    private static func words(_ numbers: Range<Int>) -> [TextQuery] { numbers.map { .word("w\($0)") } }

    private static func prefixes(_ count: Int) -> [TextQuery] { (0..<count).map { .prefix("harbor\($0)") } }

    private static func fuzzyWords(_ count: Int) -> [TextQuery] {
        (0..<count).map { .fuzzy("harbor\($0)", distance: 2) }
    }

    /// Queries of 4,097 words.
    private static let tooManyWords: [TextQuery] = [
        .or(words(0..<4097)), .and(words(0..<4097)), .except(.word("fog"), .or(words(0..<4096))),
        .prefer(.and(words(0..<2048)), .field("title", .or(words(0..<2049)))),
        .or((0..<4097).map { TextQuery.phrase("w\($0)") }), .and((0..<4097).map { TextQuery.near("w\($0)", slop: 2) }),
        .phrase((0..<4097).map { "w\($0)" }.joined(separator: " ")),
        .and([.word("fog"), .near((0..<4096).map { "w\($0)" }.joined(separator: " "), slop: 2)]),
    ]

    /// Queries of 65 prefixes and fuzzy words.
    private static let tooManyExpansions: [TextQuery] = [
        .or(prefixes(65)), .and(fuzzyWords(65)), .or(prefixes(33) + fuzzyWords(32)),
        .field("title", .except(.or(prefixes(64)), .boost(.fuzzy("fog", distance: nil), 2))),
    ]

    /// Queries of more than 65,536 bytes.
    private static let tooManyBytes: [TextQuery] = [
        .phrase(String(repeating: "x", count: 65_537)), .near(String(repeating: "ab ", count: 30_000), slop: 3),
        .or(Array(repeating: TextQuery.word(String(repeating: "x", count: 13_200)), count: 5)),
    ]

    /// Returns the calls that do not reject a query by naming the limit.
    private static func callsThatAnswer(
        _ query: TextQuery, beyond limit: Int, in collection: DocumentCollection
    ) -> [String] {
        let other = "id" |= "1"
        let calls: [(name: String, run: () throws -> Void)] = [
            ("search", { _ = try collection.search(query) }),
            ("search with a condition", { _ = try collection.search(query, where: other) }),
            ("count", { _ = try collection.count(matching: query) }),
            ("count with a condition", { _ = try collection.count(matching: query, where: other) }),
            ("count up to a limit", { _ = try collection.count(matching: query, upTo: 1000) }),
            ("rank", { _ = try collection.rank(query) }),
            ("forEachHit", { try collection.forEachHit(query) { _ in false } }),
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

    @Test func `A query that a program makes too wide is rejected wherever it is used`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "title": "fog and rain", "code": "fog"])
            for (limit, queries) in [
                (4096, Self.tooManyWords), (64, Self.tooManyExpansions), (65_536, Self.tooManyBytes),
            ] {
                for (number, query) in queries.enumerated() {
                    let answering = withSmallStack { Self.callsThatAnswer(query, beyond: limit, in: collection) }
                    #expect(answering?.isEmpty == true, "\(limit), query \(number): \(answering ?? [])")
                }
            }
        }
    }

    @Test func `Queries of the maximum width are answered on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            let all = (0..<4096).map { "w\($0)" }.joined(separator: " ")
            // 4,096 words of fifteen bytes, each with a space.
            let long = (0..<4096).map { "p\(10_000_000_000_000 + $0) " }.joined()
            try #require(long.utf8.count == 65_536)
            try collection.put(["id": "1", "title": "w5 w17"])
            try collection.put(["id": "2", "title": .string(all)])
            try collection.put(["id": "3", "title": "fog"])
            try collection.put(["id": "4", "title": "harbor5tail herbor17"])
            try collection.put(["id": "5", "title": .string(long)])
            let queries: [(query: TextQuery, ids: Set<DocumentID>)] = [
                (TextQuery.or(Self.words(0..<4096)), ["1", "2"]), (TextQuery.and(Self.words(0..<4096)), ["2"]),
                (TextQuery.except(.word("fog"), TextQuery.or(Self.words(0..<4095))), ["3"]),
                (TextQuery.or(Self.prefixes(64)), ["4"]), (TextQuery.or(Self.fuzzyWords(64)), ["4"]),
                (TextQuery.phrase(long), ["5"]),
            ]
            for (number, (query, ids)) in queries.enumerated() {
                // In one field: the n-grams of the other would be too many terms.
                let found = withSmallStack { Self.found(.field("title", query), in: collection) }
                #expect(found == ids, "query \(number)")
            }
        }
    }

    /// Returns the documents that a query finds; none if it fails or if counting it gives another number.
    private static func found(_ query: TextQuery, in collection: DocumentCollection) -> Set<DocumentID> {
        do {
            let found = Set(try collection.search(query, limit: nil).map(\.document.id))
            return try collection.count(matching: query) == found.count ? found : []
        } catch {
            print(error)
            return []
        }
    }

    @Test func `The number of terms that a query looks up is limited`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": "1", "title": "fog", "code": "abcabcabc"])
            // Every three characters form a term of the second field.
            let long = String(repeating: "abcdefgh", count: 1100)
            expectFailure(.queryTooLarge, containing: "8192", "words") { try collection.search(.word(long)) }
            #expect(try collection.search(.word("abcabc")).count == 1)
        }
    }
}

extension TextQuery {
    fileprivate var isRead: Bool { self != .nothing }
}

extension String {
    /// Returns a condition for a test.
    fileprivate static func |= (path: String, value: String) -> DocIndex.Filter {
        .compare(FieldPath(names: path), .equal, .string(value))
    }
}
