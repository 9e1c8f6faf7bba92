import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// What a check finds in the records and the contents of attachments, and what a rebuild corrects.
@Suite struct AttachmentVerifyTests {
    // MARK: - Records

    /// A change to the record of an attachment.
    struct Mutation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let appliesToUnreferenced: Bool
        let apply: @Sendable (inout AttachmentRecord) -> [UInt8]?
    }

    static let mutations: [Mutation] = [
        Mutation(testDescription: "raised", appliesToUnreferenced: true) {
            $0.use = .referenced(count: $0.count + 1)
            return $0.encoded
        },
        Mutation(testDescription: "lowered", appliesToUnreferenced: false) {
            $0.use =
                $0.count > 1
                ? .referenced(count: $0.count - 1) : .released(AttachmentRecord.Release(time: 0, sequence: 0))
            return $0.encoded
        },
        Mutation(testDescription: "removed", appliesToUnreferenced: false) { _ in nil },
        Mutation(testDescription: "truncated", appliesToUnreferenced: true) { Array($0.encoded.dropLast()) },
        Mutation(testDescription: "empty", appliesToUnreferenced: true) { _ in [] },
        Mutation(testDescription: "with surplus bytes", appliesToUnreferenced: true) { $0.encoded + [0] },
    ]

    /// Stores an attachment that two documents refer to, and one that none does, of each size.
    private static func fillWithUnreferenced(_ store: DocumentStore) throws -> [DocIndex.Attachment] {
        var attachments = try AttachedPhotos.fill(store, count: 2)
        try store.collection("photos").put([
            "id": "again", "pages": [.attachment(attachments[0]), .attachment(attachments[1])],
        ])
        attachments += [try AttachedPhotos.addSmall(90, to: store), try AttachedPhotos.addLarge(90, to: store)]
        return attachments
    }

    @Test(arguments: mutations)
    func `A wrong record is named by a check, stops collections, and is corrected by a rebuild`(
        _ mutation: Mutation
    ) throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachments = try Self.fillWithUnreferenced(store)
            for (position, attachment) in attachments.enumerated() {
                if position >= 4, !mutation.appliesToUnreferenced { continue }
                let key = StoreKey.attachment(attachment.digest)
                let sound = try #require(try store.database.value(forKey: key))
                var record = try #require(try AttachmentRecord.read(attachment.digest, in: store.database))
                try store.database.write { batch in
                    if let bytes = mutation.apply(&record) {
                        try batch.put(bytes, forKey: key)
                    } else {
                        try batch.delete(key)
                    }
                }
                let verification = try store.verify()
                #expect(verification.findings.contains { $0.attachment == attachment.digest }, "\(position)")
                #expect(verification.problems.contains { $0.contains(attachment.digest.description) })
                expectFailure(.corruption, containing: attachment.digest.description) {
                    try store.attachments.collectGarbage(olderThan: .zero)
                }
                let report = try store.rebuild()
                #expect(report.repairCount > 0)
                #expect(report.lostAttachments.isEmpty)
                try expectSound(store)
                if position < 4 { #expect(try store.database.value(forKey: key) == sound) }
                #expect(try store.attachments.bytes(of: attachment).count == Int(attachment.byteCount))
            }
            #expect(try store.verify(attachments: .full).isSound)
        }
    }

    @Test func `An invented record is named, stops collections, and is removed by a rebuild`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            try AttachedPhotos.fill(store, count: 2)
            let digest = try #require(DocIndex.Attachment.Digest(String(repeating: "5a", count: 32)))
            for place in [AttachmentRecord.Place.file, .database(number: 1), .database(number: 77)] {
                let record = AttachmentRecord(use: .referenced(count: 3), byteCount: 1000, place: place)
                try store.database.put(record.encoded, forKey: StoreKey.attachment(digest))
                let verification = try store.verify()
                #expect(verification.findings.contains { $0.attachment == digest })
                expectFailure(.corruption, containing: digest.description) {
                    try store.attachments.collectGarbage(olderThan: .zero)
                }
                try store.rebuild()
                try expectSound(store)
                #expect(try store.attachments.info(digest) == nil)
            }
        }
    }

    @Test func `A record with the wrong size or place is named, and corrected by a rebuild`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachments = try AttachedPhotos.fill(store, count: 2)
            for attachment in attachments {
                let key = StoreKey.attachment(attachment.digest)
                let sound = try #require(try store.database.value(forKey: key))
                let record = try #require(try AttachmentRecord.read(attachment.digest, in: store.database))
                let places: [AttachmentRecord.Place] = [.file, .database(number: 2), .database(number: 99)]
                var wrong = places.filter { $0 != record.place }.map {
                    AttachmentRecord(use: record.use, byteCount: record.byteCount, place: $0)
                }
                wrong.append(AttachmentRecord(use: record.use, byteCount: record.byteCount + 1, place: record.place))
                for record in wrong {
                    try store.database.put(record.encoded, forKey: key)
                    #expect(try store.verify().findings.contains { $0.attachment == attachment.digest }, "\(record)")
                    try store.rebuild()
                    try expectSound(store)
                    #expect(try store.database.value(forKey: key) == sound)
                }
            }
        }
    }

    @Test func `A record released by a later commit than the last one is named and corrected`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachment = try AttachedPhotos.addSmall(1, to: store)
            let key = StoreKey.attachment(attachment.digest)
            var record = try #require(try AttachmentRecord.read(attachment.digest, in: store.database))
            record.use = .released(AttachmentRecord.Release(time: 1, sequence: 1 << 50))
            try store.database.put(record.encoded, forKey: key)
            #expect(try store.verify().problems.contains { $0.contains("released by commit") })
            try store.rebuild()
            try expectSound(store)
            #expect(try store.attachments.collectGarbage(olderThan: .zero).digests == [attachment.digest])
        }
    }

    @Test func `A key of a record that holds no digest is named and set aside`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            try AttachedPhotos.fill(store, count: 1)
            try store.database.put([1, 2], forKey: [StoreKey.attachments.rawValue, 1, 2, 3])
            #expect(try store.verify().problems == ["the key of the record of an attachment cannot be read"])
            try store.rebuild()
            try expectSound(store)
            #expect(try store.database.value(forKey: [StoreKey.setAside.rawValue, 0x41, 1, 2, 3]) == [1, 2])
        }
    }

    // MARK: - Content

    @Test func `A full check names every attachment in which one byte has changed`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            var random = TestRun.random(stream: 41)
            let attachments = try AttachedPhotos.fill(store, count: 500)
            for attachment in attachments {
                let record = try #require(try AttachmentRecord.read(attachment.digest, in: store.database))
                let position = random.number(below: Int(attachment.byteCount))
                let mask = UInt8(1 << random.number(below: 8))
                switch record.place {
                case .database(let number):
                    var bytes = try #require(try store.database.value(forKey: StoreKey.content(number)))
                    bytes[position] ^= mask
                    try store.database.put(bytes, forKey: StoreKey.content(number))
                case .file:
                    let path = AttachedPhotos.file(of: attachment, in: store)
                    var bytes = try TestFiles.bytes(of: path)
                    bytes[position] ^= mask
                    try TestFiles.write(bytes, to: path)
                }
            }
            // Their sizes are as they should be.
            try expectSound(store)
            var largest: Int64 = 0
            var total: Int64 = 0
            let verification = try store.verify(attachments: .full) { progress in
                largest = max(largest, progress.attachmentByteCount)
                total = progress.totalAttachmentByteCount
            }
            #expect(verification.problemCount == 1000, "\(TestRun.repetition)")
            #expect(Set(verification.lostAttachments) == Set(attachments.map(\.digest)))
            #expect(verification.findings.count == Verification.problemLimit)
            #expect(verification.findings.allSatisfy { $0.documentID != nil && $0.attachment != nil })
            let all = try store.verify(attachments: .full, problemLimit: .max).findings
            #expect(all.count == 1000 && Set(all.map(\.attachment)) == Set(attachments.map(\.digest)))
            #expect(verification.remedy == .restore)
            #expect(verification.attachmentCount == 1000)
            #expect(total == verification.attachmentByteCount)
            #expect(largest > 0 && largest <= total)
            for attachment in attachments {
                expectFailure(.attachmentDamaged, containing: attachment.digest.description) {
                    try store.attachments.bytes(of: attachment)
                }
                expectFailure(.attachmentDamaged) { try store.attachments.read(attachment) { _ in } }
            }
            // Content in files is repaired when it is added again.
            for number in 0..<500 { _ = try AttachedPhotos.addLarge(number, to: store) }
            #expect(try store.verify(attachments: .full).problemCount == 500)
        }
    }

    @Test func `A file that is missing, replaced or of the wrong size is named with its path and a document`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachment = try AttachedPhotos.fill(store, count: 1)[1]
            let path = AttachedPhotos.file(of: attachment, in: store)
            let bytes = try TestFiles.bytes(of: path)
            let files = FileManager.default
            let damages: [(reason: String, apply: () throws -> Void)] = [
                ("bytes instead of", { try TestFiles.write(bytes.dropLast(), to: path) }),
                ("bytes instead of", { try TestFiles.write(bytes + [0], to: path) }),
                ("bytes instead of", { try TestFiles.write([], to: path) }),
                ("does not exist", { try files.removeItem(atPath: path) }),
                (
                    "symbolic link",
                    {
                        try TestFiles.write(bytes, to: store.path + "/elsewhere")
                        try files.removeItem(atPath: path)
                        try files.createSymbolicLink(atPath: path, withDestinationPath: store.path + "/elsewhere")
                    }
                ),
                (
                    "not a regular file",
                    {
                        try files.removeItem(atPath: path)
                        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
                    }
                ),
                (
                    "not a regular file",
                    {
                        try files.removeItem(atPath: path)
                        try #require(unsafe mkfifo(path, 0o600) == 0)
                    }
                ),
            ]
            for damage in damages {
                try damage.apply()
                for check in Verification.AttachmentCheck.allCases {
                    let verification = try store.verify(attachments: check)
                    #expect(verification.problemCount == 1)
                    let finding = try #require(verification.findings.first)
                    #expect(finding.problem.contains(damage.reason), "\(finding.problem)")
                    #expect(finding.problem.contains(path), "\(finding.problem)")
                    #expect(finding.problem.contains("the document 0 of photos"), "\(finding.problem)")
                    #expect(finding.attachment == attachment.digest)
                    #expect(finding.documentID == 0)
                    #expect(verification.lostAttachments == [attachment.digest])
                    #expect(verification.remedy == .restore)
                }
                #expect(throws: (any Error).self) { try store.attachments.bytes(of: attachment) }
                // A rebuild keeps the reference, so the document can be changed, and the content be added again.
                let report = try store.rebuild()
                #expect(report.lostAttachments == [attachment.digest], "\(damage.reason)")
                #expect(try store.verify().problemCount == 1)
                try store.collection("photos").update(0) { $0["rating"] = 5 }
                // One of them is missing already.
                try? files.removeItem(atPath: path)
                #expect(try AttachedPhotos.addLarge(0, to: store) == attachment)
                try expectSound(store)
                #expect(try store.attachments.bytes(of: attachment) == bytes)
            }
            try files.removeItem(atPath: store.path + "/elsewhere")
        }
    }

    @Test func `Files without a record are counted, but not reported as problems`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            try AttachedPhotos.fill(store, count: 1)
            let name = String(repeating: "ab", count: 32)
            try FileManager.default.createDirectory(
                atPath: store.path + "/attachments/ab", withIntermediateDirectories: true)
            try TestFiles.write([1, 2, 3], to: store.path + "/attachments/ab/" + name)
            try TestFiles.write([4], to: store.path + "/attachments/new/1-2")
            let verification = try store.verify(attachments: .full)
            #expect(verification.isSound)
            #expect(verification.orphanedFileCount == 2)
            #expect(verification.orphanedFileByteCount == 4)
            // A rebuild adopts no file that nothing refers to.
            try store.rebuild()
            #expect(try store.verify().orphanedFileCount == 2)
            #expect(try store.attachments.census().count == 2)
        }
    }

    @Test func `Content without a record, and a record without content, are named and corrected`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachment = try AttachedPhotos.fill(store, count: 1)[0]
            let record = try #require(try AttachmentRecord.read(attachment.digest, in: store.database))
            let bytes = try store.attachments.bytes(of: attachment)
            try store.database.put([1, 2, 3], forKey: StoreKey.content(2))
            try store.database.put(bytes, forKey: StoreKey.content(3))
            try store.database.put([7], forKey: [StoreKey.contents.rawValue, 0xee])
            var problems = try store.verify().problems
            #expect(problems.contains("the content with the number 2 belongs to no attachment"))
            #expect(problems.contains("the content with the number 3 belongs to no attachment"))
            #expect(problems.contains("the key of the content of an attachment cannot be read"))
            #expect(problems.contains { $0.contains("but the number 3 is taken") })
            #expect(problems.count == 4)
            try store.rebuild()
            try expectSound(store)
            // Both have a record now, and the second copy of the same bytes is gone.
            #expect(try store.attachments.census().unreferencedCount == 2)
            #expect(try AttachmentRecord.read(attachment.digest, in: store.database) == record)
            #expect(try store.attachments.collectGarbage(olderThan: .zero).digests.count == 2)

            try store.database.delete(StoreKey.content(1))
            problems = try store.verify().problems
            #expect(problems.count == 1 && problems[0].contains("its content under the number 1 does not exist"))
            #expect(try store.rebuild().lostAttachments == [attachment.digest])
            #expect(try AttachedPhotos.addSmall(0, to: store) == attachment)
            #expect(try store.attachments.bytes(of: attachment) == bytes)
        }
    }

    @Test func `The number of the next attachment is checked, and corrected by a rebuild`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            try AttachedPhotos.fill(store, count: 3)
            for record in [[3], [0], [], [1, 2], [UInt8](repeating: 0xff, count: 9) + [1], nil] as [[UInt8]?] {
                try store.database.write { batch in
                    if let record {
                        try batch.put(record, forKey: StoreKey.nextContentKey)
                    } else {
                        try batch.delete(StoreKey.nextContentKey)
                    }
                }
                let problems = try store.verify().problems
                #expect(problems.count == 1, "\(problems)")
                #expect(problems.first?.contains("the next number for the content of an attachment is") == true)
                try store.rebuild()
                #expect(try store.database.value(forKey: StoreKey.nextContentKey) == [4])
                try expectSound(store)
            }
        }
    }

    // MARK: - Rebuilding

    @Test func `A rebuild adopts attachments whose records are lost`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachments = try AttachedPhotos.fill(store, count: 20)
            var records: [[UInt8]?] = []
            for attachment in attachments {
                let key = StoreKey.attachment(attachment.digest)
                records.append(try store.database.value(forKey: key))
                try store.database.delete(key)
            }
            #expect(try store.verify().lostAttachments.count == 40)
            let report = try store.rebuild()
            #expect(report.lostAttachments.isEmpty)
            try expectSound(store)
            for (attachment, record) in zip(attachments, records) {
                #expect(try store.database.value(forKey: StoreKey.attachment(attachment.digest)) == record)
            }
            #expect(try store.verify(attachments: .full).isSound)
        }
    }

    @Test func `A rebuild does not adopt a file with the right name and size and other bytes`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachment = try AttachedPhotos.fill(store, count: 1)[1]
            try store.database.delete(StoreKey.attachment(attachment.digest))
            let path = AttachedPhotos.file(of: attachment, in: store)
            var bytes = try TestFiles.bytes(of: path)
            bytes[17] ^= 1
            try TestFiles.write(bytes, to: path)
            #expect(try store.rebuild().lostAttachments == [attachment.digest])
            // The file stays as it is, until the content is added again.
            #expect(try TestFiles.bytes(of: path) == bytes)
            #expect(try AttachedPhotos.addLarge(0, to: store) == attachment)
            #expect(try store.verify(attachments: .full).isSound)
        }
    }

    @Test func `A rebuild keeps unreferenced attachments, and when they were released`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let photos = try store.collection("photos")
            let attachments = try AttachedPhotos.fill(store, count: 2)
            try photos.delete(0)
            let keys = attachments.map { StoreKey.attachment($0.digest) }
            let records = try keys.map { try store.database.value(forKey: $0) }
            try store.rebuild()
            let rebuilt = try keys.map { try store.database.value(forKey: $0) }
            #expect(rebuilt == records)
            // Without a readable record, they are released now.
            try store.database.put([0x80], forKey: keys[0])
            try store.database.put([0x80], forKey: keys[1])
            try store.rebuild()
            try expectSound(store)
            #expect(try store.attachments.census().unreferencedCount == 2)
            #expect(try store.attachments.collectGarbage().keptCount == 2)
            #expect(try store.attachments.bytes(of: attachments[0]).count == AttachedPhotos.smallByteCount)
        }
    }

    @Test func `A rebuild notes in the catalog that a store contains attachments`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let attachments = try AttachedPhotos.fill(store, count: 2)
            var catalog = store.currentCatalog
            catalog.hasAttachments = false
            try store.save(catalog)
            let verification = try store.verify()
            #expect(verification.problems.count == 1)
            #expect(verification.problems.first?.hasPrefix("the catalog does not note") == true)
            try store.rebuild()
            #expect(store.currentCatalog.hasAttachments)
            try expectSound(store)
            // References are counted again.
            try store.collection("photos").delete(0)
            #expect(try store.attachments.info(attachments[1].digest)?.referenceCount == 0)
        }
    }

    @Test func `A rebuild of a store without attachments leaves its format as it is`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            try store.collection("photos").put(["id": 1])
            try store.database.put([1], forKey: [StoreKey.attachments.rawValue, 9])
            try store.rebuild()
            #expect(!store.currentCatalog.hasAttachments)
            #expect(try store.database.contains([StoreKey.setAside.rawValue, 0x41, 9]))
        }
    }

    @Test func `The losses of a repair include the attachments that are stored nowhere`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            var store = try DocumentStore.open(at: path, schema: AttachedPhotos.schema)
            let attachments = try AttachedPhotos.fill(store, count: 2)
            try store.database.delete(StoreKey.content(1))
            try store.database.delete(StoreKey.attachment(attachments[2].digest))
            try FileManager.default.removeItem(atPath: AttachedPhotos.file(of: attachments[3], in: store))
            try store.close()
            let report = try Database.repair(at: path)
            store = try DocumentStore.open(at: path)
            let losses = try store.losses(after: report)
            #expect(losses.lostAttachmentCount == 2)
            #expect(Set(losses.lostAttachments) == [attachments[0].digest, attachments[3].digest])
            #expect(!losses.isEmpty)
            #expect(losses.lostDocumentCount == 0)
            #expect(try Set(store.rebuild().lostAttachments) == Set(losses.lostAttachments))
            _ = try AttachedPhotos.addSmall(0, to: store)
            _ = try AttachedPhotos.addLarge(1, to: store)
            #expect(try store.verify(attachments: .full).isSound)
            try store.close()
        }
    }

    @Test func `A check can be canceled while attachments are read`() throws {
        struct Stop: Error {}
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            try AttachedPhotos.fill(store, count: 3)
            #expect(throws: Stop.self) {
                try store.verify(attachments: .full) { if $0.subject == "the attachments" { throw Stop() } }
            }
        }
    }
}
