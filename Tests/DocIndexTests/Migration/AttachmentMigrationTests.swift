import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Migrations of documents that refer to attachments: none may lose a reference unnoticed.
@Suite struct AttachmentMigrationTests {
    struct Stop: Error {}

    static let schema = AttachedPhotos.schema

    /// What a migration does to the references of a document.
    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let transform: @Sendable (DocumentObject) -> DocumentObject?
    }

    static let losses: [Loss] = [
        Loss(testDescription: "becomes a string", path: "original") { photo in
            var photo = photo
            photo["original"] = "original.jpg"
            return photo
        },
        Loss(testDescription: "becomes its own members", path: "original") { photo in
            var photo = photo
            if case .attachment(let original)? = photo["original"] { photo["original"] = .object(original.object) }
            return photo
        },
        Loss(testDescription: "is replaced by the other one", path: "original") { photo in
            var photo = photo
            photo["original"] = photo["thumbnail"]
            return photo
        },
        Loss(testDescription: "disappears from an array", path: "pages[]") { photo in
            var photo = photo
            if let page = photo["pages"]?.arrayValue?.first { photo["pages"] = [page, page] }
            return photo
        },
        Loss(testDescription: "disappears from an object", path: "raw.file") { photo in
            var photo = photo
            if photo["raw"] != nil { photo["raw"] = ["file": "lost"] }
            return photo
        },
    ]

    private static func fill(_ store: DocumentStore, count: Int = 20) throws -> [DocIndex.Attachment] {
        let attachments = try AttachedPhotos.fill(store, count: count)
        try store.write { transaction in
            for number in 0..<count {
                try transaction.update(.int(Int64(number)), in: "photos") { photo in
                    photo["raw"] = ["file": .attachment(attachments[1])]
                    photo["pages"] = [.attachment(attachments[2]), .attachment(attachments[3])]
                }
            }
        }
        return attachments
    }

    @Test(arguments: losses)
    func `A migration stops at a document that would lose a reference`(_ loss: Loss) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let attachments = try Self.fill(store)
            let before = try MigrationTests.documents(store)
            // `drops` alone does not allow it, because a member that is dropped may have been renamed.
            let drops: [FieldPath] = ["original", "pages", "raw"]
            let migration = Migration("loses", of: "photos", drops: drops, loss.transform)
            let error = expectFailure(.migrationFailed, containing: loss.path, "dropsAttachments") {
                try store.migrate([migration])
            }
            #expect(attachments.contains { error?.message.contains($0.digest.description) == true })
            #expect(error?.message.contains(".jpg") == true)
            #expect(try MigrationTests.documents(store) == before)
            #expect(store.completedMigrations.isEmpty)
            try expectSound(store)
            // The corrected migration declares it.
            let declared = Migration(
                "loses", of: "photos", dropsAttachments: ["original", "pages", "raw"], loss.transform)
            try store.migrate([declared])
            #expect(store.completedMigrations == ["loses"])
            #expect(try MigrationTests.documents(store) != before)
        }
    }

    @Test func `A migration may move, copy and rename references`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let attachments = try Self.fill(store, count: 600)
            let migration = Migration("moves", of: "photos", drops: ["original", "thumbnail", "raw.file"]) { photo in
                guard let original = photo["original"], case .attachment(let attachment) = original else {
                    return photo
                }
                var photo = photo
                photo.removeValue(forName: "original")
                let thumbnail = photo.removeValue(forName: "thumbnail") ?? .null
                photo["files"] = ["large": original, "small": [thumbnail], "again": original]
                photo["raw"] = ["scan": photo["raw"]?["file"] ?? .null]
                let renamed = DocIndex.Attachment(
                    digest: attachment.digest, byteCount: attachment.byteCount, type: "image/png", name: nil)
                photo["pages"] = .array((photo["pages"]?.arrayValue ?? []) + [renamed.map { .attachment($0) } ?? .null])
                return photo
            }
            try store.migrate([migration])
            try expectSound(store)
            #expect(try store.attachments.info(attachments[0].digest)?.referenceCount == 1)
            #expect(try store.attachments.info(attachments[7].digest)?.referenceCount == 3)
            #expect(try store.verify(attachments: .full).isSound)
        }
    }

    @Test func `A migration that deletes documents with references must declare it`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let attachments = try Self.fill(store)
            try store.collection("photos").put(["id": "plain", "rating": 2])
            @Sendable func keepRated(_ photo: DocumentObject) -> DocumentObject? { photo["rating"] == 2 ? nil : photo }
            let silent = Migration("delete", of: "photos", deletesDocuments: true, keepRated)
            expectFailure(.migrationFailed, containing: "thumbnail") { try store.migrate([silent]) }
            let partial = Migration(
                "delete", of: "photos", deletesDocuments: true, dropsAttachments: ["thumbnail", "pages", "raw"],
                keepRated)
            expectFailure(.migrationFailed, containing: "original") { try store.migrate([partial]) }
            let declared = Migration(
                "delete", of: "photos", deletesDocuments: true,
                dropsAttachments: ["thumbnail", "original", "pages[]", "raw"], keepRated)
            #expect(try store.migrate([declared]).deletedCount == 4)
            // The attachments are still there.
            #expect(try store.attachments.bytes(of: attachments[5]).count == AttachedPhotos.largeByteCount)
        }
    }

    @Test func `A declared path does not excuse the loss of another reference to the same content`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let content = try AttachedPhotos.addLarge(1, to: store)
            try store.collection("photos").put(["id": 1, "a": .attachment(content), "b": .attachment(content)])
            let both = Migration("both", of: "photos", drops: ["b"], dropsAttachments: ["a"]) { photo in
                var photo = photo
                photo["a"] = "gone"
                photo["b"] = nil
                return photo
            }
            expectFailure(.migrationFailed, containing: "the attachment b ") { try store.migrate([both]) }
            let one = Migration("both", of: "photos", dropsAttachments: ["a"]) { photo in
                var photo = photo
                photo["a"] = "gone"
                return photo
            }
            try store.migrate([one])
            #expect(try store.attachments.info(content.digest)?.referenceCount == 1)
        }
    }

    // MARK: - The sums of references

    private static let adds = Migration("adds a field", of: "photos") { photo in
        var photo = photo
        photo["width"] = 2048
        return photo
    }

    /// Migrates one slice.
    private static func begin(_ store: DocumentStore) throws -> MigrationSlice.Position {
        #expect(throws: Stop.self) { try store.migrate([adds]) { _ in throw Stop() } }
        return try MigrationSlice.position(of: adds, in: store.database)
    }

    @Test func `An interrupted migration resumes with the sums of references that it had reached`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            _ = try Self.fill(store, count: 600)
            let position = try Self.begin(store)
            #expect(position.before != 0)
            #expect(position.before == position.after)
            #expect(position.row == 256)
            try store.migrate([Self.adds])
            #expect(store.completedMigrations == ["adds a field"])
        }
    }

    @Test func `A migration whose sums of references differ stays unfinished`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            _ = try Self.fill(store, count: 300)
            var position = try Self.begin(store)
            let sound = position
            position.before &+= 1
            try store.database.put(position.encoded, forKey: StoreKey.migrationProgress(Self.adds.name))
            for _ in 0..<2 {
                expectFailure(.migrationFailed, containing: "has lost references") { try store.migrate([Self.adds]) }
                #expect(store.runningMigration == "adds a field")
                #expect(store.completedMigrations.isEmpty)
            }
            try store.database.put(sound.encoded, forKey: StoreKey.migrationProgress(Self.adds.name))
            try store.migrate([Self.adds])
        }
    }

    @Test func `A progress record of an earlier version, without sums, is read`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            _ = try Self.fill(store, count: 300)
            let position = try Self.begin(store)
            var record: [UInt8] = []
            Varint.append(position.row, to: &record)
            Varint.append(position.lastRow, to: &record)
            try store.database.put(record, forKey: StoreKey.migrationProgress(Self.adds.name))
            try store.migrate([Self.adds])
            #expect(try store.collection("photos").document(299)?["width"] == 2048)
            for damaged in [[], [1], [1, 2, 3], [1, 2, 3, 4, 5]] as [[UInt8]] {
                try store.database.put(damaged, forKey: StoreKey.migrationProgress("x"))
                let other = Migration("x", of: "photos") { $0 }
                expectFailure(.corruption, containing: "progress record") {
                    _ = try MigrationSlice.position(of: other, in: store.database)
                }
            }
            try store.database.delete(StoreKey.migrationProgress("x"))
        }
    }

    // MARK: - Checkpoints

    @Test func `The checkpoint before a migration contains every attachment, and can be restored`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let checkpoint = directory + "/before"
            var store = try DocumentStore.open(at: path, schema: Self.schema)
            let attachments = try Self.fill(store)
            let drops = Migration("drop originals", of: "photos", dropsAttachments: ["original", "raw", "pages"]) {
                var photo = $0
                for name in ["original", "raw", "pages"] { photo.removeValue(forName: name) }
                return photo
            }
            try store.migrate([drops], checkpoint: checkpoint)
            #expect(try store.attachments.collectGarbage(olderThan: .zero).digests.count == 20)
            expectFailure(.attachmentMissing) { try store.attachments.bytes(of: attachments[9]) }
            try expectSound(store)
            try store.close()

            let kept = try #require(try DocumentStore.restore(at: path, from: checkpoint))
            store = try DocumentStore.open(at: path)
            #expect(store.completedMigrations.isEmpty)
            #expect(try store.verify(attachments: .full).isSound)
            for (position, attachment) in attachments.enumerated() {
                let seed = UInt64(position)
                #expect(
                    try store.attachments.bytes(of: attachment)
                        == AttachedPhotos.bytes(Int(attachment.byteCount), seed: seed))
            }
            try store.close()
            // The store that was replaced has what it had.
            let old = try DocumentStore.open(at: kept)
            #expect(old.completedMigrations == ["drop originals"])
            #expect(try old.attachments.census().count == 20)
            #expect(try old.verify(attachments: .full).isSound)
            try old.close()
        }
    }
}
