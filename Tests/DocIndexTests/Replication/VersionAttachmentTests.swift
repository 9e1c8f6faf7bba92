import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Contents of attachments that only a version refers to which is not the document: the other side of a conflict.
@Suite struct VersionAttachmentTests {
    /// Makes a conflict in the first of two stores. Each version has an attachment of its own.
    ///
    /// - Returns: the stores, and the attachment of the version that is not the document.
    private static func conflict(byteCount: Int, in directory: String) throws -> (ReplicaGroup, DocIndex.Attachment) {
        let group = try ReplicaGroup(count: 2, in: directory)
        var attachments: [DocIndex.Attachment] = []
        for seed in 0..<2 {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
            for store in group.stores { attachments.append(try store.attachments.add(bytes)) }
        }
        for (n, collection) in group.collections.enumerated() {
            try collection.put(["id": "a", "n": .int(Int64(n)), "original": .attachment(attachments[2 * n])])
        }
        try group.pull(0, from: 1)
        let document = try #require(try group.collections[0].document("a"))
        guard case .attachment(let kept)? = document["original"] else {
            throw DocIndexError(.corruption, "no attachment")
        }
        return (group, kept.digest == attachments[0].digest ? attachments[2] : attachments[0])
    }

    /// Takes the version that is not the document.
    private static func takeOther(in photos: DocumentCollection) throws {
        let conflict = try #require(try photos.conflict(of: "a"))
        #expect(try photos.resolve(conflict, as: .take(conflict.versions[1].revision)))
    }

    @Test(arguments: [1000, 100_000])
    func `A missing record of an attachment of another version is named, and a rebuild restores it`(
        byteCount: Int
    ) throws {
        try withTemporaryDirectory { directory in
            let (group, other) = try Self.conflict(byteCount: byteCount, in: directory)
            let (store, photos) = (group.stores[0], group.collections[0])
            try expectSound(store)
            try store.database.delete(StoreKey.attachment(other.digest))
            let found = try store.verify()
            #expect(found.lostAttachments.contains(other.digest))
            #expect(
                found.problems.contains { $0.contains("a version of the document a of photos") }, "\(found.problems)")
            let report = try store.rebuild()
            #expect(report.lostAttachments == [])
            try expectSound(store)
            try Self.takeOther(in: photos)
            #expect(try store.attachments.bytes(of: other).count == byteCount)
            try group.close()
        }
    }

    @Test func `A lost attachment of another version is named, and the version can still be chosen`() throws {
        try withTemporaryDirectory { directory in
            let (group, other) = try Self.conflict(byteCount: 100_000, in: directory)
            let (store, photos) = (group.stores[0], group.collections[0])
            try FileManager.default.removeItem(atPath: store.files.file(other.digest.description))
            let found = try store.verify()
            #expect(found.lostAttachments == [other.digest])
            #expect(
                found.problems.contains { $0.contains("a version of the document a of photos") }, "\(found.problems)")
            let conflict = try photos.conflict(of: "a")
            for _ in 0..<2 {
                #expect(try store.rebuild().lostAttachments == [other.digest])
                #expect(try photos.conflict(of: "a") == conflict)
            }
            try Self.takeOther(in: photos)
            let error = #expect(throws: DocIndexError.self) { try store.attachments.bytes(of: other) }
            #expect(error?.code == .attachmentMissing)
            // The content can be added again.
            _ = try store.attachments.add((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            _ = try store.attachments.add((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 1) })
            #expect(try store.attachments.bytes(of: other).count == 100_000)
            try expectSound(store)
            try group.close()
        }
    }
}
