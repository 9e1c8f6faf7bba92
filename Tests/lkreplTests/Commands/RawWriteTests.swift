import Foundation
import Testing

@testable import lkrepl

/// Commands that change a plain database, and what prevents accidental changes.
@Suite(.waitsForPrograms) struct `Changing a plain database` {
    private func names(_ place: Workplace, _ directory: String) throws -> [String] {
        try place.names(in: directory).filter { !$0.hasPrefix("LOG") }
    }

    @Test func `Every command that changes a plain database requires --write`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            try place.write("{\"op\":\"del\",\"k\":\"a\"}\n", to: "ops")
            let before = try place.dump("app.db")
            for arguments in [
                ["put", "app.db", "a", "b"], ["del", "app.db", "a"], ["delrange", "app.db", "--prefix", "a", "--yes"],
                ["batch", "app.db", "ops"], ["compact", "app.db", "--yes"],
                ["repair", "app.db", "--confirm", "app.db"],
                ["destroy", "app.db", "--confirm", "app.db"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 77 && outcome.output == "", "\(arguments): \(outcome)")
                #expect(outcome.error.contains("--write"), "\(arguments): \(outcome)")
            }
            #expect(try place.dump("app.db") == before)
        }
    }

    @Test func `Irreversible commands require confirmation, and --dry-run changes nothing`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for key in ["a/1", "a/2", "b"] { #expect(try place.run("put", "--write", "app.db", key, "v").code == 0) }
            let before = try place.dump("app.db")
            for arguments in [
                ["delrange", "--write", "app.db", "--prefix", "a/"], ["compact", "--write", "app.db"],
                ["delrange", "--write", "--no-input", "app.db", "--prefix", "a/"],
                ["destroy", "--write", "app.db"], ["destroy", "--write", "app.db", "--yes"],
                ["destroy", "--write", "app.db", "--confirm", "app"], ["repair", "--write", "app.db"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 77 && outcome.error.contains("confirm"), "\(arguments): \(outcome)")
            }
            #expect(try place.run("delrange", "--write", "app.db", "--yes").code == 64)
            for (arguments, text) in [
                (["delrange", "app.db", "--prefix", "a/", "-n"], "would delete 2 keys"),
                (["compact", "app.db", "--dry-run"], "would merge"),
                (["destroy", "app.db", "--dry-run"], "would delete"),
                (["repair", "app.db", "--dry-run"], "was not changed"),
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 0 && outcome.error.contains(text), "\(arguments): \(outcome)")
            }
            #expect(try place.dump("app.db") == before)
            #expect(try place.names() == ["app.db"])
            let deleted = try place.run("delrange", "--write", "-y", "app.db", "--prefix", "a/")
            #expect(deleted.code == 0 && deleted.error.contains("deleted 2 keys"), "\(deleted)")
            #expect(try place.run("keys", "app.db").output == "{\"k\":\"b\"}\n")
            #expect(try place.run("compact", "--write", "-y", "app.db").code == 0)
            let repaired = try place.run("repair", "--write", "app.db", "--confirm", "app.db")
            #expect(repaired.code == 0 && repaired.error.contains("before-repair"), "\(repaired)")
            #expect(try place.run("keys", "app.db").output == "{\"k\":\"b\"}\n")
            #expect(try place.run("destroy", "--write", "app.db", "--confirm", "app.db").code == 0)
            // The repair has left its own directory there.
            #expect(!place.has("app.db/CURRENT"))
        }
    }

    @Test func `put and del can depend on the existing value`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            func put(_ arguments: String...) throws -> Int32 {
                try place.run(["put", "--write", "app.db"] + arguments).code
            }
            #expect(try put("k", "1", "--if-absent") == 0)
            #expect(try put("k", "2", "--if-absent") == 1)
            #expect(try put("k", "3", "--if-equals", "2") == 1)
            #expect(try place.run("get", "app.db", "k").output == "1\n")
            #expect(try put("k", "3", "--if-equals", "1") == 0)
            #expect(try put("none", "3", "--if-equals", "1") == 1)
            #expect(try put("k", "3", "--if-equals", "1", "--if-absent") == 64)
            #expect(try place.run("get", "app.db", "k").output == "3\n")
            #expect(try place.run("del", "--write", "app.db", "none").code == 1)
            #expect(try place.run("del", "--write", "app.db", "none", "--ignore-missing").code == 0)
        }
    }

    @Test func `put reads values from files, and quoted strings that start with @ literally`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            let bytes = (0...255).map { UInt8($0) }
            try place.write(bytes, to: "value")
            #expect(try place.run("put", "--write", "app.db", "file", "@value").code == 0)
            #expect(try place.run("get", "app.db", "file", "--raw").bytes == bytes)
            #expect(try place.run("put", "--write", "app.db", "text", "'@value'").code == 0)
            #expect(try place.run("get", "app.db", "text").output == "\"@value\"\n")
            let missing = try place.run("put", "--write", "app.db", "x", "@none")
            #expect(missing.code == 66 && missing.error.contains("none"), "\(missing)")
        }
    }

    @Test func `batch applies a file as one unit, or as units of the requested size`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            try place.write(
                """
                {"op":"put","k":"a","v":"1"}

                {"op":"put","k64":"/wA=","v64":"AAE="}
                {"op":"put","k":"b","v":""}
                {"op":"del","k":"a"}
                """, to: "good")
            let good = try place.run("batch", "--write", "app.db", "good")
            #expect(good.code == 0 && good.error.contains("3 puts and 1 deletion"), "\(good)")
            let stored = "{\"k\":\"b\",\"v\":\"\"}\n{\"k64\":\"/wA=\",\"v\":\"\\u0000\\u0001\"}\n"
            #expect(try place.run("scan", "app.db").output == stored)
            for (line, message) in [
                ("{\"op\":\"put\",\"k\":\"x\"}", "v or v64"), ("{\"op\":\"delete\",\"k\":\"x\"}", "unknown op delete"),
                ("{\"k\":\"x\"}", "op is missing"), ("{\"op\":\"del\",\"k\":\"x\",\"v\":\"y\"}", "no value"),
                ("{\"op\":\"put\",\"k\":\"x\",\"k64\":\"YQ==\",\"v\":\"\"}", "combined"),
                ("{\"op\":\"put\",\"k\":1,\"v\":\"\"}", "not a string"),
                ("{\"op\":\"put\",\"k64\":\"?\",\"v\":\"\"}", "base64"),
                ("[]", "a JSON object"), ("{", ""), ("{\"op\":\"put\",\"key\":\"x\",\"v\":\"\"}", "unknown member key"),
            ] {
                try place.write("{\"op\":\"put\",\"k\":\"new\",\"v\":\"1\"}\n\(line)\n", to: "bad")
                let bad = try place.run("batch", "--write", "app.db", "bad")
                #expect(bad.code == 65 && bad.error.contains("bad:2") && bad.says(message), "\(line): \(bad)")
                #expect(try place.run("scan", "app.db").output == stored, "nothing of it: \(line)")
            }
            let dry = try place.run("batch", "app.db", "good", "--dry-run")
            #expect(dry.code == 0 && dry.error.contains("would apply"))
            let parts = try place.run("batch", "--write", "app.db", "bad", "--batch-bytes", "1")
            #expect(parts.code == 65)
            #expect(try place.run("get", "app.db", "new").output == "1\n", "the unit before the mistake stays")
        }
    }

    @Test func `Raw writing commands leave document stores to the document commands`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("{\"op\":\"del\",\"k\":\"M\"}\n", to: "ops")
            for arguments in [
                ["delrange", "--write", "-y", "items.store", "--prefix", "M"],
                ["batch", "--write", "items.store", "ops"],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 64 && outcome.error.contains("document store"), "\(outcome)")
            }
        }
    }

    @Test func `The shell cannot destroy or repair its own open database`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            for command in ["destroy --confirm app.db", "repair --confirm app.db"] {
                let outcome = try place.run("--write", "app.db", "-c", command)
                #expect(outcome.code == 64 && outcome.error.contains("leave the shell"), "\(outcome)")
            }
        }
    }

    @Test func `A snapshot is a database, even while the original is read and written`() throws {
        try Workplace.with { place in
            try place.makeDatabase()
            #expect(try place.run("put", "--write", "app.db", "k", "1").code == 0)
            #expect(try place.run("snapshot", "app.db", "one.db").code == 0)
            #expect(try place.run("--write", "app.db", "-c", "put k 2; snapshot 'two.db'; put k 3").code == 0)
            #expect(try place.run("snapshot", "app.db", "three.db", "--copy").code == 0)
            for (name, value) in [("one.db", "1"), ("two.db", "2"), ("three.db", "3")] {
                #expect(try place.run("get", name, "k").output == value + "\n")
            }
            let again = try place.run("snapshot", "app.db", "one.db")
            #expect(again.code == 73, "\(again)")
            #expect(try names(place, "one.db").contains("CURRENT"))
        }
    }
}
