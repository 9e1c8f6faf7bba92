import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Text indexes record the stemmer that built them.
@Suite struct StemmerIdentityTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c", indexes: [.text("words", on: .field("title", analyzer: .language(.english)), "plain")])
    ])

    /// Words that versions of Snowball's English stemmer treat differently, each alone.
    private static let contested = [
        "added", "adding", "ebbed", "ebbing", "erred", "erring", "emergencies", "emergency", "evening", "evenings",
        "geologist", "geologists", "psychologist", "interfered", "interfering", "internal", "internally",
        "international",
        "interval", "lateral", "organic", "organism", "organize", "organization", "paste", "pasted", "pasting", "skis",
        "universal", "university",
    ]

    @Test func `A stemmer that differs on a single common word has a different identity`() throws {
        let stemmer = try #require(Stemmer(.english))
        let behaviour = StemmerIdentity.behaviour(of: .english) { stemmer.stem($0) }
        #expect(behaviour == StemmerIdentity.current(.english).behaviour)
        for word in Self.contested {
            let other = StemmerIdentity.behaviour(of: .english) {
                $0 == Array(word.utf8) ? $0 + [0x78] : stemmer.stem($0)
            }
            #expect(other != behaviour, "\(word)")
        }
    }

    @Test func `Each language has a vocabulary that its stemmer changes`() throws {
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
