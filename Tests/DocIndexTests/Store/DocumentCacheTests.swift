import Dispatch
import LevelKit
import Synchronization
import TestSupport
import Testing

@testable import DocIndex

/// Documents that are kept in memory.
@Suite struct DocumentCacheTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("year", on: "year")]), CollectionDefinition("albums"),
    ])

    /// Options under which documents are kept from their first use on.
    private static func eager(byteCount: Int) -> DocumentStore.Options {
        var options = DocumentStore.Options()
        options.documentCacheByteCount = byteCount
        options.cachesDocumentsAtFirstUse = true
        return options
    }

    private static func photo(_ number: Int, version: Int = 0, text: String = "") -> DocumentObject {
        [
            "id": .int(Int64(number)), "year": .int(Int64(1900 + number % 10)), "version": .int(Int64(version)),
            "text": .string(text),
        ]
    }

    @Test func `A document is kept from its second use on, unless the limit is zero`() throws {
        for byteCount in [0, 1 << 20] {
            var options = DocumentStore.Options()
            options.documentCacheByteCount = byteCount
            try withTemporaryStore(schema: Self.schema, options: options) { store in
                let photos = try store.collection("photos")
                try photos.put(Self.photo(1))
                _ = try photos.document(1)
                #expect(store.documents.byteCount == 0)
                _ = try photos.document(1)
                #expect((store.documents.byteCount > 0) == (byteCount > 0))
                #expect(try photos.document(1)?.content == Self.photo(1))
                #expect(try photos.select(["version"], Query()) == [["version": 0]])
            }
        }
    }

    @Test(arguments: [2_000, 20_000, 200_000]) func `The documents in memory never exceed the limit`(limit: Int) throws
    {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: limit)) { store in
            let photos = try store.collection("photos")
            for number in 0..<500 {
                try photos.put(Self.photo(number, text: String(repeating: "x", count: number)))
            }
            for _ in 0..<3 {
                for number in 0..<500 {
                    #expect(try photos.document(.int(Int64(number)))?["text"]?.stringValue?.utf8.count == number)
                    #expect(store.documents.byteCount <= limit)
                }
                #expect(try photos.find("year = 1903").count == 50)
            }
            #expect(limit < 20_000 || store.documents.byteCount > limit / 2)
        }
    }

    @Test func `Small values count with the memory they take, not with their size on disk`() throws {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": 1, "histogram": .array(Array(repeating: 0, count: 1000))])
            for _ in 0..<2 { _ = try photos.document(1) }
            #expect(store.documents.byteCount > 1000 * MemoryLayout<DocumentValue>.stride)
        }
    }

    @Test func `A document of the maximum depth is kept on a small stack`() throws {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            var value: DocumentValue = 1
            for level in 0..<DocumentValue.maximumDepth - 2 {
                value = level % 2 == 0 ? .array([value]) : .object(["a": value])
            }
            try photos.put(["id": 1, "deep": value])
            let deep = value
            let isSame = withSmallStack {
                (0..<3).allSatisfy { _ in
                    let document = try? photos.document(1)
                    let selected = try? photos.select(["deep"], Query())
                    return document?["deep"] == deep && selected == [["deep": deep]]
                }
            }
            #expect(isSame == true)
            #expect(store.documents.byteCount > 1000)
        }
    }

    @Test func `The largest limit takes no memory in advance`() throws {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: .max)) { store in
            let photos = try store.collection("photos")
            try photos.put(Self.photo(1))
            for _ in 0..<2 { #expect(try photos.document(1)?.content == Self.photo(1)) }
            #expect(store.documents.byteCount > 0)
        }
    }

    @Test func `A query that reads a document twice uses it once`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            for number in 0..<20 { try photos.put(Self.photo(number)) }
            // One with an index, and one that reads every document.
            for filter in [Filter.compare("year", .equal, 1903), .compare("version", .equal, 0)] {
                let query = Query(filter, sort: [.descending("version")], limit: 2)
                let before = store.documents.byteCount
                #expect(try photos.find(query).count == 2)
                #expect(store.documents.byteCount == before)
                #expect(try photos.find(query).count == 2)
                #expect(store.documents.byteCount > before)
                try photos.put(Self.photo(1000))
            }
        }
    }

    @Test(arguments: [5_000, 1 << 20]) func `Selected fields that were kept are those of the newest state`(limit: Int)
        throws
    {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: limit)) { store in
            let photos = try store.collection("photos")
            var random = TestRun.random(stream: 31)
            var versions = Array(repeating: 0, count: 10)
            for number in 0..<10 { try photos.put(Self.photo(number)) }
            let paths: [[FieldPath]] = [["version"], ["id", "version"], ["version", "id"], ["text"], ["absent"]]
            for round in 1...200 {
                if random.once(in: 3) {
                    let number = random.pick(Array(0..<10))
                    versions[number] = round
                    try photos.put(Self.photo(number, version: round))
                }
                let selected = random.pick(paths)
                let expected = (0..<10).map { number in
                    let photo = Self.photo(number, version: versions[number])
                    return DocumentObject(
                        distinctMembers: selected.compactMap { path in
                            photo[path.description].map { .init(name: path.description, value: $0) }
                        })
                }
                #expect(try photos.select(selected, Query()) == expected)
                #expect(store.documents.byteCount <= limit)
            }
        }
    }

    @Test func `Documents in use stay when everything else is read once`() throws {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: 100_000)) { store in
            let photos = try store.collection("photos")
            for number in 0..<2000 { try photos.put(Self.photo(number)) }
            let state = try store.state()
            let collection = try #require(state.catalog.collection(named: "photos"))
            func isKept(_ row: UInt64) -> Bool { state.documents.row(row, of: collection) != nil }
            for number in 0..<2000 {
                _ = try photos.document(.int(Int64(number)))
                for hot in 0..<5 { _ = try photos.document(.int(Int64(hot))) }
            }
            #expect((1...5).allSatisfy { isKept($0) })
        }
    }

    @Test func `A write, a deletion and a rebuild remove a document from memory`() throws {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: 1 << 20)) { store in
            let photos = try store.collection("photos")
            try photos.put(Self.photo(1, version: 1))
            for _ in 0..<3 { #expect(try photos.document(1)?["version"] == 1) }
            try photos.update(1) { $0["version"] = 2 }
            for _ in 0..<3 { #expect(try photos.find("year = 1901").map { $0["version"] } == [2]) }
            try photos.update(where: "year = 1901", "version = 3")
            for _ in 0..<3 { #expect(try photos.select(["version"], Query()) == [["version": 3]]) }
            _ = try photos.document(1)
            #expect(store.documents.byteCount > 0)
            try store.rebuild()
            #expect(store.documents.byteCount == 0)
            #expect(try photos.document(1)?["version"] == 3)
            #expect(throws: DocumentCacheError.self) {
                try store.write { transaction in
                    try transaction.put(Self.photo(1, version: 9), in: "photos")
                    throw DocumentCacheError()
                }
            }
            #expect(try photos.document(1)?["version"] == 3)
            try photos.delete(1)
            #expect(try photos.document(1) == nil)
            #expect(try photos.find(Query()).isEmpty)
            try photos.put(Self.photo(1, version: 4))
            #expect(try photos.document(1)?["version"] == 4)
        }
    }

    @Test func `Each snapshot shows its documents, whatever others keep in memory`() throws {
        var random = TestRun.random(stream: 77)
        for _ in 0..<TestRun.rounds(3, long: 100) {
            let limit = random.pick([3_000, 30_000, 1 << 20])
            try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: limit)) { store in
                let photos = try store.collection("photos")
                var versions: [Int: Int] = [:]
                var snapshots: [(view: DocumentCollection, versions: [Int: Int])] = []
                for step in 1...400 {
                    let number = Int(random.next() % 30)
                    switch random.next() % 8 {
                    case 0, 1:
                        try photos.put(Self.photo(number, version: step))
                        versions[number] = step
                    case 2:
                        #expect(try photos.delete(.int(Int64(number))) == (versions[number] != nil))
                        versions[number] = nil
                    case 3:
                        let view = try #require(try store.snapshot().collections.first)
                        snapshots.append((view, versions))
                        if snapshots.count > 5 { snapshots.remove(at: Int(random.next() % 6)) }
                    default:
                        let (view, expected) =
                            snapshots.isEmpty || random.once(in: 3)
                            ? (photos, versions) : snapshots[Int(random.next() % UInt64(snapshots.count))]
                        let version = try view.document(.int(Int64(number)))?["version"]
                        #expect(version == expected[number].map { .int(Int64($0)) }, "\(TestRun.repetition)")
                        let found = try view.find(Query(.compare("year", .equal, .int(Int64(1900 + number % 10)))))
                        let numbers = expected.filter { $0.key % 10 == number % 10 }
                        #expect(
                            Set(found.map { $0["version"] }) == Set(numbers.values.map { .int(Int64($0)) }),
                            "\(TestRun.repetition)")
                    }
                }
            }
        }
    }

    @Test func `While a thread writes, readers see whole commits and never an older one`() throws {
        try withTemporaryStore(schema: Self.schema, options: Self.eager(byteCount: 50_000)) { store in
            let photos = try store.collection("photos")
            try Self.write(version: 0, to: store)
            let isDone = Mutex(false)
            let group = DispatchGroup()
            for reader in 0..<3 {
                DispatchQueue.global().async(group: group) {
                    do {
                        var last: Int64 = 0
                        while !isDone.withLock({ $0 }) {
                            let versions: Set<Int64?>
                            if reader == 0 {
                                versions = Set(try photos.find(Query()).map { $0["version"]?.intValue })
                            } else if reader == 1 {
                                versions = Set(try photos.find("year = 1904").map { $0["version"]?.intValue })
                            } else {
                                versions = [try photos.document(7)?["version"]?.intValue]
                            }
                            #expect(versions.count == 1, "\(versions)")
                            let version = try #require(versions.first ?? nil)
                            #expect(version >= last)
                            last = version
                        }
                    } catch { Issue.record(error) }
                }
            }
            for version in 1...TestRun.rounds(300, long: 20_000) { try Self.write(version: version, to: store) }
            isDone.withLock { $0 = true }
            group.wait()
        }
    }

    private static func write(version: Int, to store: DocumentStore) throws {
        try store.write { transaction in
            for number in 0..<20 { try transaction.put(photo(number, version: version), in: "photos") }
        }
    }
}

private struct DocumentCacheError: Error {}
