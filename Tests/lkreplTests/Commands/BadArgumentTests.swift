import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Invalid arguments` {
    struct Case: Sendable {
        let arguments: [String]
        let code: Int32
        let parts: [String]

        init(_ arguments: [String], _ code: Int32, _ parts: String...) {
            self.arguments = arguments
            self.code = code
            self.parts = parts
        }
    }

    static let cases = [
        Case(["fnd", "photos.store", "photos"], 64, "did you mean find?"), Case(["dmup", "photos.store"], 64, "dump"),
        Case(["nosuchthing"], 66, "or database"), Case([""], 66, "or database"),
        Case(["photos.store", "find", "photos"], 64, "unexpected argument find"),
        Case(["photos.store", "--bogus"], 64, "--bogus"), Case(["photos.store", "-c"], 64, "-c needs a value"),
        Case(["find", "photos", "photos.store"], 66, "no database at"), Case(["find"], 64, "database"),
        Case(["find", "photos.store"], 64, "collection"), Case(["find", "photos.store", "nope"], 64, "nope", "photos"),
        Case(["find", "photos.store", "photos", "--bogus"], 64, "--bogus"),
        Case(["find", "photos.store", "photos", "--mode", "foo"], 64, "foo", "jsonl"),
        Case(["find", "photos.store", "photos", "--limit", "x"], 64, "'x'"),
        Case(["find", "photos.store", "photos", "--limit", "-5"], 64, "limit"),
        Case(["find", "photos.store", "photos", "--limit=-5"], 64, "-5"),
        Case(["find", "photos.store", "photos", "--skip=-5"], 64, "-5"),
        Case(["find", "photos.store", "photos", "--fields", "a["], 64, "bracket"),
        Case(["find", "photos.store", "photos", "--sort", ""], 64, "sort"),
        Case(["find", "photos.store", "photos", "--sort", "-"], 64, "sort"),
        Case(["find", "photos.store", "photos", "--sort", "keywords[]"], 64, "several values"),
        Case(["import", "--write", "photos.store", "nope", "photos.jsonl"], 64, "no collection named nope"),
        Case(["import", "--write", "photos.store", "photos", "missing.jsonl"], 66, "missing.jsonl"),
        Case(["import", "--write", "photos.store", "photos", "."], 66, "directory"),
        Case(["import", "--write", "photos.store", "photos", "photos.store"], 66, "directory"),
        Case(["import", "--write", "photos.store", "photos", "photos.jsonl", "--format", "xml"], 64, "xml", "jsonl"),
        Case(
            ["import", "--write", "photos.store", "photos", "photos.jsonl", "--format", "json"], 65, "photos.jsonl:1:1"),
        Case(["import", "--write", "photos.store", "photos", "photos.jsonl", "--batch", "0"], 64, "batch"),
        Case(["import", "--write", "photos.store", "photos", "photos.jsonl", "--on-error", "x"], 64, "on-error"),
        Case(["import", "--write", "photos.store", "photos", "photos.jsonl", "--progress", "x"], 64, "progress"),
        Case(["import", "photos.store", "photos", "photos.jsonl"], 77, "--write"),
        Case(["doc", "put", "photos.store", "photos", "{\"id\":1}"], 77, "--write"),
        Case(["doc", "del", "photos.store", "photos", "scan-0001"], 77, "--write"),
        Case(["put", "photos.store", "a", "b"], 77, "--write"), Case(["del", "photos.store", "a"], 77, "--write"),
        Case(["load", "photos.store", "photos.jsonl"], 77, "--write"),
        Case(["load", "--write", "photos.store", "photos.jsonl"], 65, "photos.jsonl:1:"),
        Case(["doc", "put", "--write", "photos.store", "nope", "{\"id\":1}"], 64, "no collection named nope"),
        Case(["doc", "bogus", "photos.store"], 64, "bogus"),
        Case(["init", "photos.store", "--schema", "schema.json"], 73, "already"),
        Case(["init", "new.store"], 64, "--schema"),
        Case(["init", "new.store", "--schema", "missing.json"], 66, "missing.json"),
        Case(["init", "new.store", "--schema", "."], 66, "directory"),
        Case(["scan", "photos.store", "--prefix", "a", "--from", "b"], 64, "--prefix"),
        Case(["scan", "photos.store", "--from", "a", "--after", "b"], 64, "bound"),
        Case(["photos.store", "-f", "missing.lk"], 66, "missing.lk"),
        Case(["photos.store", "-f", "."], 66, "directory"),
    ]

    @Test func `Invalid arguments are rejected, and nothing is changed or created`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("{\"id\":\"zz\"}\n", to: "photos.jsonl")
            try place.write("{\"collections\":{}}", to: "schema.json")
            let names = try place.names()
            let before = try place.dump("photos.store")
            for bad in Self.cases {
                let outcome = try place.run(bad.arguments)
                #expect(outcome.code == bad.code, "\(bad.arguments): \(outcome)")
                #expect(outcome.output == "", "\(bad.arguments): \(outcome)")
                for part in bad.parts { #expect(outcome.says(part), "\(part): \(bad.arguments): \(outcome)") }
                #expect(!outcome.errorBytes.contains { $0 < 0x20 && $0 != 0x0a }, "\(bad.arguments): \(outcome)")
                #expect(try place.names() == names, "\(bad.arguments)")
                if bad.arguments.contains("--write") || bad.arguments.first == "init" {
                    #expect(try place.dump("photos.store") == before, "\(bad.arguments)")
                }
            }
            #expect(try place.dump("photos.store") == before)
        }
    }

    @Test(arguments: [
        "rating", "rating =", "= 5", "rating = 5 and", "(rating = 5", "rating = 5)", "rating = \"x", "rating in (",
        "rating between 1", "not", "rating <> 5", "rating = 5; drop", "a..b = 1", ".a=1", "and",
        "or or",
        "rating = {\"$gt\":1}", "title matches /(/", "rating = 5 limit 3", "rating ≥ 5",
        String(repeating: "(", count: 5000),
    ])
    func `An invalid condition is rejected with exit code 64 and its position`(condition: String) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            for arguments in [
                ["find", "photos.store", "photos", condition],
                ["search", "photos.store", "photos", "a", "--where", condition],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 64 && outcome.output == "", "\(outcome)")
                #expect(outcome.error.contains("the condition cannot be read at character"), "\(outcome)")
            }
        }
    }

    @Test(arguments: ["", "\"", "\"a", "OR", "-a", "NOT a", "(a", "\"a b\" OR"])
    func `An invalid search is rejected with exit code 64 and its position`(words: String) throws {
        try Workplace.with(isVerified: false) { place in
            try place.makePhotos()
            let outcome = try place.run("search", "photos.store", "photos", "--", words)
            #expect(outcome.code == 64 && outcome.output == "", "\(outcome)")
            #expect(outcome.error.contains("the search cannot be read at character"), "\(outcome)")
        }
    }

    /// No command creates anything where no database exists.
    @Test(arguments: ["missing", "missing/below", "empty", "files", "plain.txt"])
    func `Arguments that name no database exit with code 66`(name: String) throws {
        try Workplace.with { place in
            let prepared = try place.shell("mkdir empty files && echo mine > files/mine.txt && echo mine > plain.txt")
            #expect(prepared.code == 0)
            try place.write(try rawDump([]), to: "empty.lkd")
            try place.write("{\"id\":1}\n", to: "one.jsonl")
            for arguments in [
                ["find", name, "photos"], ["search", name, "photos", "x"], ["get", name, "k"], ["scan", name],
                ["count", name], ["verify", name], ["dump", name], ["dump", name, "-o", "out"], ["stats", name],
                ["collections", name], ["doc", "get", name, "photos", "a"], ["put", "--write", name, "k", "v"],
                ["del", "--write", name, "k"], ["import", "--write", name, "photos", "one.jsonl"],
                ["doc", "put", "--write", name, "photos", "{\"id\":1}"], ["load", "--write", name, "empty.lkd"],
                [name, "-c", "stats"], [name, "--write"], [name],
            ] {
                let outcome = try place.run(arguments)
                #expect(outcome.code == 66 && outcome.output == "", "\(arguments): \(outcome)")
                #expect(outcome.error.hasPrefix("lkrepl: "), "\(arguments): \(outcome)")
            }
            #expect(try place.names() == ["empty", "empty.lkd", "files", "one.jsonl", "plain.txt"])
            #expect(try place.names(in: "empty") == [] && place.names(in: "files") == ["mine.txt"])
            #expect(try place.read("plain.txt") == Array("mine\n".utf8))
        }
    }

    @Test func `Negative numbers as arguments need no escaping`() throws {
        try Workplace.with { place in
            try place.makeItems()
            #expect(
                try place.run(
                    "import", "--write", "items.store", "items", "-",
                    input: "{\"id\":-5,\"n\":-0.7}\n{\"id\":5,\"n\":0.7}\n"
                ).code == 0)
            for condition in [["n", "<", "-0.5"], ["n < -0.5"], ["n", "between", "-1", "and", "-0.6"]] {
                let outcome = try place.run(["find", "items.store", "items", "--ids"] + condition)
                #expect(outcome.output == "-5\n", "\(condition): \(outcome)")
            }
            let one = try place.run("doc", "get", "items.store", "items", "--", "-5")
            #expect(one.output == "{\"id\":-5,\"n\":-0.7}\n", "\(one)")
            #expect(try place.run("doc", "get", "items.store", "items", "5").output == "{\"id\":5,\"n\":0.7}\n")
        }
    }
}
