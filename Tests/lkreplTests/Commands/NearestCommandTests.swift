import DocIndex
import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Searches by vectors in the shell` {
    private static let schema = """
        {"collections":{"photos":{"indexes":{"v":{"type":"vector","fields":["v"],"dimensions":3,"similarity":"cosine"},\
        "n":{"fields":["n"]}}}}}
        """
    private static let documents = """
        {"id":"dog","n":1,"v":[1,0,0]}
        {"id":"wolf","n":2,"v":[10,1,0]}
        {"id":"cat","n":3,"v":[0,0,1]}
        {"id":"none","n":4}

        """

    private func withStore(_ body: (Workplace) throws -> Void) throws {
        try Workplace.with { place in
            try place.write(Self.schema, to: "schema.json")
            #expect(try place.run("init", "p.store", "--schema", "schema.json").code == 0)
            let loaded = try place.run("import", "--write", "p.store", "photos", "-", input: Self.documents)
            #expect(loaded.code == 0, "\(loaded)")
            try body(place)
        }
    }

    @Test func `nearest finds documents by an ID and by a vector, with their similarity`() throws {
        try withStore { place in
            let like = try place.run("nearest", "p.store", "photos", "--id", "dog", "--fields", "id", "--mode", "jsonl")
            let similarity = "{\"similarity\":0.995,\"id\":\"wolf\"}\n{\"similarity\":0.0,\"id\":\"cat\"}\n"
            #expect(like.code == 0 && like.output == similarity, "\(like)")
            for vector in ["[5, 0, 0.1]", "\"AACAPwAAAAAAAAAA\"", "AACAPwAAAAAAAAAA"] {
                let found = try place.run(
                    "nearest", "p.store", "photos", "n >= 2", "--vector", vector, "--ids", "--limit", "2")
                #expect(found.code == 0 && found.output == "wolf\ncat\n", "\(found)")
            }
            try place.write("[0, 0, 2]\n", to: "query.json")
            let file = try place.run("nearest", "p.store", "photos", "--vector-file", "query.json", "--ids", "--exact")
            #expect(file.output.hasPrefix("cat\n"), "\(file)")
            let input = try place.run(
                "nearest", "p.store", "photos", "--vector-file", "-", "--ids", "--index", "v", input: "[0, 0, 2]")
            #expect(input.output == file.output, "\(input)")
            let nothing = try place.run("nearest", "p.store", "photos", "--id", "none", "--ids")
            #expect(nothing.code == 0 && nothing.output == "" && nothing.says("no vector"), "\(nothing)")
            for (arguments, code, message) in [
                (["--id", "lion"], 1, "lion"), ([], 64, "--vector-file"),
                (["--vector", "[1]"], 64, "has 1 dimensions"),
                (["--vector", "[1"], 65, "not valid JSON"), (["--vector", "{}"], 64, "base64"),
                (["--id", "dog", "--index", "x"], 64, "no vector index x; it has v"),
                (["--id", "dog", "--vector", "[1,2,3]"], 64, "one of --id"),
            ] as [([String], Int32, String)] {
                let outcome = try place.run(["nearest", "p.store", "photos"] + arguments)
                #expect(outcome.code == code && outcome.says(message), "\(arguments): \(outcome)")
            }
        }
    }

    @Test func `A bad vector is rejected by an import, and by the creation of an index`() throws {
        try withStore { place in
            let bad = try place.run(
                "import", "--write", "p.store", "photos", "-", input: "{\"id\":\"bad\",\"v\":[1,2]}\n")
            #expect(bad.code == 65 && bad.says("has 2 dimensions"), "\(bad)")
            let failed = try place.run(
                "index", "create", "--write", "p.store", "photos", "wrong", "n", "--dimensions", "3")
            #expect(failed.code != 0 && failed.says("is of the kind int"), "\(failed)")
            #expect(try place.run("find", "p.store", "photos", "--count").output == "4\n")
            let created = try place.run(
                "index", "create", "--write", "p.store", "photos", "w", "v", "--dimensions", "3")
            #expect(created.code == 0, "\(created)")
            let two = try place.run("nearest", "p.store", "photos", "--id", "dog")
            #expect(two.code == 64 && two.says("--index v or"), "\(two)")
            let found = try place.run("nearest", "p.store", "photos", "--id", "dog", "--index", "w", "--ids")
            #expect(found.output == "wolf\ncat\n", "\(found)")
        }
    }

    @Test func `Dumps, loads and the printed schema keep a vector index`() throws {
        try withStore { place in
            #expect(try place.run("dump", "p.store", "-o", "p.lkd.jsonl").code == 0)
            let loaded = try place.run("load", "--create", "copy.store", "p.lkd.jsonl")
            #expect(loaded.code == 0, "\(loaded)")
            #expect(try place.run("schema", "copy.store").output == place.run("schema", "p.store").output)
            #expect(try place.run("schema", "copy.store").output.contains("\"dimensions\""))
            let arguments = ["photos", "--id", "dog", "--mode", "jsonl"]
            let copy = try place.run(["nearest", "copy.store"] + arguments)
            #expect(try copy.code == 0 && copy.output == place.run(["nearest", "p.store"] + arguments).output)
            for store in ["p.store", "copy.store"] { #expect(try place.run("verify", store).code == 0) }
            let listed = try place.run("indexes", "p.store", "--mode", "jsonl")
            #expect(listed.code == 0 && listed.output.contains("vector"), "\(listed)")
        }
    }

    @Test func `A package with vectors is searched like its store`() throws {
        try withStore { place in
            #expect(try place.run("pack", "p.store", "photos", "-o", "p.lkpack.zip").code == 0)
            let packed = try place.run("nearest", "p.lkpack.zip", "photos", "--id", "dog", "--ids")
            #expect(packed.code == 0 && packed.output == "wolf\ncat\n", "\(packed)")
        }
    }

    @Test func `A replication sends vectors to a store with the index`() throws {
        try withStore { place in
            #expect(try place.run("init", "other.store", "--schema", "schema.json").code == 0)
            let synced = try place.run("sync", "--write", "other.store", "photos", "p.store")
            #expect(synced.code == 0, "\(synced)")
            let found = try place.run("nearest", "other.store", "photos", "--id", "dog", "--ids")
            #expect(found.output == "wolf\ncat\n", "\(found)")
            #expect(try place.run("verify", "other.store").code == 0)
        }
    }
}
