import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

enum DelimitedTestFiles {
    static let pictures = Binary.package + "/../shared/data/photos"
    static let hasPictures = FileManager.default.fileExists(atPath: pictures)
    static let hasExiftool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/exiftool") }

    /// Returns the cells of a file, `nil` for null.
    static func cells(_ text: String, _ dialect: DelimitedReader.Dialect) throws -> [[String?]] {
        let file = try TemporaryFile(Array(text.utf8))
        var reader = DelimitedReader(
            try InputFile(descriptor: file.descriptor, name: "file"), dialect: dialect, maximumRecordByteCount: 1 << 20)
        var records: [[String?]] = []
        while let cells = try reader.next() {
            records.append(cells.map { $0.isNull ? nil : String(decoding: $0.bytes, as: UTF8.self) })
        }
        return records
    }
}

@Suite(.waitsForPrograms) struct `Reading CSV and TSV` {
    @Test(
        arguments: [
            ("", []), ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]), ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
            ("a,,\"\"\n", [["a", nil, ""]]), ("\"a,\"\"b\"\"\n\",c\n", [["a,\"b\"\n", "c"]]),
            ("\"a\r\nb\"\r\n", [["a\r\nb"]]), ("a\rb,c\n", [["a\rb", "c"]]), ("\u{feff}a,b\n", [["a", "b"]]),
            ("\n", [[nil]]), ("é,\"ü\"\n", [["é", "ü"]]),
        ] as [(String, [[String?]])])
    func `CSV is parsed as it was written`(text: String, expected: [[String?]]) throws {
        #expect(try DelimitedTestFiles.cells(text, .csv(separator: UInt8(ascii: ","))) == expected)
    }

    @Test(arguments: [
        ("a\"b,c\n", 1, RecordError.Kind.format), ("x\n\"a\"b\n", 2, .format), ("x\n\"a\nb", 2, .truncated),
    ])
    func `Malformed CSV is rejected with the line`(text: String, line: Int, kind: RecordError.Kind) throws {
        let fault = #expect(throws: RecordError.self) {
            try DelimitedTestFiles.cells(text, .csv(separator: UInt8(ascii: ",")))
        }
        #expect(fault?.line == line && fault?.kind == kind)
    }

    @Test func `Arbitrary cells round-trip through CSV and TSV`() throws {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<300 {
            let records = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                (0..<3).map { _ -> String? in
                    guard Bool.random(using: &generator) else { return nil }
                    return String(decoding: randomBytes(using: &generator), as: UTF8.self)
                }
            }
            var csv: [UInt8] = []
            var tsv: [UInt8] = []
            for record in records {
                let fields = record.map { $0.map(DelimitedField.text) ?? .null }
                CSVWriter().append(fields, to: &csv)
                TSVWriter().append(fields, to: &tsv)
            }
            for (text, dialect) in [
                (csv, DelimitedReader.Dialect.csv(separator: UInt8(ascii: ","))), (tsv, .tsv),
            ] {
                let read = try DelimitedTestFiles.cells(String(decoding: text, as: UTF8.self), dialect)
                // Compared as bytes: canonically equivalent strings are equal.
                #expect(
                    read.map { $0.map { $0.map { Array($0.utf8) } } }
                        == records.map { $0.map { $0.map { Array($0.utf8) } } })
            }
        }
    }

    /// With types in its column names, a file carries any documents.
    @Test(arguments: ["csv", "tsv"])
    func `CSV and TSV with types return every document`(format: String) throws {
        let documents = #"""
            {"id":"a","n":1,"x":1.0,"t":"","o":{"p":{"q":"deep"},"e":{}},"l":[1,"two",null]}
            {"id":"b","n":"1","x":-0.0,"t":"a,b\n\"c\"\t\\","o":{"p":{"q":null}},"flag":true}
            {"id":"c","n":9223372036854775807,"x":1e300,"dotted.name":1,"quo\"te":2,"é":"e\u0301"}
            {"id":"d","t":"b64:AAAA","y":"00123","z":"=1+1","empty":{},"none":[]}
            """#
        try Workplace.with { place in
            try place.makeItems()
            try place.makeItems("copy.store")
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(documents.utf8)).code
                    == 0)
            let exported = try place.run("export", "items.store", "items", "--format", format, "--types", "-o", "file")
            #expect(exported.code == 0, "\(exported)")
            let imported = try place.run(
                "import", "--write", "copy.store", "items", "file", "--format", format, "--types")
            #expect(imported.code == 0, "\(imported)")
            func contents(_ store: String) throws -> [String] {
                try place.run("export", store, "items").lines.map {
                    try DocumentValue(json: $0).json(JSONWriter(sortsNames: true))
                }
            }
            let copied = try contents("copy.store")
            let original = try contents("items.store")
            #expect(copied == original)
        }
    }

    @Test(arguments: ["jsonl", "json", "csv"])
    func `CSV and TSV with types keep dates and bytes, and what only looks like them`(format: String) throws {
        let documents = #"""
            {"id":"a","d":{"$date":"2020-01-02T03:04:05.000Z"},"b":{"$bytes":"AP8="},"l":[{"$date":"2020-01-02T03:04:05.000"}]}
            {"id":"b","d":{"$lit":{"$date":"2020-01-02T03:04:05.000Z"}},"o":{"$lit":{"$lit":{"$lit":{"$bytes":"!"}}}}}
            """#
        try Workplace.with { place in
            for name in ["items.store", "copy.store"] { try place.makeItems(name) }
            let made = try place.run("import", "--write", "items.store", "items", "-", "--types", input: documents)
            #expect(made.code == 0, "\(made)")
            #expect(try place.run("find", "items.store", "items", "d > date 2020-01-01", "--count").output == "1\n")
            let exported = try place.run("export", "items.store", "items", "--format", format, "--types", "-o", "file")
            #expect(exported.code == 0, "\(exported)")
            let arguments = ["items", "file", "--format", format]
            let imported = try place.run(["import", "--write", "copy.store"] + arguments + ["--types"])
            #expect(imported.code == 0, "\(imported)")
            #expect(try place.run("digest", "copy.store").output == place.run("digest", "items.store").output)
        }
    }

    @Test func `A document passes from doc get to doc put with its dates and bytes`() throws {
        let document = #"{"id":"a","d":{"$date":"2020-01-02T03:04:05.000Z"},"o":{"$lit":{"$bytes":"AP8="}}}"#
        try Workplace.with { place in
            for name in ["items.store", "copy.store"] { try place.makeItems(name) }
            let put = try place.run("doc", "put", "--write", "items.store", "items", document, "--types")
            #expect(put.code == 0 && !put.error.contains("--types"), "\(put)")
            let found = try place.run("doc", "get", "items.store", "items", "a", "--types")
            #expect(found.output == document + "\n")
            #expect(
                try place.run("doc", "put", "--write", "copy.store", "items", "-", "--types", input: found.output).code
                    == 0)
            #expect(try place.run("digest", "copy.store").output == place.run("digest", "items.store").output)
            let patch = #"{"e":{"$date":"2021-01-02T03:04:05.000Z"}}"#
            let typed = try place.run("doc", "patch", "--write", "items.store", "items", "a", patch, "--types")
            #expect(typed.code == 0, "\(typed)")
            #expect(try place.run("find", "items.store", "items", "e > date 2020-12-31", "--count").output == "1\n")
        }
    }

    @Test func `The name of the output decides the format, unless --format does`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            for (arguments, start) in [
                (["-o", "a.csv"], "id,"), (["-o", "a.tsv"], "id\t"), (["-o", "a.json"], "["), (["-o", "a.txt"], "{"),
                (["-o", "b.csv", "--format", "jsonl"], "{"), (["-o", "csv"], "{"),
            ] {
                let exported = try place.run(["export", "photos.store", "photos", "rating = 5"] + arguments)
                #expect(exported.code == 0, "\(exported)")
                let written = String(decoding: try place.read(arguments[1]), as: UTF8.self)
                #expect(written.hasPrefix(start), "\(arguments): \(written.prefix(40))")
            }
        }
    }

    @Test func `CSV without types contains strings, and objects where names have dots`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = "id,gps.lat,zip,note\n1,48.85,00123,\n2,,,\"\"\n"
            let imported = try place.run(
                ["import", "--write", "items.store", "items", "-", "--format", "csv"], input: Array(text.utf8))
            #expect(imported.code == 0, "\(imported)")
            #expect(
                try place.run("find", "items.store", "items", "--mode", "jsonl").lines
                    == [#"{"id":"1","gps":{"lat":"48.85"},"zip":"00123"}"#, #"{"id":"2","note":""}"#])
            let broken = try place.run(
                ["import", "--write", "items.store", "items", "-", "--format", "csv", "--on-error", "skip"],
                input: Array("id,a\n3\n4,x\n".utf8))
            #expect(broken.code == 65 && broken.says("standard input:2:") && broken.says("inserted 1"), "\(broken)")
        }
    }

    @Test func `CSV for spreadsheets contains no active formulas`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = #"{"id":"a","f":"=1+1","n":-5}"#
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(text.utf8)).code == 0)
            let exported = try place.run("export", "items.store", "items", "--format", "csv", "--safe-csv", "--crlf")
            #expect(exported.output == "id,f,n\r\na,'=1+1,-5\r\n", "\(exported)")
        }
    }

    @Test func `TSV for spreadsheets contains no active formulas`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = #"{"id":"a","f":"=1+1","n":-5}"#
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(text.utf8)).code == 0)
            let arguments = ["export", "items.store", "items", "--format", "tsv"]
            let exact = try place.run(arguments)
            #expect(exact.output == "id\tf\tn\na\t=1+1\t-5\n", "\(exact)")
            let safe = try place.run(arguments + ["--safe-csv"])
            #expect(safe.output == "id\tf\tn\na\t'=1+1\t-5\n", "\(safe)")
        }
    }
}
