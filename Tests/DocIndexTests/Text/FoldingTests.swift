import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// The folding rules of text analyzers and of the collation `ci-ai`.
@Suite struct FoldingTests {
    static let examples: [(text: String, folded: String)] = [
        ("Łódź Ørsted Đà Nẵng", "lodz orsted da nang"), ("Ħamrun Ŧ ŋ ĸ ƒ Ɓ", "hamrun t n q f b"),
        ("Ð ð Þorn Æsir œuvre ı", "d d thorn aesir oeuvre i"), ("Straße ẞ", "strasse ss"),
        ("x² Ⅷ ﬁne", "x2 viii fine"), ("ｶﾞﾗｽ ﾊﾟﾝ", "ガラス パン"), ("が ガ", "が ガ"), ("ＡＢＣ１２", "abc12"),
        ("𝐀𝓑", "ab"), ("\u{fa19}", "\u{795e}"), ("İstanbul", "istanbul"), ("ΐ ᾳ", "ι α"), ("Йод", "иод"),
        ("مُحَمَّد محـمد أحمد", "محمد محمد احمد"), ("ﻻ", "لا"), ("שָׁלוֹם", "שלום"), ("क़", "क़"),
        ("\u{995}\u{9cd}\u{200c}\u{9b7}", "\u{995}\u{9cd}\u{9b7}"), ("Schiff\u{ad}fahrt", "schifffahrt"),
        ("a\u{2060}b\u{200e}", "ab"), ("葛\u{e0100}", "葛"), ("1\u{fe0f}\u{20e3}", "1"),
        ("👩\u{200d}👧", "👩\u{200d}👧"), ("Auf\u{200c}lage", "auflage"),
    ]

    @Test(arguments: examples) func `Words and collations fold alike`(text: String, folded: String) {
        for fold in [{ TextFolding.withoutCaseAndAccents($0) }, { TextFolding.folded($0, case: true, accents: true) }] {
            #expect(fold(text).unicodeScalars.elementsEqual(folded.unicodeScalars), "\(fold(text))")
        }
    }

    @Test func `A symbol for a word is a separate word, and a fraction has a slash`() {
        let words: [(String, String)] = [
            ("2㎏", "2 kg "), ("Kodak™", "kodak tm "), ("3½", "3 1/2 "), ("№5", " no 5"),
        ]
        for (text, folded) in words {
            #expect(TextFolding.folded(text, case: true, accents: true) == folded)
        }
        #expect(TextFolding.withoutCaseAndAccents("2㎏ 20℃") == "2kg 20°c")
    }

    @Test func `Case and accents are kept where that is declared`() {
        #expect(TextFolding.folded("Łódź ﬁ ２", case: true, accents: false) == "łódź fi 2")
        #expect(TextFolding.folded("Łódź Æ", case: false, accents: true) == "Lodz AE")
        #expect(TextFolding.folded("E\u{301} Łódź", case: false, accents: false).unicodeScalars.first == "É")
        #expect(TextFolding.withoutCase("Łódź ² STRASSE ß") == "łódź ² strasse ss")
    }

    static let foldings: [(name: String, fold: @Sendable (String) -> String)] = [
        ("ci-ai", { TextFolding.withoutCaseAndAccents($0) }),
        ("words", { TextFolding.folded($0, case: true, accents: true) }),
        ("accents kept", { TextFolding.folded($0, case: true, accents: false) }),
        ("case kept", { TextFolding.folded($0, case: false, accents: true) }),
        ("both kept", { TextFolding.folded($0, case: false, accents: false) }),
    ]

    /// The letters are old: Unicode promises that their decompositions and their case folding never change. Indexes
    /// contain folded words, so another result needs another number, with which old indexes are rebuilt.
    @Test func `The number of the rules changes with what they do to any old letter`() {
        let blocks: [ClosedRange<UInt32>] = [
            0xa0...0x24f, 0x300...0x36f, 0x38e...0x3a1, 0x3a3...0x3ce, 0x400...0x481, 0x48a...0x4ff, 0x531...0x556,
            0x561...0x586, 0x5b0...0x5c7, 0x5d0...0x5ea, 0x621...0x65e, 0x66e...0x6d5, 0x904...0x939, 0x1e00...0x1eff,
            0x3041...0x3096, 0x30a1...0x30fa, 0xff01...0xffbe,
        ]
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for scalar in blocks.joined().compactMap(Unicode.Scalar.init) {
            // A mark is one only after a letter.
            let text = "x" + String(scalar) + "y"
            for (_, fold) in Self.foldings {
                for byte in fold(text).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            }
        }
        #expect(String(hash, radix: 16) == "f9967005e73c68d5")
        #expect(TextFolding.version.hasPrefix("folding-3-"))
    }

    private func expectLaws(_ text: String) {
        for (name, fold) in Self.foldings {
            let folded = fold(text)
            let comment: Comment = "\(name) \(text.unicodeScalars.map(\.value)), \(TestRun.repetition)"
            func same(_ other: String) -> Bool { folded.unicodeScalars.elementsEqual(fold(other).unicodeScalars) }
            #expect(same(folded), comment)
            #expect(same(text.decomposedStringWithCanonicalMapping), comment)
            #expect(same(TextForms.composed(text)), comment)
            // Where symbols are set apart, compatible strings differ by spaces.
            if name == "ci-ai" { #expect(same(text.decomposedStringWithCompatibilityMapping), comment) }
        }
    }

    @Test func `Folding twice changes nothing, and all normalization forms fold alike`() {
        var random = TestRun.random(stream: 97)
        let ranges: [ClosedRange<UInt32>] = [
            0...0x7f, 0x20...0x24f, 0x300...0x36f, 0x370...0x6ff, 0x900...0xe7f, 0x1100...0x11ff, 0x1e00...0x20ff,
            0x3000...0x30ff, 0x3130...0x33ff, 0xac00...0xacff, 0xfe00...0xffef, 0x1f300...0x1f6ff,
        ]
        for _ in 0..<TestRun.rounds(1500, long: 200_000) {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<random.number(below: 8) {
                Unicode.Scalar(UInt32.random(in: random.pick(ranges), using: &random)).map { scalars.append($0) }
            }
            expectLaws(String(scalars))
        }
        // The accents of a spacing accent, apart from it after a mark of another script.
        for accent: Unicode.Scalar in ["\u{1fdd}", "\u{385}", "\u{a8}", "\u{309b}"] {
            for mark: Unicode.Scalar in ["\u{302f}", "\u{93c}", "\u{323}", "\u{3099}", "\u{64b}"] {
                for start in ["", "a", "ब"] { expectLaws(start + String(accent) + String(mark) + "x\(accent)\(mark)") }
            }
        }
        // Each character of the blocks with replacements.
        for block in [0xa0...0x24f, 0x370...0x3ff, 0x1e00...0x1fff, 0x2100...0x214f, 0x3300...0x33ff, 0xfb00...0xfdff] {
            for value in block { UInt32(exactly: value).flatMap(Unicode.Scalar.init).map { expectLaws(String($0)) } }
        }
    }

    // MARK: - Searches

    private static let captions = [
        "lodz": "Dworzec w Łodzi, Łódź", "orsted": "Ørsted Park", "\"da nang\"": "Cầu Rồng, Đà Nẵng",
        "kiz": "Bir kız ve KIZ kardeşi", "ガラス": "ｶﾞﾗｽの靴", "2 kg": "A fish of 2㎏", "viii": "Henry Ⅷ",
        "m2": "100 m²", "1/2": "3½ miles", "محمد": "مُحَمَّد", "שלום": "שָׁלוֹם",
        "\u{995}\u{9cd}\u{9b7}": "\u{995}\u{9cd}\u{200c}\u{9b7}",
        "kodak": "Kodak™ box",
    ]

    @Test(arguments: [TextAnalyzer.simple, .words])
    func `People find what they type without special letters`(analyzer: TextAnalyzer) throws {
        try withStore(analyzer: analyzer) { collection in
            for (id, caption) in Self.captions { try collection.put(["id": .string(id), "caption": .string(caption)]) }
            for typed in Self.captions.keys {
                #expect(try collection.search(typed).map(\.document.id) == [.string(typed)], "\(typed)")
                #expect(try collection.count(where: .search(Self.captions[typed] ?? "")) == 1, "\(typed)")
            }
        }
    }

    @Test(arguments: [TextAnalyzer.simple, .words, .cjk])
    func `A joined word is found however it is written`(analyzer: TextAnalyzer) throws {
        let spellings = ["می\u{200c}خواهم", "میخواهم", "می خواهم"]
        try withStore(analyzer: analyzer) { collection in
            for (number, text) in spellings.enumerated() {
                try collection.put(["id": .int(Int64(number)), "caption": .string("من \(text) بروم")])
            }
            func found(_ text: String) throws -> [DocumentID] {
                try collection.search(text).map(\.document.id).sorted { "\($0)" < "\($1)" }
            }
            #expect(try found(spellings[0]) == [0, 1, 2])
            #expect(try found(spellings[1]) == [0, 1])
            #expect(try found(spellings[2]) == [0, 2])
            #expect(try found("\"من \(spellings[0]) بروم\"").contains(0))
            #expect(try found("\"\(spellings[2]) بروم\"") == [0, 2])
            #expect(try found("خواهم") == [0, 2])
            let hit = try #require(try collection.search(spellings[1]).first)
            #expect(!hit.document.id.description.isEmpty)
        }
    }

    @Test func `In Turkish, an uppercase I is a dotless one`() throws {
        try withStore(analyzer: .language(.turkish)) { collection in
            try collection.put(["id": 1, "caption": "IŞIKLAR ve KIZLARIN"])
            try collection.put(["id": 2, "caption": "ışıklar ve kızların"])
            try collection.put(["id": 3, "caption": "I\u{307}stanbul, İSTANBUL"])
            for typed in ["ışık", "IŞIK", "isik", "kız", "KIZ", "kiz", "ışıklar"] {
                #expect(try collection.count(where: .search(typed)) == 2, "\(typed)")
            }
            for typed in ["istanbul", "İstanbul", "ISTANBUL"] {
                #expect(try collection.count(where: .search(typed)) == 1, "\(typed)")
            }
        }
        var keeping = TextAnalyzer.language(.turkish)
        keeping.accents = .keep
        try withStore(analyzer: keeping) { collection in
            try collection.put(["id": 1, "caption": "KIZ"])
            #expect(try collection.count(where: .search("kız")) == 1)
            #expect(try collection.count(where: .search("kiz")) == 0)
        }
    }

    private func withStore(analyzer: TextAnalyzer, _ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let schema = Schema(collections: [
                CollectionDefinition("c", indexes: [.text("t", on: .field("caption", analyzer: analyzer))])
            ])
            let store = try DocumentStore.open(at: directory + "/s", schema: schema)
            try body(try store.collection("c"))
            try expectSound(store)
            try store.close()
            let again = try DocumentStore.open(at: directory + "/s")
            try expectSound(again)
            try again.close()
        }
    }

    // MARK: - Earlier rules

    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .text("t", on: "title"), .value("n", on: .field("title", collation: .caseAndAccentInsensitive)),
            ])
    ])

    /// Creates a store whose indexes claim to be built by other rules, with a different number of words.
    private static func makeOldStore(at path: String) throws {
        let store = try DocumentStore.open(at: path, schema: schema)
        try store.collection("c").put(["id": 1, "title": "fog"])
        try store.database.put(
            [1, 9], forKey: TextIndexKey.pending.key(store.currentCatalog.collections[0].indexes[0].number, 0))
        var catalog = store.currentCatalog
        for index in catalog.collections[0].indexes.indices {
            catalog.collections[0].indexes[index].fingerprint = "0123456789abcdef"
        }
        try store.database.putCatalog(catalog.encoded)
        try store.close()
    }

    @Test func `Indexes of earlier folding rules are rebuilt when the store is opened`() throws {
        try withTemporaryDirectory { directory in
            try Self.makeOldStore(at: directory + "/s")
            let store = try DocumentStore.open(at: directory + "/s")
            #expect(store.currentCatalog.collections[0].indexes.map(\.number) == [3, 4])
            #expect(!store.currentCatalog.hasOutdatedIndexes)
            #expect(try store.collection("c").search("fog").count == 1)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `Until then, the old text index answers, and the old collation does not`() throws {
        try withTemporaryDirectory { directory in
            try Self.makeOldStore(at: directory + "/s")
            let store = try DocumentStore.open(at: directory + "/s", mode: .readOnly)
            let collection = try store.collection("c")
            #expect(try collection.search("fog").count == 1)
            #expect(try collection.plan(Query("title = fog")).indexNames.isEmpty)
            #expect(try collection.count(where: Filter("title = fog")) == 1)
            let problems = try store.verify().problems
            #expect(problems.count == 2 && problems.allSatisfy { $0.contains("rebuild") })
            try store.close()
        }
    }
}
