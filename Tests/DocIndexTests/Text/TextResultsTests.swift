import TestSupport
import Testing

@testable import DocIndex

/// How found strings are displayed, and the words of an index.
@Suite struct TextResultsTests {
    static let marked: [(String, String, String)] = [
        ("The Old Bridge", "bridge", "The Old <mark>Bridge</mark>"),
        ("Old bridge, new bridge", "\"new bridge\"", "Old bridge, <mark>new</mark> <mark>bridge</mark>"),
        ("Éclairs & <b>tea</b>", "eclairs", "<mark>Éclairs</mark> &amp; &lt;b&gt;tea&lt;/b&gt;"),
        ("fog -rain", "fog -rain", "<mark>fog</mark> -rain"), ("harbour", "harbor~", "<mark>harbour</mark>"),
        ("bridges bridge", "bridg*", "<mark>bridges</mark> <mark>bridge</mark>"),
        ("東京タワー", "京", "東<mark>京</mark>タワー"), ("say \"fog\"", "title:fog^2", "say &quot;<mark>fog</mark>&quot;"),
        ("", "fog", ""), ("nothing here", "fog", "nothing here"),
    ]

    @Test(arguments: marked) func `Searched words are highlighted, and markup in the string is escaped`(
        text: String, query: String, expected: String
    ) throws {
        let query = try TextQuery(parsing: query)
        #expect(TextMarking.html.marked(text, for: query) == expected)
    }

    @Test func `Matches with nothing between them are marked as one`() throws {
        let marking = TextMarking(before: "[", after: "]")
        #expect(marking.marked("東京タワー", for: try TextQuery(parsing: "東京")) == "[東京]タワー")
        #expect(marking.marked("東京 京都", for: try TextQuery(parsing: "京 東")) == "[東京] [京]都")
        #expect(marking.marked("new bridge", for: try TextQuery(parsing: "new bridge")) == "[new] [bridge]")
        #expect(marking.marked("a red car", for: TextQuery(searchBox: "a red ca", isTyping: true)) == "a [red] [car]")
        #expect(marking.snippet(of: "東京", for: try TextQuery(parsing: "東京")) == "[東京]")
    }

    @Test func `A snippet shows the part with the most distinct words`() throws {
        let filler = (1...40).map { "w\($0)" }.joined(separator: " ")
        let text = "fog \(filler) fog over the bridge \(filler)"
        let snippet = TextMarking.html.snippet(of: text, for: try TextQuery(parsing: "fog bridge"), wordCount: 8)
        #expect(snippet == "…w39 w40 <mark>fog</mark> over the <mark>bridge</mark> w1 w2…")
        let whole = TextMarking.html.snippet(of: "a fog", for: try TextQuery(parsing: "fog"), wordCount: 8)
        #expect(whole == "a <mark>fog</mark>")
    }

    @Test func `Highlighted text cannot control the terminal`() throws {
        let text = "fog \u{1b}[2J\u{7}\nrain"
        let shown = TextMarking.ansi.marked(text, for: try TextQuery(parsing: "rain"))
        #expect(shown == "fog [2J \u{1b}[1mrain\u{1b}[22m")
    }

    @Test func `Random strings are highlighted without a trap, and none of their text is lost`() throws {
        var random = TestRun.random(stream: 68)
        let pieces = ["fog", " ", "é", "東", "<", "&", "\u{301}", "👨‍👩‍👧", "a-b", "\n", "İ", "ß", "\u{ad}"]
        for _ in 0..<TestRun.rounds(300, long: 20_000) {
            let text = (0..<random.number(below: 20)).map { _ in random.pick(pieces) }.joined()
            let query = TextQuery(forgiving: (0..<3).map { _ in random.pick(pieces + ["\"", "(", "*", "~"]) }.joined())
            let shown = TextMarking(before: "{", after: "}").marked(text, for: query)
            // By scalars: a marker before a combining accent combines with it to one character.
            let unmarked = shown.unicodeScalars.filter { $0 != "{" && $0 != "}" }
            #expect(unmarked.elementsEqual(text.unicodeScalars), "\(TestRun.repetition)")
        }
    }

    private static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.text("text", on: "title", "caption")])
    ])

    private func withWords(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            for (id, title) in [
                "harbour bridge", "harbour fog", "harvest fog", "bridge at night", "old harbour bridge", "harbinger",
            ].enumerated() { try collection.put(["id": .int(Int64(id)), "title": .string(title)]) }
            try store.flushTextIndexes()
            try collection.put(["id": 10, "caption": "harbour pilot", "title": "harvest"])
            try collection.put(["id": 11, "caption": "pilot", "title": "gone"])
            try collection.delete(11)
            try body(collection)
        }
    }

    @Test func `A prefix is completed by the words of the most documents`() throws {
        try withWords { (collection) throws in
            let words = try collection.completions(of: "Har")
            #expect(words.map(\.word) == ["harbour", "harvest", "harbinger"])
            #expect(words.map(\.documentCount) == [4, 2, 1])
            #expect(try collection.completions(of: "har", limit: 1).map(\.word) == ["harbour"])
            #expect(try collection.completions(of: "gon").isEmpty)
            #expect(try collection.completions(of: "&").isEmpty)
        }
    }

    @Test func `A misspelled word is corrected to the nearest existing words`() throws {
        try withWords { (collection) throws in
            #expect(try collection.suggestions(for: "harbor").first?.word == "harbour")
            #expect(try collection.suggestions(for: "bridhe").map(\.word) == ["bridge"])
            #expect(try collection.suggestions(for: "harbour").isEmpty)
            #expect(try collection.suggestions(for: "xylophone").isEmpty)
        }
    }

    private func withSlips(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<60 {
                    let title = id < 40 ? "Restaurant in München" : "Golden retail shop"
                    try transaction.put(["id": .int(Int64(id)), "title": .string(title)], in: "c")
                }
                for id in 60..<64 {
                    try transaction.put(["id": .int(Int64(id)), "title": "a golden retriever"], in: "c")
                }
                try transaction.put(["id": 90, "title": "a restaraunt in MUNCHEN"], in: "c")
            }
            try store.flushTextIndexes()
            try collection.put(["id": 91, "caption": "RETRIEVER on the golden hill, golden"])
            for id in 0..<10 { try collection.delete(.int(Int64(40 + id))) }
            try body(collection)
        }
    }

    @Test func `Corrections replace a rare misspelling, with the document counts of both words`() throws {
        try withSlips { (collection) throws in
            let corrections = try collection.corrections(of: "golden restaraunt -zzz")
            #expect(corrections.map(\.word) == ["restaraunt"] && corrections.map(\.documentCount) == [1])
            #expect(corrections[0].suggestions.map(\.word) == ["restaurant"])
            #expect(corrections[0].suggestions.map(\.written) == ["Restaurant"])
            #expect(corrections[0].suggestions.map(\.documentCount) == [40])
            #expect(try collection.suggestions(for: "restaurant").isEmpty)
            #expect(try collection.corrections(of: "retriever").isEmpty)
        }
    }

    @Test(arguments: ["estaurant", "bestaurant", "erstaurant", "xrestaurant", "restuarant", "restarant", "Restauramt"])
    func `A slip is corrected wherever it is in the word, even at the first letter`(word: String) throws {
        try withSlips { (collection) throws in
            #expect(try collection.suggestions(for: word).first?.word == "restaurant")
        }
    }

    @Test func `Completion prefers words of documents that contain the words before`() throws {
        try withSlips { (collection) throws in
            #expect(try collection.completions(of: "ret").map(\.word) == ["retail", "retriever"])
            #expect(try collection.completions(of: "hill, ret").map(\.word) == ["retriever", "retail"])
            #expect(try collection.completions(of: "a golden ret").map(\.word) == ["retail", "retriever"])
            for id in 50..<57 { try collection.delete(.int(Int64(id))) }
            #expect(try collection.completions(of: "golden ret").map(\.documentCount) == [5, 3])
            // Words that were typed are not completions.
            #expect(try collection.completions(of: "golden gol").isEmpty)
            // Words that no document contains do not decide.
            #expect(try collection.completions(of: "zzz ret", limit: 1).map(\.word) == ["retriever"])
        }
    }

    @Test func `Completions and corrections show words as documents write them`() throws {
        try withSlips { (collection) throws in
            #expect(try collection.completions(of: "munch").map(\.written) == ["München"])
            #expect(try collection.completions(of: "munch").map(\.word) == ["munchen"])
            #expect(try collection.completions(of: "retr").map(\.written) == ["retriever"])
            #expect(try collection.suggestions(for: "munchem").map(\.written) == ["München"])
        }
    }

    @Test func `Documents similar to another share its words, and it is not among them`() throws {
        try withWords { (collection) throws in
            let hits = try collection.similar(to: 0)
            #expect(hits.first?.document.id == 4)
            #expect(!hits.contains { $0.document.id == 0 })
            #expect(hits.allSatisfy { $0.score > 0 })
            #expect(try collection.similar(to: 99).isEmpty)
        }
    }

    static let forgiven: [(String, String)] = [
        ("\"fog", "\"fog\""), ("fog)", "fog"), ("(fog", "fog"), ("fog AND", "fog"), ("OR fog", "fog"),
        ("fog OR", "fog"), ("fog AND -rain OR", "fog"), ("fog NOT", "fog"), ("e-mail AND", "e-mail"),
        ("fog \"bridge at", "fog \"bridge at\""),
    ]

    @Test(arguments: forgiven) func `The forgiving form accepts whatever is typed`(text: String, meant: String) throws {
        let meant = try TextQuery(parsing: meant)
        #expect(TextQuery(forgiving: text, fields: ["title"]) == meant)
        #expect(TextQuery(forgiving: "http://fog.example", fields: ["title"]) == .word("http://fog.example"))
    }

    @Test(arguments: ["-fog", "NOT fog", "-fog -rain", "NOT (fog", "-\"old fog", "-(old fog", "-", "", "NOT"])
    func `The forgiving form of a search that only excludes finds nothing`(text: String) {
        #expect(TextQuery(forgiving: text) == .nothing)
    }

    @Test func `An unknown field is rejected by the strict form and a word in the forgiving one`()
        throws
    {
        try withWords { (collection) throws in
            expectFailure(.invalidQuery, containing: "caption", "no field nowhere") {
                try collection.search("nowhere:fog")
            }
            let query = TextQuery(forgiving: "nowhere:fog", fields: ["title", "caption"])
            #expect(try collection.search(query).isEmpty)
            #expect(try collection.search("title:harvest caption:pilot").map(\.document.id) == [10])
            #expect(try collection.search("caption:harvest").isEmpty)
        }
    }
}
