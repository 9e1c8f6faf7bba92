import DocIndex
import TestSupport
import Testing

@testable import lkrepl

/// Lines of a dump without header and end, as scripts produce them.
@Suite(.waitsForPrograms) struct `Load modes` {
    private static let first = """
        {"c":"items","id":"a","doc":{"id":"a","n":1,"k":["x"]}}
        {"c":"items","id":"b","doc":{"id":"b","n":2,"m":{"p":1,"q":2}}}\n
        """
    private static let second = """
        {"c":"items","id":"b","doc":{"id":"b","n":3,"m":{"q":null,"r":4}}}
        {"c":"items","id":"c","doc":{"id":"c"}}\n
        """

    @Test(
        arguments: [
            (
                "upsert", 0, #"{"id":"b","n":3,"m":{"q":null,"r":4}}"#, ["a", "b", "c"],
                "read 2 inserted 1 replaced 1 skipped 0 rejected 0"
            ),
            (
                "skip", 0, #"{"id":"b","n":2,"m":{"p":1,"q":2}}"#, ["a", "b", "c"],
                "read 2 inserted 1 replaced 0 skipped 1 rejected 0"
            ),
            (
                "merge", 0, #"{"id":"b","n":3,"m":{"p":1,"r":4}}"#, ["a", "b", "c"],
                "read 2 inserted 1 replaced 0 merged 1 skipped 0 rejected 0"
            ),
            ("insert", 65, #"{"id":"b","n":2,"m":{"p":1,"q":2}}"#, ["a", "b", "c"], "rejected 1"),
        ] as [(String, Int32, String, [String], String)])
    func `Loading existing documents follows the mode`(
        mode: String, code: Int32, b: String, ids: [String], summary: String
    ) throws {
        try Workplace.with { place in
            try place.makeItems()
            #expect(try place.run(["load", "--write", "items.store", "-"], input: Array(Self.first.utf8)).code == 0)
            let arguments =
                ["load", "--write", "items.store", "-", "--mode", mode, "--yes", "--on-error", "skip"]
            let dry = try place.run(arguments + ["--dry-run"], input: Array(Self.second.utf8))
            #expect(dry.code == code, "\(dry)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "2\n")

            let loaded = try place.run(arguments, input: Array(Self.second.utf8))
            #expect(loaded.code == code && loaded.says(summary), "\(loaded)")
            #expect(dry.says(summary), "\(dry)")
            #expect(try place.run("doc", "get", "items.store", "items", "b", "--mode", "jsonl").output.contains(b))
            let found = try place.run("find", "items.store", "items", "--ids")
            #expect(found.lines == ids, "\(found)")
        }
    }

    @Test(
        arguments: [
            ("upsert", 0, ["a=1", "b=3", "c=4"], "stored 2"), ("skip", 0, ["a=1", "b=2", "c=4"], "skipped 1"),
            ("insert", 65, ["a=1", "b=2", "c=4"], "rejected 1"), ("replace", 0, ["b=3", "c=4"], "removed 2 stored 2"),
            ("merge", 64, ["a=1", "b=2"], "upsert"),
        ] as [(String, Int32, [String], String)])
    func `Loading existing pairs follows the mode`(mode: String, code: Int32, pairs: [String], summary: String) throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let first = #"{"k":"a","v":"1"}"# + "\n" + #"{"k":"b","v":"2"}"# + "\n"
            #expect(try place.run(["load", "--write", "app.db", "-"], input: Array(first.utf8)).code == 0)
            let second = #"{"k":"b","v":"3"}"# + "\n" + #"{"k":"c","v":"4"}"# + "\n"
            let loaded = try place.run(
                ["load", "--write", "app.db", "-", "--mode", mode, "--yes", "--on-error", "skip"],
                input: Array(second.utf8))
            #expect(loaded.code == code && loaded.says(summary), "\(loaded)")
            let scanned = try place.run("scan", "app.db")
            #expect(
                scanned.lines == pairs.map { "{\"k\":\"\($0.prefix(1))\",\"v\":\"\($0.suffix(1))\"}" }, "\(scanned)")
        }
    }

    @Test func `Replace mode removes what it replaces, and only with confirmation and a known scope`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.makeItems("new.store")
            #expect(try place.run(["load", "--write", "items.store", "-"], input: Array(Self.first.utf8)).code == 0)
            #expect(try place.run(["load", "--write", "new.store", "-"], input: Array(Self.second.utf8)).code == 0)
            let whole = try place.dump("new.store")
            let before = try DirectoryState(place.path + "/items.store")
            let refused = try place.run(["load", "--write", "items.store", "-", "--mode", "replace"], input: whole)
            #expect(refused.code == 77 && refused.says("--yes"), "\(refused)")
            let changes = try DirectoryState(place.path + "/items.store").difference(from: before)
            #expect(changes.isEmpty, "\(changes)")
            let vague = try place.run(
                ["load", "--write", "items.store", "-", "--mode", "replace", "--yes"], input: Array(Self.second.utf8))
            #expect(vague.code == 64 && vague.says("which collections"), "\(vague)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "2\n")

            let loaded = try place.run(
                ["load", "--write", "items.store", "-", "--mode", "replace", "--yes"], input: whole)
            #expect(loaded.code == 0 && loaded.says("read 2 removed 2 inserted 2 replaced 0"), "\(loaded)")
            #expect(try place.dump("items.store") == whole)
        }
    }
}

@Suite(.waitsForPrograms) struct `Rejected records` {
    @Test func `Rejected records are written to a file, and can be loaded after correction`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write(
                """
                {"id":"a","n":1}
                {"id":"b","n":}
                {"n":3}
                {"id":"d","n":4}
                {"id":1.5}
                """, to: "many.jsonl")
            let loaded = try place.run(
                "import", "--write", "items.store", "items", "many.jsonl", "--on-error", "skip", "--rejects",
                "bad.jsonl")
            #expect(loaded.code == 65 && loaded.says("read 5 inserted 2 replaced 0 skipped 0 rejected 3"), "\(loaded)")
            let lines = String(decoding: try place.read("bad.jsonl"), as: UTF8.self)
            let rejects = try lines.split(separator: "\n").map { try DocumentValue(json: String($0)) }
            #expect(rejects.map { $0["line"]?.intValue } == [2, 3, 5])
            #expect(rejects.map { $0["byte"]?.intValue } == [17, 33, 58])
            #expect(rejects.map { $0["error"]?.stringValue } == ["json.syntax", "key.missing", "schema.type"])
            #expect(rejects[0]["raw"]?.stringValue == #"{"id":"b","n":}"#)

            let mended = lines.replacing(#"\"n\":}"#, with: #"\"n\":2}"#).replacing(
                #"{\"n\":3"#, with: #"{\"id\":\"c\""#)
            try place.write(mended, to: "mended.jsonl")
            let again = try place.run(
                "import", "--write", "items.store", "items", "mended.jsonl", "--from-rejects", "--on-error", "skip")
            #expect(again.code == 65 && again.says("read 3 inserted 2 replaced 0 skipped 0 rejected 1"), "\(again)")
            let found = try place.run("find", "items.store", "items", "--ids", "--sort", "id")
            #expect(found.lines == ["a", "b", "c", "d"], "\(found)")
        }
    }

    @Test func `Too many rejected records end the load, and earlier records are stored`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = (0..<20).map { $0 % 3 == 2 ? "{\"x\":1}" : "{\"id\":\"\($0)\"}" }.joined(separator: "\n")
            try place.write(text, to: "many.jsonl")
            let outcome = try place.run(
                "import", "--write", "items.store", "items", "many.jsonl", "--max-errors", "2", "--batch", "1")
            #expect(outcome.code == 65 && outcome.says("more than 2 records were rejected"), "\(outcome)")
            #expect(try place.run("find", "items.store", "items", "--count").output == "6\n")
        }
    }

    /// A unique index rejects a whole commit; one document must not cause the others of its batch to be lost.
    @Test func `A record that a unique index rejects is found within its batch`() throws {
        try Workplace.with { place in
            try place.write(
                #"{"collections":{"items":{"indexes":{"s":{"fields":["s"],"unique":true,"sparse":true}}}}}"#,
                to: "schema.json")
            #expect(try place.run("init", "items.store", "--schema", "schema.json").code == 0)
            let text = (0..<40).map { "{\"id\":\"\($0 + 10)\",\"s\":\($0 == 17 ? 3 : $0 == 33 ? 4 : $0)}" }
            try place.write(text.joined(separator: "\n"), to: "many.jsonl")
            let outcome = try place.run(
                "import", "--write", "items.store", "items", "many.jsonl", "--on-error", "skip", "--rejects",
                "bad.jsonl")
            #expect(outcome.code == 65 && outcome.says("inserted 38 replaced 0 skipped 0 rejected 2"), "\(outcome)")
            #expect(outcome.says("many.jsonl:18:") && outcome.says("many.jsonl:34:"), "\(outcome)")

            // If a bad record ends the load, the records before it are stored and none after it.
            #expect(try place.run("init", "other.store", "--schema", "schema.json").code == 0)
            let stopped = try place.run("import", "--write", "other.store", "items", "many.jsonl")
            #expect(stopped.code == 65 && stopped.error.contains("many.jsonl:18:"), "\(stopped)")
            #expect(try place.run("find", "other.store", "items", "--count").output == "17\n")
        }
    }
}

@Suite(.waitsForPrograms) struct `Load options` {
    @Test func `load can rename collections and keys`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.run("dump", "photos.store", "-o", "photos.lkd", "-q")
            let loaded = try place.run("load", "--create", "new.store", "photos.lkd", "--rename", "photos=pictures")
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.run("find", "new.store", "pictures", "--count").output == "301\n")
            // A mistyped name must not create an empty store.
            let none = try place.run("load", "--create", "none.store", "photos.lkd", "--only", "photos,other")
            #expect(none.code == 65 && none.error.contains("no collection named other"), "\(none)")
            #expect(!place.has("none.store"))

            try place.write(
                try rawDump([(Array("a/1".utf8), [1]), (Array("b/1".utf8), [2])]), to: "raw.lkd")
            let mapped = try place.run("load", "--create", "raw.db", "raw.lkd", "--map-prefix", "a/=c/")
            #expect(mapped.code == 0, "\(mapped)")
            #expect(
                try place.run("scan", "raw.db", "--keys").lines == [#"{"k":"b/1"}"#, #"{"k":"c/1"}"#])
        }
    }

    @Test func `load accepts an incomplete or changed dump only on request`() throws {
        let whole = try rawDump((0..<10).map { (Array("\($0)".utf8), [UInt8($0)]) })
        let lines = whole.split(separator: 0x0a).map { Array($0) + [0x0a] }
        try Workplace.with { place in
            try place.write(lines[..<8].flatMap(\.self), to: "cut.lkd")
            #expect(try place.run("load", "--create", "a.db", "cut.lkd").code == 65)
            let cut = try place.run("load", "--create", "a.db", "cut.lkd", "--allow-incomplete")
            #expect(cut.code == 0 && cut.says("incomplete"), "\(cut)")
            #expect(try place.run("count", "a.db").output == "7\n")

            try place.write((lines[..<4] + lines[5...]).flatMap(\.self), to: "changed.lkd")
            #expect(try place.run("load", "--create", "b.db", "changed.lkd").code == 65)
            #expect(try place.run("load", "--create", "b.db", "changed.lkd", "--no-verify").code == 0)
            #expect(try place.run("count", "b.db").output == "9\n")
        }
    }

    @Test func `load --key stores whole lines under one of their members`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let text = #" {"id":"a","n":1.50}"# + "\n" + #"{"n":2,"id":7}"# + "\n"
            let loaded = try place.run(["load", "--write", "app.db", "-", "--key", "id"], input: Array(text.utf8))
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.run("get", "app.db", "7", "--raw").output == #"{"n":2,"id":7}"#)
            #expect(try place.run("get", "app.db", "a", "--raw").output.contains("1.50"))
        }
    }

    @Test func `load applies changes and deletions from one store to another`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let text = (0..<5).map { "{\"id\":\"\($0)\",\"n\":\($0)}\n" }.joined()
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(text.utf8)).code == 0)
            let whole = try place.dump("items.store")
            #expect(try place.run(["load", "--create", "copy.store", "-"], input: whole).code == 0)
            #expect(try place.run("doc", "del", "--write", "items.store", "items", "1", "3").code == 0)
            #expect(try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"0","n":9}"#).code == 0)

            let changes = try place.run("dump", "items.store", "--since", "1", "-q")
            #expect(changes.output.contains(#"{"c":"items","id":"3","del":true}"#), "\(changes)")
            let refused = try place.run(["load", "--create", "new.store", "-"], input: changes.bytes)
            #expect(refused.code == 65 && refused.says("full dump first"), "\(refused)")
            let loaded = try place.run(["load", "--write", "copy.store", "-"], input: changes.bytes)
            #expect(loaded.code == 0 && loaded.says("deleted 2"), "\(loaded)")
            let copied = try place.dump("copy.store")
            let original = try place.dump("items.store")
            #expect(copied == original)
        }
    }

    @Test func `load recommends the right format for a file of a different kind`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for (text, part) in [
                ("id,title\n1,x\n", "--format csv"), ("a ==> b\n", "ldb dump --hex"), ("{\"x\":1}\n", "cannot begin"),
            ] {
                let outcome = try place.run(["load", "--write", "app.db", "-"], input: Array(text.utf8))
                #expect(outcome.code == 65 && outcome.says(part), "\(text): \(outcome)")
            }
        }
    }

    @Test func `load names lines that are too long, and large values are split into parts`() throws {
        try Workplace.with { place in
            let large = [UInt8](repeating: 1, count: 9 << 20)
            try place.write(try rawDump([(Array("k".utf8), large)]), to: "large.lkd")
            let text = try place.read("large.lkd")
            #expect(text.split(separator: 0x0a).map(\.count).max() ?? 0 < 16 << 20)
            #expect(try place.run("load", "--create", "large.db", "large.lkd").code == 0)
            #expect(try place.run("get", "large.db", "k", "--raw").bytes == large)

            try place.write(
                Array("{\"k\":\"a\",\"v\":\"".utf8) + [UInt8](repeating: 0x61, count: 17 << 20), to: "long.jsonl")
            let long = try place.run("load", "--write", "large.db", "long.jsonl")
            #expect(
                long.code == 65 && long.error.hasPrefix("lkrepl: long.jsonl:1:") && long.says("--max-line"), "\(long)")
        }
    }

    /// A dry run finds what only writing would find: values that must be unique, across documents of different batches.
    @Test func `A dry run of load checks everything, including unique indexes, and leaves nothing behind`() throws {
        try Workplace.with { place in
            let schema = #"{"collections": {"items": {"indexes": {"n": {"fields": ["n"], "unique": true}}}}}"#
            try place.write(schema, to: "schema.json")
            #expect(try place.run("init", "items.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"x","n":5}"#).code == 0)
            let before = try place.dump("items.store")
            // Converts the log to a table: opening for writing does that, and reading does not.
            #expect(try place.run("items.store", "--write", "-c", "count").code == 0)
            let names = try place.names(in: "items.store").filter { !$0.hasPrefix("LOG") }
            // One has the value of an existing document, one that of a document three batches earlier.
            let lines = (0..<10).map { #"{"id":"i\#($0)","n":\#($0 == 9 ? 1 : $0)}"# }.joined(separator: "\n")
            for command in [["import"], ["import", "--jobs", "1"]] {
                let arguments = command + ["items.store", "items", "-", "--on-error", "skip", "--batch", "2"]
                let dry = try place.run(arguments + ["--dry-run"], input: Array(lines.utf8))
                #expect(dry.code == 65 && dry.says("read 10 inserted 8 replaced 0 skipped 0 rejected 2"), "\(dry)")
                #expect(dry.says("standard input:6:") && dry.says("standard input:10:"), "\(dry)")
                let after = try place.dump("items.store")
                #expect(after == before)
            }
            let typed = try place.run(
                ["items.store", "--write", "-c", "import --dry-run items lines.jsonl; find items --count"], input: [])
            #expect(typed.code == 66, "\(typed)")
            try place.write(lines, to: "lines.jsonl")
            let shell = try place.run(
                "items.store", "--write", "--keep-going", "-c",
                "import --dry-run items lines.jsonl --on-error skip; find items --count")
            #expect(shell.code == 65 && shell.output == "1\n" && shell.says("rejected 2"), "\(shell)")
            #expect(try place.names(in: "items.store").filter { !$0.hasPrefix("LOG") }.count == names.count)
            let loaded = try place.run(
                "import", "--write", "items.store", "items", "lines.jsonl", "--on-error", "skip", "--batch", "2")
            #expect(loaded.code == 65 && loaded.says("inserted 8 replaced 0 skipped 0 rejected 2"), "\(loaded)")
        }
    }

    /// Reading ahead while storing does not change what is stored, reported or rejected.
    @Test(arguments: ["1", "2", "5"])
    func `load has the same result with any number of threads`(jobs: String) throws {
        try Workplace.with { place in
            try place.makeDatabase()
            // More pieces than are handed over, bad lines in several of them, and one that ends the load.
            var lines: [String] = []
            for number in 0..<3_000 {
                lines.append(number % 700 == 650 ? #"{"k":"bad"}"# : #"{"k":"key\#(number)","v":"\#(number)"}"#)
            }
            try place.write(lines.joined(separator: "\n"), to: "lines.jsonl")
            let outcome = try place.run(
                "load", "--write", "app.db", "lines.jsonl", "--on-error", "skip", "--rejects", "bad.jsonl", "--jobs",
                jobs)
            #expect(outcome.code == 65 && outcome.says("read 3,000 stored 2,996 skipped 0 rejected 4"), "\(outcome)")
            let rejected = String(decoding: try place.read("bad.jsonl"), as: UTF8.self)
            for line in [651, 1351, 2051, 2751] { #expect(rejected.contains("\"line\":\(line),"), "\(rejected)") }
            #expect(try place.run("count", "app.db").output == "2996\n")
            let stopped = try place.run("load", "--write", "app.db", "lines.jsonl", "--jobs", jobs)
            #expect(stopped.code == 65 && stopped.error.hasPrefix("lkrepl: lines.jsonl:651:"), "\(stopped)")
            #expect(stopped.says("650 records were stored before it"), "\(stopped)")
        }
    }
}
