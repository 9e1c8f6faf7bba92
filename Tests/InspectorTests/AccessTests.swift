import DocIndex
import DocSync
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Access to the inspector` {
    private static let routes = ["/", "/c/photos", "/c/photos/doc/p1", "/api/v1", "/problems/busy", "/nothing"]

    @Test func `The token in the address becomes a cookie, and leaves the address`() async throws {
        try await withInspectedStore { inspected in
            let address = try #require(inspected.inspector.address)
            #expect(address.hasPrefix("http://lk-") && address.contains(".localhost:8101/?token="))
            let target = "/c/photos?where=rating%20%3D%204&token=\(inspected.inspector.token)"
            let answer = try await inspected.send(SyncRequest(.get, target, fields: ["Host": InspectedStore.host]))
            #expect(answer.status == 303 && answer.fields["Location"] == "/c/photos?where=rating%20%3D%204")
            let cookie = try #require(answer.fields["Set-Cookie"])
            #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
            let pair = String(cookie.prefix { $0 != ";" })
            let next = SyncRequest(.get, "/", fields: ["Host": InspectedStore.host, "Cookie": "other=1; \(pair)"])
            #expect(try await inspected.send(next).status == 200)
            let program = SyncRequest(
                .get, "/api/v1",
                fields: ["Host": InspectedStore.host, "Authorization": "Bearer \(inspected.inspector.token)"])
            #expect(try await inspected.send(program).status == 200)
        }
    }

    @Test func `A token in any wrong form admits nobody`() async throws {
        try await withInspectedStore { inspected in
            let token = inspected.inspector.token
            let wrong: [HeaderFields] = [
                [:], ["Cookie": ""], ["Cookie": "lk-inspector-8101="],
                ["Cookie": "lk-inspector-8101=\(token.dropLast())"],
                ["Cookie": "lk-inspector-8101=\(token)0"], ["Cookie": "lk-inspector-8102=\(token)"],
                ["Cookie": "lk-inspector-8101=\(token.uppercased())0"], ["Authorization": "Bearer"],
                ["Authorization": "Bearer \(token)x"], ["Authorization": "Basic \(token)"], ["Authorization": token],
                ["Authorization": "Bearer " + String(repeating: "0", count: 32)],
                // A wrong field is not forgiven because of a right one.
                ["Authorization": "Bearer x", "Cookie": "lk-inspector-8101=\(token)"],
            ]
            for fields in wrong {
                for route in Self.routes {
                    var all: HeaderFields = ["Host": InspectedStore.host]
                    for field in fields.fields { all.append(field.name, field.value) }
                    let answer = try await inspected.send(SyncRequest(.get, route, fields: all))
                    #expect(answer.status == 401, "\(fields) \(route)")
                    #expect(!answer.text.contains("photos.store/") && !answer.text.contains(token))
                }
            }
            for target in ["/?token=", "/?token=\(token)0", "/?token=\(token.dropLast())", "/?token=%00"] {
                let answer = try await inspected.send(SyncRequest(.get, target, fields: ["Host": InspectedStore.host]))
                #expect(answer.status == 401 && answer.fields["Set-Cookie"] == nil, "\(target)")
            }
        }
    }

    @Test func `Only one Host that names the server with its port is accepted`() async throws {
        try await withInspectedStore { inspected in
            let own = try #require(inspected.inspector.addresses.first).dropFirst("http://".count).prefix { $0 != "/" }
            for host in [InspectedStore.host, "localhost:8101", "[::1]:8101", "LocalHost:8101", String(own)] {
                var request = inspected.request("/")
                request.fields["Host"] = host
                #expect(try await inspected.send(request).status == 200, "\(host)")
            }
            for host in [
                "", "evil.example", "evil.example:8101", "127.0.0.1", "127.0.0.1:8102", "127.0.0.1:8101.evil.example",
                "127.0.0.1:8101, evil.example", "lk-00000000.localhost:8101", "0.0.0.0:8101", "127.0.0.1:08101",
                "user@127.0.0.1:8101", "127.0.0.1:8101/",
            ] {
                var request = inspected.request("/")
                request.fields["Host"] = host
                #expect(try await inspected.send(request).status == 421, "\(host)")
            }
            var none = inspected.request("/")
            none.fields["Host"] = nil
            #expect(try await inspected.send(none).status == 421)
            for second in [InspectedStore.host, "evil.example"] {
                let twice = inspected.request("/", fields: ["host": second])
                #expect(try await inspected.send(twice).status == 421)
            }
        }
    }

    @Test func `Before its port is known, the inspector answers nobody`() async throws {
        try await withInspectedStore { inspected in
            let early = Inspector(inspected.store)
            #expect(early.address == nil)
            let answer = await early.respond(to: inspected.request("/"))
            #expect(answer.status == 421)
        }
    }

    @Test func `Requests that could change something are refused, from other sites with 403`() async throws {
        try await withInspectedStore { inspected in
            for route in Self.routes {
                for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"] {
                    let method = SyncRequest.Method(rawValue: method)
                    let answer = try await inspected.send(inspected.request(route, method: method))
                    #expect(answer.status == 405 && answer.fields["Allow"] == "GET, HEAD", "\(method) \(route)")
                    for foreign: HeaderFields in [
                        ["Origin": "http://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
                        ["Sec-Fetch-Site": "same-site"],
                    ] {
                        let request = inspected.request(route, method: method, fields: foreign)
                        #expect(try await inspected.send(request).status == 403, "\(method) \(route) \(foreign)")
                    }
                }
                let head = try await inspected.send(inspected.request(route, method: .head))
                #expect(head.status == (try await inspected.get(route)).status)
            }
        }
    }

    @Test func `Addresses that are too long or not UTF-8 are refused`() async throws {
        try await withInspectedStore { inspected in
            let long = "/c/photos?where=" + String(repeating: "a", count: 9000)
            let tooLong = try await inspected.get(long)
            #expect(tooLong.status == 414)
            for target in ["/%ff", "/c/%", "/?where=%c3", "nothing", "", "*", "http://evil.example/"] {
                let answer = try await inspected.get(target)
                #expect(answer.status == 400, "\(target)")
            }
        }
    }

    @Test func `A token is 128 bits, and another one at each start`() {
        let tokens = Set((0..<100).map { _ in AccessToken().text })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.utf8.count == 32 })
        #expect(AccessToken.hexadecimal(0, digitCount: 16) == "0000000000000000")
        #expect(AccessToken(text: "ab").matches("ab") && !AccessToken(text: "ab").matches("abc"))
        #expect(!AccessToken(text: "ab").matches("") && !AccessToken(text: "ab").matches("a\u{0}"))
    }
}
