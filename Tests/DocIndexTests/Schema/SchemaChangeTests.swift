import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// A store that is opened with a different schema.
@Suite struct SchemaChangeTests {
    static func schema(_ indexes: [IndexDefinition], id: String = "id") -> Schema {
        Schema(collections: [CollectionDefinition("photos", id: id, indexes: indexes)])
    }

    /// Opens a store with a schema, runs `body`, and verifies and closes the store.
    @discardableResult
    static func open<R>(
        _ path: String, _ schema: Schema?, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (DocumentStore, Database) throws -> R
    ) throws -> R {
        let database = try Database.open(at: path)
        let store = try DocumentStore.open(on: database, schema: schema)
        let result = try body(store, database)
        try expectSound(store, sourceLocation: sourceLocation)
        try store.close()
        return result
    }

    /// Creates a store of `count` documents in `directory`, with an index on `year`.
    static func makeStore(in directory: String, count: Int = 30) throws -> String {
        let path = directory + "/s"
        try open(path, schema([.value("year", on: "year")])) { (store, _) throws in
            try store.write { transaction in
                for id in 0..<count {
                    try transaction.put(
                        [
                            "id": .int(Int64(id)), "year": .int(Int64(1900 + id % 5)),
                            "tags": [.string("t\(id % 3)"), "all"],
                            "title": .string("picture number \(id % 7)"),
                        ], in: "photos")
                }
            }
        }
        return path
    }

    private func keyCount(_ space: StoreKey, _ number: UInt32, in database: Database) throws -> Int {
        let prefix = space.prefix(number)
        return try allPairs(in: database).count { $0.key.starts(with: prefix) }
    }

    @Test func `New indexes are built over existing documents`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            let new = Self.schema([
                .value("year", on: "year"), .value("tags", on: "tags[]"), .text("text", on: "title"),
            ])
            for schema in [new, nil] {
                try Self.open(path, schema) { (store, database) throws in
                    let photos = try store.collection("photos")
                    #expect(store.schema == new)
                    #expect(try photos.plan(Query(.compare("tags[]", .equal, "t1"))).description.contains("index tags"))
                    #expect(try photos.find("tags has t1").count == 10)
                    #expect(try photos.find("year = 1903").count == 6)
                    #expect(try photos.search("picture", limit: nil).count == 30)
                    #expect(try photos.search("\"number 6\"").count == 4)
                    #expect(try keyCount(.values, 2, in: database) == 60)
                }
            }
        }
    }

    @Test func `The keys of an index that is no longer declared are deleted`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            try Self.open(path, Self.schema([.text("text", on: "title")])) { (store, database) throws in
                let photos = try store.collection("photos")
                #expect(try keyCount(.values, 1, in: database) == 0)
                #expect(try photos.find("year = 1903").count == 6)
                #expect(try photos.plan(Query(.compare("year", .equal, 1903))).access == .scan)
                #expect(try photos.search("picture", limit: nil).count == 30)
            }
            try Self.open(path, Self.schema([])) { (store, database) throws in
                #expect(try keyCount(.text, 2, in: database) == 0)
                let photos = try store.collection("photos")
                expectFailure(.unknownIndex, containing: "photos", "text index") { try photos.search("picture") }
                #expect(try photos.count() == 30)
            }
        }
    }

    @Test func `An index whose declaration changes is rebuilt under a new number`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            try Self.open(path, Self.schema([.value("year", on: "year", "title")])) { (store, database) throws in
                #expect(try keyCount(.values, 1, in: database) == 0)
                #expect(try keyCount(.values, 2, in: database) == 30)
                #expect(try store.collection("photos").find("year = 1903").count == 6)
            }
            // The same name, another kind.
            try Self.open(path, Self.schema([.text("year", on: "year", "title")])) { (store, database) throws in
                #expect(try keyCount(.values, 2, in: database) == 0)
                #expect(try keyCount(.text, 3, in: database) == 30 * 2 + 1)
                #expect(try store.collection("photos").search("number", limit: nil).count == 30)
            }
            // The first declaration returns and gets a number that was never used.
            try Self.open(path, Self.schema([.value("year", on: "year")])) { (_, database) throws in
                #expect(try keyCount(.text, 3, in: database) == 0)
                #expect(try keyCount(.values, 4, in: database) == 30)
            }
        }
    }

    @Test func `Reordering indexes and collections changes no key except the catalog`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let indexes: [IndexDefinition] = [.value("a", on: "a"), .value("b", on: "b")]
            let before = try Self.open(
                path, Schema(collections: [CollectionDefinition("x", indexes: indexes), CollectionDefinition("y")])
            ) { (store, database) throws in
                try store.collection("x").put(["id": 1, "a": 1, "b": 2])
                try store.collection("y").put(["id": 1])
                return try allPairs(in: database).map(\.key)
            }
            let turned = Schema(
                version: 2,
                collections: [CollectionDefinition("y"), CollectionDefinition("x", indexes: indexes.reversed())])
            try Self.open(path, turned) { (store, database) throws in
                #expect(try allPairs(in: database).map(\.key) == before)
                #expect(store.schema == turned)
                #expect(store.collections.map(\.name) == ["y", "x"])
                #expect(try store.collection("x").find("b = 2").count == 1)
            }
        }
    }

    @Test func `A new collection is added, and a renamed index is rebuilt`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            let schema = Schema(collections: [
                CollectionDefinition("albums", indexes: [.value("year", on: "year")]),
                CollectionDefinition("photos", indexes: [.value("by year", on: "year")]),
            ])
            try Self.open(path, schema) { (store, database) throws in
                try store.collection("albums").put(["id": 1, "year": 1])
                #expect(try keyCount(.values, 1, in: database) == 0)
                #expect(try store.collection("photos").find("year = 1903").count == 6)
                #expect(try store.collection("albums").count() == 1)
            }
        }
    }

    @Test func `A schema that omits a collection or changes its ID field is rejected and changes nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            expectFailure(.invalidSchema, containing: "photos", "declare") {
                try DocumentStore.open(at: path, schema: Schema(collections: [CollectionDefinition("albums")]))
            }
            expectFailure(.invalidSchema, containing: "photos", "id", "path") {
                try DocumentStore.open(at: path, schema: Self.schema([.value("year", on: "year")], id: "path"))
            }
            try Self.open(path, nil) { (store, _) throws in
                #expect(store.schema == Self.schema([.value("year", on: "year")]))
                #expect(try store.collection("photos").find("year = 1903").count == 6)
            }
        }
    }

    @Test func `Declaring another Unicode form of its name does not replace a collection`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let composed = Schema(collections: [CollectionDefinition("\u{e9}")])
            try Self.open(path, composed) { (store, _) throws in try store.collection("\u{e9}").put(["id": 1]) }
            for version in [1, 2] {
                expectFailure(.invalidSchema, containing: "declare") {
                    try DocumentStore.open(
                        at: path, schema: Schema(version: version, collections: [CollectionDefinition("e\u{301}")])
                    ).close()
                }
            }
            let both = Schema(collections: [CollectionDefinition("e\u{301}"), CollectionDefinition("\u{e9}")])
            try Self.open(path, both) { (store, _) throws in
                #expect(try store.collection("e\u{301}").count() == 0)
                #expect(try store.collection("\u{e9}").count() == 1)
            }
        }
    }

    @Test func `Another Unicode form of an index name is another index`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            try Self.open(path, Self.schema([.value("\u{e9}", on: "a")])) { (store, _) throws in
                try store.collection("photos").put(["id": 1, "a": 1])
            }
            try Self.open(path, Self.schema([.value("e\u{301}", on: "a")])) { (store, _) throws in
                let name = try store.collection("photos").definition.indexes[0].name
                #expect(name.unicodeScalars.count == 2)
            }
        }
    }

    @Test func `A dry run reports the changes and writes nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            try Self.open(path, nil) { (store, database) throws in
                let before = try allPairs(in: database).map { [$0.key, $0.value] }
                let changes = try store.changes(for: Self.schema([.value("title", on: "title")]))
                #expect(changes.map(\.kind) == [.added, .removed])
                #expect(try allPairs(in: database).map { [$0.key, $0.value] } == before)
                #expect(store.schema == Self.schema([.value("year", on: "year")]))
            }
        }
    }

    /// It would drop indexes added since.
    @Test func `A schema with a lower version is rejected and changes nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let old = Schema(version: 2, collections: [CollectionDefinition("c")])
            let new = Schema(version: 3, collections: [CollectionDefinition("c", indexes: [.value("a", on: "a")])])
            try Self.open(path, new) { (store, _) throws in
                expectFailure(.storeTooNew, containing: "version 3", "version 2") { try store.apply(old) }
                expectFailure(.storeTooNew, containing: "version 3", "version 2") { try store.changes(for: old) }
            }
            expectFailure(.storeTooNew, containing: "version 3", "version 2") {
                try DocumentStore.open(at: path, schema: old).close()
            }
            try Self.open(path, nil) { (store, _) throws in #expect(store.schema == new) }
        }
    }

    @Test func `A schema's version is stored`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            for version in [2, 3, 4_294_967_295] {
                let schema = Schema(version: version, collections: [CollectionDefinition("c")])
                try Self.open(path, schema) { (store, _) throws in #expect(store.schema.version == version) }
                try Self.open(path, nil) { (store, _) throws in #expect(store.schema.version == version) }
            }
            expectFailure(.invalidSchema, containing: "version") {
                try DocumentStore.open(
                    at: path, schema: Schema(version: 1 << 32, collections: [CollectionDefinition("c")])
                ).close()
            }
            try Self.open(path, nil) { (store, _) throws in #expect(store.schema.version == 4_294_967_295) }
        }
    }

    // MARK: - Interruptions

    /// Modifies the catalog of a closed store.
    private func changeCatalog(_ path: String, _ change: (inout Catalog, Database) throws -> Void) throws {
        let database = try Database.open(at: path)
        let record = try #require(try database.value(forKey: StoreKey.catalogKey))
        var catalog = try Catalog(encoded: record)
        try change(&catalog, database)
        try database.put(catalog.encoded, forKey: StoreKey.catalogKey)
        try database.close()
    }

    @Test(arguments: [
        nil, schema([.value("year", on: "year"), .value("tags", on: "tags[]"), .text("text", on: "title")]),
    ])
    func `An interrupted build resumes when the store is next opened`(schema: Schema?) throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            // The state after a kill while two indexes were built: the entries of some rows are present, with their
            // sums and the last of these rows.
            try changeCatalog(path) { catalog, database in
                for definition in [IndexDefinition.value("tags", on: "tags[]"), .text("text", on: "title")] {
                    let entry = Catalog.IndexEntry(number: catalog.nextIndex, definition: definition, isReady: false)
                    catalog.collections[0].indexes.append(entry)
                    catalog.nextIndex += 1
                    let loaded = try LoadedCatalog(loading: catalog, from: database)
                    var changes = IndexChanges(batch: WriteBatch())
                    for row in 1...7 as ClosedRange<UInt64> {
                        let document = try #require(
                            try RowReader.document(row, collection: loaded.collections[0], in: database))
                        #expect(document.id == .int(Int64(row) - 1))
                        try entry.index.update(old: nil, new: document.content, row: row, in: &changes)
                    }
                    let texts = TextIndexes()
                    let written = try texts.apply(
                        changes.texts, of: loaded, database: database, to: changes.batch)
                    try texts.write(written) { try database.write(changes.batch) }
                    try database.put([7], forKey: StoreKey.progress.prefix(entry.number))
                }
            }
            try Self.open(path, schema) { (store, database) throws in
                #expect(store.currentCatalog.collections[0].indexes.map(\.isReady) == [true, true, true])
                #expect(try keyCount(.values, 2, in: database) == 60)
                #expect(try store.collection("photos").find("tags has t1").count == 10)
                #expect(try store.collection("photos").search("picture", limit: nil).count == 30)
            }
        }
    }

    @Test func `An interrupted deletion of an index resumes when the store is next opened`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            try changeCatalog(path) { catalog, database in
                catalog.collections[0].indexes = []
                catalog.dropped = [Catalog.DroppedIndex(number: 1, kind: .value)]
                for pair in try allPairs(in: database).filter({ $0.key.starts(with: StoreKey.values.prefix(1)) })
                    .prefix(9)
                {
                    try database.delete(pair.key)
                }
            }
            try Self.open(path, nil) { (store, database) throws in
                #expect(try keyCount(.values, 1, in: database) == 0)
                #expect(store.currentCatalog.dropped.isEmpty)
            }
        }
    }

    @Test func `An interrupted build that is no longer declared is deleted`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            try changeCatalog(path) { catalog, database in
                let definition = IndexDefinition.value("tags", on: "tags[]")
                catalog.collections[0].indexes.append(
                    Catalog.IndexEntry(number: 2, definition: definition, isReady: false))
                catalog.nextIndex = 3
                try database.put([], forKey: StoreKey.values.prefix(2) + OrderedValue.encoded("t0") + [0x15, 1])
            }
            try Self.open(path, Self.schema([.value("year", on: "year")])) { (_, database) throws in
                #expect(try keyCount(.values, 2, in: database) == 0)
            }
        }
    }

    @Test func `A build larger than one batch omits nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory, count: 1500)
            let indexes: [IndexDefinition] = [
                .value("a", on: "title"), .value("b", on: "tags[]"), .value("c", on: "year", "title"),
                .text("t", on: "title"),
            ]
            try Self.open(path, Self.schema(indexes)) { (store, database) throws in
                #expect(try keyCount(.values, 3, in: database) == 3000)
                #expect(try store.collection("photos").search("picture", limit: nil).count == 1500)
            }
            try Self.open(path, Self.schema([])) { (_, database) throws in
                // The catalog and the field names with their copies, the counters, the last commit; and for each
                // document its ID, its body and its change.
                #expect(try allPairs(in: database).count == 6 + 3 * 1500)
            }
        }
    }

    @Test func `A build over a damaged document fails, and succeeds after a repair`() throws {
        try withTemporaryDirectory { directory in
            let path = try Self.makeStore(in: directory)
            let key = StoreKey.document(1, row: 20)
            let body = try Self.open(path, nil) { (_, database) throws in try #require(try database.value(forKey: key))
            }
            var database = try Database.open(at: path)
            try database.put([2, 0xff], forKey: key)
            try database.close()
            let schema = Self.schema([.value("tags", on: "tags[]")])
            expectFailure(.corruption, containing: "row 20", "photos") {
                try DocumentStore.open(at: path, schema: schema)
            }
            expectFailure(.corruption) { try DocumentStore.open(at: path) }
            database = try Database.open(at: path)
            try database.put(body, forKey: key)
            try database.close()
            try Self.open(path, nil) { (store, _) throws in
                #expect(try store.collection("photos").find("tags has t1").count == 10)
            }
        }
    }
}
