import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// Changes messages at random: bytes, cuts, repetitions, and the status.
private final class GarblingTransport: Transport {
    private let base: any Transport
    private let random: Mutex<SplitMix64>

    init(_ base: any Transport, _ random: SplitMix64) {
        self.base = base
        self.random = Mutex(random)
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        var response = try await base.send(request)
        guard let body = try? await response.body.collected(limit: 1 << 30) else { return response }
        let (status, text) = random.withLock { random in
            (
                random.once(in: 12) ? Int.random(in: 100..<600, using: &random) : response.status,
                random.once(in: 3) ? garbled(body, &random) : body
            )
        }
        response.status = status
        response.body = .bytes(text)
        return response
    }
}

/// Returns text with a few random changes.
private func garbled(_ text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var text = text
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0...text.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: text.removeSubrange(place...)
        case 1: text.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 2 where place < text.count: text[place] = UInt8.random(in: 0...255, using: &random)
        case 3 where place < text.count:
            text[place] = Array(#"{}[]",:0-9\eu$_"#.utf8).randomElement(using: &random) ?? 0
        case 4:
            let end = min(text.count, place + Int.random(in: 0..<200, using: &random))
            text.insert(contentsOf: text[place..<end], at: end)
        default:
            let end = min(text.count, place + Int.random(in: 0..<20, using: &random))
            text.removeSubrange(place..<end)
        }
    }
    return text
}

struct HostilePeerTests {
    private func fill(_ group: SyncedStores) throws {
        for n in 0..<20 {
            try group.photos(0).put(["id": .string("p\(n)"), "n": .int(Int64(n)), "title": "fog"])
            try group.photos(1).put(["id": .string("p\(n + 10)"), "n": .int(Int64(n)), "title": "rain"])
        }
    }

    @Test func `Garbled responses neither damage the store nor lose data`() async throws {
        for round in 0..<TestRun.rounds(20, long: 3000) {
            try await withSyncedStores(2) { group in
                var random = TestRun.random(stream: UInt64(round))
                try fill(group)
                let before = try group.photos(0).count()
                var options = Replicator.Options()
                options.batchLimit = 7
                for _ in 0..<4 {
                    let seed = random.next()
                    let server = try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"]))
                    let peer = Peer(
                        GarblingTransport(InProcessTransport(server), SplitMix64(seed: seed)), database: ["photos"],
                        policy: SyncedStores.hasty, attemptLimit: 3)
                    _ = try? await Replicator(group.photos(0), with: peer, options: options).run()
                }
                #expect(try group.photos(0).count() >= before)
                for store in group.stores { try expectSound(store) }
            }
        }
    }

    @Test func `Garbled requests are refused or answered, and the store stays sound`() async throws {
        try await withSyncedStores(1, limit: .seconds(TestRun.isLong ? 3600 : 600)) { group in
            var random = TestRun.random(stream: 1)
            for n in 0..<20 { try group.photos(0).put(["id": .string("p\(n)"), "n": .int(Int64(n))]) }
            let server = try SyncServer(group.stores[0], options: SyncServer.Options(collections: ["photos"]))
            let leaf = try #require(try group.photos(0).revision(of: "p1"))
            let requests: [(SyncRequest.Method, String, String)] = [
                (.get, "/photos/_changes?style=all_docs&since=0&limit=5&include_docs=true", ""),
                (.get, "/photos/_changes?feed=longpoll&timeout=1&since=now", ""),
                (.post, "/photos/_changes?filter=_doc_ids", #"{"doc_ids":["p1","p2"]}"#),
                (.post, "/photos/_changes?filter=_selector", #"{"selector":{"n":{"$gt":1}}}"#),
                (
                    .post, "/photos/_revs_diff",
                    #"{"p1":["\#(leaf)","3-abc"],"q":["1-00112233445566778899aabbccddeeff"]}"#
                ),
                (
                    .post, "/photos/_bulk_get?revs=true&latest=true",
                    #"{"docs":[{"id":"p1","rev":"\#(leaf)"},{"id":"p2"}]}"#
                ),
                (
                    .post, "/photos/_bulk_docs",
                    #"{"new_edits":false,"docs":[{"_id":"q","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"n":1}]}"#
                ),
                (.put, "/photos/q?new_edits=false", #"{"_id":"q","_rev":"1-c","n":{"$date":"2012-06-08T18:02:11Z"}}"#),
                (.get, "/photos/p1?open_revs=%5B%22\(leaf)%22%5D&revs=true", ""),
                (.put, "/photos/_local/abc", #"{"a":1,"_rev":"0-3"}"#), (.get, "/photos/_local/abc", ""),
                (.post, "/photos/_ensure_full_commit", "{}"), (.get, "/photos", ""), (.get, "/", ""),
            ]
            for request in requests {
                let response = await server.respond(
                    to: SyncRequest(request.0, request.1, body: .bytes(Array(request.2.utf8))))
                #expect(response.isSuccess || request.1.hasSuffix("abc"), "\(request.1): \(response.status)")
                _ = try await response.body.collected(limit: 1 << 20)
            }
            for _ in 0..<TestRun.rounds(2000, long: 100_000) {
                let request = try #require(requests.randomElement(using: &random))
                var (target, body) = (Array(request.1.utf8), Array(request.2.utf8))
                if random.once(in: 2) { target = garbled(target, &random) }
                if random.once(in: 2) { body = garbled(body, &random) }
                // A feed without an end is another test's.
                let text = String(decoding: target, as: UTF8.self).replacing("heartbeat", with: "x")
                    .replacing("continuous", with: "normal").replacing("timeout=", with: "timeout=1&x=")
                if let read = Target(text), read["feed"] == "longpoll", read["timeout"] != "1" { continue }
                let response = await server.respond(to: SyncRequest(request.0, text, body: .bytes(body)))
                #expect((200..<600).contains(response.status))
                // What begins with 200 can still end early.
                _ = try? await response.body.collected(limit: 1 << 20)
            }
            try expectSound(group.stores[0])
            #expect(try group.photos(0).count() >= 20)
        }
    }

    @Test func `A server refuses requests of web pages, and other names of its machine without a password`()
        async throws
    {
        try await withSyncedStores(1) { group in
            for login in [nil, ("anna", "geheim")] as [(name: String, password: String)?] {
                var options = SyncServer.Options(collections: ["photos"])
                options.login = login
                let server = try SyncServer(group.stores[0], options: options)
                func status(_ fields: HeaderFields, _ method: SyncRequest.Method = .get) async -> Int {
                    var request = SyncRequest(method, "/photos", fields: fields)
                    if let login {
                        request.fields["Authorization"] =
                            "Basic " + Base64.text(of: Array("\(login.name):\(login.password)".utf8))
                    }
                    return await server.respond(to: request).status
                }
                for host in [
                    "localhost", "LOCALHOST:6984", "lk.localhost:1", "127.0.0.1:6984", "[::1]:6984", "10.0.0.2",
                    "localhost.",
                ] {
                    #expect(await status(["Host": host]) == 200, "\(host)")
                }
                for host in [
                    "evil.example:6984", "localhost.evil.example", "", ":6984", "127.0.0.1.evil.example", "[x]evil",
                    "[", ".localhost", "1.2.3.4:1:evil", "a@localhost",
                ] {
                    #expect(await status(["Host": host]) == (login == nil ? 403 : 200), "\(host)")
                }
                #expect(await status(["Host": "localhost", "Origin": "https://evil.example"], .post) == 403)
                #expect(await status(["Origin": "null"], .put) == 403)
                #expect(await status(["Host": "localhost", "Content-Type": "text/plain"], .post) == 415)
                #expect(await status(["Host": "localhost"], .post) == 415)
                for (site, expected) in [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)] {
                    #expect(await status(["Sec-Fetch-Site": site]) == expected, "\(site)")
                }
            }
        }
    }

    @Test func `A server shows nothing without the right password`() async throws {
        try await withSyncedStores(1) { group in
            var options = SyncServer.Options(collections: ["photos"])
            options.login = ("anna", "geheim")
            let server = try SyncServer(group.stores[0], options: options)
            for target in ["/", "/photos", "/photos/_changes", "/other", "/photos/_local/x"] {
                for authorization in [
                    "", "Basic YW5uYTpnZWhlaW0", "Basic YW5uYTpnZWhlaW0=x", "Bearer YW5uYTpnZWhlaW0=",
                ] {
                    var request = SyncRequest(.get, target)
                    if !authorization.isEmpty { request.fields["Authorization"] = authorization }
                    #expect(await server.respond(to: request).status == 401, "\(target) \(authorization)")
                }
            }
            var request = SyncRequest(.get, "/photos")
            request.fields["Authorization"] = "Basic YW5uYTpnZWhlaW0="
            #expect(await server.respond(to: request).status == 200)
            let peer = Peer(
                InProcessTransport(server), database: ["photos"],
                credentials: .basic { ("anna", "falsch") }, policy: SyncedStores.hasty)
            let collection = try group.photos(0)
            await #expect {
                try await Replicator(collection, with: peer).run()
            } throws: { error in
                (error as? SyncError)?.code == .unauthorized && !"\(error)".contains("falsch")
            }
        }
    }
}
