import DocIndex
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Refused documents` {
    /// The schema of a store in which no two photos may have the same rating.
    private static let unique = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("rating", on: "rating", unique: true)])
    ])

    /// Merges in a dry run and really, and expects the same report.
    private static func merge(
        _ package: String, into target: DocumentStore, _ policy: Package.MergePolicy
    ) throws -> Package.MergeReport {
        let sequence = try target.sequence()
        let dryRun = try Package(at: package).merge(into: target, policy: policy, dryRun: true)
        #expect(try target.sequence() == sequence)
        let report = try Package(at: package).merge(into: target, policy: policy)
        #expect(report == dryRun, "\(report)\n\(dryRun)")
        return report
    }

    @Test(arguments: Package.MergePolicy.allCases)
    func `Documents with the values of others in a unique index are left out and named, and a dry run says the same`(
        policy: Package.MergePolicy
    ) throws {
        // The seventh and the eighth have the ratings of the first and the second.
        try PackedStore.withPackage(numbers: Array(0..<8)) { _, path, _ in
            try withTemporaryStore(schema: Self.unique) { target in
                let photos = try target.collection("photos")
                try photos.put(["id": "mine", "rating": 3])
                let report = try Self.merge(path, into: target, policy)
                #expect(report.rejections.map { "\($0.id)" } == ["IMG_3", "IMG_6", "IMG_7"])
                #expect(report.addedCount == 5 && report.originalCount == 4)
                for (rejection, other) in zip(report.rejections, ["mine", "IMG_0", "IMG_1"]) {
                    #expect(
                        rejection.reason
                            == "the documents \(rejection.id) and \(other) of photos would have the same values in the "
                            + "unique index rating; change one of them")
                }
                #expect(try photos.count() == 6 && photos.document("mine")?.content["rating"] == 3)
                #expect(try target.attachments.census().unreferencedCount == 0)
                #expect(try Self.merge(path, into: target, policy).unchangedCount == 5)
            }
        }
    }

    @Test func `A new collection gets the unique index of the package, and a dry run considers it`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/a.zip"
            let records: [DocumentObject] = [["id": "a", "rating": 1], ["id": "b", "rating": 1], ["id": "c"]]
            try write(ForgedPackage.bytes(Self.unique, records), to: path)
            try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("other")])) { target in
                let report = try Self.merge(path, into: target, .absent)
                #expect(report.addedCount == 2 && report.rejections.map { "\($0.id)" } == ["b"])
            }
        }
    }

    @Test func `A merge stores documents that swap unique values, and one that takes over a deleted document's value`()
        throws
    {
        try PackedStore.withPackage { store, path, directory in
            try withTemporaryStore(schema: Self.unique) { target in
                _ = try Package(at: path).merge(into: target)
                var options = PackedStore.withOriginals
                options.since = try store.sequence()
                let photos = try store.collection("photos")
                try photos.put(["id": "IMG_0", "rating": 3])
                try photos.put(["id": "IMG_3", "rating": 0])
                try photos.delete("IMG_1")
                try photos.put(["id": "IMG_2", "rating": 1])
                let changes = directory + "/changes.zip"
                try write(PackedStore.pack(store, "", options), to: changes)
                let report = try Self.merge(changes, into: target, .replace)
                #expect(report.replacedCount == 3 && report.deletedCount == 1 && report.rejections.isEmpty)
                #expect(try target.collection("photos").document("IMG_2")?.content["rating"] == 1)
                // Otherwise the deleted one stays.
                try target.collection("photos").put(["id": "IMG_2", "rating": 2])
                try target.collection("photos").put(["id": "IMG_1", "rating": 1])
                let others = try Self.merge(changes, into: target, .keepBoth)
                #expect(others.rejections.map { "\($0.id)" } == ["IMG_2"] && others.ignoredDeletionCount == 1)
            }
        }
    }

    @Test func `A document with too many entries in an index, or with an ID that is too long, is left out`() throws {
        let products = Schema(collections: [
            CollectionDefinition("photos", indexes: [.value("pairs", on: "a[]", "b[]")])
        ])
        let numbers = DocumentValue.array((0..<40).map { .int($0) })
        let long = String(repeating: "x", count: 70_000)
        let records: [DocumentObject] = [
            ["id": "few", "a": 1, "b": 1], ["id": "many", "a": numbers, "b": numbers],
            ["id": .string(long), "a": 1],
        ]
        try withTemporaryDirectory { directory in
            let path = directory + "/a.zip"
            try write(ForgedPackage.bytes(PackedStore.schema, records), to: path)
            try withTemporaryStore(schema: products) { target in
                let dryRun = try Package(at: path).merge(into: target, dryRun: true)
                #expect(dryRun.rejections.map { "\($0.id)" } == ["many"])
                let report = try Package(at: path).merge(into: target)
                #expect(report.rejections.map { "\($0.id)" }.contains("many"))
                #expect(report.rejections.allSatisfy { $0.reason.contains("; ") })
                #expect(report.addedCount + report.rejections.count == 3)
                #expect(try target.collection("photos").contains("few"))
            }
        }
    }

    @Test func `A document whose attachment has a different size in the package or in the store is left out`() throws {
        try PackedStore.withPackage { store, path, directory in
            let document = try #require(try store.collection("photos").document("IMG_2")).content
            let original = try #require(document["original"]?.attachmentValue)
            let content = try store.attachments.bytes(of: original)
            var forged = document
            forged["original"] = Attachment(digest: original.digest, byteCount: 7).map { .attachment($0) }
            let other = directory + "/b.zip"
            try write(ForgedPackage.bytes(PackedStore.schema, [forged], originals: [content]), to: other)
            try withTemporaryStore(schema: PackedStore.schema) { target in
                let report = try Self.merge(other, into: target, .absent)
                #expect(report.rejections.map(\.reason) == ["its attachment has a different size in the package"])
                _ = try Package(at: path).merge(into: target)
                let again = try Self.merge(other, into: target, .replace)
                #expect(again.rejections.map(\.reason) == ["its attachment has a different size in the store"])
            }
        }
    }

    @Test(arguments: Package.MergePolicy.allCases)
    func `No collision loses data of the store, and a dry run predicts each one`(policy: Package.MergePolicy)
        throws
    {
        var random = TestRun.random(stream: 63)
        for _ in 0..<TestRun.rounds(20, long: 1000) {
            let changed = Self.documents(using: &random)
            let stored = Self.documents(using: &random)
            try withTemporaryDirectory { directory in
                try write(ForgedPackage.bytes(Self.unique, changed), to: directory + "/a.zip")
                try withTemporaryStore(schema: Self.unique) { target in
                    let photos = try target.collection("photos")
                    var kept: [DocumentID: DocumentObject] = [:]
                    for document in stored {
                        guard let id = try? photos.put(document) else { continue }
                        kept[id] = document
                    }
                    let report = try Self.merge(directory + "/a.zip", into: target, policy)
                    let rejected = Set(report.rejections.map(\.id))
                    for (id, content) in kept {
                        let found = try photos.document(id)?.content
                        let isSame = found == content || (policy == .replace && !rejected.contains(id))
                        #expect(found != nil && isSame, "\(id); \(TestRun.repetition)")
                    }
                    let count =
                        report.addedCount + report.replacedCount + report.keptCount + report.copiedCount
                        + report.unchangedCount + rejected.count
                    #expect(count == changed.count, "\(TestRun.repetition)")
                    #expect(try photos.count() == kept.count + report.addedCount + report.copiedCount)
                }
            }
        }
    }

    /// Documents of few IDs with few values, so that many collide.
    private static func documents(using random: inout SplitMix64) -> [DocumentObject] {
        (0..<30).filter { _ in random.once(in: 2) }.map { number in
            ["id": .string("d\(number)"), "rating": .int(Int64(random.number(below: 20)))]
        }
    }
}
