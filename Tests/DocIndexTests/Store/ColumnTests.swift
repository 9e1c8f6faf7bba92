import Dispatch
import LevelKit
import Synchronization
import TestSupport
import Testing

@testable import DocIndex

/// Columns of fields that are kept in memory.
@Suite struct ColumnTests {
    /// Options with columns and documents of this size in memory, which are there when they are wanted first.
    private static func options(columnByteCount: Int, documentByteCount: Int = 0) -> DocumentStore.Options {
        var options = DocumentStore.Options()
        options.documentCacheByteCount = documentByteCount
        options.columnByteCount = columnByteCount
        options.cachesDocumentsAtFirstUse = true
        return options
    }

    private static func photo(_ number: Int, version: Int) -> DocumentObject {
        [
            "id": .int(Int64(number)), "version": .int(Int64(version)), "twin": .int(Int64(version)),
            "keywords": .array([.string("k\(number % 3)"), "all"]), "rest": .string(String(repeating: "x", count: 50)),
        ]
    }

    // MARK: - Answers

    /// What is asked of a collection, as text that can be compared.
    private static func answers(
        _ collection: DocumentCollection, _ query: Query, _ paths: [FieldPath], _ part: DocumentDate.Part
    ) throws -> [String] {
        let facets = try collection.facets(paths, where: query.filter)
        let few = try collection.facets(paths, where: query.filter, limit: 2)
        var groups: [Aggregation.Group] = []
        for key in [Aggregation.GroupKey.value(paths[0]), .datePart(paths[0], part), .range(paths[0], width: 2)] {
            groups += try collection.summarize(Aggregation(by: [key]), where: query.filter)
        }
        return facets.map { "\($0)" } + few.map { "\($0)" } + groups.map { "\($0)" }
            + [
                "\(try collection.find(query).map(\.content))", "\(try collection.select(paths, query))",
                // From memory, if it is there.
                "\(try collection.select(paths, query))", "\(try collection.count(where: query.filter))",
            ]
    }

    @Test func `With and without columns, all answers are the same while documents change`() throws {
        var queries = RandomQueries(TestRun.random(stream: 41))
        queries.documents.hasAttachments = true
        var isUsed = false
        for _ in 0..<TestRun.rounds(4, long: 400) {
            let indexes = queries.indexes()
            let schema = Schema(collections: [CollectionDefinition("c", indexes: indexes)])
            let limit = queries.documents.random.pick([20_000, 1 << 20])
            let options = Self.options(
                columnByteCount: limit, documentByteCount: queries.documents.random.pick([0, 8000, 1 << 20]))
            try withTemporaryStore(schema: schema, options: options) { store in
                try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 0)) { plain in
                    for store in [store, plain] { try RandomDocuments.addAttachmentContents(to: store) }
                    var snapshots: [(DocumentCollection, DocumentCollection)] = []
                    for step in 0..<60 {
                        if step == 0 || queries.documents.random.once(in: 3) {
                            try Self.change(step == 0 ? 150 : 10, in: [store, plain], using: &queries.documents)
                        }
                        let newest = (try store.collection("c"), try plain.collection("c"))
                        let pair = snapshots.isEmpty ? newest : queries.documents.random.pick(snapshots + [newest])
                        let (query, paths) = (queries.query(), queries.selection())
                        let part = queries.documents.random.pick(DocumentDate.Part.allCases)
                        #expect(
                            try Self.answers(pair.0, query, paths, part) == Self.answers(pair.1, query, paths, part),
                            "\(query), \(paths), \(TestRun.repetition)")
                        #expect(store.documents.columns.byteCount <= limit)
                        if store.documents.columns.byteCount > 0 { isUsed = true }
                        if queries.documents.random.once(in: 10) {
                            let views = try [store, plain].map { try #require(try $0.snapshot().collections.first) }
                            snapshots.append((views[0], views[1]))
                            if snapshots.count > 3 { snapshots.removeFirst() }
                        }
                    }
                    #expect(plain.documents.columns.byteCount == 0)
                }
            }
        }
        #expect(isUsed)
    }

    @Test func `Equal values with different bytes are one facet, and leave room for others`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            let digest = try store.attachments.add(Array("hello".utf8))
            let text = DocumentValue.string(digest.digest.description)
            let values: [(DocumentValue, Int)] = [(1, 10), (1.0, 9), ("a", 8), ("b", 7), ("c", 6)]
            for (number, value) in values.flatMap({ Array(repeating: $0.0, count: $0.1) }).enumerated() {
                try photos.put(["id": .int(Int64(number)), "a": value, "x": ["sha256": text]])
            }
            try photos.put(["id": "last", "x": .attachment(digest)])
            for limit in 1...3 {
                #expect(try photos.facets("a", limit: limit).map(\.count) == Array([19, 8, 7].prefix(limit)))
            }
            #expect(try photos.facets("x.sha256", limit: 1).map(\.count) == [41])
            #expect(store.documents.columns.byteCount > 0)
        }
    }

    @Test func `A column has documents with many elements in a list, and counts each distinct one once`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            for size in [1, 2, 100, 1000] {
                let names = (0..<size).map { DocumentValue.string("k\($0)") }
                let years = (0..<size).map { DocumentValue.int(Int64($0) - 30) }
                try photos.put(["id": .int(Int64(size)), "keywords": .array(names + years + names)])
            }
            try photos.put(["id": "twice", "keywords": ["k0", "k0"]])
            let facets = try photos.facets("keywords[]")
            #expect(store.documents.columns.byteCount > 0)
            #expect(facets.count == 2000)
            #expect(facets.prefix(4).map(\.value) == ["k0", -30, -29, "k1"])
            #expect(facets.prefix(5).map(\.count) == [5, 4, 3, 3, 2])
            #expect(try photos.facets("keywords[]", limit: 3) == Array(facets.prefix(3)))
            #expect(try photos.count(where: .compare("keywords[]", .equal, -29.0)) == 3)
        }
    }

    @Test func `After a rebuild, a column that could not be built is tried again`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": 1, "tags": [1.5, "a"]])
            // Only lists of strings and ints are in columns.
            #expect(try photos.facets("tags[]").count == 2)
            #expect(store.documents.columns.byteCount == 0)
            try photos.put(["id": 1, "tags": ["a"]])
            #expect(try photos.facets("tags[]").count == 1)
            #expect(store.documents.columns.byteCount == 0)
            try store.rebuild()
            #expect(try photos.facets("tags[]").count == 1)
            #expect(store.documents.columns.byteCount > 0)
        }
    }

    private static func change(
        _ count: Int, in stores: [DocumentStore], using documents: inout RandomDocuments
    ) throws {
        var changes: [(DocumentID, DocumentObject?)] = []
        for _ in 0..<count {
            let id = documents.id()
            changes.append((id, documents.random.once(in: 4) ? nil : documents.document(id: id)))
        }
        for store in stores {
            try store.write { transaction in
                for (id, content) in changes {
                    if let content {
                        try transaction.put(content, in: "c")
                    } else {
                        try transaction.delete(id, in: "c")
                    }
                }
            }
        }
    }

    // MARK: - When

    @Test func `A column is built once queries have read half the documents, and at least 10,000`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                for number in 0..<1000 { try transaction.put(Self.photo(number, version: number % 7), in: "photos") }
            }
            for _ in 0..<10 { #expect(try photos.facets("version").count == 7) }
            #expect(store.documents.columns.byteCount == 0)
            for _ in 0..<2 { #expect(try photos.facets("version").count == 7) }
            #expect(store.documents.columns.byteCount > 0)
            // A column is only of use to those who ask for its path.
            let size = store.documents.columns.byteCount
            #expect(try photos.facets("keywords[]").count == 4)
            #expect(store.documents.columns.byteCount == size)
            try photos.update(where: "version = 3", "version = 70")
            #expect(try photos.facets("version").contains { $0.value == 70 })
        }
    }

    @Test func `Columns that do not fit are not kept, and others make room for those in use`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        // A cell takes four bytes, and the four columns are equally large.
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 100_000)) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                for number in 0..<10_000 {
                    try transaction.put(
                        [
                            "id": .int(Int64(number)), "a": .int(Int64(number % 2)), "b": 1, "c": 2, "d": 3,
                            "text": .string("text \(number) is not like any other"),
                        ], in: "photos")
                }
            }
            for _ in 0..<3 {
                for path in ["a", "b", "c", "d", "text"] as [FieldPath] {
                    #expect(try photos.facets(path, limit: 3).map(\.count).reduce(0, +) > 0)
                    #expect(store.documents.columns.byteCount <= 100_000)
                    #expect(store.documents.columns.byteCount > 30_000)
                }
            }
        }
    }

    // MARK: - Damage and concurrency

    @Test func `A damaged document is reported by the queries that read it, and by no others`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos", indexes: [.value("id2", on: "version")])])
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(
                at: directory + "/s", schema: schema, options: Self.options(columnByteCount: 1 << 20))
            let photos = try store.collection("photos")
            try store.write { transaction in
                for number in 0..<100 { try transaction.put(Self.photo(number, version: number % 10), in: "photos") }
            }
            let number = try #require(try store.state().catalog.collection(named: "photos")?.number)
            // The document of row 4 is the one with the version 3.
            let key = StoreKey.document(number, row: 4)
            let record = try #require(try store.database.value(forKey: key))
            try store.database.put(Array(record.prefix(record.count - 60)), forKey: key)
            expectFailure(.corruption) { _ = try photos.facets("keywords[]") }
            expectFailure(.corruption) { _ = try photos.facets("twin", where: .compare("version", .equal, 3)) }
            #expect(try photos.facets("twin", where: .compare("version", .equal, 4)).map(\.count) == [10])
            #expect(
                try photos.find(Query(.compare("version", .equal, 5), sort: [.descending("twin")])).count == 10)
            try store.close()
        }
    }

    @Test func `With outdated counters, no document is missing from facets`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            try store.write { transaction in
                for number in 0..<20 { try transaction.put(Self.photo(number, version: 1), in: "photos") }
            }
            let counters = try CollectionCounters.read(1, in: store.database)
            var outdated = counters
            outdated.nextRow -= 10
            outdated.documentCount -= 10
            try store.database.put(outdated.encoded, forKey: CollectionCounters.key(1))
            for _ in 0..<3 { #expect(try photos.facets("version").map(\.count) == [20]) }
            #expect(store.documents.columns.byteCount == 0)
            try store.database.put(counters.encoded, forKey: CollectionCounters.key(1))
        }
    }

    @Test func `Columns take no more memory than allowed while documents change`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 20_000)) { store in
            let photos = try store.collection("photos")
            func write(_ text: (Int) -> String) throws {
                try store.write { transaction in
                    for number in 0..<200 {
                        try transaction.put(["id": .int(Int64(number)), "text": .string(text(number))], in: "photos")
                    }
                }
            }
            try write { _ in "same" }
            #expect(try photos.facets("text").map(\.count) == [200])
            #expect(store.documents.columns.byteCount > 0)
            try write { "\($0)" + String(repeating: "x", count: 1000) }
            for _ in 0..<2 { #expect(try photos.facets("text").count == 200) }
            #expect(store.documents.columns.byteCount == 0)
        }
    }

    @Test func `Commits and the queries after them copy no column`() throws {
        let columns = ValueColumns(byteLimit: 1 << 20, buildsAtFirstUse: true)
        let keys = ["a", "b"].map { ValueColumns.Key(collection: 1, path: $0) }
        func publish() throws {
            let build = try #require(columns.beginBuild(keys, of: 1) { true })
            let built = keys.map { key in
                var column = ValueColumn(key.path)
                column.extend(to: 1000)
                return column
            }
            columns.publish(built, of: build, commitCount: 1)
            columns.endBuild(build)
        }
        func addresses() -> [Int] {
            guard case .all(let known) = columns.known(keys, commitCount: 9, documentCount: { 0 }) else { return [] }
            return known.map { unsafe $0.column.cells.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
        }
        try publish()
        let before = addresses()
        #expect(before.count == 2)
        for commit in 2..<5 as Range<UInt64> {
            columns.forget([DocumentCache.Key(collection: 1, row: commit), DocumentCache.Key(collection: 2, row: 9)])
            let gaps = try #require(columns.gaps(in: keys, cellCount: 1000, limit: 1))
            #expect(gaps.rows == [commit])
            #expect(columns.gaps(in: keys, cellCount: 1001, limit: 1) == nil)
            #expect(columns.update(keys, [0, 0], commitCount: commit, if: { true }) { _, _ in true } == nil)
            let changed = columns.update(keys, gaps.generations, commitCount: commit, if: { true }) { _, column in
                column.clearUnknownRows()
                return true
            }
            #expect(changed?.count == 2)
        }
        #expect(addresses() == before)
    }

    @Test func `While a thread writes, columns show whole commits and never an older one`() throws {
        let schema = Schema(collections: [CollectionDefinition("photos")])
        try withTemporaryStore(schema: schema, options: Self.options(columnByteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            try Self.write(version: 0, to: store)
            let isDone = Mutex(false)
            let group = DispatchGroup()
            for reader in 0..<3 {
                DispatchQueue.global().async(group: group) {
                    do {
                        var last: Int64 = 0
                        while !isDone.withLock({ $0 }) {
                            let paths: [FieldPath] = reader == 0 ? ["version"] : ["version", "twin", "keywords[]"]
                            let facets = try photos.facets(
                                paths, where: reader == 2 ? .compare("twin", .greaterOrEqual, 0) : .all)
                            #expect(facets[0].count == 1 && facets[0][0].count >= 20, "\(facets)")
                            #expect(reader == 0 || facets[0] == facets[1], "\(facets)")
                            #expect(reader == 0 || facets[2].count == 4, "\(facets)")
                            let version = try #require(facets[0].first?.value.intValue)
                            #expect(version >= last)
                            last = version
                        }
                    } catch { Issue.record(error) }
                }
            }
            for version in 1...TestRun.rounds(300, long: 20_000) { try Self.write(version: version, to: store) }
            isDone.withLock { $0 = true }
            group.wait()
            #expect(try photos.facets("version").count == 1)
        }
    }

    /// Writes every document, and a further one now and then.
    private static func write(version: Int, to store: DocumentStore) throws {
        try store.write { transaction in
            for number in 0..<20 + version / 10 { try transaction.put(photo(number, version: version), in: "photos") }
        }
    }
}
