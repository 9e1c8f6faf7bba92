import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// Searches, compared with an exhaustive search.
@Suite struct TextSearchTests {
    static let schema = Schema(collections: [
        CollectionDefinition(
            "c", indexes: [.value("n", on: "n"), .text("text", on: "title", "more.caption", "tags[]")])
    ])

    // MARK: - Examples

    private func withExamples(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for document: DocumentObject in [
                ["id": 1, "title": "Fog over the old bridge", "n": 1],
                ["id": 2, "title": "The Bridge", "tags": ["fog", "old"]],
                ["id": 3, "title": "bridge bridge bridge", "n": 3],
                ["id": 4, "more": ["caption": "old fog"], "tags": "bridge"],
                ["id": 5, "title": 7, "tags": [nil, 3, ["fog"]], "caption": "fog"], ["id": 6, "title": ""],
                ["id": 7, "title": "Éclair au café"],
                ["id": 8, "title": "東京タワー"], ["id": 9, "title": "fog", "tags": ["over"]], ["id": 10, "title": "!!!"],
            ] { try collection.put(document) }
            try body(collection)
        }
    }

    @Test func `A fuzzy word finds the word itself before similar ones, however often and rarely they occur`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for id in 0..<40 { try collection.put(["id": .int(Int64(id)), "title": "a monument for men, for women"]) }
            for id in 40..<43 { try collection.put(["id": .int(Int64(id)), "title": "fob fob fob fob"]) }
            let others = (0..<30).map { "w\($0)" }.joined(separator: " ")
            for id in 43..<50 { try collection.put(["id": .int(Int64(id)), "title": .string("fog \(others)")]) }
            for text in ["fog~", "fog~2", "title:fog~", "fog~ OR absent", "fog~^3", "+fog~ absent", "fog~ OR fgo~"] {
                for query in [try TextQuery(parsing: text), TextQuery(searchBox: text)] {
                    let all = try collection.search(query, limit: nil).map(\.document.id)
                    #expect(all.count == 50 && Set(all.prefix(7)) == Set((43..<50).map { .int($0) }), "\(query)")
                    #expect(try collection.search(query, limit: 7).map(\.document.id) == Array(all.prefix(7)))
                    #expect(try collection.count(matching: query) == 50)
                }
            }
            // A word that is in no document finds the similar ones.
            #expect(try collection.search("fogg~", limit: nil).count == 7)
        }
    }

    static let examples: [(String, Set<DocumentID>)] = [
        ("fog", [1, 2, 4, 9]), ("FOG", [1, 2, 4, 9]), ("bridge", [1, 2, 3, 4]), ("fog bridge", [1, 2, 4]),
        ("bridge AND fog", [1, 2, 4]),
        ("fog OR bridge", [1, 2, 3, 4, 9]), ("bridge -fog", [3]), ("bridge NOT old", [3]), ("bridge -(fog old)", [3]),
        ("none", []), ("fog none", []),
        ("fog OR none", [1, 2, 4, 9]), ("fog -none", [1, 2, 4, 9]), ("cafe", [7]), ("ECLAIR", [7]), ("京", [8]),
        ("東京", [8]), ("京東", []), ("タワ", [8]),
        // A phrase lies within one string: not across fields, and not across elements.
        ("\"old bridge\"", [1]), ("\"fog over\"", [1]), ("\"fog old\"", []), ("\"old fog\"", [4]),
        ("\"bridge bridge\"", [3]), ("\"the old bridge\"", [1]),
        ("\"bridge the\"", []), ("\"bridge bridge bridge bridge\"", []), ("\"over the\" OR \"the bridge\"", [1, 2]),
        ("fog -\"fog over\"", [2, 4, 9]),
        ("&", []), ("fog &", [1, 2, 4, 9]), ("fo", []), ("7", []),
    ]

    @Test(arguments: examples) func `A search finds these documents`(text: String, ids: Set<DocumentID>) throws {
        try withExamples { collection in
            let hits = try collection.search(text, limit: nil)
            #expect(Set(hits.map(\.document.id)) == ids)
            #expect(hits.count == ids.count)
            #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score })
            #expect(hits.allSatisfy { $0.score > 0 })
            #expect(try collection.count(matching: TextQuery(parsing: text)) == ids.count)
            for limit in 0..<4 { #expect(try collection.search(text, limit: limit) == Array(hits.prefix(limit))) }
        }
    }

    @Test func `A match with a score that rounds to zero is still found`() throws {
        try withExamples { collection in
            let query = TextQuery.boost(
                .boost(.boost(.boost(.boost(.phrase("bridge bridge"), 0.001), 0.001), 0.001), 0.001), 0.001)
            let search = try collection.textSearch(in: try collection.reader())
            for limit in [1, 20, nil] {
                let hits = try search.top(query, limit: limit)
                #expect(hits.count == 1 && hits[0].score == 0, "\(hits)")
            }
        }
    }

    @Test func `The smallest row of a range covers all its chunks, whatever the row order`() {
        var view = TextIndexReader(weights: [1])
        let count = Int(TextStructure.chunkSlotCount) * 4
        // The second chunk starts with a changed row, so that rows no longer increase.
        for slot in 0..<count { _ = view.append(row: slot == 5000 ? 7 : UInt32(slot + 100), norm: 1) }
        #expect(!view.isInRowOrder)
        #expect(view.smallestRow(0..<10) == 100)
        #expect(view.smallestRow(0..<4096) == 100)
        #expect(view.smallestRow(0..<4097) == 7)
        #expect(view.smallestRow(100..<16000) == 7)
        #expect(view.smallestRow(8192..<16000) == 8292)
        var rising = TextIndexReader(weights: [1])
        for slot in 0..<count { _ = rising.append(row: UInt32(slot + 100), norm: 1) }
        #expect(rising.isInRowOrder && rising.smallestRow(4096..<16000) == 4196)
    }

    @Test func `A search returns 20 documents by default, those with equal scores in row order`() throws {
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            let collection = try store.collection("c")
            for id in (1...30).reversed() { try collection.put(["id": .int(Int64(id)), "title": "fog"]) }
            #expect(try collection.search("fog").map(\.document.id) == (11...30).reversed().map { .int(Int64($0)) })
            #expect(try collection.search("fog", limit: nil).count == 30)
        }
    }

    @Test func `A condition narrows a search and does not change its scores`() throws {
        try withExamples { collection in
            let all = try collection.search("bridge", limit: nil)
            let some = try collection.search("bridge", where: .exists("n"), limit: nil)
            #expect(Set(some.map(\.document.id)) == [1, 3])
            #expect(some.allSatisfy { all.contains($0) })
            #expect(try collection.search("bridge", where: .exists("n"), limit: 1) == Array(some.prefix(1)))
            #expect(try collection.count(matching: TextQuery(parsing: "bridge"), where: .exists("n")) == 2)
        }
    }

    @Test func `Scores follow the documented BM25 formula`() throws {
        try withTemporaryStore(schema: Self.schema) { (store) throws in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "title": "a a b"])
            try collection.put(["id": 2, "title": "b"])
            try collection.put(["id": 3, "title": "c c c c"])
            try collection.put(["id": 4, "n": 1])
            // N = 3, df = 1, tf = 2, length 3, average 8/3; computed by hand: ln(1 + 2.5/1.5) · 2 · 2.2 / (2 + 1.2 ·
            // (0.25 + 0.75 · 9/8)).
            let hit = try #require(try collection.search("a").first)
            #expect(abs(hit.score - 1.302_837_347_396_708_3) < 1e-9, "\(hit.score)")
            #expect(try collection.search("b").map(\.document.id) == [2, 1])
        }
    }

    @Test func `A collection without a text index cannot be searched`() throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("n", on: "n")])])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            expectFailure(.unknownIndex, containing: "c", "text") { try collection.search("fog") }
            expectFailure(.unknownIndex) { try collection.count(matching: TextQuery(parsing: "fog")) }
            expectFailure(.invalidQuery) { try collection.search("(fog") }
        }
    }

    @Test func `Queries built by a program may be empty`() throws {
        try withExamples { (collection) throws in
            let fog = try TextQuery(parsing: "fog")
            for query: TextQuery in [
                .nothing, .phrase(""), .and([]), .or([]), .and([fog, .or([])]), .except(.nothing, fog),
            ] {
                #expect(try collection.search(query).isEmpty)
            }
            #expect(try collection.count(matching: .except(fog, .nothing)) == 4)
            #expect(try collection.count(matching: .or([fog, .phrase("")])) == 4)
        }
    }

    @Test func `Weights may be arbitrarily large, and apply to many words together`() throws {
        try withExamples { (collection) throws in
            let huge = TextQuery.boost(.boost(.boost(.word("fog"), 1000), 1000), 1000)
            let all = try collection.search(.word("fog"), limit: nil).map(\.document.id)
            #expect(try collection.search(huge, limit: nil).map(\.document.id) == all)
            let many = TextQuery.boost(.or((0..<3000).map { .word("fog\($0)") } + [huge, .word("bridge")]), 1000)
            #expect(try collection.search(many, limit: nil).count == 5)
            let phrase = TextQuery.boost(.phrase("bridge bridge bridge"), .infinity)
            #expect(try collection.search(phrase, limit: nil).map(\.document.id) == [3])
        }
    }

    // MARK: - Comparison with an exhaustive search

    /// A query and its notation.
    private indirect enum Wanted {
        case phrase([String])
        case and([Wanted])
        case or([Wanted])
        case except(Wanted, [Wanted])

        static func random(_ random: inout SplitMix64, depth: Int) -> Wanted {
            func parts(_ limit: Int) -> [Wanted] { (0..<limit).map { _ in Wanted.random(&random, depth: depth - 1) } }
            switch random.number(below: depth > 0 ? 8 : 4) {
            case 0, 1, 2: return .phrase([random.pick(TextSearchTests.words)])
            case 3: return .phrase((0...random.number(below: 3)).map { _ in random.pick(TextSearchTests.words) })
            case 4, 5: return .and(parts(2 + random.number(below: 2)))
            case 6: return .or(parts(2 + random.number(below: 2)))
            default: return .except(Wanted.random(&random, depth: depth - 1), parts(1 + random.number(below: 2)))
            }
        }

        func written(_ random: inout SplitMix64) -> String {
            switch self {
            case .phrase(let words):
                let text = words.map { random.once(in: 2) ? $0 : $0.uppercased() }.joined(
                    separator: words.count > 1 && random.once(in: 3) ? "-" : " ")
                return words.count > 1 && text.contains("-") && !text.contains(" ") ? text : "\"\(text)\""
            case .and(let parts):
                return parts.map { "(" + $0.written(&random) + ")" }.joined(
                    separator: random.once(in: 2) ? " " : " AND ")
            case .or(let parts): return parts.map { "(" + $0.written(&random) + ")" }.joined(separator: " OR ")
            case .except(let wanted, let unwanted):
                return "(" + wanted.written(&random) + ")"
                    + unwanted.map { (random.once(in: 2) ? " -(" : " NOT (") + $0.written(&random) + ")" }.joined()
            }
        }
    }

    static let words = ["fog", "sea", "rain", "sun", "old", "ete", "x1"]

    /// The documents as words, and the sums over them.
    private struct Model {
        var texts: [DocumentID: [[String]]] = [:]
        var rows: [DocumentID: Int] = [:]
        var nextRow = 1
        var filled: Int { texts.values.count { !$0.joined().isEmpty } }
        var wordCount: Int { texts.values.reduce(0) { $0 + $1.joined().count } }

        /// Returns the score of a document, or `nil` if it does not match.
        func score(_ wanted: Wanted, _ id: DocumentID) -> Double? {
            switch wanted {
            case .phrase(let words):
                guard texts[id]?.contains(where: { Self.occurs(words, in: $0) }) == true else { return nil }
                return words.reduce(0) { $0 + weight($1, id) }
            case .and(let parts):
                let scores = parts.map { score($0, id) }
                return scores.contains { $0 == nil } ? nil : scores.compactMap { $0 }.reduce(0, +)
            case .or(let parts):
                let scores = parts.compactMap { score($0, id) }
                return scores.isEmpty ? nil : scores.reduce(0, +)
            case .except(let wanted, let unwanted):
                return unwanted.contains { score($0, id) != nil } ? nil : score(wanted, id)
            }
        }

        private static func occurs(_ words: [String], in text: [String]) -> Bool {
            text.indices.contains { text[$0...].starts(with: words) }
        }

        private func weight(_ word: String, _ id: DocumentID) -> Double {
            let own = Array((texts[id] ?? []).joined())
            let n = Double(filled)
            let df = Double(texts.values.count { $0.joined().contains(word) })
            let tf = Double(own.count { $0 == word })
            let average = Double(wordCount) / n
            let idf = log(1 + (n - df + 0.5) / (df + 0.5))
            return idf * tf * 2.2 / (tf + 1.2 * (1 - 0.75 + 0.75 * Double(own.count) / average))
        }
    }

    @Test func `Searches find and rank like an exhaustive search while documents change`() throws {
        var random = TestRun.random(stream: 22)
        for _ in 0..<TestRun.rounds(6, long: 300) {
            try withTemporaryDirectory { directory in
                let database = try Database.open(at: directory + "/s")
                let store = try DocumentStore.open(on: database, schema: Self.schema)
                var model = Model()
                for _ in 0..<25 {
                    try Self.change(&model, in: store, using: &random)
                    let expected = IndexStatistics(documents: Int64(model.filled), words: Int64(model.wordCount))
                    let structure = try TextStructure.read(2, name: "text", in: database)
                    #expect(structure.statistics == expected, "\(TestRun.repetition)")
                    for _ in 0..<8 { try Self.check(model, in: try store.collection("c"), using: &random) }
                }
                try expectSound(store)
                try store.close()
            }
        }
    }

    private static func change(_ model: inout Model, in store: DocumentStore, using random: inout SplitMix64) throws {
        func text() -> [String] { (0..<random.number(below: 5)).map { _ in random.pick(words) } }
        let ids = Set((0..<random.pick([1, 1, 10])).map { _ in DocumentID.int(Int64(random.number(below: 30))) })
        try store.write { transaction in
            for id in ids {
                if random.once(in: 4) {
                    try transaction.delete(id, in: "c")
                    model.texts[id] = nil
                    model.rows[id] = nil
                    continue
                }
                var document: DocumentObject = ["id": id.value, "n": .int(Int64(random.number(below: 3)))]
                var texts: [[String]] = []
                if random.once(in: 2) {
                    texts.append(text())
                    document["title"] = .string(texts[0].joined(separator: random.pick([" ", ", ", " - "])))
                } else if random.once(in: 3) {
                    document["title"] = 7
                }
                if random.once(in: 3) {
                    texts.append(text())
                    document["more"] = [
                        "caption": .string("(" + texts[texts.count - 1].joined(separator: " ").uppercased() + ")")
                    ]
                }
                if random.once(in: 2) {
                    let tags = (0..<random.number(below: 4)).map { _ in text() }
                    texts += tags
                    document["tags"] = .array(tags.map { .string($0.joined(separator: " ")) } + [3, .null])
                }
                try transaction.put(document, in: "c")
                model.texts[id] = texts
                if model.rows[id] == nil {
                    model.rows[id] = model.nextRow
                    model.nextRow += 1
                }
            }
        }
    }

    private static func check(_ model: Model, in collection: DocumentCollection, using random: inout SplitMix64) throws
    {
        let wanted = Wanted.random(&random, depth: 2)
        let text = wanted.written(&random)
        let comment: Comment = "\(text), \(TestRun.repetition)"
        var expected: [DocumentID: Double] = [:]
        for id in model.texts.keys { expected[id] = model.score(wanted, id) }
        let hits = try collection.search(text, limit: nil)
        #expect(Set(hits.map(\.document.id)) == Set(expected.keys), comment)
        #expect(hits.count == expected.count, comment)
        for hit in hits { #expect(abs(hit.score - (expected[hit.document.id] ?? 0)) < 1e-9, comment) }
        for (hit, next) in zip(hits, hits.dropFirst()) {
            let rows = (model.rows[hit.document.id] ?? 0, model.rows[next.document.id] ?? 0)
            #expect(hit.score > next.score || hit.score == next.score && rows.0 < rows.1, comment)
        }
        #expect(try collection.count(matching: TextQuery(parsing: text)) == expected.count, comment)
        let condition = Filter.compare("n", .equal, 1)
        #expect(
            try collection.search(text, where: condition, limit: 3)
                == Array(hits.filter { condition.matches($0.document.content) }.prefix(3)), comment)
    }
}
