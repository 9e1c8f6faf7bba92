import Foundation
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Replication with a store` {
    /// Runs `body` in a place with two stores: one.store with three documents, and two.store with none.
    private static func with(_ body: (Workplace) throws -> Void) throws {
        try Workplace.with { place in
            try place.makeItems("one.store")
            try place.makeItems("two.store")
            try place.store(#"{"id":"a","n":1}"#, #"{"id":"b","n":5}"#, #"{"id":"c","n":9}"#, in: "one.store")
            try body(place)
        }
    }

    private static func sync(_ place: Workplace, _ arguments: String...) throws -> Outcome {
        try place.run(["sync", "--write", "one.store", "items", "two.store"] + arguments)
    }

    @Test func `Both stores have all documents afterwards, and a second run changes nothing`() throws {
        try Self.with { place in
            try place.store(#"{"id":"d","n":4}"#, in: "two.store")
            let first = try Self.sync(place)
            #expect(first.code == 0 && first.says("pulled 1, pushed 3") && first.output.isEmpty, "\(first)")
            for name in ["one.store", "two.store"] {
                #expect(try place.ids(in: name) == ["a", "b", "c", "d"], "\(name)")
            }
            let second = try Self.sync(place)
            #expect(second.code == 0 && second.says("pulled 0, pushed 0"), "\(second)")
            // The other one can start it, too.
            let reverse = try place.run("sync", "--write", "two.store", "items", "one.store")
            #expect(reverse.code == 0 && reverse.says("pulled 0, pushed 0"), "\(reverse)")
        }
    }

    @Test func `Edits and deletions travel`() throws {
        try Self.with { place in
            #expect(try Self.sync(place).code == 0)
            try place.store(#"{"id":"a","n":2}"#, in: "two.store")
            #expect(try place.run("doc", "del", "--write", "one.store", "items", "b").code == 0)
            #expect(try Self.sync(place).says("pulled 1, pushed 1"))
            for name in ["one.store", "two.store"] {
                #expect(try place.ids(in: name) == ["a", "c"], "\(name)")
                #expect(try place.run("doc", "get", name, "items", "a").output == #"{"id":"a","n":2}"# + "\n")
            }
        }
    }

    @Test func `A one-way sync transfers nothing in the other direction`() throws {
        try Self.with { place in
            try place.store(#"{"id":"d","n":4}"#, in: "two.store")
            let pull = try Self.sync(place, "--pull")
            #expect(pull.code == 0 && pull.says("pulled 1, ") && !pull.says("pushed"), "\(pull)")
            #expect(try place.ids(in: "one.store") == ["a", "b", "c", "d"])
            #expect(try place.ids(in: "two.store") == ["d"])
            let push = try Self.sync(place, "--push")
            #expect(push.code == 0 && push.says("pushed 3, ") && !push.says("pulled"), "\(push)")
            #expect(try place.ids(in: "two.store") == ["a", "b", "c", "d"])
        }
    }

    @Test func `A filter limits the documents that are pulled and pushed`() throws {
        try Self.with { place in
            try place.store(#"{"id":"d","n":4}"#, #"{"id":"e","n":6}"#, in: "two.store")
            let outcome = try Self.sync(place, "--filter", "n >= 5")
            #expect(outcome.code == 0 && outcome.says("pulled 1, pushed 2"), "\(outcome)")
            #expect(try place.ids(in: "one.store") == ["a", "b", "c", "e"])
            #expect(try place.ids(in: "two.store") == ["b", "c", "d", "e"])
            // Without the filter, the rest follows.
            #expect(try Self.sync(place).code == 0)
            #expect(try place.ids(in: "one.store") == place.ids(in: "two.store"))
        }
    }

    @Test func `Edits of both sides are a conflict, which the command counts`() throws {
        try Self.with { place in
            try place.diverge()
            let outcome = try Self.sync(place)
            #expect(outcome.code == 0 && outcome.says("1 conflict,"), "\(outcome)")
            #expect(outcome.says("sync: lkrepl conflicts one.store items lists the conflicts"), "\(outcome)")
            // Both sides choose the same winner.
            let winners = try ["one.store", "two.store"].map { try place.run("doc", "get", $0, "items", "a").output }
            #expect(winners[0] == winners[1])
        }
    }

    @Test func `--merge unites edits of different members, and sets by their elements`() throws {
        try Self.with { place in
            try place.diverge()
            let outcome = try Self.sync(place, "--merge", "--sets", "k")
            #expect(outcome.code == 0 && outcome.says("1 conflict merged"), "\(outcome)")
            for name in ["one.store", "two.store"] {
                let merged = try place.run("doc", "get", name, "items", "a").output
                #expect(merged.contains(#""n":2"#) && merged.contains(#""t":"fog""#), "\(name): \(merged)")
                #expect(merged.contains("sea") && merged.contains("sky"), "\(name): \(merged)")
            }
            #expect(try Self.sync(place).says("pulled 0, pushed 0"))
        }
    }

    @Test func `Documents that cannot be replicated are listed, and the exit code is 65`() throws {
        try Self.with { place in
            try place.store(#"{"id":"x","_private":1}"#, #"{"id":7,"n":1}"#, in: "one.store")
            for _ in 0..<2 {
                let outcome = try Self.sync(place)
                #expect(outcome.code == 65 && outcome.says("2 left out"), "\(outcome)")
                #expect(outcome.lines.count == 2, "\(outcome)")
                #expect(outcome.output.contains(#"{"id":"x","reason":"reservedMember","message":"#), "\(outcome)")
                #expect(outcome.output.contains(#""reason":"invalidID""#), "\(outcome)")
                #expect(try place.ids(in: "two.store") == ["a", "b", "c"])
            }
            // Without its cause, the document travels.
            try place.store(#"{"id":"x","n":3}"#, in: "one.store")
            #expect(try place.run("doc", "del", "--write", "one.store", "items", "7").code == 0)
            let outcome = try Self.sync(place)
            #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.says("pushed 1"), "\(outcome)")
        }
    }

    @Test func `--create makes a store with the same schema`() throws {
        try Self.with { place in
            let missing = try place.run("sync", "--write", "one.store", "items", "new.store")
            #expect(missing.code == 66 && !place.has("new.store"), "\(missing)")
            let made = try place.run("sync", "--write", "one.store", "items", "new.store", "--create")
            #expect(made.code == 0 && made.says("sync: created ") && made.says("pushed 3"), "\(made)")
            #expect(try place.run("schema", "new.store").output == place.run("schema", "one.store").output)
            let again = try place.run("sync", "--write", "one.store", "items", "new.store", "--create")
            #expect(again.code == 0 && !again.says("created"), "\(again)")
        }
    }

    @Test func `A copy of a store replicates like another store`() throws {
        try Self.with { place in
            #expect(try Self.sync(place).code == 0)
            #expect(try place.run("snapshot", "one.store", "copy.store").code == 0)
            try place.store(#"{"id":"d","n":4}"#, in: "one.store")
            try place.store(#"{"id":"e","n":6}"#, in: "copy.store")
            #expect(try Self.sync(place).code == 0)
            #expect(try place.run("sync", "--write", "copy.store", "items", "two.store").code == 0)
            #expect(try Self.sync(place).code == 0)
            for name in ["one.store", "two.store", "copy.store"] {
                #expect(try place.ids(in: name) == ["a", "b", "c", "d", "e"], "\(name)")
            }
        }
    }

    @Test func `Attached files travel with their documents`() throws {
        try Self.with { place in
            try place.write((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }, to: "large.bin")
            let attached = try place.run(
                "attach", "add", "--write", "one.store", "items", "a", "original", "large.bin")
            try #require(attached.code == 0, "\(attached)")
            let outcome = try Self.sync(place)
            #expect(outcome.code == 0 && outcome.says("300.0 kB of attached files"), "\(outcome)")
            #expect(try place.run("attach", "get", "two.store", "items", "a").bytes == place.read("large.bin"))
            #expect(try place.run("verify", "two.store", "--full").code == 0)
        }
    }

    /// A faulty call, and what the command answers.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var peer: String
        var arguments: [String] = []
        var environment: [String: String] = [:]
        var code: Int32
        var message: String

        var testDescription: String { ([peer] + arguments).joined(separator: " ") }
    }

    static let refusals = [
        Refusal(peer: "none.store", code: 66, message: "no database at"),
        Refusal(peer: "one.store", code: 64, message: "one.store is the store itself"),
        Refusal(peer: "./one.store/", code: 64, message: "is the store itself"),
        Refusal(peer: "other.store", code: 64, message: "no collection named items; it has photos"),
        Refusal(peer: "two.store", arguments: ["--pull", "--push"], code: 64, message: "omit both"),
        Refusal(peer: "two.store", arguments: ["--sets", "k"], code: 64, message: "--sets needs --merge"),
        Refusal(peer: "two.store", arguments: ["--filter", "n >"], code: 64, message: "cannot be read"),
        Refusal(peer: "ftp://nas/items", code: 64, message: "is not the address of a database"),
        Refusal(peer: "http://", code: 64, message: "is not a URL"),
        Refusal(peer: "http://localhost:6984", code: 64, message: "names no database"),
        Refusal(peer: "http://localhost:6984/items?a=b", code: 64, message: "is not a URL"),
        Refusal(peer: "http://anna@localhost:6984/items", code: 64, message: "there is no password for anna"),
        Refusal(
            peer: "http://localhost:6984/items", arguments: ["--user", "anna"], code: 64,
            message: "LKREPL_PASSWORD"),
        Refusal(
            peer: "http://nas.invalid/items", arguments: ["--user", "anna"], environment: ["LKREPL_PASSWORD": "oboe"],
            code: 64, message: "without TLS"),
        Refusal(
            peer: "http://nas.invalid/items", environment: ["LKREPL_TOKEN": "oboe"], code: 64, message: "without TLS"),
    ]

    @Test(arguments: refusals)
    func `A wrong call says what is wrong, and changes nothing`(refusal: Refusal) throws {
        try Self.with { place in
            try place.makePhotos("other.store")
            let before = try place.dump("one.store")
            let outcome = try place.run(
                ["sync", "--write", "one.store", "items", refusal.peer] + refusal.arguments,
                environment: refusal.environment)
            #expect(outcome.code == refusal.code && outcome.says(refusal.message), "\(outcome)")
            #expect(outcome.output.isEmpty && !outcome.says("oboe"), "\(outcome)")
            #expect(try place.dump("one.store") == before)
        }
    }

    @Test func `A password in an address is refused, and not repeated`() throws {
        try Self.with { place in
            let outcome = try place.run("sync", "--write", "one.store", "items", "http://anna:oboe@localhost:1/items")
            #expect(outcome.code == 64 && outcome.says("LKREPL_PASSWORD") && !outcome.says("oboe"), "\(outcome)")
        }
    }

    @Test func `Nothing is replicated or served without --write`() throws {
        try Self.with { place in
            let before = try place.dump("one.store")
            for command in [["sync", "one.store", "items", "two.store"], ["serve", "--sync", "one.store", "items"]] {
                let outcome = try place.run(command)
                #expect(outcome.code == 77 && outcome.says("add --write"), "\(outcome)")
            }
            #expect(try place.dump("one.store") == before)
            #expect(try place.ids(in: "two.store").isEmpty)
        }
    }

    @Test func `A server for other machines needs a certificate and a password`() throws {
        try Self.with { place in
            for arguments in [[], ["--user", "anna"]] {
                let outcome = try place.run(
                    ["serve", "--sync", "--write", "one.store", "--listen", "0.0.0.0", "--port", "0"] + arguments,
                    environment: ["LKREPL_PASSWORD": "oboe"])
                #expect(outcome.code == 64 && outcome.says("add --cert and --key"), "\(outcome)")
            }
            let lonely = try place.run("serve", "--sync", "--write", "one.store", "--cert", "a.pem")
            #expect(lonely.code == 64 && lonely.says("must be given together"), "\(lonely)")
            let unknown = try place.run("serve", "--sync", "--write", "one.store", "photos")
            #expect(unknown.code == 64 && unknown.says("no collection named photos"), "\(unknown)")
        }
    }

    #if !Network
        @Test func `A program without a client of the network says so`() throws {
            try Self.with { place in
                let sync = try place.run("sync", "--write", "one.store", "items", "http://localhost:6984/items")
                #expect(sync.code == 69 && sync.says("without an HTTP client"), "\(sync)")
                let serve = try place.run(
                    "serve", "--sync", "--write", "one.store", "--port", "0", "--cert", "a.pem", "--key", "a.key")
                #expect(serve.code == 69 && serve.says("--traits Network"), "\(serve)")
            }
        }
    #endif
}

extension Workplace {
    /// Stores documents, in place of those with the same IDs.
    func store(_ documents: String..., in name: String) throws {
        let outcome = try run(
            "import", "--write", name, "items", "-",
            input: documents.joined(separator: "\n") + "\n")
        try #require(outcome.code == 0, "\(outcome)")
    }

    /// The IDs of the documents.
    func ids(in name: String) throws -> [String] {
        try run("find", name, "items", "--ids").lines.sorted()
    }

    /// Replicates one.store with two.store, and then changes different members of a document on both sides.
    func diverge() throws {
        try store(#"{"id":"a","n":1,"k":["sand"],"t":"rain"}"#, in: "one.store")
        let outcome = try run("sync", "--write", "one.store", "items", "two.store")
        try #require(outcome.code == 0, "\(outcome)")
        try store(#"{"id":"a","n":2,"k":["sand","sea"],"t":"rain"}"#, in: "one.store")
        try store(#"{"id":"a","n":1,"k":["sand","sky"],"t":"fog"}"#, in: "two.store")
    }
}
