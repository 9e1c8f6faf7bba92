import DocIndex
import LevelKit
import TestSupport
import Testing

/// Indexes that are built while the store is in use, and builds that are interrupted and resumed.
@Suite struct OnlineBuildTests {
    struct Stop: Error {}

    static let options = DocumentStore.Options(finishesSchemaChange: false)

    static func schema(_ indexes: IndexDefinition...) -> Schema {
        Schema(collections: [CollectionDefinition("photos", indexes: indexes)])
    }

    static let old = schema(.value("year", on: "year", counts: true), .text("text", on: "title"))
    static let new = schema(
        .value("year", on: "year", "place", counts: true), .value("tags", on: "tags[]", counts: true),
        .text("text", on: "title", "caption"))
    static let other = schema(
        .value("year", on: .field("year", order: .descending), counts: true), .value("place", on: "place"),
        .text("text", on: "caption"))

    static func photo(_ id: Int, _ random: inout SplitMix64) -> DocumentObject {
        let words = ["fog", "rain", "sea", "snow"]
        return [
            "id": .int(Int64(id)), "year": .int(Int64(1900 + random.number(below: 20))),
            "place": .string(random.pick(["Oslo", "Rome", "Bath"])),
            "tags": [.string(random.pick(words)), .string(random.pick(words))],
            "title": .string(random.pick(words)), "caption": .string(random.pick(words)),
        ]
    }

    static func fill(_ store: DocumentStore, count: Int = 1000) throws {
        var random = SplitMix64(seed: 1)
        try store.write { transaction in
            for id in 0..<count { try transaction.put(photo(id, &random), in: "photos") }
        }
    }

    /// Compares results, with and without an index, with a scan of every document.
    static func expectRightAnswers(
        _ photos: DocumentCollection, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        // In storage order, which another test compares with what was stored.
        let documents = try photos.find(Query()).map { (id: $0.id, content: $0.content) }
        for condition in [
            "year = 1907", "year >= 1918 and place = Rome", "tags has fog", "place = Bath", "year < 1903",
        ] {
            let query = Query(try Filter(parsing: condition), sort: [.descending("year")])
            #expect(
                try photos.find(query).map(\.id) == NaiveQuery.answer(query, among: documents), "\(condition)",
                sourceLocation: sourceLocation)
        }
        // The index that answers is one of these, complete.
        let hits = Set(try photos.search("sea", limit: nil).map(\.document.id))
        let answers = [["title"], ["title", "caption"], ["caption"]].map { members in
            Set(documents.filter { document in members.contains { document.content[$0] == "sea" } }.map(\.id))
        }
        #expect(answers.contains(hits), sourceLocation: sourceLocation)
    }

    /// Applies a schema and stops after a number of slices.
    static func begin(_ schema: Schema, of store: DocumentStore, slices: Int) throws {
        var count = 0
        #expect(throws: Stop.self) {
            try store.apply(schema) { _ in
                count += 1
                if count == slices { throw Stop() }
            }
        }
        try expectSound(store)
    }

    /// Finishes the build and returns the row that the first slice reached; `nil` if nothing was left to build.
    @discardableResult
    static func finish(_ store: DocumentStore) throws -> UInt64? {
        var first: UInt64?
        try store.finishSchemaChange { progress in
            if first == nil { first = progress.row }
            try expectSound(store)
        }
        try expectSound(store)
        try expectRightAnswers(store.collection("photos"))
        return first
    }

    static func access(_ condition: String, _ store: DocumentStore) throws -> String {
        try store.collection("photos").plan(Query(Filter(parsing: condition))).access.description
    }

    // MARK: -

    @Test func `The old index answers until the new one is complete`() throws {
        try withTemporaryStore(schema: Self.old) { store in
            try Self.fill(store)
            let photos = try store.collection("photos")
            var rows: [UInt64] = []
            let changes = try store.apply(Self.new) { progress in
                rows.append(progress.row)
                #expect(progress.collection == "photos" && progress.lastRow == 1000)
                #expect(progress.indexes == ["year", "tags", "text"])
                try expectSound(store)
                try Self.expectRightAnswers(photos)
                let isDone = progress.row == 1000
                #expect(try Self.access("year = 1907", store).contains("index year"))
                #expect(try Self.access("tags has fog", store).contains("index tags") == isDone)
            }
            #expect(changes.count == 3)
            #expect(rows == rows.sorted() && rows.count >= 4 && rows.last == 1000)
            #expect(store.schema == Self.new)
        }
    }

    @Test func `An interrupted build resumes where it stopped`() throws {
        try withTemporaryStore(schema: Self.old) { store in
            try Self.fill(store)
            try Self.begin(Self.new, of: store, slices: 2)
            try Self.expectRightAnswers(store.collection("photos"))
            #expect(try Self.access("tags has fog", store) == "scan all documents")
            #expect(try store.collection("photos").unfinishedIndexNames.contains("tags"))
            // On both sides of the row that was reached.
            for id in [3, 900, 2000] {
                var random = SplitMix64(seed: UInt64(id))
                try store.collection("photos").put(Self.photo(id, &random))
            }
            for id in [7, 907] { try store.collection("photos").delete(.int(Int64(id))) }
            try expectSound(store)
            let first = try #require(try Self.finish(store))
            #expect(first > 512)
            #expect(try Self.access("tags has fog", store).contains("index tags"))
            #expect(try Self.finish(store) == nil)
            #expect(try store.collection("photos").unfinishedIndexNames.isEmpty)
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func `A build resumes after the store is reopened`(slices: Int) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let store = try DocumentStore.open(at: path, schema: Self.old)
            try Self.fill(store)
            try Self.begin(Self.new, of: store, slices: slices)
            try store.close()
            for isLast in [false, true] {
                // First without a schema, then with the schema given again.
                let store = try DocumentStore.open(
                    at: path, schema: isLast ? Self.new : nil, options: isLast ? .init() : Self.options)
                try expectSound(store)
                try Self.expectRightAnswers(store.collection("photos"))
                #expect(store.schema == Self.new)
                if isLast { #expect(try Self.finish(store) == nil) }
                var random = SplitMix64(seed: 5)
                try store.collection("photos").put(Self.photo(4, &random))
                try store.close()
            }
        }
    }

    @Test func `Returning to the old schema keeps the old index and removes the new ones`() throws {
        try withTemporaryStore(schema: Self.old) { store in
            try Self.fill(store)
            try Self.begin(Self.new, of: store, slices: 2)
            var sliceCount = 0
            try store.apply(Self.old) { _ in sliceCount += 1 }
            #expect(sliceCount == 0)
            #expect(store.schema == Self.old)
            try expectSound(store)
            try Self.expectRightAnswers(store.collection("photos"))
            #expect(try Self.access("year = 1907", store).contains("index year"))
        }
    }

    @Test func `A schema changed repeatedly during builds ends as the last one`() throws {
        try withTemporaryStore(schema: Self.old) { store in
            try Self.fill(store)
            for schema in [Self.new, Self.other, Self.new, Self.other] {
                try Self.begin(schema, of: store, slices: 1)
                #expect(try Self.access("year = 1907", store).contains("index year"))
                try Self.expectRightAnswers(store.collection("photos"))
            }
            try Self.finish(store)
            #expect(store.schema == Self.other)
        }
    }

    @Test func `An index dropped during its build leaves nothing, and the other builds continue`() throws {
        try withTemporaryStore(schema: Self.old) { store in
            try Self.fill(store)
            try Self.begin(Self.new, of: store, slices: 2)
            let fewer = Self.schema(
                .value("year", on: "year", "place", counts: true), .text("text", on: "title", "caption"))
            var first: UInt64?
            try store.apply(fewer) { progress in
                if first == nil { first = progress.row }
                #expect(progress.indexes == ["year", "text"])
                try expectSound(store)
            }
            #expect(try #require(first) > 512)
            #expect(try Self.access("tags has fog", store) == "scan all documents")
            try expectSound(store)
        }
    }

    @Test func `An index that joins a running build starts at the first document`() throws {
        try withTemporaryStore(schema: Self.old) { store in
            try Self.fill(store)
            try Self.begin(Self.new, of: store, slices: 2)
            var more = Self.new
            more.collections[0].indexes.append(.value("place", on: "place", counts: true))
            var names: Set<[String]> = []
            try store.apply(more) { progress in
                names.insert(progress.indexes)
                try expectSound(store)
            }
            #expect(names.contains(["year", "tags", "text", "place"]))
            try Self.finish(store)
            #expect(try Self.access("place = Bath", store).contains("index place"))
        }
    }

    @Test func `A unique index is built despite duplicates and rejects new ones`() throws {
        try withTemporaryStore(schema: Self.schema(.value("year", on: "year"))) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                for id in 0..<700 {
                    try transaction.put(
                        ["id": .int(Int64(id)), "checksum": .int(Int64(id % 690)), "year": 1], in: "photos")
                }
            }
            let unique = Self.schema(
                .value("year", on: "year"), .value("checksum", on: "checksum", unique: true, counts: true))
            var isFirst = true
            try store.apply(unique) { progress in
                if isFirst {
                    // Before the build position the index is maintained; after it, nothing is known yet.
                    expectFailure(.duplicateValue) { try photos.put(["id": 3, "checksum": 4]) }
                    try photos.put(["id": 650, "checksum": 4])
                    isFirst = false
                }
                try expectSound(store)
            }
            let violations = try photos.uniqueViolations(of: "checksum")
            #expect(violations.count == 10)
            #expect(violations.map(\.ids.count).sorted() == Array(repeating: 2, count: 9) + [3])
            expectFailure(.duplicateValue) { try photos.put(["id": 1000, "checksum": 20]) }
            // Existing duplicates may stay and be corrected one by one.
            try photos.update(690) { $0["year"] = 2 }
            try photos.update(650) { $0["checksum"] = "own" }
            for id in 690..<700 { try photos.delete(.int(Int64(id))) }
            #expect(try photos.uniqueViolations(of: "checksum").isEmpty)
        }
    }

    @Test func `Random schema changes, interrupted builds and writes keep every result correct`()
        throws
    {
        let schemas = [Self.old, Self.new, Self.other]
        var random = TestRun.random(stream: 64)
        for _ in 0..<TestRun.rounds(3, long: 60) {
            try withTemporaryDirectory { directory in
                let path = directory + "/s"
                var store = try DocumentStore.open(at: path, schema: Self.old)
                try Self.fill(store, count: 300 + random.number(below: 600))
                for _ in 0..<20 {
                    switch random.number(below: 5) {
                    case 0, 1:
                        var slices = random.number(below: 5)
                        do {
                            try store.apply(random.pick(schemas)) { _ in
                                slices -= 1
                                if slices < 0 { throw Stop() }
                            }
                        } catch is Stop {}
                    case 2:
                        var slices = random.number(below: 3)
                        do {
                            try store.finishSchemaChange { _ in
                                slices -= 1
                                if slices < 0 { throw Stop() }
                            }
                        } catch is Stop {}
                    case 3:
                        try store.close()
                        store = try DocumentStore.open(at: path, options: Self.options)
                    default:
                        for _ in 0..<30 {
                            let id = random.number(below: 1200)
                            if random.once(in: 3) {
                                try store.collection("photos").delete(.int(Int64(id)))
                            } else {
                                try store.collection("photos").put(Self.photo(id, &random))
                            }
                        }
                    }
                    let problems = try store.verify().problems
                    #expect(problems.isEmpty, "\(TestRun.repetition)")
                }
                try Self.finish(store)
                try store.close()
            }
        }
    }
}
