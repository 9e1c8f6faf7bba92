#if Network
    import Foundation
    import Testing

    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif

    @testable import lkrepl

    @Suite struct `Replication over HTTP` {
        /// Runs `body` beside a server of two.store, which has two documents; one.store has one more.
        private static func with(
            _ arguments: [String] = [], password: String? = nil, _ body: (Workplace, ServingProcess) throws -> Void
        ) throws {
            try Workplace.with(program: Binary.built) { place in
                try place.makeItems("one.store")
                try place.makeItems("two.store")
                try place.store(#"{"id":"a","n":1}"#, in: "one.store")
                try place.store(#"{"id":"b","n":2}"#, #"{"id":"c","n":3}"#, in: "two.store")
                let server = try ServingProcess(place, ["two.store", "items"] + arguments, password: password)
                try body(place, server)
                try server.stop()
            }
        }

        private static func sync(
            _ place: Workplace, _ address: String, _ arguments: String..., password: String? = nil
        ) throws -> Outcome {
            try place.run(
                ["sync", "--write", "one.store", "items", address] + arguments,
                environment: password.map { ["LKREPL_PASSWORD": $0] } ?? [:])
        }

        @Test func `After replication, both stores have the same documents`() throws {
            try Self.with { place, server in
                let first = try Self.sync(place, server.address)
                #expect(first.code == 0 && first.says("pulled 2, pushed 1"), "\(first)")
                #expect(try place.ids(in: "one.store") == ["a", "b", "c"])
                let second = try Self.sync(place, server.address)
                #expect(second.code == 0 && second.says("pulled 0, pushed 0"), "\(second)")
                try server.stop()
                #expect(try place.ids(in: "two.store") == ["a", "b", "c"])
            }
        }

        @Test func `SIGTERM ends a server without a message`() throws {
            try Self.with { place, server in
                #expect(try Self.sync(place, server.address).code == 0)
                try server.stop()
                #expect(try place.text(of: "server-err") == "serve: \(server.address)\n")
                // The store is closed, so it can be served again.
                let again = try ServingProcess(place, ["two.store"], name: "again")
                #expect(try Self.sync(place, again.address).says("pulled 0, pushed 0"))
                try again.stop()
            }
        }

        @Test func `A continuous replication brings edits of both sides until SIGTERM`() throws {
            try Workplace.with(program: Binary.built) { place in
                for name in ["one.store", "two.store", "three.store"] { try place.makeItems(name) }
                try place.store(#"{"id":"a","n":1}"#, in: "one.store")
                try place.store(#"{"id":"b","n":2}"#, in: "three.store")
                let server = try ServingProcess(place, ["two.store", "items"])
                let follower = try place.start(
                    "sync", "--write", "--continuous", "one.store", "items", server.address, name: "follower")
                try place.waits { try place.text(of: "follower-err").contains("both sides are equal") }
                // An edit reaches two.store, and from there one.store, which nobody else can open meanwhile.
                let edit = try place.run("sync", "--write", "three.store", "items", server.address)
                #expect(edit.code == 0 && edit.says("pulled 1, pushed 1"), "\(edit)")
                try place.waits { try place.ids(in: "one.store") == ["a", "b"] }
                follower.signal(SIGTERM)
                #expect(try follower.wait() == 143)
                let text = try place.text(of: "follower-err")
                #expect(text.contains("sync: pulled 1, pushed ") && !text.contains("lkrepl:"), "\(text)")
                try server.stop()
            }
        }

        @Test func `A continuous replication reports an outage, and continues after it`() throws {
            try Self.with { place, server in
                let follower = try place.start(
                    "sync", "--write", "--continuous", "one.store", "items", server.address, name: "follower")
                try place.waits { try place.text(of: "follower-err").contains("both sides are equal") }
                try server.stop()
                try place.waits { try place.text(of: "follower-err").contains("trying again") }
                try place.store(#"{"id":"d","n":4}"#, in: "two.store")
                let again = try ServingProcess(place, ["two.store", "--port", server.port], name: "again")
                try place.waits { try place.ids(in: "one.store") == ["a", "b", "c", "d"] }
                #expect(try place.text(of: "follower-err").contains("connected again"))
                follower.signal(SIGINT)
                #expect(try follower.wait() == 130)
                try again.stop()
            }
        }

        @Test func `A server with a password admits only those who know it`() throws {
            try Self.with(["--user", "anna"], password: "oboe and flute") { place, server in
                let unnamed = try Self.sync(place, server.address)
                #expect(unnamed.code == 77 && unnamed.says("--user"), "\(unnamed)")
                for (name, password) in [("anna", "viola"), ("anne", "oboe and flute"), ("anna", "oboe and flut")] {
                    let wrong = try Self.sync(place, server.address, "--user", name, password: password)
                    #expect(wrong.code == 77 && wrong.says("LKREPL_PASSWORD") && !wrong.says(password), "\(wrong)")
                    let create = try Self.sync(place, server.address, "--create", "--user", name, password: password)
                    #expect(create.code == 77, "\(create)")
                }
                #expect(try place.ids(in: "one.store") == ["a"])
                let right = try Self.sync(place, server.address, "--user", "anna", password: "oboe and flute")
                #expect(right.code == 0 && right.says("pulled 2, pushed 1"), "\(right)")
                let named = server.address.replacing("http://", with: "http://anna@")
                #expect(try Self.sync(place, named, password: "oboe and flute").code == 0)
            }
        }

        @Test func `A server without a password for its name does not start`() throws {
            try Workplace.with(program: Binary.built) { place in
                try place.makeItems("two.store")
                let outcome = try place.run("serve", "--sync", "--write", "two.store", "--port", "0", "--user", "anna")
                #expect(outcome.code == 64 && outcome.says("LKREPL_PASSWORD"), "\(outcome)")
            }
        }

        @Test func `An unknown database exits with 66 and a hint`() throws {
            try Self.with { place, server in
                let other = server.address.replacing("/items", with: "/other")
                let unknown = try Self.sync(place, other)
                #expect(unknown.code == 66 && unknown.says("hint: ") && unknown.says("--create"), "\(unknown)")
                // Only CouchDB creates databases.
                let create = try Self.sync(place, other, "--create")
                #expect(create.code == 66 && create.says("creates none"), "\(create)")
                #expect(try Self.sync(place, server.address, "--create").code == 0)
            }
        }

        @Test func `A read-only server rejects pushes`() throws {
            try Self.with(["--read-only"]) { place, server in
                let push = try Self.sync(place, server.address, "--push")
                #expect(push.code == 77, "\(push)")
                let pull = try Self.sync(place, server.address, "--pull")
                #expect(pull.code == 0 && pull.says("pulled 2"), "\(pull)")
                try server.stop()
                #expect(try place.ids(in: "two.store") == ["b", "c"])
            }
        }

        @Test func `Conflicts of two stores reach both, and their resolution, too`() throws {
            try Workplace.with(program: Binary.built) { place in
                try place.makeItems("one.store")
                try place.makeItems("two.store")
                try place.diverge()
                var server = try ServingProcess(place, ["two.store"])
                let found = try Self.sync(place, server.address)
                #expect(found.code == 0 && found.says("1 conflict,"), "\(found)")
                try server.stop()
                let listed = try ["one.store", "two.store"].map { try place.run("conflicts", $0, "items").output }
                #expect(listed[0] == listed[1] && listed[0].contains(#""id":"a""#), "\(listed)")
                let resolved = try place.run("resolve", "--write", "one.store", "items", "a", "--merge", "--sets", "k")
                #expect(resolved.code == 0, "\(resolved)")
                server = try ServingProcess(place, ["two.store"])
                let sent = try Self.sync(place, server.address)
                #expect(sent.code == 0 && !sent.says("conflict"), "\(sent)")
                try server.stop()
                for name in ["one.store", "two.store"] {
                    #expect(try place.run("conflicts", name, "items").output.isEmpty)
                    let merged = try place.run("doc", "get", name, "items", "a").output
                    #expect(merged.contains(#""n":2"#) && merged.contains(#""t":"fog""#), "\(name): \(merged)")
                }
            }
        }

        @Test func `Two servers cannot have one port`() throws {
            try Self.with { place, server in
                let outcome = try place.run("serve", "--sync", "--write", "one.store", "--port", server.port)
                #expect(outcome.code == 69 && outcome.says("port is in use"), "\(outcome)")
            }
        }

        @Test func `An address at which nothing listens exits with 69`() throws {
            try Self.with { place, server in
                try server.stop()
                let outcome = try Self.sync(place, server.address)
                #expect(outcome.code == 69 && outcome.says("check the address"), "\(outcome)")
                #expect(outcome.says("trying again"), "\(outcome)")
                let far = try Self.sync(place, "http://localhost:70000/items")
                #expect(far.code == 64 && far.says("ports are 1 to 65535"), "\(far)")
                let secure = server.address.replacing("http:", with: "https:")
                let file = try Self.sync(place, secure, "--cacert", "none.pem")
                #expect(file.code == 64, "\(file)")
            }
        }
    }

    @Suite struct `The inspector from the command line` {
        @Test func `serve prints two addresses with one token, writes nothing, and ends at SIGTERM`() throws {
            try Workplace.with(program: Binary.built) { place in
                try place.makeItems()
                try place.store(#"{"id":"a","n":1}"#, in: "items.store")
                let before = try place.dump("items.store")
                let child = try place.start(["serve", "items.store"], name: "inspector")
                try place.waits { try place.text(of: "inspector-err").split(separator: "\n").count == 2 }
                let text = try place.text(of: "inspector-err")
                let pattern = /serve: http:\/\/lk-[0-9a-f]{8}\.localhost:(\d+)\/\?token=([0-9a-f]{32})\n/
                let first = try #require(text.firstMatch(of: pattern), "\(text)")
                #expect(text.contains("http://127.0.0.1:\(first.output.1)/?token=\(first.output.2)\n"))
                // Nobody is kept from writing meanwhile.
                try place.store(#"{"id":"b","n":2}"#, in: "items.store")
                child.signal(SIGTERM)
                #expect(try child.wait() == 143)
                #expect(try place.text(of: "inspector-err") == text)
                #expect(try place.ids(in: "items.store") == ["a", "b"])
                #expect(try place.dump("items.store") != before)
            }
        }

        @Test(arguments: [
            (["items"], "omit items, or add --sync"), (["--listen", "0.0.0.0"], "omit --listen, or add --sync"),
            (["--user", "anna"], "need --sync"), (["--read-only"], "need --sync"), (["--port", "70000"], "0 to 65535"),
        ])
        func `What belongs to a replication needs --sync`(arguments: [String], message: String) throws {
            try Workplace.with(program: Binary.built) { place in
                try place.makeItems()
                let outcome = try place.run(["serve", "items.store"] + arguments)
                #expect(outcome.code == 64 && outcome.says(message), "\(outcome)")
            }
        }
    }

    /// `lkrepl serve --sync` in a process of its own.
    private final class ServingProcess {
        /// The address of the first collection, such as `http://127.0.0.1:40123/items`.
        let address: String
        private let child: ChildProcess

        var port: String { URLComponents(string: address)?.port.map { "\($0)" } ?? "" }

        /// Starts a server at a free port, and waits until it listens.
        init(_ place: Workplace, _ arguments: [String], password: String? = nil, name: String = "server") throws {
            var arguments = ["serve", "--sync", "--write"] + arguments
            if !arguments.contains("--port") { arguments += ["--port", "0"] }
            let child = try place.start(
                arguments, name: name, environment: password.map { ["LKREPL_PASSWORD": $0] } ?? [:])
            try place.waits { try place.text(of: name + "-err").contains("\n") }
            let text = try place.text(of: name + "-err")
            let line = try #require(text.split(separator: "\n").first)
            address = String(line.trimmingPrefix("serve: "))
            try #require(address.hasPrefix("http://127.0.0.1:"), "\(text)")
            self.child = child
        }

        /// Ends the server in the orderly way.
        func stop() throws {
            child.signal(SIGTERM)
            #expect(try child.wait() == 143)
        }
    }

    extension Workplace {
        fileprivate func text(of name: String) throws -> String {
            has(name) ? String(decoding: try read(name), as: UTF8.self) : ""
        }

        /// Waits until a condition holds.
        fileprivate func waits(_ condition: () throws -> Bool) throws {
            let start = ContinuousClock.now
            while try !condition() {
                guard ContinuousClock.now - start < .seconds(ChildProcess.hangLimit) else {
                    throw ChildProcess.Failure(what: "a condition did not become true")
                }
                usleep(20_000)
            }
        }
    }
#endif
