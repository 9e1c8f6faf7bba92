import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Dump round trips` {
    /// Documents that other formats change: numbers at their limits, names with `$`, IDs of both types, any string.
    private static let odd = #"""
        {"id":"a","$bytes":"AA=="}
        {"id":"b","x":{"$bytes":"AA=="}}
        {"id":"c","x":{"$lit":{"$lit":1}}}
        {"id":"d","x":{"$num":"nan"},"y":{"$unknown":1,"z":{"$bytes":"!!"}}}
        {"$id":1,"id":"e"}
        {"id":1,"x":9223372036854775807}
        {"id":-9223372036854775808}
        {"id":"1"}
        {"id":"","x":"","":{"":[[],{}]}}
        {"id":"a\u0000b","x":"\u0000\u001b\u007f\u0080\u2028\ufeff\u202e"}
        {"id":"\u00e9"}
        {"id":"e\u0301","\u00e9":1,"e\u0301":2}
        {"id":"😀","x":[null,true,false,[],{},"",0]}
        {"id":"n","one":1,"onePointZero":1.0,"large":1e308,"largest":1.7976931348623157e308,"least":5e-324,"zero":-0.0}
        {"id":"m","tenth":0.1,"a":1e22,"b":123456789012345678,"c":9007199254740993,"d":1E5,"e":18446744073709551616}
        """#

    @Test func `Values that other formats lose are dumped, loaded and dumped to the same bytes`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write(Self.odd, to: "odd.jsonl")
            let imported = try place.run("import", "--write", "items.store", "items", "odd.jsonl", "--literal")
            #expect(imported.code == 0, "\(imported)")
            let first = try place.dump("items.store")

            try place.write(first, to: "odd.lkd")
            #expect(try place.run("load", "--create", "copy.store", "odd.lkd").code == 0)
            #expect(try place.dump("copy.store") == first)

            try place.makeItems("other.store")
            #expect(try place.run(["load", "--write", "other.store", "-"], input: first).code == 0)
            #expect(try place.dump("other.store") == first)

            let text = String(decoding: first, as: UTF8.self)
            #expect(text.contains(#""one":1,"onePointZero":1.0,"#))
            #expect(text.contains(#"{"id":1,"x":9223372036854775807}"#))
            #expect(text.contains(#"{"$lit":{"$id":1,"id":"e"}}"#))
        }
    }

    /// A dump wraps each document, so its lines are nested deeper than any document.
    @Test func `Documents of the maximum depth survive dump and load`() throws {
        try Workplace.with { place in
            try place.makeItems()
            var depth = DocumentValue.maximumDepth + 2
            var outcome: Outcome
            repeat {
                depth -= 1
                let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
                outcome = try place.run(
                    "doc", "put", "--write", "items.store", "items", #"{"id":"deep","x":\#(nested)}"#)
                #expect(outcome.code == (depth > DocumentValue.maximumDepth ? 65 : 0), "depth \(depth): \(outcome)")
            } while outcome.code != 0 && depth > 1
            let names = String(repeating: #"{"$a":"#, count: depth - 1) + "1" + String(repeating: "}", count: depth - 1)
            #expect(
                try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"names","x":\#(names)}"#).code
                    == 0)

            let first = try place.dump("items.store")
            let loaded = try place.run(["load", "--create", "copy.store", "-"], input: first)
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.dump("copy.store") == first)
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `A plain database with random pairs is dumped, loaded and dumped to the same bytes`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var pairs: [[UInt8]: [UInt8]] = [[]: [], Array(0...255): Array(0...255)]
        for byte in 0...255 { pairs[[UInt8(byte)]] = [UInt8(byte), UInt8(255 - byte)] }
        for text in ["\n", "\r\n", " ==> ", "DATA=END", "{\"k\":\"\"}", "k64", "é", "e\u{301}"] {
            pairs[Array(text.utf8)] = Array(text.utf8)
        }
        for _ in 0..<300 {
            let key = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            pairs[key] = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
        }
        pairs[Array("large".utf8)] = (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let sorted = pairs.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let expected = try rawDump(sorted)

        try Workplace.with { place in
            try place.write(expected, to: "raw.lkd")
            let loaded = try place.run("load", "--create", "raw.db", "raw.lkd")
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.dump("raw.db") == expected, "seed \(seed)")
            #expect(try place.run("count", "raw.db").output == "\(sorted.count)\n")
            // A second load changes nothing.
            #expect(try place.run("load", "--write", "raw.db", "raw.lkd").code == 0)
            #expect(try place.dump("raw.db") == expected)
        }
    }

    /// `M` alone is the key of a document store's catalog.
    @Test func `A plain database with the catalog's key can be dumped and loaded`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for value in ["x", "{}", "", #"{"a":1}"#] {
                let stored = try place.run("put", "--write", "app.db", "M", value)
                #expect(stored.code == 0, "\(stored)")
                #expect(try place.dump("app.db") == rawDump([(Array("M".utf8), Array(value.utf8))]))
            }
            #expect(try place.run("stats", "app.db").code == 0)
            #expect(try place.run("del", "--write", "app.db", "M").code == 0)
        }
    }

    @Test func `The sample catalog round-trips, with the same dump through file, pipe and process`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let first = try place.dump("photos.store")
            #expect(first.count { $0 == 0x0a } == 301 + 3)
            let written = try place.run("dump", "photos.store", "-o", "photos.lkd.jsonl")
            #expect(written.code == 0 && written.output == "" && written.error.contains("301 records"), "\(written)")
            #expect(try place.read("photos.lkd.jsonl") == first)
            #expect(!place.has("photos.lkd.jsonl.partial"))

            let piped = try place.shell(
                """
                lkrepl dump photos.store -q | lkrepl load --create a.store - &&
                mkfifo pipe && { lkrepl dump photos.store -q > pipe & } && lkrepl load --create b.store pipe && wait &&
                lkrepl init c.store --schema '\(Binary.examples)/schema.json' &&
                { lkrepl dump photos.store -q > pipe & } && sleep 0.2 && lkrepl dump a.store -q > /dev/null &&
                lkrepl load --write c.store pipe
                """)
            #expect(piped.code == 0, "\(piped)")
            for copy in ["a.store", "b.store", "c.store"] { #expect(try place.dump(copy) == first, "\(copy)") }
        }
    }

    /// The digest as described in docs/FORMAT.md, computed by another program.
    @Test(.enabled(if: Installed.has("python3"), Installed.absence(of: "python3")))
    func `A dump can be read and checked without this program`() throws {
        let script = """
            import base64, hashlib, json, sys
            def varint(n):
                out = b""
                while n >= 128: out, n = out + bytes([n & 127 | 128]), n >> 7
                return out + bytes([n])
            digest, envelope, count = hashlib.sha256(), hashlib.sha256(), 0
            for line in open("raw.lkd", "rb"):
                r = json.loads(line)
                if "end" in r:
                    assert r["end"]["records"] == count and r["end"]["complete"] is True
                    assert r["end"]["digest"] == digest.hexdigest() and r["end"]["envelope"] == envelope.hexdigest()
                elif "lkdump" in r:
                    envelope.update(line)
                else:
                    k = r["k"].encode() if "k" in r else base64.b64decode(r["k64"])
                    v = r["v"].encode() if "v" in r else base64.b64decode(r["v64"])
                    digest.update(varint(len(k)) + k + varint(len(v)) + v)
                    count += 1
                    print(k.hex(), v.hex())
            """
        var generator = SplitMix64(seed: 5)
        var pairs: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<100 { pairs[randomBytes(using: &generator)] = randomBytes(using: &generator) }
        let sorted = pairs.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        try Workplace.with { place in
            try place.write(try rawDump(sorted), to: "raw.lkd")
            try place.write(script, to: "check.py")
            let outcome = try place.shell("python3 check.py")
            #expect(outcome.code == 0, "\(outcome)")
            #expect(outcome.lines == sorted.map { "\(hexadecimal($0.key)) \(hexadecimal($0.value))" })
        }
    }

    @Test(.enabled(if: Installed.has("jq"), Installed.absence(of: "jq")))
    func `A dump is JSON Lines that jq can process`() throws {
        try Workplace.with { place in
            let pairs: [([UInt8], [UInt8])] = [
                (Array("a".utf8), [0xff, 0xfe]), (Array("b".utf8), Array("text".utf8)), ([0xff], []),
            ]
            try place.write(try rawDump(pairs.map { (key: $0.0, value: $0.1) }), to: "raw.lkd")
            let keys = try place.shell("jq -r 'select(.k) | .k' raw.lkd")
            #expect(keys.code == 0 && keys.lines == ["a", "b"], "\(keys)")
            let values = try place.shell("jq -r '.v64 // empty' raw.lkd | base64 -d | wc -c")
            #expect(values.code == 0 && values.output.contains("2"), "\(values)")
        }
    }
}
