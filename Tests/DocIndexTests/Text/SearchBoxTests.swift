import TestSupport
import Testing

@testable import DocIndex

/// What a search box makes of the input, and what it finds.
@Suite struct SearchBoxTests {
    private static let fields = ["title", "caption", "tags[]"]

    /// The parts, with + before required ones and - before excluded ones.
    private static func notation(_ box: SearchBox) -> [String] {
        box.parts.map { ($0.isRequired ? "+" : "") + notation($0.query) } + box.excluded.map { "-" + notation($0) }
    }

    private static func notation(_ query: TextQuery) -> String {
        switch query {
        case .word(let text): text
        case .phrase(let text): "\"\(text)\""
        case .near(let text, let slop): "\"\(text)\"~\(slop)"
        case .prefix(let text): text + "*"
        case .fuzzy(let text, let distance): text + "~" + (distance.map { "\($0)" } ?? "")
        case .and(let parts): "(" + parts.content.map(notation).joined(separator: " ") + ")"
        case .or(let parts): "(" + parts.content.map(notation).joined(separator: " OR ") + ")"
        case .except(let wanted, let unwanted): "(\(notation(wanted.content)) -\(notation(unwanted.content)))"
        case .prefer, .searchBox: "…"
        case .field(let name, let part): "\(name):\(notation(part.content))"
        case .boost(let part, let factor): "\(notation(part.content))^\(factor)"
        case .nothing: "()"
        }
    }

    static let inputs: [(String, [String])] = [
        ("red car in the snow", ["red", "car", "in", "the", "snow"]), ("fog fog Fog", ["fog", "Fog"]),
        ("\"golden gate\" bridge", ["+\"golden gate\"", "bridge"]),
        ("“golden gate” bridge", ["+\"golden gate\"", "bridge"]), ("„golden gate“", ["+\"golden gate\""]),
        ("«golden gate»", ["+\"golden gate\""]), ("\"golden ga", ["+\"golden ga\""]), ("12\" lens", ["12\"", "lens"]),
        ("fog,ice rain/snow;hail", ["fog", "ice", "rain", "snow", "hail"]),
        ("1,200 7/8 24/seven", ["1,200", "7/8", "24/seven"]),
        ("title:fog,rain", ["+title:fog", "rain"]), ("-fog,ice rain", ["rain", "-fog,ice"]),
        ("+black/white", ["+black/white"]), ("cats AND/OR dogs", ["cats", "AND/OR", "dogs"]),
        ("don’t", ["don’t"]), ("!fog rain", ["rain", "-fog"]), ("-fog rain", ["rain", "-fog"]),
        ("rain NOT fog", ["rain", "-fog"]), ("+fog rain", ["+fog", "rain"]), ("wow! rain", ["wow!", "rain"]),
        ("e-mail black-and-white", ["e-mail", "black-and-white"]), ("fog - rain", ["fog", "rain"]),
        ("fog -- rain", ["fog", "rain"]), ("fog || mist lake", ["(fog OR mist)", "lake"]),
        ("fog||mist", ["(fog OR mist)"]), ("fog OR mist OR haze", ["(fog OR mist OR haze)"]),
        ("fog && rain lake", ["+fog", "+rain", "lake"]), ("fog AND rain", ["+fog", "+rain"]),
        ("rock & roll", ["rock", "roll"]), ("AT&T", ["AT&T"]), ("fog or mist and", ["fog", "or", "mist", "and"]),
        ("NEAR(golden gate)", ["+\"golden gate\"~10"]), ("NEAR(golden gate, 3)", ["+\"golden gate\"~3"]),
        ("golden NEAR gate", ["+\"golden gate\"~10"]), ("golden NEAR/2 gate", ["+\"golden gate\"~2"]),
        ("golden AROUND(4) gate", ["+\"golden gate\"~4"]), ("\"golden gate\"~3", ["+\"golden gate\"~3"]),
        ("\"golden gate\"~0", ["+\"golden gate\""]),
        ("bridg*", ["bridg*"]), ("fog~", ["fog~"]), ("fog~2", ["fog~2"]), ("fog^2 rain", ["fog^2.0", "rain"]),
        ("title:fog rain", ["+title:fog", "rain"]), ("title:\"old fog\"", ["+title:\"old fog\""]),
        ("title:(fog OR mist)", ["+title:(fog OR mist)"]), ("-title:fog rain", ["rain", "-title:fog"]),
        ("intitle:fog", ["+title:fog"]), ("(fog OR mist) lake", ["(fog OR mist)", "lake"]),
        ("(fog mist) OR lake", ["((fog mist) OR lake)"]), ("((fog", ["fog"]), ("fog))", ["fog"]), ("", []),
        ("lake -(fog mist)", ["lake", "-(fog mist)"]), ("who is it?", ["who", "is", "it"]),
        ("at 12:30 pm", ["at", "12:30", "pm"]), ("http://fog.example/a", ["http://fog.example/a"]), ("!!! ... &", []),
        ("fog: thick", ["fog:", "thick"]),
    ]

    @Test(arguments: inputs) func `Operators of search engines are understood`(text: String, parts: [String]) {
        let box = SearchBox(text, fields: Self.fields.map { $0.replacing("[]", with: "") })
        #expect(Self.notation(box) == parts)
        #expect(box.notes.isEmpty, "\(box.notes)")
    }

    static let noted: [(String, [String], [SearchBox.Note])] = [
        ("har?or", ["har*"], [.wildcard("har?or", searched: "har*")]),
        ("*arbor fog", ["fog"], [.wildcard("*arbor", searched: nil)]),
        ("ha*or", [], [.wildcard("ha*or", searched: nil)]), ("title:* fog", ["fog"], [.notWords("title:*")]),
        ("*:*", [], [.notWords("*:*")]), ("fog~3", ["fog~"], [.distance("fog~3")]),
        ("fog~0.8", ["fog~"], [.distance("fog~0.8")]), ("fog^99", ["fog^10.0"], [.weight("fog^99")]),
        ("lunch:fog", ["lunch", "fog"], [.unknownField("lunch")]),
        ("site:example.com fog", ["fog"], [.webOperator("site:", isSearched: false)]),
        ("inurl:fog", ["fog"], [.webOperator("inurl:", isSearched: true)]),
        ("OR fog", ["fog"], [.operatorWithoutWord("OR")]), ("fog AND", ["fog"], [.operatorWithoutWord("AND")]),
        ("fog NOT", ["fog"], [.operatorWithoutWord("NOT")]), ("fog || ", ["fog"], [.operatorWithoutWord("||")]),
        ("-fog", ["-fog"], [.onlyExclusions]), ("fog OR -rain", ["fog", "-rain"], [.operatorWithoutWord("OR")]),
        (String(repeating: "(", count: 40) + "fog", ["fog"], [.tooDeep]),
        ("title:[1900 TO 1910] fog", ["fog"], [.range("title:[1900 TO 1910]")]),
        ("[a TO b] fog {a TO b]", ["fog"], [.range("[a TO b]"), .range("{a TO b]")]),
        ("date:>1900 fog", ["fog"], [.range("date:>1900")]), ("title:<=b", [], [.range("title:<=b")]),
        ("title : fog", ["fog"], [.unsupported("title :", searched: nil)]),
        ("year:{a TO b}", [], [.range("year:{a TO b}")]), ("title:[x fog", ["title:[x", "fog"], []),
        ("{title caption}: fog", ["fog"], [.unsupported("{title caption}:", searched: nil)]),
        ("^fog", ["fog"], [.unsupported("^fog", searched: "fog")]),
        ("/fo[gx]/ rain", ["rain"], [.unsupported("/fo[gx]/", searched: nil)]),
        ("\"golden * gate\"", ["+\"golden * gate\""], [.unsupported("* in quotes", searched: "\"golden gate\"")]),
        ("title: fog", ["fog"], [.operatorWithoutWord("title:")]),
        ("fog~x", ["fog"], [.unsupported("fog~x", searched: "fog")]),
        ("fog^x", ["fog"], [.unsupported("fog^x", searched: "fog")]),
        ("title:(caption:zzz)", ["+title:(caption zzz)"], [.nestedField("caption")]),
        (String(repeating: "a:", count: 12_000), ["a"], [.unknownField("a"), .tooLong]),
        ((0..<70).map { "w\($0)" }.joined(separator: " "), (0..<64).map { "w\($0)" }, [.tooLong]),
    ]

    @Test(arguments: noted) func `An operator that cannot be applied is named`(
        text: String, parts: [String], notes: [SearchBox.Note]
    ) {
        let box = SearchBox(text, fields: Self.fields)
        #expect(Self.notation(box) == parts)
        #expect(box.notes == notes)
        #expect(box.notes.allSatisfy { !$0.description.isEmpty })
    }

    @Test func `Any input is a valid search, whatever its size and its nesting`() throws {
        var random = TestRun.random(stream: 615)
        let pieces = [
            "fog", "\"", "(", ")", "-", "+", "!", "|", "||", "&&", "AND", "OR", "NOT", "NEAR", "NEAR(", "~3", "~", "^2",
            "*", "?", "title:", "[", "]", "{", "}", " TO ", "/", "^x", ":", "“", "東京", " ", " ", " ", "é", "\u{301}",
            "👨‍👩‍👧", "\n", "\u{0}", "AROUND(2)", "x",
        ]
        try Self.withCaptions { (collection) throws in
            for _ in 0..<TestRun.rounds(400, long: 50_000) {
                let text = (0..<random.number(below: 25)).map { _ in random.pick(pieces) }.joined()
                for fields in [nil, ["title"]] as [[String]?] {
                    let box = SearchBox(text, fields: fields, isTyping: random.once(in: 2))
                    try TextQuery.searchBox(box).validate()
                    let hits = try collection.search(box, limit: 5)
                    #expect(hits.allSatisfy { $0.score >= 0 }, "\(TestRun.repetition)")
                }
            }
        }
        for text in [
            String(repeating: "(", count: 100_000), String(repeating: "a:", count: 50_000),
            String(repeating: "fog ", count: 100_000), String(repeating: "(a OR b) ", count: 20_000),
            String(repeating: "-a", count: 90_000), String(repeating: "\"", count: 90_001),
            String(repeating: "a:[", count: 30_000), String(repeating: "{", count: 90_000),
            "(" + (0..<9000).map { "w\($0)" }.joined(separator: " ") + ")",
        ] {
            let box = SearchBox(text)
            try TextQuery.searchBox(box).validate()
            #expect(box.parts.count <= SearchBox.maximumPartCount)
        }
    }

    // MARK: - Results

    static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.value("n", on: "n"), .text("text", on: "title", "caption")])
    ])

    private static func withCaptions(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: schema) { (store) throws in
            let collection = try store.collection("c")
            for (id, caption) in [
                "A red car in the snow", "A car in the snow", "Red roses", "Snow on the hill",
                "the red barn in the rain",
                "bride", "bridge and bridesmaid", "bridge over the river", "bridges", "bridal car",
                "golden gate bridge",
                "gate of golden stone", "the car of the bride",
            ].enumerated() {
                try collection.put(["id": .int(Int64(id)), "caption": .string(caption), "n": .int(Int64(id % 2))])
            }
            try collection.put(["id": 20, "title": "red", "caption": "snow, and a car"])
            try body(collection)
        }
    }

    @Test func `Documents with all words come first, then those with most, then those with any`() throws {
        try Self.withCaptions { (collection) throws in
            let hits = try collection.search(SearchBox("red car in the snow"), limit: nil).map(\.document.id)
            #expect(hits.first == 0)
            #expect(hits.prefix(2).contains(20))
            #expect(hits[2] == 1)
            #expect(Set(hits[3...]) == [2, 3, 4, 9, 12])
        }
    }

    @Test func `Exact forms come before continuations and misspellings`() throws {
        try Self.withCaptions { (collection) throws in
            let typing = SearchBox("bri", isTyping: true)
            #expect(try collection.search(typing, limit: nil).count == 7)
            let unfinished = try collection.search(SearchBox("bridge", isTyping: true), limit: nil).map(\.document.id)
            #expect(Set(unfinished.prefix(3)) == [6, 7, 10] && unfinished[3] == 8 && unfinished.count == 6)
            let rare = try collection.search(SearchBox("bride"), limit: nil).map(\.document.id)
            #expect(Set(rare.prefix(2)) == [5, 12] && Set(rare.dropFirst(2)) == [6, 7, 10])
            let absent = try collection.search(SearchBox("brdige"), limit: nil).map(\.document.id)
            #expect(Set(absent) == [6, 7, 10])
        }
    }

    @Test func `Words as typed in a row come before the same words apart`() throws {
        try Self.withCaptions { (collection) throws in
            #expect(try collection.search(SearchBox("golden gate")).map(\.document.id) == [10, 11])
            #expect(try collection.search(SearchBox("gate golden")).map(\.document.id).count == 2)
        }
    }

    @Test func `Stop words count only in searches for stop words alone`() throws {
        try Self.withCaptions { (collection) throws in
            #expect(try collection.search(SearchBox("the roses")).map(\.document.id) == [2])
            #expect(try collection.search(SearchBox("the zzzzzz")).isEmpty)
            #expect(try collection.count(matching: .searchBox(SearchBox("in the"))) == 6)
            #expect(try collection.count(matching: .searchBox(SearchBox("+the snow"))) == 6)
        }
    }

    @Test func `Limits, pages, conditions, counts and facets apply to a search box`() throws {
        try Self.withCaptions { (collection) throws in
            let box = collection.searchBox("red car in the snow")
            let all = try collection.search(box, limit: nil)
            #expect(try collection.search(box, limit: 3) == Array(all.prefix(3)))
            let filter = try Filter(parsing: "n = 1")
            let odd = try collection.search(box, where: filter, limit: nil)
            #expect(odd == all.filter { $0.document["n"] == 1 } && odd.count > 1)
            #expect(try collection.count(matching: .searchBox(box), where: filter) == odd.count)
            let condition = Filter.search(box: "red car in the snow")
            #expect(try collection.count(where: condition) == all.count)
            let facets = try collection.facets(["n"], where: condition)
            #expect(facets[0].reduce(0) { $0 + $1.count } == all.count { $0.document["n"] != nil })
            var ids: [DocumentID] = []
            var token: DocumentCollection.Page.Token?
            repeat {
                let page = try collection.page(
                    Query(condition, sort: [.bestFirst], limit: 2), after: token)
                ids += page.documents.map(\.id)
                token = page.next
            } while token != nil
            #expect(ids == all.map(\.document.id))
        }
    }

    @Test func `A search box is a condition in each notation`() throws {
        let condition = Filter.search(box: "red “old car”")
        let parsed = try Filter(parsing: condition.description)
        #expect(parsed == condition && "\(parsed)" == "\(condition)")
        #expect(try Filter(selector: #"{"$searchBox": "red “old car”"}"#) == condition)
        #expect(try Filter.search("red") != Filter.search(box: "red"))
        #expect(try Filter(parsing: "search box 'red'") == Filter.search(box: "red"))
        // Without an index.
        let document: DocumentObject = ["title": "red bus", "n": 1]
        #expect(try Filter(parsing: "SEARCH BOX 'red car'").matches(document))
        #expect(try !Filter(parsing: "SEARCH BOX '+car red'").matches(document))
        #expect(try !Filter(parsing: "SEARCH BOX 'red -bus'").matches(document))
    }

    @Test func `Words that mean the same are one word, whatever their order`() throws {
        try Self.withCaptions { (collection) throws in
            func ids(_ text: String) throws -> [DocumentID] {
                try collection.search(SearchBox(text), limit: nil).map(\.document.id)
            }
            let similar = try ids("brigde")
            #expect(similar.contains(7))
            // The first of each pair has no similar words, the second one has.
            for text in ["brigde~0 brigde", "brigde brigde~0", "brigde~0 BRIGDE brigde", "Brigde brigde~0 brigde"] {
                #expect(try ids(text) == similar, "\(text)")
            }
            // A ligature is one character, and too short for similar words; the letters that it stands for are not.
            try collection.put(["id": 30, "caption": "fine"])
            #expect(try ids("ﬁns fins") == [30])
            #expect(try ids("fins ﬁns") == [30])
            // Quoted words are required as typed.
            #expect(try ids("\"brigde\" brigde").isEmpty)
            #expect(try ids("brigde \"brigde\"").isEmpty)
            #expect(try ids("+brigde brigde~0") == similar)
            #expect(try ids("brigde~0 +brigde") == similar)
            // A stop word with an operator is meant.
            #expect(try ids("the~0 the roses") == ids("the the~0 roses"))
        }
    }

    @Test func `Sums of many search boxes do not overflow`() throws {
        try Self.withCaptions { (collection) throws in
            let boxes = (0..<300).map { TextQuery(searchBox: "red^10 car^10 snow^10 w\($0) bridge^10") }
            let hits = try collection.search(.or(boxes), limit: 3)
            #expect(hits.count == 3 && hits[0].score > 0)
        }
    }

    @Test func `An unknown field is searched for in all fields`() throws {
        try Self.withCaptions { (collection) throws in
            #expect(collection.searchBox("title:red nowhere:car").notes == [.unknownField("nowhere")])
            #expect(try collection.search(TextQuery(searchBox: "nowhere:roses")).map(\.document.id) == [2])
            #expect(try collection.search(TextQuery(searchBox: "title:red car")).map(\.document.id) == [20])
        }
    }
}
