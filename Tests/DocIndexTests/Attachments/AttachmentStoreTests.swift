import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import DocumentModel

/// Adding, reading and collecting the contents of attachments.
@Suite struct AttachmentStoreTests {
    // Testing has a type of the same name.
    private typealias Reference = DocIndex.Attachment

    static let schema = Schema(collections: [
        CollectionDefinition("photos"), CollectionDefinition("kept", history: .init(versions: 1000)),
    ])

    /// Different bytes for each seed.
    static func content(_ seed: UInt64, byteCount: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// The sizes around the limits at which content is stored in another way.
    static let byteCounts = [0, 1, 32 << 10, 32 << 10 + 1, 64 << 10, 64 << 10 + 1, 3 << 20]

    @discardableResult
    static func at<R>(_ seconds: Int, _ body: () throws -> R) rethrows -> R {
        try StoreClock.$fixed.withValue(UInt64(seconds) * 1000, operation: body)
    }

    // MARK: - Adding and reading

    @Test(arguments: byteCounts) func `Content of any size is read as it was added`(byteCount: Int) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let bytes = Self.content(1, byteCount: byteCount)
            let added = try store.attachments.add(bytes, type: "image/jpeg", name: "a.jpg")
            #expect(added.byteCount == Int64(byteCount))
            #expect(added.type == "image/jpeg" && added.name == "a.jpg")
            try store.collection("photos").put(["id": "a", "original": .attachment(added)])
            let read = try #require(try store.collection("photos").document("a")?["original"])
            #expect(read == .attachment(added))
            #expect(try store.attachments.bytes(of: added) == bytes)
            #expect(try store.attachments.withMappedBytes(of: added) { $0.byteCount } == byteCount)
            let middle = Int64(byteCount / 3)..<Int64(byteCount / 2)
            var part: [UInt8] = []
            try store.attachments.read(added, in: middle) { part += $0 }
            #expect(part == Array(bytes[Int(middle.lowerBound)..<Int(middle.upperBound)]))
            let info = try #require(try store.attachments.info(added.digest))
            #expect(info.referenceCount == 1 && info.byteCount == Int64(byteCount))
            #expect(info.isFile == (byteCount > DocumentStore.Attachments.inlineByteCount))
        }
    }

    @Test func `The content of a file is copied, with the type of its name`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let bytes = Self.content(2, byteCount: 100_000)
            try Data(bytes).write(to: URL(filePath: directory + "/IMG 1.JPG"))
            var progress: [Int64] = []
            let added = try store.attachments.add(contentsOf: directory + "/IMG 1.JPG") { progress.append($0) }
            #expect(added.name == "IMG 1.JPG" && added.type == "image/jpeg")
            #expect(progress.last == 100_000)
            // Programs edit pictures in place.
            try Data([1]).write(to: URL(filePath: directory + "/IMG 1.JPG"))
            #expect(try store.attachments.bytes(of: added) == bytes)
            expectLevelFailure(.io) { try store.attachments.add(contentsOf: directory + "/missing.jpg") }
            expectLevelFailure(.io) { try store.attachments.add(contentsOf: directory) }
            try store.close()
        }
    }

    @Test(arguments: [100, 100_000]) func `Equal content is stored once`(byteCount: Int) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let bytes = Self.content(3, byteCount: byteCount)
            let first = try store.attachments.add(bytes, name: "a")
            let second = try store.attachments.add(bytes, name: "b")
            #expect(first.digest == second.digest)
            try store.collection("photos").put(["id": "a", "x": .attachment(first), "y": [.attachment(second)]])
            #expect(try store.attachments.census().count == 1)
            #expect(try store.attachments.info(first.digest)?.referenceCount == 2)
            #expect(try store.attachments.list().map(\.digest) == [first.digest])
        }
    }

    @Test func `A document cannot refer to content that is not stored`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let digest = try #require(Reference.Digest(String(repeating: "ab", count: 32)))
            let missing = try #require(Reference(digest: digest, byteCount: 0))
            expectFailure(.attachmentMissing, containing: "a", digest.description) {
                try photos.put(["id": "a", "x": .attachment(missing)])
            }
            let stored = try store.attachments.add([1, 2, 3])
            let wrong = try #require(Reference(digest: stored.digest, byteCount: 4))
            expectFailure(.attachmentMissing, containing: "4", "3") {
                try photos.put(["id": "a", "x": .attachment(wrong)])
            }
            #expect(try photos.count() == 0)
            expectFailure(.attachmentMissing) { try store.attachments.bytes(of: missing) }
            expectFailure(.attachmentDamaged) { try store.attachments.bytes(of: wrong) }
            expectFailure(.invalidDocument) { try store.attachments.add([1], type: "") }
            expectFailure(.nestedWrite) { try store.write { _ in try store.attachments.add([1]) } }
        }
    }

    @Test func `Counts follow the documents`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let one = try store.attachments.add([1])
            let two = try store.attachments.add(Self.content(4, byteCount: 50_000))
            func counts() throws -> [UInt64?] {
                [
                    try store.attachments.info(one.digest)?.referenceCount,
                    try store.attachments.info(two.digest)?.referenceCount,
                ]
            }
            #expect(try counts() == [0, 0])
            try photos.put(["id": "a", "x": .attachment(one)])
            try photos.put(["id": "b", "x": .attachment(one), "y": .object(["z": .attachment(two)])])
            #expect(try counts() == [2, 1])
            try photos.update("a") { $0["x"] = .attachment(two) }
            #expect(try counts() == [1, 2])
            try photos.update("a") { $0["rating"] = 5 }
            #expect(try counts() == [1, 2])
            try photos.delete("b")
            #expect(try counts() == [0, 1])
            try store.write { transaction in
                try transaction.put(["id": "c", "x": .attachment(one)], in: "photos")
                try transaction.delete("c", in: "photos")
            }
            #expect(try counts() == [0, 1])
            try photos.put(["id": "d", "x": .attachment(one)])
            #expect(try counts() == [1, 1])
        }
    }

    @Test func `Damaged content is an error, and adding it again repairs it`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let bytes = Self.content(5, byteCount: 300_000)
            let added = try store.attachments.add(bytes)
            let file = store.files.file(added.digest.description)
            func damage(_ change: (inout [UInt8]) -> Void) throws {
                var changed = bytes
                change(&changed)
                try Data(changed).write(to: URL(filePath: file))
            }
            try damage { $0[299_999] ^= 1 }
            expectFailure(.attachmentDamaged, containing: file) { try store.attachments.bytes(of: added) }
            expectFailure(.attachmentDamaged) { try store.attachments.read(added) { _ in } }
            expectFailure(.attachmentDamaged) { try store.attachments.check(added.digest) }
            #expect(throws: Never.self) { try store.attachments.check(added.digest, readsContent: false) }
            try damage { $0.removeLast() }
            expectFailure(.attachmentDamaged, containing: "299999") { try store.attachments.bytes(of: added) }
            expectFailure(.attachmentDamaged) { try store.attachments.check(added.digest, readsContent: false) }
            try FileManager.default.removeItem(atPath: file)
            expectFailure(.attachmentMissing, containing: file) { try store.attachments.bytes(of: added) }
            for change in [{ (bytes: inout [UInt8]) in bytes[0] ^= 1 }, { $0.removeLast() }, { $0.append(0) }] {
                try damage(change)
                #expect(try store.attachments.add(bytes) == added)
                #expect(try store.attachments.bytes(of: added) == bytes)
            }
            try store.close()
        }
    }

    @Test func `Content arrives and leaves in parts without blocking a thread`() async throws {
        try await withTemporaryPath { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let bytes = Self.content(6, byteCount: 700_000)
            let parts = AsyncStream<[UInt8]> { continuation in
                for start in stride(from: 0, to: bytes.count, by: 9999) {
                    continuation.yield(Array(bytes[start..<min(start + 9999, bytes.count)]))
                }
                continuation.finish()
            }
            let (added, read, middle) = try await within {
                let added = try await store.attachments.add(chunks: parts, type: "image/png")
                var read: [UInt8] = []
                for try await part in store.attachments.chunks(of: added) { read += part }
                var middle: [UInt8] = []
                for try await part in store.attachments.chunks(of: added, in: 10..<600_000) { middle += part }
                return (added, read, middle)
            }
            #expect(try store.attachments.add(bytes, type: "image/png") == added)
            #expect(read == bytes)
            #expect(middle == Array(bytes[10..<600_000]))
            try store.close()
        }
    }

    // MARK: - Copies and other states

    @Test func `A checkpoint contains every attachment that its documents refer to`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let small = try store.attachments.add([7])
            let large = try store.attachments.add(Self.content(7, byteCount: 99_999))
            try store.collection("photos").put(["id": "a", "s": .attachment(small), "l": .attachment(large)])
            for (name, tables) in [("linked", Checkpoint.Tables.linked), ("copied", .copied)] {
                let report = try store.checkpoint(to: directory + "/" + name, tables: tables)
                #expect(report.attachmentCount == 1)
            }
            try store.collection("photos").delete("a")
            try Self.at(4_000_000_000) { try store.attachments.collectGarbage(olderThan: .zero) }
            #expect(try store.attachments.census().count == 0)
            for name in ["linked", "copied"] {
                for mode in [Database.Mode.readOnly, .readWrite] {
                    let copy = try DocumentStore.open(at: directory + "/" + name, mode: mode)
                    #expect(try copy.attachments.bytes(of: small) == [7])
                    #expect(try copy.attachments.bytes(of: large).count == 99_999)
                    try copy.close()
                }
            }
            try store.close()
            #expect(try Database.destroy(at: directory + "/linked").isEmpty)
            #expect(!FileManager.default.fileExists(atPath: directory + "/linked"))
        }
    }

    // MARK: - Garbage

    @Test func `Only content without references is collected, after the grace period`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let photos = try store.collection("photos")
            let contents = [Self.content(8, byteCount: 100), Self.content(9, byteCount: 40_000)]
            let added = try Self.at(1000) { try contents.map { try store.attachments.add($0) } }
            try Self.at(1000) { try photos.put(["id": "a", "x": .array(added.map { .attachment($0) })]) }
            func collect(at seconds: Int) throws -> DocumentStore.Attachments.Garbage {
                try Self.at(seconds) { try store.attachments.collectGarbage(olderThan: .seconds(100)) }
            }
            #expect(try collect(at: 5000) == .init())
            _ = try Self.at(6000) { try photos.delete("a") }
            #expect(try collect(at: 6099).keptCount == 2)
            let preview = try Self.at(6100) {
                try store.attachments.collectGarbage(olderThan: .seconds(100), dryRun: true)
            }
            #expect(preview.digests.count == 2 && preview.byteCount == 40_100)
            #expect(try store.attachments.bytes(of: added[1]) == contents[1])
            #expect(try collect(at: 6100) == preview)
            #expect(try store.attachments.census().count == 0)
            expectFailure(.attachmentMissing) { try store.attachments.bytes(of: added[0]) }
            #expect(!FileManager.default.fileExists(atPath: store.files.file(added[1].digest.description)))
            expectFailure(.attachmentMissing) { try photos.put(["id": "b", "x": .attachment(added[1])]) }
            #expect(try store.attachments.add(contents[1]) == added[1])
            try photos.put(["id": "b", "x": .attachment(added[1])])
            try store.close()
        }
    }

    @Test func `Snapshots and former versions keep their content`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let bytes = Self.content(10, byteCount: 50_000)
            let added = try store.attachments.add(bytes)
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "x": .attachment(added)])
            var snapshot: StoreSnapshot? = try store.snapshot()
            try photos.delete("a")
            func collect() throws -> Int {
                try Self.at(4_000_000_000) { try store.attachments.collectGarbage(olderThan: .zero).digests.count }
            }
            #expect(try collect() == 0)
            #expect(try snapshot?.attachments.bytes(of: added) == bytes)
            let kept = try store.collection("kept")
            try kept.put(["id": "k", "x": .attachment(added)])
            try kept.update("k") { $0["x"] = nil }
            snapshot = nil
            #expect(try collect() == 0)
            try store.undo()
            #expect(try kept.document("k")?["x"] == .attachment(added))
            #expect(try store.attachments.bytes(of: added) == bytes)
        }
    }

    @Test func `Garbage collection is refused while another reader or a checkpoint uses the files`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            try Self.at(1) { _ = try store.attachments.add(Self.content(11, byteCount: 40_000)) }
            let reader = try DocumentStore.open(at: directory + "/s", mode: .readOnly)
            expectFailure(.attachmentsInUse) { try store.attachments.collectGarbage(olderThan: .zero) }
            expectLevelFailure(.readOnly) { try reader.attachments.collectGarbage(olderThan: .zero) }
            #expect(try reader.attachments.collectGarbage(olderThan: .zero, dryRun: true).digests.count == 1)
            expectLevelFailure(.readOnly) { try reader.attachments.add([1]) }
            try reader.close()
            #expect(try store.attachments.collectGarbage(olderThan: .zero).digests.count == 1)
            try store.close()
        }
    }

    @Test func `A patch replaces an attachment as a whole, and never its members`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let first = try store.attachments.add([1], type: "a/b", name: "first")
            let second = try store.attachments.add([2])
            let content: DocumentObject = ["id": "a", "x": ["y": .attachment(first)]]
            try photos.put(content)
            let members: [DocumentObject] = [
                ["name": "other"], ["name": nil], ["type": "c/d"], ["width": 1],
                ["sha256": .string(second.digest.description), "bytes": 1],
            ]
            for member in members {
                expectFailure(.invalidUpdate, containing: "x.y", "as a whole") {
                    try photos.patch("a", ["v": 1, "x": ["y": .object(member)]])
                }
                #expect(try photos.document("a")?.content == content)
            }
            // What the attachment already says changes nothing.
            try photos.patch("a", ["x": ["y": ["name": "first", "bytes": 1]]])
            try photos.patch("a", ["x": ["y": [:]]])
            #expect(try photos.document("a")?.content == content)
            try photos.patch("a", ["x": ["y": .attachment(second)]])
            #expect(try photos.document("a")?["x"] == ["y": .attachment(second)])
            try photos.patch("a", ["x": ["y": nil]])
            #expect(try store.attachments.census().unreferencedCount == 2)
        }
    }

    @Test func `A reader of a store that was replaced is told to open it again`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let store = try DocumentStore.open(at: path, schema: Self.schema)
            let kept = try store.attachments.add(Self.content(21, byteCount: 40_000))
            let gone = try store.attachments.add(Self.content(22, byteCount: 40_000))
            try store.collection("photos").put(["id": "a", "x": .attachment(kept), "y": .attachment(gone)])
            try store.close()
            let reader = try DocumentStore.open(at: path, mode: .readOnly)
            let replacement = try DatabaseReplacement(of: path)
            let copy = try DocumentStore.open(at: replacement.copyPath, schema: Self.schema)
            try copy.collection("photos").put(["id": "a", "x": .attachment(kept)])
            _ = try copy.attachments.collectGarbage(olderThan: .zero)
            try copy.close()
            try replacement.publish()
            expectFailure(.attachmentMissing, containing: "was replaced", "open it again") {
                try reader.attachments.bytes(of: gone)
            }
            try reader.close()
            let new = try DocumentStore.open(at: path, schema: Self.schema)
            #expect(try new.attachments.bytes(of: kept).count == 40_000)
            expectFailure(.attachmentMissing, containing: "add it again") { try new.attachments.bytes(of: gone) }
            try new.close()
        }
    }

    @Test func `Of the given attachments, only those that nothing refers to are collected`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let added = try (0..<4).map { try store.attachments.add(Self.content(30 + $0, byteCount: 40_000)) }
            try store.collection("photos").put(["id": "a", "x": .attachment(added[0])])
            // A former version needs this one.
            try store.collection("kept").put(["id": "a", "x": .attachment(added[1])])
            try store.collection("kept").put(["id": "a"])
            let garbage = try store.attachments.collectGarbage(among: Set(added[..<3].map(\.digest)))
            #expect(garbage.digests == [added[2].digest])
            #expect(try store.attachments.census().count == 3)
        }
    }

    @Test func `What an interrupted call leaves behind is collected`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let added = try store.attachments.add(Self.content(12, byteCount: 40_000))
            try store.collection("photos").put(["id": "a", "x": .attachment(added)])
            let orphan = String(repeating: "ab", count: 32)
            try FileManager.default.createDirectory(
                atPath: directory + "/s/attachments/ab", withIntermediateDirectories: true)
            try Data([1, 2]).write(to: URL(filePath: store.files.file(orphan)))
            try Data([3]).write(to: URL(filePath: directory + "/s/attachments/new/7-7"))
            let garbage = try Self.at(4_000_000_000) { try store.attachments.collectGarbage() }
            #expect(garbage.orphanCount == 2 && garbage.orphanByteCount == 3 && garbage.digests.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: store.files.file(orphan)))
            #expect(try store.attachments.bytes(of: added).count == 40_000)
            try store.close()
        }
    }
}
