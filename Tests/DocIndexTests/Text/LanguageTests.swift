import TestSupport
import Testing

@testable import DocIndex

/// Captions in many languages are found by words that their speakers type.
@Suite struct LanguageTests {
    struct Caption: Sendable, CustomTestStringConvertible {
        let language: String
        let analyzer: TextAnalyzer
        let text: String
        /// Finds the caption with both the default analyzer and that of the language.
        let typed: [String]
        /// Finds the caption with the analyzer of the language.
        let typedOtherwise: [String]
        /// Does not find the caption.
        let others: [String]

        var testDescription: String { language }
    }

    private static func caption(
        _ language: String, _ analyzer: TextAnalyzer, _ text: String, _ typed: [String],
        _ typedOtherwise: [String], not others: [String]
    ) -> Caption {
        Caption(
            language: language, analyzer: analyzer, text: text, typed: typed, typedOtherwise: typedOtherwise,
            others: others)
    }

    static let captions: [Caption] = [
        caption(
            "Swedish", .language(.swedish), "Två flickor på bron över Götaälven, Göteborg 1931",
            ["flickor", "göteborg", "Goteborg", "GÖTAÄLVEN", "1931", "\"på bron\""],
            ["flicka", "flickorna"], not: ["pojke", "älvdal"]),
        caption(
            "French", .language(.french), "L’été à la plage : les châteaux de sable et l’arbre",
            ["été", "ete", "plage", "\"châteaux de sable\"", "CHATEAUX"],
            ["château", "arbre", "arbres", "plages", "l'arbre"], not: ["hiver", "montagne"]),
        caption(
            "German", .language(.german), "Alte Häuser am Fluß, Straßenbahn und Brücken",
            ["Häuser", "hauser", "fluss", "Fluß", "strassenbahn", "Brücken"],
            ["Haus", "Brücke", "Straßenbahnen", "alter"], not: ["Berg", "Zug"]),
        caption(
            "Russian", .language(.russian), "Старый мост через Неву, ёлки и туман",
            ["мост", "МОСТ", "ёлки", "елки", "туман", "\"старый мост\""], ["мосты", "моста", "туманы", "старая"],
            not: ["дом", "река"]),
        caption(
            "Greek", .language(.greek), "Παλιά γέφυρα στη θάλασσα της Θεσσαλονίκης",
            ["γέφυρα", "γεφυρα", "ΓΕΦΥΡΑ", "θάλασσα", "παλια"], ["γέφυρες", "θάλασσας"], not: ["βουνό", "σπίτι"]),
        caption(
            "Chinese", .cjk, "1931年上海外滩的老桥和雾", ["上海", "外滩", "老桥", "雾", "1931", "上海外滩", "桥"],
            ["海外", "老桥和雾"], not: ["北京", "海上", "新桥"]),
        caption(
            "Japanese", .cjk, "霧の中の東京タワーと古い橋（ﾄｳｷｮｳ）",
            ["東京", "東京タワー", "タワー", "橋", "霧", "トウキョウ", "古い橋"], ["京タ"], not: ["京東", "大阪", "タ京"]),
        caption(
            "Arabic", .language(.arabic), "الجسر القديم فوق النهر في القاهِرة",
            ["الجسر", "النهر", "\"الجسر القديم\""], ["القاهرة", "جسر", "نهر", "قديم"], not: ["جبل", "بيت"]),
        caption(
            "Hebrew", .words, "הגשר הישן מעל הנהר, צה\"ל וירוּשלים", ["הגשר", "הישן", "הנהר"], ["וירושלים"],
            not: ["הר", "בית"]),
        caption(
            "Hindi", .language(.hindi), "पुरानी किताबें और नदी पर पुल", ["नदी", "पुल", "किताबें", "\"नदी पर\""],
            ["किताब", "किताबों"], not: ["पहाड़", "घर"]),
        caption(
            "emoji", .words, "Sunset 🌅 at the bridge 🌉, I ❤️ NY 👍🏽 🇩🇪",
            ["🌅", "🌉", "❤", "❤️", "sunset 🌅", "👍", "🇩🇪"], ["👍🏿"], not: ["🌇", "👎"]),
    ]

    @Test(arguments: captions) func `A caption is found by what its speakers type, and by nothing else`(
        caption: Caption
    )
        throws
    {
        for (analyzer, typed) in [
            (TextAnalyzer.simple, caption.typed), (caption.analyzer, caption.typed + caption.typedOtherwise),
        ] {
            let schema = Schema(collections: [
                CollectionDefinition("c", indexes: [.text("text", on: .field("caption", analyzer: analyzer), "title")])
            ])
            try withTemporaryStore(schema: schema) { (store) throws in
                let collection = try store.collection("c")
                try collection.put(["id": 1, "caption": .string(caption.text)])
                for (number, other) in Self.captions.enumerated() where other.language != caption.language {
                    try collection.put(["id": .int(Int64(number) + 10), "caption": .string(other.text)])
                }
                // Pending, and then in a segment.
                for isFlushed in [false, true] {
                    if isFlushed { try store.flushTextIndexes() }
                    for text in typed {
                        let found = try collection.search(text).map(\.document.id)
                        #expect(found.contains(1), "\(text), \(analyzer.jsonValue.json), flushed: \(isFlushed)")
                    }
                    for text in caption.others {
                        let found = try collection.search(text).map(\.document.id)
                        #expect(!found.contains(1), "\(text), \(analyzer.jsonValue.json)")
                    }
                }
            }
        }
    }
}
