import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import TextIndexing

/// Text indexes record the stemmer that built them.
@Suite struct StemmerIdentityTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c", indexes: [.text("words", on: .field("title", analyzer: .language(.english)), "plain")])
    ])

    /// Common words of each language. The first ones are those that versions of Snowball's stemmer treat differently, if
    /// there are any.
    private static let contested: [TextAnalyzer.Language: String] = [
        .arabic: "والكتاب بالمدينة مدرسون سفينة مدينة عربية أعمال كتابهم يلعبون جميلة",
        .armenian: "գիրք քաղաք երեխա գեղեցիկ քաղաքներ քաղաքում նավեր գրել կարդում աշխատել",
        .basque: "etxeak etxetik etxera liburuak gizona mendiak eskola lanak",
        .catalan: "llibres cases cantar bella fàcilment ponts arribada seguir possible perdut",
        .danish: "huset husene barnet skovens menneske gården muligheden venlige arbejdet foreningens",
        .dutch: """
        boom huizen wonen gewoond lopen geschreven brieven bruggen mogelijkheden gebouwen straten mooie \
        zeeën vogels
        """,
        .english: """
        added adding ebbed ebbing erred erring emergencies emergency evening evenings geologist geologists \
        psychologist interfered interfering internal internally international interval lateral organic organism \
        organize organization paste pasted pasting skis universal university
        """,
        .finnish: "hanhen tähän maahan veteen talossa kirjasta kaupunkiin lapsi kalan puun",
        .french: """
        l'arbre d'abord j'ai qu'il c'est l'eau l'île jusqu'ici oiseaux chevaux nations villes rapidement \
        électrique
        """,
        .german: """
        lehrerinnen bildet redet arbeitet segeln brücken häuser kinder fahrräder möglichkeiten \
        erinnerungen straße
        """,
        .greek: "ίσα φως γάλα νερό σπίτι δρόμος μαθητες πατερας θάλασσα γέφυρα",
        .hindi: "लड़का लड़कियाँ किताबें घरों शहरों बच्चे रास्ते पेड़ों लिखता चलकर",
        .hungarian: "házban könyvet asztalon hajóval városból gyereknek emberek magyarul kertben házunk",
        .indonesian: "rumahnya bukuku jalanan ajaran tuliskan tulisan bacaan bacakan",
        .irish: "bhád mbád n-athair t-athair gcapall bhfear bádóir cathaireacha",
        .italian: "divano divani città perché libertà cantando facilmente nazioni amministrazione guardando",
        .lithuanian: "kompiuteriai numeriai namas knygų laivai miestuose miesto vaikams darbas mokyklą",
        .nepali: "किताबहरू घरको घरमा सहरको बच्चालाई मान्छेको मान्छेहरू कामको",
        .norwegian: "huset boken skogen vannet mennesker arbeidet skriver muligheten vennlig gården vinden",
        .portuguese: "livros cantando viver nações dormir pontes chegada irmãos coração facilmente",
        .romanian: "feţe peşte soţi naţie administrație educație câștigă cartele frumos poduri portul",
        .russian: "ёлка ещё зелёный книгами домов города люди красивая русская дорога школы читать",
        .serbian: "kuće knjige mostova gradovi lepa srpski putovi planina školama",
        .spanish: "educacion nacion diciéndome libros cantando facilidad naciones administración historico llegando",
        .swedish: "huset brevet mötet trädet arbetet priset tåget djuret taket hjärtat barnen möjligheten vänlig",
        .tamil: "வீடுகள் கப்பல்கள் குழந்தைகள் குழந்தைக்கு சாலைகள் கடல் நகரம் மரம்",
        .turkish: "istanbul'da ankara'ya izmir'in evlerinde kitaplar denizde gemiler şehirler çocuklar gelmiş okulda",
        .yiddish: "גע געגאַנגען גענומען מענטשן קינדער וועגן אַרבעט לייען שרײַבט",
    ]

    @Test(arguments: TextAnalyzer.Language.allCases)
    func `A stemmer that differs on a single common word has a different identity`(
        language: TextAnalyzer.Language
    ) throws {
        let stemmer = try #require(Stemmer(language))
        let words = try #require(Self.contested[language]).split(separator: " ")
        let behaviour = StemmerIdentity.behaviour(of: language) { stemmer.stem($0) }
        #expect(behaviour == StemmerIdentity.current(language).behaviour)
        for word in words {
            let other = StemmerIdentity.behaviour(of: language) {
                $0 == Array(word.utf8) ? $0 + [0x78] : stemmer.stem($0)
            }
            #expect(other != behaviour, "\(word)")
        }
    }

    #if os(Linux)
        /// The build ID of the program would not change with the library.
        @Test(.enabled(if: LoadedStemmer.build != nil, "skipped: the libstemmer of this process has no build ID"))
        func `The recorded build is the build ID in the file of the library`() throws {
            #expect(StemmerIdentity.current(.english).build == LoadedStemmer.build)
        }
    #endif

    @Test func `Each stemmer changes more than a fifth of its vocabulary`() throws {
        for language in TextAnalyzer.Language.allCases {
            let stemmer = try #require(Stemmer(language))
            var (count, changed) = (0, 0)
            StemmerVocabulary.of(language).forEachWord { word in
                count += 1
                if stemmer.stem(word) != word { changed += 1 }
            }
            #expect(count > 300 && changed * 5 > count, "\(language): \(changed) of \(count)")
        }
    }

    /// Creates a store of one document, as another stemmer would have built it.
    private static func makeStore(
        at path: String, _ change: (StemmerIdentity) -> StemmerIdentity?
    ) throws -> [UInt8] {
        let store = try DocumentStore.open(at: path, schema: schema)
        try store.collection("c").put(["id": 1, "title": "added values", "plain": "fog"])
        var catalog = store.currentCatalog
        let entry = catalog.collections[0].indexes[0]
        #expect(entry.stemmers == [StemmerIdentity.current(.english)] && entry.isCurrent)
        catalog.collections[0].indexes[0].stemmers = entry.stemmers.compactMap(change)
        try store.database.putCatalog(catalog.encoded)
        try store.close()
        return catalog.encoded
    }

    private static func foreign(_ identity: StemmerIdentity) -> StemmerIdentity? {
        StemmerIdentity(language: identity.language, behaviour: "0123456789abcdef", build: "id-00")
    }

    private static let look = DocumentStore.Options(finishesSchemaChange: false)

    @Test(arguments: [0, 1, 2]) func `An index of another or unknown stemmer is rebuilt when the store is opened`(
        form: Int
    ) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.makeStore(at: path) { identity in
                switch form {
                case 0: Self.foreign(identity)
                case 1: nil
                // Another build that is not known to differ.
                default:
                    StemmerIdentity(language: identity.language, behaviour: identity.behaviour, build: "id-00")
                }
            }
            let store = try DocumentStore.open(at: path)
            #expect(store.currentCatalog.collections[0].indexes.map(\.number) == [2])
            #expect(!store.currentCatalog.hasOutdatedIndexes)
            #expect(try store.collection("c").search("adding value").count == 1)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `An index of the same stemmer is not rebuilt`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let catalog = try Self.makeStore(at: path) { $0 }
            let store = try DocumentStore.open(at: path)
            #expect(try store.database.value(forKey: StoreKey.catalogKey) == catalog)
            try store.close()
        }
    }

    @Test func `If nothing may be built, searching an index of another stemmer throws`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let catalog = try Self.makeStore(at: path, Self.foreign)
            let store = try DocumentStore.open(at: path, options: Self.look)
            let collection = try store.collection("c")
            expectFailure(.unknownIndex, containing: "words", "english", "rebuild") { try collection.search("added") }
            expectFailure(.unknownIndex, containing: "stemmer") { try collection.count(where: .search("added")) }
            expectFailure(.unknownIndex, containing: "stemmer") { try collection.completions(of: "ad") }
            #expect(try collection.find("title exists").count == 1)
            let verification = try store.verify()
            #expect(verification.problems.count == 1 && verification.problems[0].contains("stemmer"))
            #expect(try store.database.value(forKey: StoreKey.catalogKey) == catalog)
            try store.close()
            let reader = try DocumentStore.open(at: path, mode: .readOnly)
            expectFailure(.unknownIndex, containing: "stemmer") { try reader.collection("c").search("added") }
            try reader.close()
        }
    }

    @Test func `Rebuilding an index of another stemmer makes it searchable again`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.makeStore(at: path, Self.foreign)
            let store = try DocumentStore.open(at: path, options: Self.look)
            let collection = try store.collection("c")
            try store.rebuildIndex("words", of: "c")
            #expect(try collection.search("adding value").count == 1)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `If nothing may be built, an index of another build with the same stems is searchable`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.makeStore(at: path) {
                StemmerIdentity(language: $0.language, behaviour: $0.behaviour, build: "id-00")
            }
            let store = try DocumentStore.open(at: path, options: Self.look)
            #expect(try store.collection("c").search("adding value").count == 1)
            #expect(store.currentCatalog.hasOutdatedIndexes)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `An index written by two stemmers is not attributed to the first`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.makeStore(at: path, Self.foreign)
            let store = try DocumentStore.open(at: path, options: Self.look)
            try store.collection("c").put(["id": 2, "title": "adding"])
            let record = try #require(try store.database.value(forKey: StoreKey.catalogKey))
            #expect(try Catalog(encoded: record).collections[0].indexes[0].stemmers.isEmpty)
            try store.close()
            let opened = try DocumentStore.open(at: path)
            #expect(try opened.collection("c").search("added").count == 2)
            try expectSound(opened)
            try opened.close()
        }
    }

    @Test func `A catalog without stemmer records is read, and its index is rebuilt`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let record = try Self.makeStore(at: path) { _ in nil }
            #expect(!String(decoding: record, as: UTF8.self).contains("stemmers"))
            #expect(try Catalog(encoded: record).hasOutdatedIndexes)
        }
    }
}

#if os(Linux)
    /// The libstemmer that this process has loaded, according to its file.
    enum LoadedStemmer {
        /// The build ID in the form of the identity; `nil` if the file has none, or if the library is a part of the
        /// program.
        static let build: String? = {
            let maps = try? String(decoding: TestFiles.bytes(of: "/proc/self/maps"), as: UTF8.self)
            let line = maps?.split(separator: "\n").first { $0.contains("/libstemmer") }
            guard let line, let start = line.firstIndex(of: "/"),
                let file = try? TestFiles.bytes(of: String(line[start...]))
            else { return nil }
            return buildID(of: file)
        }()

        /// Returns the note with the build ID of an ELF file of 64 bits (`readelf -n`); `nil` if there is none.
        private static func buildID(of file: [UInt8]) -> String? {
            func number(_ offset: Int, _ byteCount: Int) -> Int {
                file[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            guard file.count > 64, file.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { return nil }
            let (headers, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2))
            for header in (0..<count).map({ headers + size * $0 }) where number(header, 4) == 4 {
                var note = number(header + 8, 8)
                let end = note + number(header + 0x20, 8)
                while note + 12 <= end {
                    let (nameCount, idCount) = (number(note, 4), number(note + 4, 4))
                    let name = file[(note + 12)..<(note + 12 + nameCount)]
                    let id = note + 12 + (nameCount + 3) / 4 * 4
                    if number(note + 8, 4) == 3, name.elementsEqual("GNU\0".utf8) {
                        let digits = file[id..<(id + idCount)].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                        return "id-" + digits.joined()
                    }
                    note = id + (idCount + 3) / 4 * 4
                }
            }
            return nil
        }
    }
#endif
