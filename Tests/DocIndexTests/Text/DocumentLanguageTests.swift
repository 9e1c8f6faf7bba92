import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Text indexes over documents in several languages.
@Suite struct DocumentLanguageTests {
    private static func schema(_ languages: [TextAnalyzer.Language], analyzer: TextAnalyzer = .language(.english))
        -> Schema
    {
        Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [
                    .text(
                        "t", on: .field("title", weight: 2, analyzer: analyzer), "shelf", language: "lang",
                        among: languages)
                ])
        ])
    }

    private static let documents: [DocumentObject] = [
        ["id": 1, "lang": "de", "title": "Alte Häuser am Hafen"], ["id": 2, "lang": "english", "title": "Two bridges"],
        ["id": 3, "lang": "fr-CA", "title": "Les châteaux"], ["id": 4, "title": "Running dogs"],
        ["id": 5, "lang": "Klingon", "title": "Sleeping cats"], ["id": 6, "lang": 5, "title": "Falling leaves"],
        ["id": 7, "lang": ["xx", "DEU"], "title": "Die Dächer", "shelf": "AB Dächer"],
    ]

    private func found(_ text: String, in collection: DocumentCollection) throws -> [DocumentID] {
        try collection.find(Query(.search(text))).map(\.id)
    }

    @Test func `Each document is stemmed in its own language, and a searched word in all of them`() throws {
        try withTemporaryDirectory { directory in
            var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema([.german, .french]))
            for document in Self.documents { try store.collection("c").put(document) }
            for _ in 0..<2 {
                let collection = try store.collection("c")
                // Declared languages by name, code and region; the language of the field for all others.
                #expect(try found("Haus", in: collection) == [1])
                #expect(try found("bridge", in: collection) == [2])
                #expect(try found("château", in: collection) == [3])
                #expect(try found("chateau", in: collection) == [3])
                #expect(try found("run dog", in: collection) == [4])
                #expect(try found("cat", in: collection) == [5])
                #expect(try found("fall", in: collection) == [6])
                #expect(try found("\"alte hauser\"", in: collection) == [1])
                // The path has no [], so an array names no language.
                #expect(try found("dacher", in: collection) == [7])
                #expect(try found("Dach", in: collection) == [])
                #expect(try found("title:haus", in: collection) == [1])
                try expectSound(store)
                try store.flushTextIndexes()
                try expectSound(store)
                try store.close()
                store = try DocumentStore.open(at: directory + "/s")
            }
            try store.close()
        }
    }

    @Test func `A document whose language changes is stemmed again`() throws {
        try withTemporaryStore(schema: Self.schema([.german])) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "title": "Häuser"])
            #expect(try found("haus", in: collection) == [])
            try collection.update(1) { $0["lang"] = "german" }
            #expect(try found("haus", in: collection) == [1])
            try collection.update(1) { $0["lang"] = "de-AT" }
            #expect(try found("haus", in: collection) == [1])
            try collection.update(1) { $0["lang"] = nil }
            #expect(try found("haus", in: collection) == [])
        }
    }

    @Test func `A path with brackets takes the first known language of an array`() throws {
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [
                    .text(
                        "t", on: .field("title", analyzer: .language(.english)), language: "lang[]", among: [.german])
                ])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            for document in Self.documents { try collection.put(document) }
            #expect(try found("Dach", in: collection) == [7])
        }
    }

    @Test func `Changing the languages changes the index, which is rebuilt`() throws {
        try withTemporaryDirectory { directory in
            var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema([.german]))
            for document in Self.documents { try store.collection("c").put(document) }
            #expect(store.currentCatalog.collections[0].indexes[0].stemmers.map(\.language) == [.english, .german])
            #expect(try found("château", in: store.collection("c")) == [])
            try store.close()
            store = try DocumentStore.open(at: directory + "/s", schema: Self.schema([.german, .french]))
            #expect(store.currentCatalog.collections[0].indexes.map(\.number) == [2])
            #expect(try found("château", in: store.collection("c")) == [3])
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `Stop words and elisions follow the document's language`() throws {
        var analyzer = TextAnalyzer.language(.english)
        analyzer.stopWords = .ofLanguage
        try withTemporaryStore(schema: Self.schema([.french, .hindi], analyzer: analyzer)) { store in
            let collection = try store.collection("c")
            try collection.put(["id": 1, "lang": "fr", "title": "L'arbre et la mer"])
            try collection.put(["id": 2, "lang": "hi", "title": "the tree"])
            #expect(try found("arbre", in: collection) == [1])
            #expect(try found("tree", in: collection) == [2])
        }
    }

    @Test func `Matches are marked in the language of the document`() throws {
        let index = Self.schema([.german]).collections[0].indexes[0]
        let document: DocumentObject = ["lang": "de", "title": "Alte Häuser"]
        let analyzer = index.analyzer(of: index.components[0], for: document)
        #expect(analyzer == .language(.german) && index.analyzer(of: index.components[1], for: document) == .simple)
        #expect(index.analyzer(of: index.components[0], for: [:]) == .language(.english))
        let marking = TextMarking(before: "[", after: "]")
        #expect(marking.marked("Alte Häuser", for: .word("haus"), analyzer: analyzer) == "Alte [Häuser]")
    }

    @Test func `A language has names and codes`() {
        for (text, language) in [
            ("german", TextAnalyzer.Language.german), ("DE", .german), ("de-AT", .german), ("deu", .german),
            ("ger", .german),
            ("nb", .norwegian), ("pt_BR", .portuguese),
        ] { #expect(TextAnalyzer.Language(naming: text) == language, "\(text)") }
        for text in ["", "x", "xx-de", "germany"] { #expect(TextAnalyzer.Language(naming: text) == nil, "\(text)") }
        for language in TextAnalyzer.Language.allCases {
            #expect(TextAnalyzer.Language(naming: language.rawValue) == language)
        }
    }
}
