import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Copies, replacements, repairs and deletions of stores with attachments.
@Suite struct AttachmentCopyTests {
    /// Creates a store with attachments at a path.
    private static func make(at path: String, count: Int = 5) throws -> [DocIndex.Attachment] {
        let store = try DocumentStore.open(at: path, schema: AttachedPhotos.schema)
        let attachments = try AttachedPhotos.fill(store, count: count)
        try store.close()
        return attachments
    }

    /// Opens a store, checks it in full, and passes it to `body`.
    private static func check<R>(_ path: String, _ body: (DocumentStore) throws -> R) throws -> R {
        let store = try DocumentStore.open(at: path)
        defer { try? store.close() }
        let verification = try store.verify(attachments: .full)
        #expect(verification.problems == [])
        return try body(store)
    }

    private static func file(_ attachment: DocIndex.Attachment, in path: String) -> String {
        let name = attachment.digest.description
        return "\(path)/attachments/\(name.prefix(2))/\(name)"
    }

    private static func linkCount(_ attachment: DocIndex.Attachment, in path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(attachment, in: path))
        return try #require(attributes[.referenceCount] as? NSNumber).intValue
    }

    // MARK: - Checkpoints

    @Test func `A checkpoint keeps attachments that the store deletes later`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let attachments = try Self.make(at: path)
            let store = try DocumentStore.open(at: path)
            let linked = try store.checkpoint(to: directory + "/linked")
            let copied = try store.checkpoint(to: directory + "/copied", tables: .copied)
            #expect(linked.attachmentCount == 5)
            #expect(copied.attachmentCount == 5)
            #expect(try Self.linkCount(attachments[1], in: path) == 2)
            #expect(try Self.linkCount(attachments[1], in: directory + "/copied") == 1)
            for id in 0..<5 { try store.collection("photos").delete(.int(Int64(id))) }
            #expect(try store.attachments.collectGarbage(olderThan: .zero).digests.count == 10)
            #expect(try store.verify().orphanedFileCount == 0)
            try store.close()
            for copy in ["linked", "copied"] {
                try Self.check(directory + "/" + copy) { copy in
                    for attachment in attachments {
                        #expect(try copy.attachments.bytes(of: attachment).count == attachment.byteCount)
                    }
                    // What the copy deletes stays in the others.
                    try copy.collection("photos").delete(0)
                    #expect(try copy.attachments.collectGarbage(olderThan: .zero).digests.count == 2)
                }
            }
        }
    }

    @Test func `A checkpoint of a store that is open read-only has every attachment`() throws {
        try withTemporaryDirectory { directory in
            let attachments = try Self.make(at: directory + "/s")
            let store = try DocumentStore.open(at: directory + "/s", mode: .readOnly)
            #expect(try store.verify(attachments: .full).isSound)
            #expect(try store.database.checkpoint(to: directory + "/copy").attachmentCount == 5)
            #expect(try Self.linkCount(attachments[1], in: directory + "/copy") == 1)
            try store.close()
            try Self.check(directory + "/copy") { (store: DocumentStore) throws in
                #expect(try store.attachments.census().count == 10)
            }
        }
    }

    /// A child process that was just started holds the locks of its parent for a moment.
    @Test func `A collection waits a moment for a lock that is being released`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.make(at: path)
            let writer = try DocumentStore.open(at: path)
            try writer.collection("photos").delete(0)
            let lock = unsafe open(path + "/attachments/lock", O_RDONLY | O_CLOEXEC)
            #expect(lock >= 0 && flock(lock, LOCK_SH) == 0)
            Thread.detachNewThread {
                usleep(100_000)
                close(lock)
            }
            #expect(try writer.attachments.collectGarbage(olderThan: .zero).digests.count == 2)
            try writer.close()
        }
    }

    @Test func `No attachment is deleted while another process reads the store`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let attachments = try Self.make(at: path)
            let reader = try DocumentStore.open(at: path, mode: .readOnly)
            let writer = try DocumentStore.open(at: path)
            try writer.collection("photos").delete(0)
            expectFailure(.attachmentsInUse) { try writer.attachments.collectGarbage(olderThan: .zero) }
            #expect(try reader.attachments.bytes(of: attachments[1]).count == attachments[1].byteCount)
            try reader.close()
            _ = consume reader
            #expect(try writer.attachments.collectGarbage(olderThan: .zero).digests.count == 2)
            try writer.close()
        }
    }

    @Test func `A lock on the files that is never released is an error, not an endless wait`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            _ = try Self.make(at: path)
            let store = try DocumentStore.open(at: path)
            let lock = try #require(try store.files.holdForDeletion())
            let other = ContentDirectory(of: store.database)
            expectLevelFailure(.busy) { _ = try other.holdFiles(waiting: .milliseconds(60)) }
            #expect(try other.holdForDeletion() == nil)
            _ = consume lock
            #expect(try other.holdFiles(waiting: .milliseconds(60)) != nil)
            try store.close()
        }
    }

    // MARK: - Replacing

    @Test func `A store that replaces another one brings its attachments along`() throws {
        try withTemporaryDirectory { directory in
            let attachments = try Self.make(at: directory + "/s")
            let store = try DocumentStore.open(at: directory + "/other", schema: AttachedPhotos.schema)
            let other = try AttachedPhotos.addLarge(77, to: store)
            try store.collection("photos").put(["id": "other", "original": .attachment(other)])
            try store.close()
            let kept = try #require(try Database.replace(at: directory + "/s", with: directory + "/other"))
            try Self.check(directory + "/s") { (store: DocumentStore) throws in
                #expect(try store.attachments.census().count == 1)
                #expect(try store.attachments.bytes(of: other).count == AttachedPhotos.largeByteCount)
                expectFailure(.attachmentMissing) { try store.attachments.bytes(of: attachments[1]) }
            }
            try Self.check(kept) { (store: DocumentStore) throws in #expect(try store.attachments.census().count == 10)
            }
        }
    }

    @Test(arguments: [true, false])
    func `A discarded replacement loses no attachment, and a published one keeps those it refers to`(
        exchanges: Bool
    ) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let attachments = try Self.make(at: path)
            func replace(_ replacement: DatabaseReplacement) throws {
                let copy = try DocumentStore.open(at: replacement.copyPath)
                let former = try copy.sequence()
                // The content was released before the replacement, so the copy keeps it for its time.
                let unreferenced = try AttachedPhotos.addLarge(88, to: copy)
                let photos = try copy.collection("photos")
                for id in 0..<5 { try photos.delete(.int(Int64(id))) }
                try photos.put(["id": 0, "original": .attachment(attachments[1])])
                let garbage = try copy.attachments.collectGarbage(releasedAfter: former)
                #expect(garbage.digests.count == 9)
                #expect(try copy.attachments.info(unreferenced.digest) != nil)
                try copy.close()
            }
            let before = try DirectoryState(path)
            let discarded = try DatabaseReplacement(of: path)
            try replace(discarded)
            discarded.discard()
            #expect(try DirectoryState(path).difference(from: before) == [])
            try Self.check(path) { (store: DocumentStore) throws in #expect(try store.attachments.census().count == 10)
            }

            let published = try DatabaseReplacement(of: path)
            try replace(published)
            try published.publish(exchanges: exchanges)
            #expect(try TestFiles.names(in: directory) == ["s"])
            try Self.check(path) { (store: DocumentStore) throws in
                #expect(try store.attachments.census().count == 2)
                #expect(try store.attachments.census().fileCount == 2)
                #expect(try store.verify().orphanedFileCount == 0)
                #expect(try store.attachments.bytes(of: attachments[1]).count == attachments[1].byteCount)
            }
        }
    }

    // MARK: - Deleting and repairing

    @Test func `Destroying a store deletes its attachments, and follows no link`() throws {
        try withTemporaryDirectory { directory in
            let files = FileManager.default
            _ = try Self.make(at: directory + "/s")
            #expect(try Database.destroy(at: directory + "/s") == [])
            #expect(!files.fileExists(atPath: directory + "/s"))

            // Names that are no attachments are kept.
            let attachments = try Self.make(at: directory + "/t")
            try TestFiles.write([1], to: directory + "/t/attachments/notes.txt")
            #expect(try Database.destroy(at: directory + "/t") == ["attachments"])
            #expect(try TestFiles.names(in: directory + "/t/attachments") == ["notes.txt"])

            _ = try Self.make(at: directory + "/u")
            _ = try Self.make(at: directory + "/v")
            try files.removeItem(atPath: directory + "/v/attachments")
            try files.createSymbolicLink(
                atPath: directory + "/v/attachments", withDestinationPath: directory + "/u/attachments")
            #expect(try Database.destroy(at: directory + "/v") == ["attachments"])
            #expect(files.fileExists(atPath: Self.file(attachments[1], in: directory + "/u")))
        }
    }

    @Test func `A repair keeps the attachments, and its backup has them too`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let attachments = try Self.make(at: path)
            // Nothing in a database but its own files matters to a repair.
            let strange = path + "/attachments/ab/" + String(repeating: "ab", count: 32)
            try FileManager.default.createDirectory(atPath: strange, withIntermediateDirectories: true)
            let current = try TestFiles.bytes(of: path + "/CURRENT")
            try TestFiles.write([], to: path + "/CURRENT")
            let report = try Database.repair(at: path)
            let backup = try #require(try TestFiles.names(in: directory).first { $0.hasPrefix("s.before-repair") })
            try Self.check(path) { (store: DocumentStore) throws in
                #expect(try store.losses(after: report).lostAttachmentCount == 0)
                for attachment in attachments {
                    #expect(try store.attachments.bytes(of: attachment).count == attachment.byteCount)
                }
            }
            try TestFiles.write(current, to: directory + "/" + backup + "/CURRENT")
            try Self.check(directory + "/" + backup) { (store: DocumentStore) throws in
                #expect(try store.attachments.census().fileCount == 5)
            }
        }
    }

    // MARK: - History

    @Test func `An attachment that only former versions refer to survives collections and rebuilds`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let kept = try store.collection("kept")
            let small = try AttachedPhotos.addSmall(1, to: store)
            let large = try AttachedPhotos.addLarge(1, to: store)
            try kept.put(["id": 1, "files": [.attachment(small), .attachment(large)]])
            try kept.put(["id": 1, "files": []])
            #expect(try store.attachments.collectGarbage(olderThan: .zero).keptCount == 2)
            // Also if the records are lost.
            try store.database.delete(StoreKey.attachment(small.digest))
            try store.database.delete(StoreKey.attachment(large.digest))
            try store.rebuild()
            #expect(try store.attachments.collectGarbage(olderThan: .zero).keptCount == 2)
            try store.undo()
            #expect(try store.attachments.info(large.digest)?.referenceCount == 1)
            #expect(try store.attachments.bytes(of: small).count == AttachedPhotos.smallByteCount)
        }
    }

    @Test func `An undo to a version whose content is gone fails and changes nothing`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let kept = try store.collection("kept")
            let large = try AttachedPhotos.addLarge(1, to: store)
            try kept.put(["id": 1, "file": .attachment(large)])
            try kept.put(["id": 1, "file": "gone"])
            try store.database.delete(StoreKey.attachment(large.digest))
            try store.files.remove(large.digest.description)
            let sequence = try store.sequence()
            expectFailure(.attachmentMissing, containing: large.digest.description) { try store.undo() }
            #expect(try store.sequence() == sequence)
            #expect(try kept.document(1)?["file"] == "gone")
            // The version can still be read, and be restored once the content is back.
            #expect(try kept.history(of: 1).count > 0)
            #expect(try AttachedPhotos.addLarge(1, to: store) == large)
            try store.undo()
            #expect(try store.attachments.info(large.digest)?.referenceCount == 1)
        }
    }
}
