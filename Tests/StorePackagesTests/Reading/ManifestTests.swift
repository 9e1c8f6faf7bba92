import DocIndex
import LevelKit
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Descriptions of packages` {
    private static func files(_ count: Int) -> [PackageManifest.Entry] {
        (0..<count).compactMap { number in
            Attachment.Digest(String(repeating: "0", count: 56) + String(10_000_000 + number)).map {
                PackageManifest.Entry(name: "pictures/0001 \"\(number)\".jpg", byteCount: UInt64(number), digest: $0)
            }
        }
    }

    private static func read(_ text: String, _ count: Int = 0) throws -> PackageManifest {
        try PackageManifest(json: Array(text.utf8), entryCount: count, of: "a.zip")
    }

    @Test func `A description reads back, whatever its layout`() throws {
        var manifest = PackageManifest(collection: "photos", title: "\"files\": [1]")
        manifest.condition = "title = \"\\\\\""
        manifest.changes = .init(epoch: "x", since: 1, through: 2)
        manifest.renditions = ["preview"]
        manifest.entries = Self.files(40)
        #expect(try PackageManifest(json: manifest.json, entryCount: 40, of: "a.zip") == manifest)
        let compact = try JSONParser().parse(manifest.json).json
        #expect(try Self.read(compact, 40) == manifest)
        #expect(try Self.read(" \n" + compact + "\t", 40) == manifest)
    }

    @Test func `A malformed description is refused, wherever it is cut or changed`() throws {
        var manifest = PackageManifest(collection: "photos", title: "a")
        manifest.entries = Self.files(2)
        let text = try JSONParser().parse(manifest.json).json
        #expect(throws: Never.self) { try Self.read(text, 2) }
        for count in 0..<text.utf8.count {
            expectFailure(PackageError.Code.packageDamaged) { try Self.read(String(text.prefix(count)), 2) }
        }
        for (other, count) in [
            (text, 1), (text + "}", 2), (text + ",", 2), ("[" + text + "]", 2), ("{}", 0), ("{\"lkpackage\":1}", 0),
            (text.replacing("\"files\"", with: "\"Files\""), 2),
            (text.replacing("\"files\":[", with: "\"files\":[],\"files\":["), 2),
            (text.replacing("\"files\":[", with: "\"\\u0066iles\":1,\"files\":["), 2),
            (text.replacing("},{", with: "},,{"), 2), (text.replacing("},{", with: "} {"), 2),
            (text.replacing("}]", with: "},]"), 2), (text.replacing("{\"lk", with: "{,\"lk"), 2),
            (text.replacing("\"bytes\":1", with: "\"bytes\":-1"), 2), (text.replacing("lkpackage", with: "x"), 2),
        ] {
            #expect(other != text || count != 2)
            expectFailure(PackageError.Code.packageDamaged) { try Self.read(other, count) }
        }
    }

    @Test func `A list of too many files, and other large members, are refused`() throws {
        try withTemporaryDirectory { directory in
            let many = String(repeating: "0,", count: ManifestText.maximumHeadByteCount)
            let file = "{\"x\":\"\(String(repeating: "y", count: ManifestText.maximumFileByteCount))\"}"
            for text in [
                "{\"lkpackage\":1,\"x\":[\(many)0],\"files\":[]}", "{\"lkpackage\":1,\"files\":[\(many)0]}",
                "{\"lkpackage\":1,\"files\":[\(file)]}", "{\"lkpackage\":1,\"x\":0\(many)}",
            ] {
                let path = directory + "/a.zip"
                try write(ForgedPackage.bytes(description: Array(text.utf8)), to: path)
                expectFailure(PackageError.Code.packageDamaged) { _ = try Package(at: path) }
            }
        }
    }
}
