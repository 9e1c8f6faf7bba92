import DocIndex
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Merging` {
    @Test func `Merged into an empty store, a package gives the same store, and packs to the same bytes`() throws {
        try PackedStore.withPackage { store, path, _ in
            try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("other")])) { target in
                let report = try Package(at: path).merge(into: target)
                #expect(report.addedCount == 6 && report.originalCount == 4 && report.rejections.isEmpty)
                #expect(try PackedStore.pack(target, "", PackedStore.withOriginals) == read(path))
                let again = try Package(at: path).merge(into: target)
                #expect(again.unchangedCount == 6 && again.addedCount == 0 && again.originalCount == 0)
                #expect(try target.verify(attachments: .full).isSound)
            }
        }
    }

    @Test func `A dry run of a merge reports what it would do and stores nothing`() throws {
        try PackedStore.withPackage { _, path, _ in
            try withTemporaryStore(schema: PackedStore.schema) { target in
                try target.collection("photos").put(["id": "IMG_1", "rating": 1])
                let before = try target.sequence()
                for policy in Package.MergePolicy.allCases {
                    let report = try Package(at: path).merge(into: target, policy: policy, dryRun: true)
                    // The original of a document that stays as it is is not stored.
                    #expect(report.addedCount == 5 && report.originalCount == (policy == .absent ? 3 : 4))
                    #expect(report.keptCount + report.replacedCount + report.copiedCount == 1)
                }
                #expect(try target.sequence() == before)
                #expect(try target.attachments.census().count == 0)
            }
            try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("other")])) { target in
                let report = try Package(at: path).merge(into: target, dryRun: true)
                #expect(report.addedCount == 6 && target.schema.collections.count == 1)
            }
        }
    }

    @Test(arguments: Package.MergePolicy.allCases)
    func `A document that exists with different content is treated as asked`(policy: Package.MergePolicy) throws {
        try PackedStore.withPackage { _, path, _ in
            try withTemporaryStore(schema: PackedStore.schema) { target in
                let photos = try target.collection("photos")
                let mine: DocumentObject = ["id": "IMG_1", "rating": 0]
                try photos.put(mine)
                let report = try Package(at: path).merge(into: target, policy: policy)
                #expect(report.addedCount == 5 && report.originalCount == (policy == .absent ? 3 : 4))
                let found = try photos.document("IMG_1")?.content
                switch policy {
                case .absent:
                    #expect(report.keptCount == 1 && found == mine)
                    #expect(try photos.count() == 6)
                case .replace:
                    #expect(report.replacedCount == 1 && found?["rating"] == 1)
                    #expect(try photos.count() == 6)
                case .keepBoth:
                    #expect(report.copiedCount == 1 && found == mine)
                    #expect(try photos.count() == 7)
                    let copies = try photos.find("rating = 1").map(\.content)
                    #expect(copies.count == 1 && copies[0]["id"]?.stringValue?.hasPrefix("IMG_1~") == true)
                }
                // Again, it changes nothing.
                let sequence = try target.sequence()
                _ = try Package(at: path).merge(into: target, policy: policy)
                #expect(try target.sequence() == sequence)
            }
        }
    }

    @Test func `Documents whose originals are in neither package nor store are rejected`() throws {
        try PackedStore.withPackage(.init()) { store, path, _ in
            try withTemporaryStore(schema: PackedStore.schema) { target in
                let document = try #require(try store.collection("photos").document("IMG_1"))
                let original = try #require(document.content["original"]?.attachmentValue)
                _ = try target.attachments.add(store.attachments.bytes(of: original))
                let report = try Package(at: path).merge(into: target)
                #expect(report.addedCount == 3)
                #expect(report.rejections.map { "\($0.id)" } == ["IMG_2", "IMG_4", "IMG_5"])
                #expect(report.rejections.allSatisfy { $0.reason.contains("package with originals") })
                #expect(try target.collection("photos").contains("IMG_1"))
            }
        }
    }

    @Test func `Deletions take effect only if documents are replaced`() throws {
        try PackedStore.withPackage { store, path, directory in
            try withTemporaryStore(schema: PackedStore.schema) { target in
                _ = try Package(at: path).merge(into: target)
                var options = PackedStore.withOriginals
                options.since = try store.sequence()
                try store.collection("photos").delete("IMG_1")
                let changes = directory + "/changes.zip"
                try write(PackedStore.pack(store, "", options), to: changes)
                #expect(try Package(at: changes).merge(into: target).ignoredDeletionCount == 1)
                #expect(try target.collection("photos").contains("IMG_1"))
                #expect(try Package(at: changes).merge(into: target, policy: .replace).deletedCount == 1)
                #expect(try !target.collection("photos").contains("IMG_1"))
                #expect(try DocumentStore.open(package: changes).collection("photos").count() == 0)
            }
        }
    }

    @Test func `Nothing from a damaged package is stored, and a different ID field is refused`() throws {
        try PackedStore.withPackage { _, path, directory in
            var bytes = try read(path)
            let entry = try #require(try Package(at: path).manifest.entries.first { $0.name.hasPrefix("blobs/") })
            #expect(entry.byteCount > 0)
            // The last original, whose content is at the end of the blobs.
            let name = Array("blobs/".utf8)
            let place = try #require((0..<bytes.count - 6).first { Array(bytes[$0..<$0 + 6]) == name })
            bytes[place + 90] ^= 1
            try write(bytes, to: directory + "/damaged.zip")
            try withTemporaryStore(schema: PackedStore.schema) { target in
                expectFailure(PackageError.Code.packageDamaged) {
                    try Package(at: directory + "/damaged.zip").merge(into: target)
                }
                let sequence = try target.sequence()
                #expect(sequence == 0)
            }
            let other = Schema(collections: [CollectionDefinition("photos", id: "key")])
            try withTemporaryStore(schema: other) { target in
                expectFailure(PackageError.Code.invalidOptions) { try Package(at: path).merge(into: target) }
            }
        }
    }
}
