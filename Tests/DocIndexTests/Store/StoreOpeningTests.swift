import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// What can exist at a path when a store is opened there.
@Suite struct StoreOpeningTests {
    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("year", on: "year"), .text("text", on: "title")])
    ])

    // MARK: - Reopening

    @Test func `A reopened store contains everything, with and without the schema`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/a/b/test.store"
            let first = try DocumentStore.open(at: path, schema: Self.schema)
            try first.collection("photos").put(["id": "a", "year": 1930, "title": "Fog"])
            let content = try StoreContent(of: first)
            try first.close()
            for schema in [nil, Self.schema, nil] {
                let store = try DocumentStore.open(at: path, schema: schema)
                #expect(try StoreContent(of: store) == content)
                #expect(try store.collection("photos").find("year = 1930").count == 1)
                #expect(try store.collection("photos").search("fog").count == 1)
                #expect(store.path.hasSuffix("/a/b/test.store"))
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test func `Opening with the current schema writes nothing`() throws {
        try withTemporaryDirectory { directory in
            try DocumentStore.open(at: directory + "/s", schema: Self.schema).close()
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            #expect(try TestFiles.byteCount(in: store.path, extension: "log") == 0)
            try store.close()
        }
    }

    @Test func `A store with an empty schema can be opened, and gets a schema later`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let empty = try DocumentStore.open(at: path, schema: Schema(collections: []))
            #expect(empty.collections.isEmpty)
            expectFailure(.unknownCollection) { try empty.collection("photos") }
            try expectSound(empty)
            try empty.close()
            try DocumentStore.open(at: path).close()
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.collection("photos").put(["id": 1])
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `With checksEveryBlock, a forged block of a store is an error with file and offset`()
        throws
    {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            var options = DocumentStore.Options()
            options.database.compression = .none
            options.database.blockByteCount = 1 << 10
            let store = try DocumentStore.open(at: path, schema: Self.schema, options: options)
            try store.write { transaction in
                for number in 0..<300 {
                    try transaction.put(
                        ["id": .int(Int64(number)), "year": 1930, "title": "Fog over it"], in: "photos")
                }
            }
            try store.database.compact()
            try store.close()
            options.database.checksEveryBlock = true
            for mode in [Database.Mode.readOnly, .readWrite] {
                try DocumentStore.open(at: path, options: options, mode: mode).close()
            }
            try TableForgery.shortKeyInData.apply(to: path, block: 5)
            for mode in [Database.Mode.readOnly, .readWrite] {
                let error = #expect(throws: LevelError.self) {
                    _ = try DocumentStore.open(at: path, options: options, mode: mode)
                }
                #expect(error?.code == .corruption && error?.file?.hasSuffix(".ldb") == true && error?.offset != nil)
            }
        }
    }

    @Test func `A store can be opened on an open database, and closing either closes both`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema)
            try store.collection("photos").put(["id": 1])
            #expect(try database.value(forKey: StoreKey.document(1, row: 1)) != nil)
            try store.close()
            expectLevelFailure(.closed) { try database.value(forKey: "M") }
            let again = try Database.open(at: directory + "/s")
            let same = try DocumentStore.open(on: again)
            #expect(try same.collection("photos").count() == 1)
            try again.close()
            expectLevelFailure(.closed) { try same.collection("photos").count() }
        }
    }

    // MARK: - Not a store

    @Test func `Without a schema, nothing is created where there is no store`() throws {
        try withTemporaryDirectory { directory in
            expectLevelFailure(.databaseNotFound) { try DocumentStore.open(at: directory + "/none") }
            expectLevelFailure(.databaseNotFound) { try DocumentStore.open(at: directory) }
            let names = try TestFiles.names(in: directory)
            #expect(names.isEmpty)
        }
    }

    @Test func `Creating a store where one exists fails because it exists, whatever its schema is`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/store"
            try DocumentStore.open(at: path, schema: Schema(collections: [CollectionDefinition("photos")])).close()
            var options = DocumentStore.Options()
            options.database.errorIfExists = true
            for name in ["photos", "other"] {
                let schema = Schema(collections: [CollectionDefinition(name)])
                expectLevelFailure(.databaseExists) {
                    _ = try DocumentStore.open(at: path, schema: schema, options: options)
                }
            }
        }
    }

    @Test func `A database that is not a store is rejected and not changed`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/plain"
            let database = try Database.open(at: path)
            try database.put("value", forKey: "key")
            expectFailure(.notADocumentStore, containing: path) {
                try DocumentStore.open(on: database, schema: Self.schema)
            }
            try database.close()
            let before = try DirectoryState(path)
            expectFailure(.notADocumentStore, containing: path) { try DocumentStore.open(at: path) }
            expectFailure(.notADocumentStore) { try DocumentStore.open(at: path, schema: Self.schema) }
            #expect(try DirectoryState(path).difference(from: before) == [])
            let again = try Database.open(at: path)
            #expect(try allPairs(in: again).map(\.key) == [Array("key".utf8)])
            try again.close()
        }
    }

    @Test(arguments: [0, 3000]) func `A store with a higher schema version is rejected and not changed`(count: Int)
        throws
    {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let photos = CollectionDefinition("photos", indexes: [.value("year", on: "year")])
            let store = try DocumentStore.open(at: path, schema: Schema(version: 2, collections: [photos]))
            for number in 0..<count { try store.collection("photos").put(["id": .string("\(number)"), "year": 1930]) }
            try store.close()
            // With the catalog in a table, and then in the log as well.
            for version in [3, 4] {
                let before = try DirectoryState(path)
                expectFailure(.storeTooNew, containing: "version") {
                    try DocumentStore.open(at: path, schema: Schema(version: 1, collections: [photos]))
                }
                #expect(try DirectoryState(path).difference(from: before) == [])
                try DocumentStore.open(at: path, schema: Schema(version: version, collections: [photos])).close()
            }
        }
    }

    @Test func `An empty database is not a store, but becomes one with a schema`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/empty"
            try Database.open(at: path).close()
            expectFailure(.notADocumentStore) { try DocumentStore.open(at: path) }
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            try expectSound(store)
            try store.close()
        }
    }

    @Test func `An invalid schema creates nothing`() throws {
        try withTemporaryDirectory { directory in
            expectFailure(.invalidSchema) {
                try DocumentStore.open(at: directory + "/s", schema: Schema(version: 0, collections: []))
            }
            let names = try TestFiles.names(in: directory)
            #expect(names.isEmpty)
        }
    }

    @Test func `A store is locked while it is open, and unlocked when it is closed or fails to open`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            expectLevelFailure(.locked) { try DocumentStore.open(at: path) }
            try store.close()
            expectFailure(.invalidSchema) { try DocumentStore.open(at: path, schema: Schema(collections: [])) }
            try DocumentStore.open(at: path).close()
        }
    }

    // MARK: - Catalog

    /// Opens a store whose catalog is replaced by `catalog`, with and without a schema, and writes to it.
    private func open(withCatalog catalog: String, _ check: (() throws -> Void) -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.collection("photos").put(["id": "a", "year": 1930, "title": "Fog"])
            try store.close()
            let database = try Database.open(at: path)
            try database.put(Array(catalog.utf8), forKey: StoreKey.catalogKey)
            try database.close()
            for schema in [nil, Self.schema] {
                let before = try DirectoryState(path)
                var isOpened = false
                check {
                    let store = try DocumentStore.open(at: path, schema: schema)
                    isOpened = true
                    try store.collection("photos").put(["id": "b", "year": 1931])
                    try store.close()
                }
                if !isOpened { #expect(try DirectoryState(path).difference(from: before) == []) }
            }
        }
    }

    @Test(arguments: [
        #"{"docindex":8}"#, #"{"docindex":9223372036854775807,"anything":[]}"#,
        #"{"docindex":8,"schemaVersion":1,"nextCollection":2,"nextIndex":1,"collections":[],"dropped":[]}"#,
    ]) func `A store of a later format is rejected, whatever else its catalog contains`(catalog: String) throws {
        try open(withCatalog: catalog) { action in
            expectFailure(.storeTooNew, containing: "format", "newer") { try action() }
        }
    }

    @Test(arguments: [
        #"{"docindex":1}"#,
        #"{"docindex":1,"schemaVersion":1,"nextCollection":1,"nextIndex":1,"collections":[],"dropped":[]}"#,
    ]) func `A store of a prerelease format is rejected, and the message says how to convert it`(
        catalog: String
    ) throws {
        try open(withCatalog: catalog) { action in
            expectFailure(.notADocumentStore, containing: "format 1", "dump", "load") { try action() }
        }
    }

    /// A readable catalog with one part replaced.
    private static func catalog(
        _ name: String = "photos", number: String = "1", id: String = "\"id\"", index: String = index(),
        next: String = "2", nextIndex: String = "3", version: String = "1", dropped: String = "", more: String = "",
        epoch: String = "\"e\"", migrations: String = "[]", running: String = "null"
    ) -> String {
        """
        {"docindex":4,"schemaVersion":\(version),"epoch":\(epoch),"migrations":\(migrations),\
        "runningMigration":\(running),"nextCollection":\(next),"nextIndex":\(nextIndex),"collections":[\
        {"name":"\(name)","number":\(number),"id":\(id),"indexes":[\(index)]}\(more)],"dropped":[\(dropped)]}
        """
    }

    private static func index(
        _ name: String = "\"year\"", number: String = "1", type: String = "\"value\"", fields: String = "[\"year\"]",
        ready: String = "true", retiring: String = "false", fingerprint: String = "\"47ed186fa0a4191c\""
    ) -> String {
        #"{"name":\#(name),"number":\#(number),"definition":{"type":\#(type),"fields":\#(fields)},"#
            + #""fingerprint":\#(fingerprint),"ready":\#(ready),"retiring":\#(retiring)}"#
    }

    @Test func `The catalog that the damaged catalogs are derived from is readable`() throws {
        let catalog = try Catalog(encoded: Array(Self.catalog().utf8))
        #expect(catalog.schema.collections == [CollectionDefinition("photos", indexes: [.value("year", on: "year")])])
        #expect(try Catalog(encoded: catalog.encoded) == catalog)
    }

    static let unreadable: [String] = [
        #"{"docindex":"#, #"{"docindex":}"#, #"{"docindex":"1"}"#, #"{"docindex":2.0}"#, #"{"docindex":3}"#,
        #"{"docindex":4,"docindex":4}"#, catalog(epoch: "null"), catalog(epoch: "1"), catalog(migrations: "null"),
        catalog(migrations: "[1]"), catalog(running: "1"), catalog(index: index(retiring: "null")),
        catalog(index: index(fingerprint: "null")),
        catalog(version: "null"), catalog(version: "-1"), catalog(next: "\"2\""), catalog(nextIndex: "4294967296"),
        catalog(number: "-1"), catalog(number: "true"), catalog(number: "1e300"), catalog(id: "1"), catalog(id: "null"),
        catalog(index: "1"), catalog(index: "{}"), catalog(index: "[]"), catalog(index: index("null")),
        catalog(index: index(number: "\"1\"")), catalog(index: index(type: "\"tree\"")),
        catalog(index: index(type: "null")), catalog(index: index(fields: "\"year\"")),
        catalog(index: index(fields: "[1]")), catalog(index: index(fields: "[\"a..b\"]")),
        catalog(index: index(ready: "1")), catalog(index: index(ready: "null")),
        catalog(dropped: "1"), catalog(dropped: "{}"), catalog(dropped: #"{"number":1}"#),
        catalog(dropped: #"{"number":1,"type":"tree"}"#), catalog(dropped: #"{"number":-1,"type":"value"}"#),
        catalog(more: ",1"), catalog(more: ",{}"),
    ]

    @Test(arguments: unreadable) func `An unreadable catalog is corruption`(catalog: String) throws {
        try open(withCatalog: catalog) { action in
            expectFailure(.corruption, containing: "catalog", "backup") { try action() }
        }
    }

    @Test(arguments: ["", "{", "null", "[]", "\"docindex\"", "{}", #"{"docindey":1}"#, "\u{0}"])
    func `Another program's record under the catalog key is not a store`(record: String) throws {
        try open(withCatalog: record) { action in
            expectFailure(.notADocumentStore) { try action() }
        }
    }

    /// Catalogs with readable parts that no store can have.
    static let contradictory: [String] = [
        // Two collections with the same number or name.
        catalog(next: "3", more: #",{"name":"b","number":1,"id":"id","indexes":[]}"#),
        catalog(next: "3", more: #",{"name":"photos","number":2,"id":"id","indexes":[]}"#),
        // A number that is still to be assigned, and so would be assigned twice.
        catalog(next: "1"), catalog(nextIndex: "1"), catalog(number: "7"), catalog(index: index(number: "7")),
        catalog(nextIndex: "1", dropped: #"{"number":9,"type":"value"}"#),
        // Two indexes with the same number, including in different collections, or with the same name.
        catalog(index: index() + "," + index("\"b\"")), catalog(index: index() + "," + index(number: "2")),
        catalog(next: "3", more: #",{"name":"b","number":2,"id":"id","indexes":[\#(index())]}"#),
        // What no schema may contain.
        catalog(""), catalog(id: "\"\""), catalog(index: index("\"\"")), catalog(index: index(fields: "[]")),
        catalog(index: index(fields: "[{\"path\":\"a\",\"split\":\"\"}]")), catalog(version: "0"),
        // No numbers are left.
        catalog(number: "0"),
        #"{"docindex":0,"schemaVersion":1,"nextCollection":1,"nextIndex":1,"collections":[],"dropped":[]}"#,
    ]

    @Test(arguments: contradictory) func `A catalog that contradicts itself is corruption`(catalog: String) throws {
        try open(withCatalog: catalog) { action in
            expectFailure(.corruption, containing: "catalog", "backup") { try action() }
        }
    }

    @Test func `Every truncation of a catalog is corruption`() {
        let whole = Array(Self.catalog(dropped: #"{"number":2,"type":"text"}"#).utf8)
        for length in 0..<whole.count {
            expectFailure(.corruption) { try Catalog(encoded: Array(whole[..<length])) }
        }
    }

    @Test func `A store without free numbers rejects another collection instead of trapping`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let full =
                #"{"docindex":3,"schemaVersion":1,"epoch":"e","migrations":[],"nextCollection":1073741824,"#
                + #""nextIndex":1073741824,"collections":[],"dropped":[]}"#
            let database = try Database.open(at: path)
            try database.put(Array(full.utf8), forKey: StoreKey.catalogKey)
            try database.close()
            expectFailure(.invalidSchema, containing: "numbers", "dump") {
                try DocumentStore.open(at: path, schema: Self.schema)
            }
        }
    }

    // MARK: - Damage outside the catalog

    /// Creates a store with three documents whose keys `damage` changes before `body` runs.
    private func withDamagedStore(_ damage: (Database) throws -> Void, _ body: (DocumentCollection) throws -> Void)
        throws
    {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let whole = try DocumentStore.open(at: path, schema: Self.schema)
            for id in 1...3 {
                try whole.collection("photos").put(["id": .int(Int64(id)), "year": 1930, "title": "fog"])
            }
            try whole.close()
            // Between two openings, because the writer of an open store remembers the counters.
            let database = try Database.open(at: path)
            try damage(database)
            let store = try DocumentStore.open(on: database)
            try body(try store.collection("photos"))
            try store.close()
        }
    }

    @Test func `A damaged or missing document body is corruption, never absence`() throws {
        try withDamagedStore {
            try $0.put([0xff], forKey: StoreKey.document(1, row: 1))
            try $0.delete(StoreKey.document(1, row: 2))
        } _: { photos in
            for id in [1, 2] as [DocumentID] {
                expectFailure(.corruption, containing: "photos") { try photos.document(id) }
                expectFailure(.corruption) { try photos.put(["id": id.value]) }
                expectFailure(.corruption) { try photos.delete(id) }
            }
            expectFailure(.corruption) { try photos.forEach { _ in } }
            expectFailure(.corruption) { try photos.find("year = 1930") }
            expectFailure(.corruption) { try photos.search("fog") }
            let whole = try photos.document(3)
            #expect(whole != nil)
        }
    }

    @Test(arguments: [[], [0x80], [1, 1], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]] as [[UInt8]])
    func `An ID that leads to no row is corruption`(bytes: [UInt8]) throws {
        try withDamagedStore {
            try $0.put(bytes, forKey: StoreKey.id(1, 1))
        } _: { photos in
            expectFailure(.corruption, containing: "photos") { try photos.document(1) }
            expectFailure(.corruption) { try photos.put(["id": 1]) }
            expectFailure(.corruption) { try photos.forEach { _ in } }
        }
    }

    @Test(
        arguments: [
            [], [1], [1, 2], [1, 2, 1, 1], [1, 0, 0x80], [0, 0, 0], [1] + Array(repeating: 0xff, count: 9) + [1, 0],
        ] as [[UInt8]])
    func `Unreadable counters are corruption`(bytes: [UInt8]) throws {
        try withDamagedStore {
            try $0.put(bytes, forKey: CollectionCounters.key(1))
        } _: { photos in
            expectFailure(.corruption, containing: "counters") { try photos.count() }
            expectFailure(.corruption) { try photos.put(["id": 9]) }
            expectFailure(.corruption) { try photos.delete(1) }
            let whole = try photos.document(1)
            #expect(whole != nil)
        }
    }

    @Test func `Counters that are too small are corruption when a document is deleted`() throws {
        try withDamagedStore {
            try $0.put([4, 0, 1], forKey: CollectionCounters.key(1))
        } _: { photos in
            expectFailure(.corruption, containing: "count") { try photos.delete(1) }
            let whole = try photos.document(1)
            #expect(whole != nil)
        }
    }

    /// A row assigned twice would overwrite a document; a commit number assigned twice would hide a change.
    @Test func `Missing or outdated counters stop writers before they overwrite anything`() throws {
        let damages: [@Sendable (Database) throws -> Void] = [
            { try $0.delete(CollectionCounters.key(1)) }, { try $0.put([3, 3, 1], forKey: CollectionCounters.key(1)) },
            { try $0.delete(StoreKey.stateKey) }, { try $0.put([1], forKey: StoreKey.stateKey) },
        ]
        for damage in damages {
            try withDamagedStore(damage) { photos in
                let before = try photos.documents([1, 2, 3])
                expectFailure(.corruption, containing: "verify and rebuild") { try photos.put(["id": 9]) }
                expectFailure(.corruption) { try photos.put(["id": 1, "v": 1]) }
                #expect(try photos.documents([1, 2, 3]) == before)
                #expect(try photos.store.verify().isSound == false)
                try photos.store.rebuild()
                try photos.put(["id": 9])
                #expect(try photos.documents([1, 2, 3]) == before)
                try expectSound(photos.store)
            }
        }
    }

    @Test func `An ID that leads to another document is corruption, for reads and for writes`() throws {
        try withDamagedStore {
            try $0.put([2], forKey: StoreKey.id(1, 1))
        } _: { photos in
            let second = try photos.document(2)
            expectFailure(.corruption, containing: "refers to row 2") { try photos.document(1) }
            expectFailure(.corruption) { try photos.documents([2, 1]) }
            expectFailure(.corruption) { try photos.store.snapshot().collections[0].document(1) }
            expectFailure(.corruption) { try photos.put(["id": 1]) }
            expectFailure(.corruption) { try photos.delete(1) }
            #expect(try photos.document(2) == second)
            try photos.store.rebuild()
            #expect(try photos.document(1)?.id == 1)
            try expectSound(photos.store)
        }
    }

    @Test func `Overflowing counters are corruption when a document is added`() throws {
        try withDamagedStore {
            try $0.put(Array(repeating: 0xff, count: 9) + [1, 3, 1], forKey: CollectionCounters.key(1))
        } _: { photos in
            expectFailure(.corruption, containing: "count") { try photos.put(["id": 9]) }
        }
        try withDamagedStore {
            try $0.put([4] + Array(repeating: 0xff, count: 8) + [0x7f, 1], forKey: CollectionCounters.key(1))
        } _: { photos in
            expectFailure(.corruption, containing: "count") { try photos.put(["id": 9]) }
        }
    }

    @Test(
        arguments: [
            [], [1], [0x80], [1, 2, 3], Array(repeating: 0xff, count: 9) + [1, 1],
            [3] + Array(repeating: 0xff, count: 9) + [1], [3] + Array(repeating: 0xff, count: 8) + [0x7f],
        ] as [[UInt8]]) func `Damaged text index statistics are corruption, never a trap`(bytes: [UInt8])
        throws
    {
        try withDamagedStore {
            try $0.put(bytes, forKey: TextIndexKey.structure.prefix(2))
        } _: { photos in
            // Readable but absurd numbers may give absurd scores.
            do {
                _ = try photos.search("fog")
                try photos.put(["id": 9, "title": "fog fog"])
                try photos.delete(1)
            } catch let error as DocIndexError {
                #expect(error.code == .corruption)
            }
        }
    }

    @Test func `An unreadable index entry is corruption`() throws {
        try withDamagedStore {
            try $0.put([], forKey: StoreKey.values.prefix(1) + OrderedValue.encoded(1930) + [0x16, 1])
        } _: { photos in
            // Otherwise, so few documents are scanned.
            let options = Query.Options(hint: .index("year"))
            expectFailure(.corruption, containing: "year", "verify") {
                try photos.find(Query(Filter(parsing: "year = 1930")), options: options)
            }
            expectFailure(.corruption) {
                try photos.find(Query(sort: [.ascending("year")], limit: 9), options: options)
            }
        }
        try withDamagedStore {
            try $0.put([0x80], forKey: TextIndexKey.pending.key(2, 0))
        } _: { photos in
            expectFailure(.corruption, containing: "text", "verify") { try photos.search("fog") }
        }
    }

    @Test func `Closing writes a long log to a table file, and leaves a short one`() throws {
        for (count, isLong) in [(10, false), (700, true)] {
            try withTemporaryDirectory { directory in
                let store = try DocumentStore.open(
                    at: directory + "/s", schema: Schema(collections: [CollectionDefinition("c")]))
                let collection = try store.collection("c")
                let text = DocumentValue.string(String(repeating: "x", count: 2000))
                for id in 0..<count { try collection.put(["id": .int(Int64(id)), "text": text]) }
                try store.close()
                let names = try FileManager.default.contentsOfDirectory(atPath: directory + "/s")
                let logs = try names.filter { $0.hasSuffix(".log") }.map { name in
                    try #require(
                        FileManager.default.attributesOfItem(atPath: directory + "/s/" + name)[.size] as? Int)
                }
                #expect(names.contains { $0.hasSuffix(".ldb") } == isLong, "\(names)")
                #expect((logs.reduce(0, +) < 1000) == isLong, "\(logs)")
                // A flush leaves nothing to write at the end.
                let again = try DocumentStore.open(at: directory + "/s")
                #expect(try again.collection("c").count() == count)
                if isLong {
                    try again.database.flush()
                    #expect(again.database.pendingByteCount == 0)
                }
                try again.close()
            }
        }
    }
}
