import Foundation
import Testing

@testable import lkrepl

/// Pairs that dumps of other programs have lost: line ends, their own separators, bytes that are not text, empty
/// values.
private let oddPairs: [(key: [UInt8], value: [UInt8])] = [
    (Array("\n".utf8), Array("a\nb".utf8)), (Array(" ==> ".utf8), Array("DATA=END".utf8)),
    (Array("DATA=END".utf8), []), (Array("HEADER=END".utf8), [0]), (Array("k ==> v".utf8), Array("\\41".utf8)),
    (Array("é".utf8), [0xff, 0xfe]), ([0xff], Array(0...255)),
].sorted { $0.key.lexicographicallyPrecedes($1.key) }

@Suite(.waitsForPrograms) struct `Dumps of other programs` {
    private static func with(_ body: (Workplace, [UInt8]) throws -> Void) throws {
        try Workplace.with { place in
            let whole = try rawDump(oddPairs)
            #expect(try place.run(["load", "--create", "app.db", "-"], input: whole).code == 0)
            try body(place, whole)
        }
    }

    @Test(arguments: ["mdb", "bdb", "ldb"])
    func `Dumps in other formats are written and read without loss`(format: String) throws {
        try Self.with { place, whole in
            #expect(try place.run("dump", "app.db", "--format", format, "-o", "dumped").code == 0)
            let loaded = try place.run("load", "--create", "copy.db", "dumped")
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.dump("copy.db") == whole)
        }
    }

    @Test(arguments: ["mdb", "bdb"])
    func `A dump in another format is rejected wherever it is truncated, with the line`(format: String) throws {
        try Self.with { place, _ in
            let text = try place.run("dump", "app.db", "--format", format, "-q").bytes
            for count in 1..<text.count - 1 {
                let file = try TemporaryFile(Array(text[..<count]))
                let source = BerkeleySource(
                    try InputFile(descriptor: file.descriptor, name: "cut"), database: nil,
                    maximumLineByteCount: 1 << 20)
                let fault = #expect(throws: RecordError.self, "cut to \(count)") {
                    while try source.next() != nil {}
                }
                #expect(fault?.isRecoverable == false)
                let line = text[..<count].count { $0 == 0x0a }
                #expect([line, line + 1, max(1, line)].contains(fault?.line), "cut to \(count)")
            }
        }
    }

    @Test func `LMDB print format is read, and an invalid backslash is rejected`() throws {
        let head = "VERSION=3\nformat=print\ntype=btree\nsomething=new\nHEADER=END\n"
        try Workplace.with { place in
            try place.write(head + " a\\0ab\n \\\\x\n \\ff\n \nDATA=END\n", to: "print.mdb")
            #expect(try place.run("load", "--create", "a.db", "print.mdb").code == 0)
            #expect(
                try place.run("scan", "a.db").lines
                    == [#"{"k":"a\nb","v":"\\x"}"#, #"{"k64":"/w==","v":""}"#])
            for (text, part) in [
                (head + " a\\q\n b\nDATA=END\n", "backslash"), (head + " a\nDATA=END\n", "has no value"),
                (head + " a\n b\n", "without DATA=END"), (head + "a\n b\nDATA=END\n", "begin with a space"),
                ("VERSION=3\ntype=recno\nHEADER=END\nDATA=END\n", "recno"),
                ("VERSION=2\nHEADER=END\nDATA=END\n", "version 2"),
            ] {
                let outcome = try place.run(["load", "--create", "b.db", "-"], input: Array(text.utf8))
                #expect(outcome.code == 65 && outcome.says(part), "\(part): \(outcome)")
            }
            let two = head.replacing("type", with: "database=x\ntype") + " a\n b\nDATA=END\n"
            let three = two + two.replacing("=x", with: "=y").replacing(" a", with: " c")
            #expect(try place.run(["load", "--create", "c.db", "-"], input: Array(three.utf8)).says("--only"))
            #expect(
                try place.run(["load", "--create", "c.db", "-", "--only", "y"], input: Array(three.utf8)).code == 0)
            #expect(try place.run("scan", "c.db").lines == [#"{"k":"c","v":"b"}"#])
        }
    }

    @Test(
        .enabled(if: Installed.has("mdb_load"), Installed.absence(of: "mdb_load")))
    func `A database round-trips through LMDB`() throws {
        try Self.with { place, whole in
            let outcome = try place.shell(
                """
                mkdir lmdb && lkrepl dump app.db --format mdb -q | mdb_load lmdb &&
                mdb_dump lmdb > back && lkrepl load --create copy.db back
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(try place.dump("copy.db") == whole)
        }
    }

    @Test(.enabled(if: Installed.has("db_load"), Installed.absence(of: "db_load")))
    func `A database round-trips through Berkeley DB`() throws {
        try Self.with { place, whole in
            let outcome = try place.shell(
                """
                lkrepl dump app.db --format bdb -q | db_load berkeley &&
                db_dump berkeley > back && lkrepl load --create copy.db back
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(try place.dump("copy.db") == whole)
        }
    }

    @Test(.enabled(if: Installed.has("ldb"), Installed.absence(of: "ldb")))
    func `A database round-trips through RocksDB`() throws {
        try Self.with { place, whole in
            let outcome = try place.shell(
                """
                lkrepl dump app.db --format ldb -q | ldb load --hex --create_if_missing --db=rocks >/dev/null &&
                ldb dump --hex --db=rocks > back && lkrepl load --create copy.db back
                """)
            #expect(outcome.code == 0, "\(outcome)")
            #expect(try place.dump("copy.db") == whole)
        }
    }
}

/// The one-line scripts of `lkrepl help dump`, in common languages.
@Suite(.waitsForPrograms) struct `Dumps in other languages` {
    private static let pairs: [(key: [UInt8], value: [UInt8])] = [
        (Array("a".utf8), [0xff, 0xfe, 0]), (Array("é".utf8), Array("text\n".utf8)), ([0xff], []),
    ]
    /// Each prints keys and values in hexadecimal.
    private static let programs = [
        "python3": """
        import base64, json
        for line in open("raw.lkd", "rb"):
            r = json.loads(line)
            if not ("k" in r or "k64" in r): continue
            k = r["k"].encode() if "k" in r else base64.b64decode(r["k64"])
            v = r["v"].encode() if "v" in r else base64.b64decode(r["v64"])
            print(k.hex(), v.hex())
        """,
        "ruby": """
        require "json"; require "base64"
        File.foreach("raw.lkd") do |line|
          r = JSON.parse(line)
          next unless r["k"] || r["k64"]
          k = r["k"]&.b || Base64.strict_decode64(r["k64"])
          v = r["v"]&.b || Base64.strict_decode64(r["v64"])
          puts k.unpack1("H*") + " " + v.unpack1("H*")
        end
        """,
        "node": """
        for (const line of require("fs").readFileSync("raw.lkd", "utf8").trim().split("\\n")) {
          const r = JSON.parse(line)
          if (r.k === undefined && r.k64 === undefined) continue
          const k = Buffer.from(r.k ?? r.k64, r.k !== undefined ? 'utf8' : 'base64')
          const v = Buffer.from(r.v ?? r.v64, r.v !== undefined ? 'utf8' : 'base64')
          console.log(k.toString("hex") + " " + v.toString("hex"))
        }
        """,
    ]

    @Test(.enabled(if: Installed.has("python3"), Installed.absence(of: "python3")))
    func `Python reads the same bytes from a dump`() throws { try checkBytes("python3") }

    @Test(.enabled(if: Installed.has("ruby"), Installed.absence(of: "ruby")))
    func `Ruby reads the same bytes from a dump`() throws { try checkBytes("ruby") }

    @Test(.enabled(if: Installed.has("node"), Installed.absence(of: "node")))
    func `JavaScript reads the same bytes from a dump`() throws { try checkBytes("node") }

    private func checkBytes(_ program: String) throws {
        try Workplace.with { place in
            try place.write(try rawDump(Self.pairs), to: "raw.lkd")
            try place.write(Self.programs[program] ?? "", to: "script")
            let outcome = try place.shell("\(program) script")
            let expected = "61 fffe00\nc3a9 746578740a\nff \n"
            #expect(outcome.code == 0 && outcome.output == expected, "\(program): \(outcome)")
        }
    }

    @Test(.enabled(if: Installed.has("jq"), Installed.absence(of: "jq")))
    func `jq reads a dump`() throws {
        try Workplace.with { place in
            try place.write(
                try rawDump([(Array("a".utf8), [0x80]), (Array("b".utf8), Array("x".utf8))]), to: "raw.lkd")
            #expect(try place.shell("jq -r 'select(.k) | .k' raw.lkd").lines == ["a", "b"])
            #expect(try place.shell("jq -r '.v64 // empty | @base64d | length' raw.lkd").lines == ["1"])
        }
    }

    @Test(.enabled(if: Installed.has("python3"), Installed.absence(of: "python3")))
    func `The script in Examples modifies a dump`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let outcome = try place.shell(
                """
                PATH="$PWD:$PATH"; printf '#!/bin/sh\\nexec "\(Binary.path)" "$@"\\n' > lkrepl; chmod +x lkrepl
                python3 '\(Binary.package)/Examples/change-documents.py' photos.store
                rm lkrepl
                """)
            #expect(outcome.code == 0, "\(outcome)")
            let found = try place.run("find", "photos.store", "photos", "keywords HAS archive", "--count")
            let old = try place.run("find", "photos.store", "photos", "year < 2000", "--count")
            #expect(found.output == old.output && found.output != "0\n", "\(found) \(old)")
        }
    }
}
