import DocIndex
import LevelKit
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Packages` {
    @Test func `A package opened as a store has the same documents, attachments and answers, and cannot be changed`()
        throws
    {
        try PackedStore.withPackage { store, path, _ in
            let packed = try DocumentStore.open(package: path, verifiesEverything: true)
            let (mine, theirs) = (try store.collection("photos"), try packed.collection("photos"))
            var documents: [DocumentObject] = []
            try mine.forEach { documents.append($0.content) }
            var others: [DocumentObject] = []
            try theirs.forEach { others.append($0.content) }
            #expect(others == documents && documents.count == 6)
            #expect(try theirs.find("rating >= 4").map(\.id) == mine.find("rating >= 4").map(\.id))
            for document in documents {
                guard let original = document["original"]?.attachmentValue else { continue }
                #expect(try packed.attachments.bytes(of: original) == store.attachments.bytes(of: original))
                let count = try packed.attachments.withMappedBytes(of: original) { $0.byteCount }
                #expect(Int64(count) == original.byteCount)
            }
            expectFailure(LevelError.Code.readOnly) { try theirs.put(["id": "new"]) }
            expectFailure(LevelError.Code.readOnly) { try packed.attachments.add([1, 2, 3]) }
            try expectSound(packed)
            try packed.close()
        }
    }

    @Test func `A large original is memory-mapped directly from the package`() throws {
        try PackedStore.withPackage(numbers: []) { store, path, directory in
            var contents: [[UInt8]] = []
            for (number, count) in [5_000_000, 1, 4095, 70_000].enumerated() {
                contents.append(AttachedPhotos.bytes(count, seed: UInt64(number)))
                try store.collection("photos").put([
                    "id": .int(Int64(number)),
                    "original": .attachment(try store.attachments.add(contents[number], type: "image/jpeg")),
                ])
            }
            let other = directory + "/b.zip"
            try write(PackedStore.pack(store, "", PackedStore.withOriginals), to: other)
            let packed = try DocumentStore.open(package: other)
            for (number, content) in contents.enumerated() {
                let document = try packed.collection("photos").document(.int(Int64(number)))
                let original = try #require(document?.content["original"]?.attachmentValue)
                try packed.attachments.withMappedBytes(of: original) { bytes in
                    #expect(bytes.byteCount == content.count)
                    let isSame = (0..<bytes.byteCount).allSatisfy {
                        unsafe bytes.unsafeLoad(fromUncheckedByteOffset: $0, as: UInt8.self) == content[$0]
                    }
                    #expect(isSame)
                }
            }
            try packed.close()
        }
    }

    @Test func `A package in which an ID occurs twice is refused when it is opened, verified or merged`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/a.zip"
            let twice: [DocumentObject] = [["id": "a", "x": 1], ["id": "b"], ["id": "a", "x": 2]]
            try write(ForgedPackage.bytes(PackedStore.schema, twice), to: path)
            expectFailure(PackageError.Code.packageDamaged) { _ = try DocumentStore.open(package: path) }
            expectFailure(PackageError.Code.packageDamaged) { try Package(at: path).verify() }
            try withTemporaryStore(schema: PackedStore.schema) { target in
                for dryRun in [true, false] {
                    expectFailure(PackageError.Code.packageDamaged) {
                        try Package(at: path).merge(into: target, dryRun: dryRun)
                    }
                }
                let sequence = try target.sequence()
                #expect(sequence == 0)
            }
            // A number and its digits are different IDs.
            let both: [DocumentObject] = [["id": 1], ["id": "1"]]
            try write(ForgedPackage.bytes(PackedStore.schema, both), to: path)
            let packed = try DocumentStore.open(package: path)
            #expect(try packed.collection("photos").count() == 2)
            try packed.close()
        }
    }

    @Test func `A document with too many values is neither packed nor opened`() throws {
        let limit = DocumentLines.maximumValueCount
        try PackedStore.withPackage(numbers: []) { store, _, directory in
            let text = String(repeating: ",[\\\"", count: limit)
            try store.collection("photos").put(["id": "text", "x": .string(text)])
            #expect(throws: Never.self) { try PackedStore.pack(store) }
            let large: DocumentObject = ["id": "a", "x": .array(Array(repeating: 0, count: limit))]
            try store.collection("photos").put(large)
            expectFailure(PackageError.Code.packageTooLarge) { try PackedStore.pack(store) }
            let path = directory + "/b.zip"
            try write(ForgedPackage.bytes(PackedStore.schema, [large]), to: path)
            expectFailure(PackageError.Code.packageDamaged) { _ = try DocumentStore.open(package: path) }
        }
    }

    @Test func `Without originals, reading one says that the package does not contain it`() throws {
        try PackedStore.withPackage(.init()) { _, path, _ in
            let packed = try DocumentStore.open(package: path)
            let document = try packed.collection("photos").document("IMG_1")
            let original = try #require(document?.content["original"]?.attachmentValue)
            expectFailure(DocIndexError.Code.attachmentElsewhere) { try packed.attachments.bytes(of: original) }
            try expectSound(packed)
            let rendition = try Package(at: path).rendition(of: original.digest, named: "preview")
            #expect(rendition == PackedStore.picture(Int(original.digest.bytes[0]) ^ 7))
            #expect(try Package(at: path).rendition(of: original.digest, named: "full") == nil)
            try packed.close()
        }
    }

    @Test func `The temporary store of a package is deleted with it`() throws {
        try PackedStore.withPackage { _, path, _ in
            var place: String?
            do {
                let packed = try DocumentStore.open(package: path)
                place = packed.path
                #expect(exists(packed.path))
                try packed.close()
            }
            #expect(place.map { exists($0) } == false)
        }
    }

    @Test func `One changed byte, wherever it is, is found`() throws {
        try PackedStore.withPackage(numbers: [0, 2]) { _, path, directory in
            let whole = try read(path)
            let changedPath = directory + "/changed.zip"
            var random = TestRun.random(stream: 51)
            // In the short form, one of five bytes, others each time.
            let step = TestRun.isLong ? 1 : 5
            for index in stride(from: Int.random(in: 0..<step, using: &random), to: whole.count, by: step) {
                var changed = whole
                changed[index] ^= UInt8.random(in: 1...255, using: &random)
                try write(changed, to: changedPath)
                #expect(Self.isRefused(changedPath), "byte \(index) of \(whole.count); \(TestRun.repetition)")
            }
        }
    }

    @Test func `A truncated package, or one with extra bytes before or after it, is refused`() throws {
        try PackedStore.withPackage(.init(), numbers: [1]) { _, path, directory in
            let whole = try read(path)
            let other = directory + "/other.zip"
            for count in stride(from: 0, to: whole.count, by: 17) {
                try write(Array(whole.prefix(count)), to: other)
                #expect(Self.isRefused(other), "\(count) bytes")
            }
            for changed in [whole + [0], [0] + whole, whole + whole] {
                try write(changed, to: other)
                #expect(Self.isRefused(other))
            }
        }
    }

    /// Whether opening and verifying a package throws one of its errors.
    static func isRefused(_ path: String) -> Bool {
        do {
            try Package(at: path).verify()
            return false
        } catch is PackageError {
            return true
        } catch {
            Issue.record("\(error)")
            return false
        }
    }

    @Test func `Other files are not packages`() throws {
        try withTemporaryDirectory { directory in
            try write(Array("PK\u{3}\u{4} and so on".utf8), to: directory + "/a.zip")
            try write([], to: directory + "/empty.zip")
            #expect(Package.isPackage(at: directory + "/a.zip"))
            #expect(!Package.isPackage(at: directory + "/empty.zip"))
            #expect(!Package.isPackage(at: directory))
            #expect(!Package.isPackage(at: directory + "/none"))
            for name in ["a.zip", "empty.zip"] {
                expectFailure(PackageError.Code.notAPackage) { _ = try Package(at: directory + "/" + name) }
            }
        }
    }

    @Test(
        arguments: [
            "../index.html", "index.html/", "blobs/../../a", "blobs/ab/cd", "pictures/0001 a/b.jpg", "pictures/1 a.jpg",
            "pictures/0001 \u{202e}gpj.exe", "pictures/0001 a.", "/index.html", "renditions/../index.html",
            "renditions/a b/\(String(repeating: "0", count: 64)).jpg", "INDEX.HTML", "",
            "blobs/00/\(String(repeating: "A", count: 64))", "pictures/0001 \(String(repeating: "x", count: 120)).jpg",
            "pictures/00e\u{301}1.jpg", "pictures/0001 a:b.jpg",
        ])
    func `No other name is accepted`(name: String) { #expect(EntryName(name) == nil) }

    @Test func `Names for people are accepted, whatever the title`() {
        for title in ["Old bridge", "a/b\\c:d\u{202e}\0", "", "  ", String(repeating: "ä", count: 300), "..", "🌉 fog."]
        {
            for number in [1, 9999, 123_456] {
                let name = EntryName.pictureName(number, title)
                #expect(EntryName("pictures/" + name) == .picture(name), "\(name)")
            }
        }
        #expect(EntryName.pictureName(1, "Old  bridge?") == "0001 Old bridge.jpg")
        for title in ["IMG_1.JPG", "IMG_1.nef", "IMG_1.heic"] {
            #expect(EntryName.pictureName(1, title) == "0001 IMG_1.jpg")
        }
        for title in ["St. Pauli", "jpg", "a.jpg and b", "1.5"] {
            #expect(EntryName.pictureName(1, title) == "0001 \(title).jpg")
        }
    }
}
