import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Fields with their own analyzers and weights: what is found, in which order, and the effect of changing them.
@Suite struct FieldAnalyzerTests {
    private static let mixed: IndexDefinition = {
        var english = TextAnalyzer.language(.english)
        english.stopWords = .ofLanguage
        english.synonyms = [["car", "automobile"], ["nyc", "New York City"]]
        return .text(
            "text", on: .field("title", weight: 3, analyzer: english), .field("caption", analyzer: english),
            .field("shelf", analyzer: .keyword), .field("file", analyzer: .ngrams), "tags[]")
    }()

    private static func schema(_ index: IndexDefinition) -> Schema {
        Schema(collections: [CollectionDefinition("c", indexes: [index])])
    }

    private func withExamples(_ body: (DocumentStore, DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema(Self.mixed)) { store in
            let collection = try store.collection("c")
            for document: DocumentObject in [
                ["id": 1, "title": "The Bridges of Paris"], ["id": 2, "caption": "a bridge by an automobile"],
                ["id": 3, "tags": ["bridges"], "shelf": "AB-12 c"], ["id": 4, "file": "IMG_2041-bridge.JPG"],
                ["id": 5, "title": "Cars in New York City"], ["id": 6, "caption": "the of and"],
                ["id": 7, "caption": "walking", "shelf": "ab-12"],
            ] { try collection.put(document) }
            try body(store, collection)
        }
    }

    static let examples: [(String, Set<DocumentID>)] = [
        // Stems where configured; the tags have none, and the file has n-grams.
        ("bridge", [1, 2, 4]), ("bridges", [1, 2, 3]), ("title:bridge", [1]), ("tags:bridge", []),
        ("\"bridges\"", [1, 3]), ("\"bridge\"", [2, 4]), ("bridg*", [1, 2, 3, 4]), ("bridgs~", [1, 2, 3]),
        ("caption:walk", [7]), ("walked", [7]), ("\"walk\"", []),
        // The whole value, and no part of it.
        ("shelf:ab-12", [7]), ("shelf:\"ab-12 C\"", [3]), ("shelf:ab", []), ("shelf:ab*", [3, 7]),
        // Any part of the value, words or not.
        ("file:2041-br", [4]), ("file:mg_2", [4]), ("file:41", [4]), ("file:\"g_20\"", [4]), ("file:bridges", []),
        // Synonyms, but not in quotes.
        ("automobile", [2, 5]), ("car", [2, 5]), ("\"car\"", []), ("\"cars\"", [5]), ("nyc", [5]), ("cars -nyc", [2]),
        // Stop words decide nothing.
        ("the bridge", [1, 2, 4]), ("the", []), ("the OR bridge", [1, 2, 4]), ("bridge -the", [1, 2, 4]),
        ("\"bridges of paris\"", [1]), ("\"bridges paris\"", []), ("+the paris", [1]),
    ]

    @Test(arguments: examples) func `Each field is searched with the analyzer that indexed it`(
        text: String, ids: Set<DocumentID>
    ) throws {
        try withExamples { (store, collection) throws in
            for isFlushed in [false, true] {
                if isFlushed { try store.optimizeTextIndexes() }
                let hits = try collection.search(text, limit: nil)
                #expect(Set(hits.map(\.document.id)) == ids)
                #expect(try collection.count(matching: TextQuery(parsing: text)) == ids.count)
            }
        }
    }

    @Test func `A word in a field with a higher weight counts as if it occurred more often`() throws {
        let weighed = IndexDefinition.text("text", on: .field("title", weight: 3), "caption")
        try withTemporaryStore(schema: Self.schema(weighed)) { (store) throws in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "caption": "fog over water"])
            try collection.put(["id": 2, "title": "fog over water"])
            try collection.put(["id": 3, "caption": "fog fog fog over over over water water water"])
            let hits = try collection.search("fog")
            #expect(hits.map(\.document.id) == [2, 3, 1])
            #expect(hits[0].score == hits[1].score && hits[1].score > hits[2].score)
        }
    }

    @Test func `Words are highlighted as they were found`() throws {
        let english = Self.mixed.components[0].analyzer
        let marking = TextMarking(before: "[", after: "]")
        func marked(_ text: String, _ query: String, _ analyzer: TextAnalyzer) throws -> String {
            marking.marked(text, for: try TextQuery(parsing: query), analyzer: analyzer)
        }
        #expect(try marked("Two Bridges, one bridge", "bridge", english) == "Two [Bridges], one [bridge]")
        #expect(try marked("Two Bridges, one bridge", "\"bridge\"", english) == "Two Bridges, one [bridge]")
        #expect(
            try marked("An automobile in New York City", "car nyc", english) == "An [automobile] in [New] [York] [City]"
        )
        #expect(try marked("IMG_2041.JPG", "41.j", .ngrams) == "IMG_20[41.J]PG")
        #expect(try marked("AB-12", "ab-12", .keyword) == "[AB-12]")
    }

    @Test func `Completions are words and never stems`() throws {
        try withExamples { (store, collection) throws in
            #expect(try collection.completions(of: "bri").map(\.word).sorted() == ["bri", "bridge", "bridges"])
            #expect(try collection.completions(of: "walk").map(\.word) == ["walking"])
            #expect(try collection.suggestions(for: "walkin").map(\.word) == ["walking"])
        }
    }

    @Test func `Changing an analyzer or weight builds a new index; changing synonyms does not`()
        throws
    {
        try withTemporaryDirectory { directory in
            let plain = Self.schema(.text("text", on: "title", "caption"))
            let store = try DocumentStore.open(
                at: directory + "/s", schema: plain, options: DocumentStore.Options(finishesSchemaChange: false))
            let collection = try store.collection("c")
            for id in 1...600 { try collection.put(["id": .int(Int64(id)), "title": "bridges at night"]) }
            func number() -> UInt32 { store.currentCatalog.collections[0].indexes.filter(\.isReady)[0].number }
            #expect(try collection.count(matching: TextQuery(parsing: "bridge")) == 0)
            let first = number()
            var english = TextAnalyzer.language(.english)
            let stemmed = Self.schema(.text("text", on: .field("title", analyzer: english), "caption"))
            #expect(try store.changes(for: stemmed).first?.reasons.contains { $0.contains("english") } == true)
            var steps = 0
            try store.apply(stemmed) { _ in
                // The old index answers until the new one is complete; writers maintain both.
                if steps == 0 {
                    #expect(try collection.count(matching: TextQuery(parsing: "bridges")) == 600)
                    try collection.put(["id": 601, "title": "old bridges"])
                }
                steps += 1
            }
            #expect(steps > 1)
            #expect(try collection.count(matching: TextQuery(parsing: "bridge")) == 601)
            let second = number()
            #expect(second != first)
            let entry = store.currentCatalog.collections[0].indexes[0]
            #expect(
                entry.analysis.contains { $0.hasPrefix("snowball-english-") }
                    && entry.analysis.contains { $0.hasPrefix("words-1-") })
            // Synonyms are applied when searching: the index stays.
            english.synonyms = [["night", "dark"]]
            #expect(
                try store.changes(for: Self.schema(.text("text", on: .field("title", analyzer: english), "caption")))
                    .first?.reasons.last == "its entries stay as they are")
            try store.apply(Self.schema(.text("text", on: .field("title", analyzer: english), "caption")))
            #expect(number() == second)
            #expect(try collection.count(matching: TextQuery(parsing: "dark")) == 600)
            try store.apply(Self.schema(.text("text", on: .field("title", weight: 2, analyzer: english), "caption")))
            #expect(number() != second)
            try expectSound(store)
            try store.close()
            // The catalog's record of them is read again.
            let reopened = try DocumentStore.open(at: directory + "/s")
            #expect(try reopened.collection("c").count(matching: TextQuery(parsing: "dark")) == 600)
            #expect(reopened.schema.collections[0].indexes[0].components[0].analyzer == english)
            try expectSound(reopened)
            try reopened.close()
        }
    }

    @Test func `With any analyzers, skipping finds what a full scan finds`() throws {
        var random = TestRun.random(stream: 93)
        let words = [
            "bridge", "bridges", "car", "automobile", "fog", "foggy", "the", "nyc", "New York City", "é", "e", "東京都",
        ]
        for _ in 0..<TestRun.rounds(1, long: 20) {
            try withTemporaryDirectory { directory in
                let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema(Self.mixed))
                try store.withWriter { _ in store.texts.setLimits(SegmentTests.limits) }
                let collection = try store.collection("c")
                func text() -> String {
                    (0..<random.number(below: 9)).map { _ in
                        random.once(in: 3) ? "w\(random.number(below: 30))" : random.pick(words)
                    }.joined(separator: " ")
                }
                for round in 0..<30 {
                    try store.write { transaction in
                        for _ in 0..<random.pick([1, 5, 40]) {
                            let id = DocumentID.int(Int64(random.number(below: 400)))
                            if random.once(in: 6) {
                                try transaction.delete(id, in: "c")
                                continue
                            }
                            try transaction.put(
                                [
                                    "id": id.value, "title": .string(text()), "caption": .string(text()),
                                    "shelf": .string(random.pick(words)), "file": .string(text()),
                                    "tags": [.string(text()), .string(text())],
                                ], in: "c")
                        }
                    }
                    if round % 10 == 9 { try expectSound(store) }
                    for _ in 0..<4 {
                        let pieces = (0..<1 + random.number(below: 3)).map { _ in
                            random.pick(["", "", "title:", "file:", "tags:"])
                                + random.pick([
                                    "\(random.pick(["bridge", "car", "nyc", "fog", "w1", "é"]))", "bri*",
                                    "\"fog the car\"", "fogy~",
                                ])
                        }
                        let query = try TextQuery(parsing: pieces.joined(separator: random.pick([" ", " OR ", " -"])))
                        let comment: Comment = "\(pieces), \(TestRun.repetition)"
                        let search = try collection.textSearch(in: try collection.reader())
                        let all = try search.top(query, limit: nil)
                        #expect(try search.top(query, limit: 5) == Array(all.prefix(5)), comment)
                        #expect(try search.rows(query) == all.map(\.row).sorted(), comment)
                        #expect(try search.count(query) == all.count, comment)
                        #expect(try search.estimatedCount(query) >= all.count, comment)
                    }
                }
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test func `Nested restrictions to different fields match nothing, wherever they occur`() throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.text("text", on: "title", "text")])])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "title": "fog", "text": "sea"])
            try collection.put(["id": 2, "title": "sea", "text": "fog"])
            let answers: [(String, [DocumentID])] = [
                ("title:(text:fog)", []), ("fog title:(text:zzz)", []), ("fog title:(text:fog)", []),
                ("title:(text:zzz) fog", []), ("fog OR title:(text:fog)", [1, 2]), ("fog -title:(text:fog)", [1, 2]),
                ("title:(text:fog OR fog)", [1]), ("title:(fog text:sea)", []), ("+title:(text:fog) sea", []),
                ("title:(title:fog)", [1]), ("text:(title:(\"fog\")^2)", []), ("fog title:(text:f*)", []),
            ]
            for (search, expected) in answers {
                let found = try collection.search(try TextQuery(parsing: search)).map(\.document.id)
                #expect(Set(found) == Set(expected), "\(search)")
            }
            expectFailure(.invalidQuery) { _ = try collection.search(try TextQuery(parsing: "title:(nothing:fog)")) }
        }
    }
}
