import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// Compounds are found by their parts.
@Suite struct CompoundTests {
    private static let captions = [
        "Radfahrer auf dem Fahrradweg am Rhein", "Ein altes Fahrrad lehnt an der Hauswand",
        "Der Weg durch den Stadtpark im Herbst", "Zwei Kameraden vor dem Krankenhaus",
        "Das Haus am See mit Bootssteg", "Kinder fahren mit dem Rad zur Schule", "Schulhof der Volksschule im Winter",
        "Kirchturm und Rathaus am Marktplatz", "Der Turm der alten Kirche", "Schiff im Hafen von Hamburg",
        "Straßenbahn am Bahnhofsplatz", "Bahnhof mit Dampflokomotive", "Kinderwagen vor dem Kaufhaus",
        "Ein Wagen fährt durch die Straße", "Sonnenuntergang über dem Bergsee", "Die Sonne geht hinter dem Berg unter",
        "Weihnachtsmarkt auf dem Marktplatz", "Weihnachten im Kreis der Familie", "Markt mit Obst und Gemüse",
        "Das Eis auf dem See ist dick", "Preis für den besten Kuchen", "Kuchen und Kaffee im Gartenhaus",
        "Der Rat der Stadt tagt im Rathaus", "Stadt am Fluss mit Steinbrücke", "Brücke aus Stein über den Fluss",
        "Lastkraftwagen auf der Landstraße", "Land und Leute", "Volk auf dem Platz",
        "Der Hund schläft in der Hundehütte",
        "Hütte in den Bergen", "Bergsteiger an der Felswand", "Fels und Wand", "Regenwasser im Fass", "Wasser",
        "Regen auf dem Dach", "Kameramann mit Kamera", "Mann mit Hut", "Strohhut am Strand", "Stroh",
        "Palast und Ast eines Baumes", "Gast im Wirtshaus", "Der Wirt zapft Bier", "Bierglas auf dem Tisch",
        "Glas und Teller", "Beweis der Weisheit", "Der Kranke im Bett", "Bootsfahrt", "Boot", "Steg", "Bahn", "Hof",
        "Garten", "Bahnhofsuhr",
    ]

    /// Every compound of the captions whose parts occur in them.
    private static let compounds: [String: [String]] = [
        "Fahrrad": ["fahrradweg"], "Rad": ["fahrrad", "fahrradweg"], "Weg": ["fahrradweg"],
        "Haus": ["gartenhaus", "hauswand", "krankenhaus", "rathaus", "wirtshaus"], "Turm": ["kirchturm"],
        "Garten": ["gartenhaus"], "Schule": ["volksschule"], "Markt": ["marktplatz", "weihnachtsmarkt"],
        "See": ["bergsee"], "Straße": ["landstrasse", "strassenbahn"], "Brücke": ["steinbrucke"],
        "Hütte": ["hundehutte"],
        "Kamera": ["kameramann"], "Stroh": ["strohhut"], "Boot": ["bootsfahrt", "bootssteg"],
        "Bahnhof": ["bahnhofsplatz"],
        "Eis": [], "Ast": [], "Reis": [], "Ein": [], "der": [], "Art": [], "Ei": [], "Rat": ["rathaus"],
    ]

    private func withCaptions(_ language: TextAnalyzer.Language, _ body: (DocumentCollection) throws -> Void) throws {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.text("t", on: .field("text", analyzer: .language(language)))])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            for (id, text) in Self.captions.enumerated() {
                try collection.put(["id": .int(Int64(id)), "text": .string(text)])
            }
            try body(collection)
        }
    }

    @Test func `A compound consists of words of the index, and of nothing else`() throws {
        try withCaptions(.german) { collection in
            for (word, compounds) in Self.compounds {
                let found = try collection.compounds(of: word).map(\.word).sorted()
                #expect(found == compounds, "\(word)")
            }
            #expect(try collection.compounds(of: "Haus", limit: 2).count == 2)
            #expect(try collection.compounds(of: "altes Haus").isEmpty)
        }
        try withCaptions(.english) { collection in
            let compounds = try collection.compounds(of: "Fahrrad")
            #expect(compounds.isEmpty)
        }
    }

    @Test func `A search box in a condition finds compounds, and other searches of the condition do not`() throws {
        try withCaptions(.german) { collection in
            func found(_ text: String, sort: [Query.SortKey] = [.bestFirst]) throws -> [DocumentID] {
                let filter = try collection.findingCompounds(Filter(parsing: text))
                return try collection.find(Query(filter, sort: sort)).map(\.id)
            }
            let all = try found("SEARCH BOX 'Fahrrad'")
            #expect(all == [1, 0])
            #expect(try found("SEARCH 'Fahrrad'") == [1])
            #expect(try found("id >= 1 and SEARCH BOX 'Fahrrad'") == [1])
            #expect(try found("not (SEARCH BOX 'Fahrrad') and id < 3", sort: []) == [2])
            #expect(try found("id = 0 or SEARCH 'Fahrrad'") == [1, 0])
        }
    }

    @Test func `A search box finds compounds after the word itself, and other searches do not`() throws {
        try withCaptions(.german) { collection in
            func found(_ query: TextQuery) throws -> [DocumentID] { try collection.search(query).map(\.document.id) }
            let word = try TextQuery(parsing: "Fahrrad")
            #expect(try found(word) == [1])
            #expect(try found(collection.findingCompounds(word)) == [1, 0])
            #expect(try found(collection.findingCompounds(TextQuery(parsing: "fahrräder rhein"))) == [])
            #expect(try found(collection.findingCompounds(TextQuery(parsing: "weg rhein"))) == [0])
            for text in ["\"weg\" rhein", "radf*", "rhein -weg", "straße~"] {
                let query = try TextQuery(parsing: text)
                if text.hasPrefix("rhein") {
                    #expect(try found(collection.findingCompounds(query)) == [0])
                } else {
                    #expect(try collection.findingCompounds(query) == query, "\(text)")
                }
            }
        }
    }

    @Test func `A stop word in a search box does not find compounds, unless there is no other word`() throws {
        try withCaptions(.german) { collection in
            try collection.put(["id": 100, "text": "Bau und Aufbau"])
            #expect(try collection.compounds(of: "auf").map(\.word) == ["aufbau"])
            let box = TextQuery.searchBox(collection.searchBox("auf bau"))
            let hits = try collection.search(collection.findingCompounds(box), limit: nil)
            #expect(hits.map(\.document.id) == [100])
            let alone = TextQuery.searchBox(collection.searchBox("Weg"))
            let found = try collection.search(collection.findingCompounds(alone), limit: nil)
            #expect(found.map(\.document.id) == [2, 0])
        }
    }

    @Test func `Compounds are those of the words that documents have now`() throws {
        let parts = ["rad", "weg", "fahr", "haus", "turm", "berg", "stein", "hof"]
        var random = TestRun.random(stream: 640)
        let field = IndexDefinition.Component.field("text", analyzer: .language(.german))
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.text("t", on: field)])])
        try withTemporaryStore(schema: schema) { store in
            try store.withWriter { _ in store.texts.setLimits(SegmentTests.limits) }
            let collection = try store.collection("c")
            for _ in 0..<TestRun.rounds(60, long: 1000) {
                try store.write { transaction in
                    for _ in 0..<random.pick([1, 4, 30]) {
                        let id = DocumentID.int(Int64(random.number(below: 60)))
                        if random.once(in: 2) {
                            try transaction.delete(id, in: "c")
                            continue
                        }
                        let words = (0..<random.number(below: 3)).map { _ in
                            (0...random.number(below: 3)).map { _ in random.pick(parts) }.joined()
                        }
                        try transaction.put(["id": id.value, "text": .string(words.joined(separator: " "))], in: "c")
                    }
                }
                var counts: [String: Int] = [:]
                try collection.forEach { document in
                    let words = document["text"]?.stringValue?.split(separator: " ") ?? []
                    for word in Set(words) { counts[String(word), default: 0] += 1 }
                }
                let rule = CompoundWords(language: .german) { counts[$0] != nil }
                for part in parts {
                    let expected = counts.filter { rule.isCompound($0.key, of: part) }
                        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                    let search = try collection.textSearch(in: try collection.reader())
                    let found = try TextSearch.Compounds(search).compounds(of: part, limit: 1000)
                    #expect(found.map(\.word) == expected.map(\.key), "\(part), \(TestRun.repetition)")
                    #expect(found.map(\.documentCount) == expected.map(\.value), "\(TestRun.repetition)")
                    for segment in search.view.structure.segments {
                        _ = try search.index.tools.vocabulary(of: segment) {
                            Issue.record("a vocabulary is read twice")
                            throw DocIndexError(.corruption, "read twice")
                        }
                    }
                }
            }
        }
    }

    @Test func `Each language has its own joining letters`() {
        let words: Set<String> = ["barn", "bok", "stad", "park", "arbeid", "dag", "huis", "deur"]
        func isCompound(_ word: String, of part: String, _ language: TextAnalyzer.Language) -> Bool {
            CompoundWords(language: language) { words.contains($0) }.isCompound(word, of: part)
        }
        #expect(isCompound("barnbok", of: "bok", .swedish) && isCompound("stadspark", of: "stad", .swedish))
        #expect(isCompound("arbeidsdag", of: "dag", .norwegian) && isCompound("huisdeur", of: "huis", .dutch))
        #expect(!isCompound("barnbok", of: "bok", .english) && !isCompound("bok", of: "bok", .swedish))
        #expect(!isCompound("stadxpark", of: "park", .german) && !isCompound("dagx", of: "dag", .norwegian))
    }
}
