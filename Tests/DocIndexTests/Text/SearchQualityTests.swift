import TestSupport
import Testing

@testable import DocIndex

/// How well searches as people type them are answered, on captions with judged queries. The captions were written for
/// this test.
@Suite struct SearchQualityTests {
    /// Captions; the number is the ID.
    static let captions = [
        "A red car parked in the snow outside a cabin", "Red car on a mountain road in autumn",
        "A blue car covered with snow", "Snow falling on a quiet street at night",
        "Children build a snowman beside a red sledge", "Golden retriever puppy asleep on a blanket",
        "Two golden retrievers swim in a lake", "A golden eagle above the valley", "Retail street with golden lights",
        "Black and white cat on a window sill", "A kitten plays with a ball of wool",
        "Old man feeding pigeons in the park",
        "Pigeons on the roof of the town hall", "Bride and groom on the church steps",
        "The bride throws her bouquet to the guests", "Wedding guests dance under lanterns",
        "A bridge over a frozen river", "Golden Gate Bridge in morning fog", "Fog over the harbour at dawn",
        "Fishing boats in the harbour at low tide", "A lighthouse in a storm", "Waves break against the lighthouse",
        "Sunset over the sea with a sailing boat", "Sunrise behind palm trees on the beach",
        "A girl flies a kite on the beach", "Surfer riding a big wave", "Camel caravan in the desert",
        "Desert dunes after rain", "Mountain lake with reflections of peaks", "Hikers rest beside a mountain hut",
        "A train crosses the viaduct", "Steam locomotive in an old station", "Passengers wait at the railway station",
        "Street musician with a violin", "An orchestra rehearses in the concert hall", "A boy practises the trumpet",
        "Fresh bread in the window of a bakery", "Coffee and cake on a wooden table",
        "A cook chops onions in the kitchen",
        "Market stall with oranges and lemons", "A farmer ploughs the field with horses",
        "Horses gallop along the shore",
        "Sheep block a country road", "Bees on a lavender field", "Cherry trees in blossom beside the canal",
        "Autumn leaves on a park bench", "First frost on the roses", "A gardener waters tomatoes",
        "Firefighters at a burning warehouse", "Fireworks above the river at new year",
        "A balloon rises above the vineyards", "Grapes ripen in the vineyard", "Northern lights over a snowy forest",
        "Fox in the snow", "A deer crosses the road at night", "Owl on a branch in moonlight",
        "Full moon above the cathedral", "Stained glass inside the cathedral", "Ruins of an abbey overgrown with ivy",
        "A castle on a hill above the village", "Knights at a medieval fair", "Carnival masks in Venice",
        "Gondolas on the Grand Canal in Venice", "Eiffel Tower seen from a boat on the Seine",
        "A waiter carries glasses in a café in München", "Restaurant terrace with a view of the sea",
        "Dinner in a small restaurant by candlelight", "Chess players in the park",
        "Runners at the start of a marathon", "A runner ties her shoes", "Cyclists race through the rain",
        "Bicycle leaning against a yellow wall", "A child learns to ride a bicycle",
        "Grandmother knitting by the fire", "Newborn baby in the arms of her grandmother",
        "A family picnic under an oak", "Birthday cake with five candles", "Teacher and pupils in a village school",
        "Students throw their caps at graduation", "A carpenter in his workshop",
    ]

    /// A search with the IDs of the captions that answer it.
    static let queries: [(text: String, relevant: Set<Int>)] = [
        ("red car in the snow", [0, 1, 2]), ("golden retriever", [5, 6]), ("golden retrievers swimming", [5, 6]),
        ("photos of the golden gate bridge in fog", [17, 18]), ("bride", [13, 14]), ("bridge", [16, 17]),
        ("wedding bride and guests", [13, 14, 15]), ("harbor fog at dawn", [18]), ("boats in the harbour", [19, 18]),
        ("lighthouse waves storm", [20, 21]), ("where can i find a picture of horses on the beach", [41, 23, 24]),
        ("train station", [31, 32]), ("old steam train at a station", [31, 30, 32]),
        ("what does the cathedral look like at night under the moon", [56, 57]), ("venice canal", [62, 61]),
        ("restaraunt by the sea", [65, 66]), ("cafe munchen", [64]), ("grandmother with baby", [74, 73]),
        ("cat or kitten", [9, 10]), ("\"mountain lake\"", [28]), ("snow night forest", [52, 3, 53]),
        ("kids learning to ride bicycles", [72, 71]), ("man feeding the pigeons", [11, 12]),
        ("vineyard grapes balloon", [51, 50]), ("runner shoes", [69, 68]), ("desert after the rain", [27, 26]),
        ("castel on the hill", [59]), ("-rain cyclists race", []), ("fireworks at new year's eve", [49]),
        ("a photo of someone playing chess outdoors in the summer", [67]), ("street musician violin", [33]),
        ("birthday party cake candles", [76, 37]),
    ]

    private struct Quality {
        var precisions: [Double] = []
        var successes = 0
        var answered = 0

        mutating func add(_ found: [Int], _ relevant: Set<Int>) {
            if relevant.isEmpty { return }
            var hits = 0
            var sum = 0.0
            for (place, id) in found.enumerated() where relevant.contains(id) {
                hits += 1
                sum += Double(hits) / Double(place + 1)
            }
            precisions.append(sum / Double(relevant.count))
            if found.prefix(10).contains(where: relevant.contains) { successes += 1 }
            if !found.isEmpty { answered += 1 }
        }

        /// Mean average precision.
        var map: Double { precisions.reduce(0, +) / Double(max(1, precisions.count)) }
        var success: Double { Double(successes) / Double(max(1, precisions.count)) }
        var description: String {
            "MAP \(Self.rounded(map)), success@10 \(Self.rounded(success)), answered \(answered) of \(precisions.count)"
        }

        private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
    }

    @Test(arguments: [TextAnalyzer.simple, .language(.english)])
    func `A search box answers what people type, and ranks better than the strict form`(analyzer: TextAnalyzer) throws {
        let schema = Schema(collections: [
            CollectionDefinition("c", indexes: [.text("text", on: .field("caption", analyzer: analyzer))])
        ])
        try withTemporaryStore(schema: schema) { (store) throws in
            let collection = try store.collection("c")
            for (id, caption) in Self.captions.enumerated() {
                try collection.put(["id": .int(Int64(id)), "caption": .string(caption)])
            }
            func ids(_ query: TextQuery) throws -> [Int] {
                try collection.search(query, limit: nil).compactMap { $0.document.id.value.intValue.map { Int($0) } }
            }
            var (box, all, any) = (Quality(), Quality(), Quality())
            for query in Self.queries {
                box.add(try ids(.searchBox(collection.searchBox(query.text))), query.relevant)
                all.add(try ids(TextQuery(forgiving: query.text)), query.relevant)
                let words = query.text.split(separator: " ").map { TextQuery.word(String($0)) }
                any.add(try ids(.or(words)), query.relevant)
            }
            print(
                "captions, \(analyzer.language?.rawValue ?? "simple"): box \(box.description); all words "
                    + "\(all.description); any word \(any.description)")
            #expect(box.map > all.map + 0.3 && box.map > any.map)
            #expect(box.map > (analyzer.language == nil ? 0.75 : 0.8))
            #expect(box.success >= 0.95)
        }
    }

    /// Calls `body` with 2,000 records of a real catalog.
    private func withCatalogue(
        _ index: IndexDefinition, _ body: (DocumentCollection) throws -> Void
    ) throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [index])])
        try withTemporaryStore(schema: schema) { (store) throws in
            let collection = try store.collection("c")
            try store.write { transaction in
                for (number, line) in try SharedTestData.lines(of: "catalog-2000.jsonl").enumerated() {
                    guard case .object(var document) = try DocumentValue(json: String(decoding: line, as: UTF8.self))
                    else { continue }
                    document["id"] = .int(Int64(number))
                    try transaction.put(document, in: "c")
                }
            }
            try body(collection)
        }
    }

    @Test(.enabled(if: SharedTestData.has("catalog-2000.jsonl"), "needs the catalog data"))
    func `Searches of real captions find something, those with all words first`() throws {
        try withCatalogue(.text("text", on: "title", "caption", "subjects[]")) { (collection) throws in
            for text in [
                "red car in the snow", "bridge at night in the rain", "children playing in the street",
                "old man with a hat", "boats in the harbor at sunset", "the first train on the new railway bridge",
                "woman in a white dress", "what did the main street look like before the fire",
                "horse and wagon on a farm",
                "soldiers marching in a parade",
            ] {
                let box = SearchBox(text)
                let hits = try collection.search(box, limit: nil)
                #expect(!hits.isEmpty, "\(text)")
                let strict = try collection.search(TextQuery(forgiving: text), limit: nil)
                #expect(Set(strict.map(\.document.id)).isSubset(of: hits.map(\.document.id)), "\(text)")
                let meaningful = box.parts.compactMap { part -> TextQuery? in
                    guard case .word(let word) = part.query, CommonWord(word, languages: []) != .always else {
                        return nil
                    }
                    return part.query
                }
                let whole = try collection.search(.and(meaningful), limit: nil).map(\.document.id)
                #expect(Set(hits.prefix(whole.count).map(\.document.id)) == Set(whole), "\(text)")
            }
        }
    }

    /// One slip: two letters exchanged, one left out, one typed twice, or another in its place.
    private static func slip(in word: String, at place: Int, _ random: inout SplitMix64) -> String {
        var letters = Array(word)
        switch random.number(below: 4) {
        case 0: letters.swapAt(place, place + 1)
        case 1: letters.remove(at: place)
        case 2: letters.insert(letters[place], at: place)
        default: letters[place] = random.pick(Array("abcdefghijklmnopqrstuvwxyz"))
        }
        return String(letters)
    }

    @Test(.enabled(if: SharedTestData.has("catalog-2000.jsonl"), "needs the catalog data"))
    func
        `For misspelled words of real captions, the right word is nearly always suggested, even for a wrong first letter`()
        throws
    {
        try withCatalogue(.text("text", on: "title", "caption")) { (collection) throws in
            let words = try "abcdefghijklmnopqrstuvwxyz".flatMap { letter in
                try collection.completions(of: String(letter), limit: 500).filter { found in
                    found.documentCount >= 3 && found.word.utf8.count >= 6
                        && found.word.utf8.allSatisfy { (0x61...0x7a).contains($0) }
                }
            }.map(\.word)
            try #require(words.count > 300)
            var random = SplitMix64(seed: 150)
            for (name, isFirst, rate) in [("within", false, 0.96), ("at the first letter", true, 0.9)] {
                var (found, total) = (0, 0)
                while total < 150 {
                    let word = random.pick(words)
                    let place = isFirst ? 0 : 1 + random.number(below: word.utf8.count - 2)
                    let typed = Self.slip(in: word, at: place, &random)
                    // Another word is no slip.
                    if try collection.completions(of: typed, limit: 1).first?.word.hasPrefix(typed) == true { continue }
                    total += 1
                    if try collection.suggestions(for: typed).contains(where: { $0.word == word }) { found += 1 }
                }
                print("slips \(name): \(found) of \(total) words are among five suggestions")
                #expect(Double(found) >= rate * Double(total), "\(name)")
            }
        }
    }
}
