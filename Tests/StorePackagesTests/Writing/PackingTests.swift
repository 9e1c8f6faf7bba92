import DocIndex
import Synchronization
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Packing` {
    @Test func `The same content gives the same bytes, in whatever order it was stored`() throws {
        try PackedStore.withPackage { store, path, directory in
            let other = try DocumentStore.open(at: directory + "/b.store", schema: PackedStore.schema)
            try PackedStore.fill(other, numbers: [5, 1, 3])
            try PackedStore.fill(other, numbers: [4, 2, 0])
            let again = try PackedStore.pack(other, "", PackedStore.withOriginals)
            #expect(try again == read(path))
            #expect(try PackedStore.pack(other, "rating >= 3") == PackedStore.pack(store, "rating >= 3"))
            #expect(try PackedStore.pack(other, "rating >= 3") != PackedStore.pack(store, "rating >= 4"))
            try other.close()
        }
    }

    @Test func `A package of a package has the same documents and attachments`() throws {
        try PackedStore.withPackage { _, path, _ in
            let packed = try DocumentStore.open(package: path)
            #expect(try PackedStore.pack(packed, "", PackedStore.withOriginals) == read(path))
            try packed.close()
        }
    }

    @Test func `Only documents that satisfy the condition are packed, in the order of the query`() throws {
        try PackedStore.withPackage { store, _, directory in
            let query = Query(try Filter(parsing: "rating >= 2"), sort: [.descending("rating")])
            let sink = PackedStore.Sink()
            let writer = try PackageWriter(of: "photos", in: store, query: query, condition: "rating >= 2")
            let summary = try writer.write { sink.bytes += $0 }
            try write(sink.bytes, to: directory + "/b.lkpack.zip")
            let package = try Package(at: directory + "/b.lkpack.zip")
            var ids: [String] = []
            try package.forEachRecord { if case .document(let id, _, _) = $0 { ids.append("\(id)") } }
            #expect(ids == ["IMG_5", "IMG_4", "IMG_3", "IMG_2"])
            #expect(summary.documentCount == 4 && summary.originalCount == 0 && summary.unshownCount == 3)
            #expect(package.manifest.condition == "rating >= 2" && package.manifest.documentCount == 4)
            #expect(UInt64(sink.bytes.count) == summary.byteCount)
        }
    }

    @Test func `Changes contain what changed since a commit, and deletions unless there is a condition`() throws {
        try PackedStore.withPackage { store, _, directory in
            let since = try store.sequence()
            let photos = try store.collection("photos")
            try photos.put(["id": "IMG_0", "rating": 5])
            try photos.delete("IMG_1")
            try photos.put(["id": "new", "rating": 1])
            var options = PackageWriter.Options()
            options.since = since
            let path = directory + "/changes.zip"
            try write(PackedStore.pack(store, "", options), to: path)
            let package = try Package(at: path)
            var records: [String] = []
            try package.forEachRecord { record in
                switch record {
                case .document(let id, _, _): records.append("\(id)")
                case .deletion(let id): records.append("-\(id)")
                case .schema: break
                }
            }
            #expect(records == ["IMG_0", "new", "-IMG_1"])
            #expect(package.manifest.changes?.since == since)
            #expect(try package.manifest.changes?.through == store.sequence())
            #expect(package.manifest.deletionCount == 1)
            let writer = try PackageWriter(
                of: "photos", in: store, query: Query(try Filter(parsing: "rating = 5")), options: options)
            let summary = try writer.write { _ in }
            #expect(summary.documentCount == 1 && summary.deletionCount == 0 && summary.omittedDeletionCount == 1)
            // IMG_0 and the new one changed, and the condition holds for neither.
            let none = try PackageWriter(
                of: "photos", in: store, query: Query(try Filter(parsing: "rating = 4")), options: options)
            let omitted = try none.write { _ in }
            #expect(omitted.documentCount == 0 && omitted.omittedIDs == ["IMG_0", "new"])
            #expect(summary.omittedIDs == ["new"])
            options.since = try store.sequence() + 1
            expectFailure(DocIndexError.Code.epochChanged) { _ = try PackedStore.pack(store, "", options) }
        }
    }

    @Test func `Renditions with metadata, and originals without places, are refused`() throws {
        try PackedStore.withPackage { store, _, _ in
            var options = PackageWriter.Options()
            options.removesPlaces = true
            let writer = try PackageWriter(of: "photos", in: store, options: options)
            for marker: UInt8 in [0xe1, 0xed, 0xfe] {
                let tagged = [0xff, 0xd8, 0xff, marker, 0, 4, 1, 2] + PackedStore.picture(0).dropFirst(2)
                expectFailure(PackageError.Code.invalidOptions) {
                    try writer.write(rendition: { _, _ in tagged }, to: { _ in })
                }
            }
            expectFailure(PackageError.Code.invalidOptions) {
                try writer.write(rendition: { _, _ in Array("<svg/>".utf8) }, to: { _ in })
            }
            options.includesOriginals = true
            expectFailure(PackageError.Code.invalidOptions) {
                _ = try PackageWriter(of: "photos", in: store, options: options)
            }
            options = .init()
            options.renditions = ["../x"]
            expectFailure(PackageError.Code.invalidOptions) {
                _ = try PackageWriter(of: "photos", in: store, options: options)
            }
            expectFailure(DocIndexError.Code.unknownCollection) { _ = try PackageWriter(of: "x", in: store) }
        }
    }

    @Test func `A missing original is an error, and what a sink throws ends the packing`() throws {
        struct Full: Error {}
        try PackedStore.withPackage { store, _, _ in
            let writer = try PackageWriter(of: "photos", in: store, options: PackedStore.withOriginals)
            for limit in [0, 100, 2000, 40_000] {
                var count = 0
                let sink = PackedStore.Sink()
                #expect(throws: Full.self) {
                    try writer.write { part in
                        sink.bytes += part
                        if sink.bytes.count > limit { throw Full() }
                    }
                }
                count += 1
            }
        }
        try PackedStore.withPackage(.init()) { _, path, _ in
            let packed = try DocumentStore.open(package: path)
            expectFailure(DocIndexError.Code.attachmentElsewhere) {
                _ = try PackedStore.pack(packed, "", PackedStore.withOriginals)
            }
            try packed.close()
        }
    }

    @Test func `A failure ends the packing, and no rendition is read afterwards`() throws {
        struct Full: Error {}
        struct Unreadable: Error {}
        try PackedStore.withPackage(numbers: Array(0..<40)) { store, _, _ in
            let writer = try PackageWriter(of: "photos", in: store)
            let callCount = Mutex(0)
            let isOver = Mutex(false)
            let rendition: @Sendable (DocIndex.Attachment, String) throws -> [UInt8]? = { original, size in
                #expect(!isOver.withLock { $0 })
                callCount.withLock { $0 += 1 }
                return PackedStore.picture(Int(original.digest.bytes[0]) ^ size.utf8.count)
            }
            // Fails in the first rendition: a few more are ready.
            #expect(throws: Full.self) {
                try writer.write(rendition: rendition) { part in
                    if part.starts(with: [0xff, 0xd8, 0xff]) { throw Full() }
                }
            }
            isOver.withLock { $0 = true }
            #expect(1...6 ~= callCount.withLock { $0 })
            // The rendition before is written, the one that cannot be read is the error.
            let written = PackedStore.Sink()
            let readCount = Mutex(0)
            #expect(throws: Unreadable.self) {
                try writer.write(
                    rendition: { original, size in
                        let count = readCount.withLock { count in
                            count += 1
                            return count
                        }
                        if count == 3 { throw Unreadable() }
                        return PackedStore.picture(Int(original.digest.bytes[0]) ^ size.utf8.count)
                    }, to: { if $0.starts(with: [0xff, 0xd8, 0xff]) { written.bytes += $0.prefix(1) } })
            }
            #expect(written.bytes.count == 2)
        }
    }

    @Test func `Pictures under their titles have numbers in the order of the gallery`() throws {
        try PackedStore.withPackage { store, _, directory in
            var options = PackageWriter.Options()
            options.namesPictures = true
            let path = directory + "/names.zip"
            try write(PackedStore.pack(store, "rating < 3", options), to: path)
            let package = try Package(at: path)
            let names = package.manifest.entries.map(\.name).filter { $0.hasPrefix("pictures/") }
            #expect(names == ["pictures/0001 Bridge 1 & fog.jpg", "pictures/0002 Bridge 2 & fog.jpg"])
            try package.verify()
        }
    }

    @Test func `Each rendition is made once, even for pictures under their titles`() throws {
        try PackedStore.withPackage { store, _, directory in
            var options = PackageWriter.Options()
            options.namesPictures = true
            let writer = try PackageWriter(of: "photos", in: store, options: options)
            let calls = Mutex<[String]>([])
            let sink = PackedStore.Sink()
            let summary = try writer.write(
                rendition: { original, size in
                    calls.withLock { $0.append("\(original.digest) \(size)") }
                    return PackedStore.picture(Int(original.digest.bytes[0]) ^ size.utf8.count)
                }, to: { sink.bytes += $0 })
            let made = calls.withLock { $0 }
            #expect(made.count == 8 && Set(made).count == 8 && summary.renditionCount == 8)
            let path = directory + "/names.zip"
            try write(sink.bytes, to: path)
            let package = try Package(at: path)
            try package.verify()
            #expect(package.contents.renditions.count == 8 && package.contents.namedPictures.count == 4)
            // A picture is its largest rendition.
            let entries = package.manifest.entries
            for entry in entries where entry.name.hasPrefix("pictures/") {
                #expect(entries.contains { $0.name.hasPrefix("renditions/preview/") && $0.digest == entry.digest })
            }
        }
    }
}
