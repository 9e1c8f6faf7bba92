import DocIndex
import Foundation
import Testing

@testable import lkrepl

/// Data in `../shared/data`, which is not part of the package; these tests are skipped if it is missing.
@Suite(.waitsForPrograms) struct `exiftool import` {
    private static let records = Binary.package + "/../shared/data/exiftool-500.json"
    private static let pictures = Binary.package + "/../shared/data/photos"
    private static let hasRecords = FileManager.default.isReadableFile(atPath: records)
    private static let hasPictures = FileManager.default.fileExists(atPath: pictures)

    private static let schema = #"""
        {"collections": {"files": {"id": "SourceFile", "indexes": {
          "camera": {"fields": ["IFD0:Model"]}, "type": {"fields": ["File:FileType"]},
          "text": {"type": "text", "fields": ["IPTC:Caption-Abstract", "IPTC:Keywords[]", "IFD0:Model", "IFD0:Make"]}}}}}
        """#

    @Test(.enabled(if: hasRecords, "skipped: ../shared/data/exiftool-500.json is not there"))
    func `The array that exiftool prints is imported, and its records are found`() throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: Self.records)))
        guard case .array(let elements) = try JSONParser().parse(bytes) else {
            Issue.record("the file holds no array")
            return
        }
        let models = elements.compactMap { $0.objectValue?["IFD0:Model"]?.stringValue }
        let model = try #require(models.max { a, b in models.count { $0 == a } < models.count { $0 == b } })
        try Workplace.with { place in
            try place.write(Self.schema, to: "schema.json")
            #expect(try place.run("init", "mine.store", "--schema", "schema.json").code == 0)
            let imported = try place.run(["import", "--write", "mine.store", "files", "-"], input: bytes)
            #expect(imported.code == 0 && imported.error.hasPrefix("import: read 500 inserted 500 "), "\(imported)")

            let found = try place.run(
                "find", "mine.store", "files", "IFD0:Model = \"\(model)\"", "--count", "--explain")
            #expect(
                found.output == "\(models.count { $0 == model })\n" && found.error.contains("index camera"), "\(found)")
            let searched = try place.run(
                "search", "mine.store", "files", "canon", "--fields", "IFD0:Make", "--limit", "500")
            #expect(searched.code == 0 && searched.lines.count > 10, "\(searched)")
            #expect(searched.lines.allSatisfy { $0.lowercased().contains("canon") || $0 == "{}" })

            let all = try place.run("find", "mine.store", "files")
            #expect(Set(all.lines) == Set(elements.map { $0.json }))
            let dumped = try place.dump("mine.store")
            #expect(try place.run(["load", "--create", "copy.store", "-"], input: dumped).code == 0)
            #expect(try place.dump("copy.store") == dumped)
        }
    }

    @Test(.enabled(if: hasRecords, "skipped: ../shared/data/exiftool-500.json is not there"))
    func `Truncated exiftool output imports the complete elements and reports the position`() throws {
        let bytes = Array(try Data(contentsOf: URL(filePath: Self.records)))
        try Workplace.with { place in
            try place.write(Self.schema, to: "schema.json")
            for option in ["stop", "skip"] {
                #expect(try place.run("init", option + ".store", "--schema", "schema.json").code == 0)
                let outcome = try place.run(
                    ["import", "--write", option + ".store", "files", "-", "--on-error", option],
                    input: Array(bytes[..<(bytes.count / 2)]))
                #expect(outcome.code == 65 && outcome.error.hasPrefix("lkrepl: standard input:12238:40:"), "\(outcome)")
                #expect(try place.run("find", option + ".store", "files", "--count").output == "176\n")
            }
        }
    }

    @Test(
        .enabled(if: hasPictures, "skipped: ../shared/data/photos is not there"),
        .enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")))
    func `exiftool output can be piped from the pictures to the store`() throws {
        try Workplace.with { place in
            try place.write(Self.schema, to: "schema.json")
            let outcome = try place.shell(
                """
                lkrepl init mine.store --schema schema.json &&
                exiftool -q -json -n -G1 -struct -r '\(Self.pictures)' | lkrepl import --write mine.store files - &&
                lkrepl find mine.store files 'File:FileType = JPEG' --count
                """)
            #expect(outcome.code == 0 && outcome.output == "36\n", "\(outcome)")
        }
    }

    @Test(.enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")))
    func `An import from exiftool reports every picture that it skips`() throws {
        try Workplace.with { place in
            try place.write(Self.schema, to: "schema.json")
            #expect(try place.run("init", "mine.store", "--schema", "schema.json").code == 0)
            let made = try place.shell(
                """
                mkdir pictures; : > pictures/a.jpg; : > 'pictures/b
                c.jpg'; : > 'pictures/b
                c.txt'
                """)
            #expect(made.code == 0, "\(made)")
            let outcome = try place.run("import", "--write", "mine.store", "files", "--photos", "pictures")
            #expect(outcome.code == 0 && outcome.says("read 1 inserted 1"), "\(outcome)")
            #expect(outcome.says("pictures/b⏎c.jpg: no permission, or its name contains a line feed"), "\(outcome)")
        }
    }
}
