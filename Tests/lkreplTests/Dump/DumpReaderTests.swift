import DocIndex
import Foundation
import Testing

@testable import lkrepl

@Suite struct DumpsTests {
    @Test(arguments: SmallDump.allCases)
    func `Reading a dump returns what was written`(dump: SmallDump) throws {
        let records = try contents(ofDump: try dump.bytes())
        #expect(records.count == (dump == .raw ? 5 : 5))
        #expect(records[0].hasPrefix(#"{"lkdump":1,"kind":"\#(dump == .raw ? "raw" : "docs")""#))
    }

    @Test(arguments: SmallDump.allCases)
    func `A dump truncated anywhere is rejected`(dump: SmallDump) throws {
        let whole = try dump.bytes()
        for count in 0..<whole.count {
            let failure = try #require(throws: CommandError.self, "cut to \(count) bytes") {
                try contents(ofDump: Array(whole[..<count]))
            }
            #expect(failure.exitCode == .badData)
            // The truncated line, or the last complete one.
            let line = whole[..<count].count { $0 == 0x0a }
            #expect(
                failure.message.hasPrefix("small.lkd:\(max(1, line)):")
                    || failure.message.hasPrefix("small.lkd:\(line + 1):"), "cut to \(count): \(failure.message)")
        }
    }

    /// Every bit of every byte; with LEVELKIT_TEST_LONG=1 every other value of every byte.
    @Test(arguments: SmallDump.allCases)
    func `A dump with a changed byte is rejected, or has the same meaning`(dump: SmallDump) throws {
        let whole = try dump.bytes()
        let expected = try contents(ofDump: whole)
        let isLong = ProcessInfo.processInfo.environment["LEVELKIT_TEST_LONG"] == "1"
        let masks: [UInt8] = isLong ? Array(1...255) : (0..<8).map { 1 << $0 }
        for index in whole.indices {
            for mask in masks {
                var changed = whole
                changed[index] ^= mask
                do {
                    let records = try contents(ofDump: changed)
                    #expect(records == expected, "byte \(index) changed by \(mask)")
                } catch let failure as CommandError {
                    #expect(failure.exitCode == .badData, "byte \(index) changed by \(mask): \(failure)")
                    #expect(failure.message.hasPrefix("small.lkd:"), "byte \(index) changed by \(mask): \(failure)")
                }
            }
        }
    }

    @Test(arguments: SmallDump.allCases)
    func `A dump with a line removed, repeated or swapped is rejected`(dump: SmallDump) throws {
        let lines = try dump.bytes().split(separator: 0x0a).map { Array($0) + [0x0a] }
        for index in lines.indices {
            var without = lines
            without.remove(at: index)
            #expect(throws: CommandError.self, "without line \(index + 1)") {
                try contents(ofDump: without.flatMap(\.self))
            }
            var twice = lines
            twice.insert(lines[index], at: index)
            #expect(throws: CommandError.self, "line \(index + 1) twice") {
                try contents(ofDump: twice.flatMap(\.self))
            }
            guard index > 0 else { continue }
            var exchanged = lines
            exchanged.swapAt(index - 1, index)
            #expect(throws: CommandError.self, "lines \(index) and \(index + 1) exchanged") {
                try contents(ofDump: exchanged.flatMap(\.self))
            }
        }
    }

    @Test(arguments: SmallDump.allCases)
    func `A dump followed by anything is rejected`(dump: SmallDump) throws {
        let whole = try dump.bytes()
        for tail in ["{}\n", "x", "{\"k\":\"\",\"v\":\"\"}\n"] {
            #expect(throws: CommandError.self) { try contents(ofDump: whole + Array(tail.utf8)) }
        }
        #expect(throws: CommandError.self) { try contents(ofDump: whole + whole) }
    }

    @Test(arguments: SmallDump.allCases)
    func `A dump may have other line ends, empty lines and spaces`(dump: SmallDump) throws {
        let text = String(decoding: try dump.bytes(), as: UTF8.self)
        let expected = try contents(ofDump: Array(text.utf8))
        for changed in [
            text.replacing("\n", with: "\r\n"), text.replacing("\n", with: "\n\n"),
            text.replacing("\":", with: "\" : "),
        ] {
            #expect(try contents(ofDump: Array(changed.utf8)) == expected)
        }
    }

    /// Lines that a person or another program might assemble with correct counts and digests, but that are not a dump.
    @Test func `A dump with lines of the wrong kind is rejected, whatever its digests`() throws {
        let schema = try Schema(json: Array(#"{"collections":{"a":{}}}"#.utf8))
        let document = DumpRecord.document(collection: "a", id: .string("x"), content: ["id": "x"])
        let pair = DumpRecord.pair(key: [1], value: [2])
        let wrong: [(String, [DumpRecord])] = [
            ("a pair among documents", [.header(.documents), .schema(schema), pair]),
            ("a document among pairs", [.header(.raw), document]),
            ("a schema among pairs", [.header(.raw), .schema(schema), pair]),
            ("a document without a schema", [.header(.documents), document]),
            ("two headers", [.header(.documents), .header(.documents), .schema(schema)]),
            ("two headers of raw", [.header(.raw), .header(.raw), pair]),
            ("a header of the other kind", [.header(.documents), .schema(schema), .header(.raw), pair]),
            ("two schemas", [.header(.documents), .schema(schema), .schema(schema), document]),
            ("no schema", [.header(.documents)]),
            ("no header", [pair]),
        ]
        for (name, records) in wrong {
            let bytes = try dump(of: records)
            let failure = #expect(throws: CommandError.self, "\(name)") { try contents(ofDump: bytes) }
            #expect(failure?.exitCode == .badData, "\(name)")
        }
    }

    @Test func `A dump longer than the mark interval has marks that are checked`() throws {
        let count = DumpRecord.markInterval + 1
        let pairs = (0..<count).map { (key: Array("\($0 + 1_000_000)".utf8), value: [UInt8]()) }
        var whole = try rawDump(pairs)
        #expect(try contents(ofDump: whole).count == count + 1)
        let marks = whole.split(separator: 0x0a).indices { $0.starts(with: Array(#"{"mark":"#.utf8)) }
        #expect(marks.ranges.map(\.lowerBound) == [DumpRecord.markInterval + 1])

        // A changed record before the mark is detected at the mark, long before the end.
        let index = try #require(whole.firstRange(of: Array(#""1000007""#.utf8))?.lowerBound)
        whole[index + 7] = UInt8(ascii: "8")
        let failure = #expect(throws: CommandError.self) { try contents(ofDump: whole) }
        let fault = "small.lkd:\(DumpRecord.markInterval + 2): checksum mismatch at the mark"
        #expect(failure?.message.hasPrefix(fault) == true)
    }

    /// What a user sees who names the wrong file.
    @Test(arguments: [
        ("", "small.lkd:1:"), ("\n\n", "small.lkd:"), ("{\"id\":\"a\"}\n", "import reads plain JSON Lines"),
        ("[{\"id\":\"a\"}]\n", "small.lkd:1:"), ("id,title\n", "small.lkd:1:"), ("{}\n", "small.lkd:1:"),
        ("{\"lkdump\":4,\"kind\":\"raw\",\"digest\":\"sha256-kv-1\"}\n", "version 4"),
        ("{\"lkdump\":1,\"kind\":\"other\",\"digest\":\"sha256-kv-1\"}\n", "small.lkd:1:"),
        ("{\"lkdump\":1,\"kind\":\"raw\",\"digest\":\"md5\"}\n", "digest"),
        ("\u{feff}{\"lkdump\":1,\"kind\":\"raw\",\"digest\":\"sha256-kv-1\"}\n", "byte order mark"),
    ])
    func `A file that is not a dump is recognized as such`(text: String, part: String) throws {
        let failure = #expect(throws: CommandError.self) { try contents(ofDump: Array(text.utf8)) }
        #expect(failure?.exitCode == .badData)
        #expect(failure?.message.contains(part) == true, "\(failure?.message ?? "")")
    }
}

extension `DumpsTests` {
    @Test(
        arguments: [
            ([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], "gzip"), ([0x28, 0xb5, 0x2f, 0xfd, 4, 0], "zstd"),
        ] as [([UInt8], String)])
    func `A compressed dump is rejected with the command that decompresses it`(bytes: [UInt8], program: String) throws {
        for end in [[], [0x0a], [0x0a, 0xff]] as [[UInt8]] {
            let file = try TemporaryFile(bytes + end)
            let failure = #expect(throws: CommandError.self) {
                try InputFile(descriptor: file.descriptor, name: "small.lkd").refuseForeign("load")
            }
            #expect(failure?.exitCode == .badData)
            #expect(failure?.message.contains(program) == true, "\(failure?.message ?? "")")
            #expect(failure?.hint?.contains("\(program) -dc FILE | lkrepl load") == true)
        }
    }
}

@Suite struct `Dump records` {
    @Test func `A dump record contains bytes as text if they are UTF-8, and otherwise as base64`() {
        #expect(
            DocumentValue.object(DumpRecord.pair(key: [0x61], value: [0]).object).json == #"{"k":"a","v":"\u0000"}"#)
        #expect(
            DocumentValue.object(DumpRecord.pair(key: [0xff], value: []).object).json == #"{"k64":"/w==","v":""}"#)
        #expect(
            DocumentValue.object(DumpRecord.pair(key: [], value: [0xc3]).object).json == #"{"k":"","v64":"ww=="}"#)
    }

    @Test(arguments: [
        #"{}"#, #"{"x":1}"#, #"{"k":"a"}"#, #"{"v":"a"}"#, #"{"k":"a","v":"b","x":1}"#, #"{"k":"a","k64":"YQ=="}"#,
        #"{"k":1,"v":"b"}"#, #"{"k64":"YQ","v":""}"#, #"{"k64":"!","v":""}"#, #"{"c":"a","id":"x"}"#,
        #"{"c":"a","id":null,"doc":{}}"#, #"{"c":"a","id":1.5,"doc":{}}"#, #"{"c":1,"id":"x","doc":{}}"#,
        #"{"c":"a","id":"x","doc":[]}"#, #"{"c":"a","id":"x","doc":{},"x":1}"#, #"{"mark":{}}"#, #"{"mark":1}"#,
        #"{"mark":{"records":"1","digest":""}}"#, #"{"end":{}}"#,
        #"{"end":{"records":0,"digest":"","envelope":"","complete":true}}"#,
        #"{"end":{"records":-1,"keys_bytes":0,"values_bytes":0,"digest":"","envelope":"","complete":true}}"#,
        #"{"end":{"records":0,"keys_bytes":0,"values_bytes":0,"digest":"","envelope":"","complete":1}}"#,
        #"{"k":"a","v":"b","del":true}"#, #"{"k":"a","del":false}"#, #"{"k":"a","v64":"","part":2,"parts":2}"#,
        #"{"k":"a","v64":"","part":0,"parts":1}"#, #"{"k":"a","v64":"","part":-1,"parts":2}"#,
        #"{"c":"a","id":"x","del":false}"#, #"{"schema":{}}"#, #"{"schema":1}"#,
        #"{"schema":{"collections":{"a":{"x":1}}}}"#, #"{"lkdump":"1"}"#, #"{"lkdump":1}"#,
    ])
    func `A dump record is rejected unless it has exactly its members`(text: String) throws {
        guard case .object(let object) = try DocumentValue(json: text) else { return }
        #expect(throws: DumpError.self) { try DumpRecord(object) }
    }
}
