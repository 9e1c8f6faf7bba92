#if Network
    import DocIndex
    import DocNetwork
    import DocSync
    import Inspector
    import TestSupport
    import Testing

    /// The inspector behind a socket.
    @Suite struct InspectorServerTests {
        /// Runs `body` with the port and the token of an inspector of a store with one document.
        private static func with(
            headTime: Duration = .seconds(10),
            _ body: @escaping @Sendable (DocumentStore, Int, String) async throws -> Void
        ) async throws {
            let directory = try withTemporaryDirectory { $0 }
            try TestFiles.makeDirectory(directory)
            defer { try? TestFiles.remove(directory) }
            try await within {
                let schema = Schema(collections: [CollectionDefinition("photos")])
                let store = try DocumentStore.open(at: directory + "/photos.store", schema: schema)
                try store.collection("photos").put(["id": "a", "title": "Harbour"])
                let inspector = Inspector(store)
                let listening = AsyncStream<Void>.makeStream()
                let server = Task(executorPreference: OwnThreads.shared) {
                    var configuration = HTTPServer.Configuration()
                    configuration.executor = OwnThreads.shared
                    configuration.headTime = headTime
                    try await inspector.run(configuration) { listening.continuation.yield() }
                }
                for await _ in listening.stream { break }
                let address = try #require(inspector.addresses.last)
                let parts = address.split { ":/".contains($0) }
                let port = try #require(Int(parts[2]))
                let token = try #require(address.split(separator: "token=").last.map(String.init))
                try await body(store, port, token)
                server.cancel()
                try await server.value
                try store.close()
            }
        }

        private static func answer(_ port: Int, _ text: String) throws -> String {
            let socket = try RawSocket.connected(to: port)
            try socket.send(text.replacing("\n", with: "\r\n"))
            return try socket.receivedToEnd()
        }

        @Test func `The token opens the pages, and nothing else does`() async throws {
            try await Self.with { _, port, token in
                let host = "Host: 127.0.0.1:\(port)\nConnection: close\n"
                let first = try Self.answer(port, "GET /?token=\(token) HTTP/1.1\n\(host)\n")
                #expect(first.hasPrefix("HTTP/1.1 303 "))
                let cookie = try #require(first.firstMatch(of: /Set-Cookie: ([^;]*);/)).output.1
                let page = try Self.answer(port, "GET /c/photos HTTP/1.1\n\(host)Cookie: \(cookie)\n\n")
                #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("Harbour"), "\(page)")
                #expect(try Self.answer(port, "GET / HTTP/1.1\n\(host)\n").hasPrefix("HTTP/1.1 401 "))
                let bearer = "Authorization: Bearer \(token)\n"
                #expect(try Self.answer(port, "GET /api/v1 HTTP/1.1\n\(host)\(bearer)\n").hasPrefix("HTTP/1.1 200 "))
                for wrong in ["Host: evil.example\n", "", host + "Host: 127.0.0.1:\(port)\n", host + "Host: a\n"] {
                    let text = "GET / HTTP/1.1\n\(wrong)\(bearer)Connection: close\n\n"
                    let answer = try Self.answer(port, text)
                    #expect(
                        answer.hasPrefix("HTTP/1.1 421 ") || answer.hasPrefix("HTTP/1.1 400 "), "\(wrong): \(answer)")
                }
            }
        }

        @Test func `A commit reaches a listening client at once, and the server ends all the same`() async throws {
            try await Self.with { store, port, token in
                let socket = try RawSocket.connected(to: port)
                try socket.send(
                    "GET /api/v1/changes HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n")
                #expect(try socket.received(upTo: "hello").contains("text/event-stream"))
                // As often as necessary on a busy machine. Without being told of the commit, the server would send each
                // of them with its next sign of life, after 15 seconds.
                var isPrompt = false
                for number in 0..<10 where !isPrompt {
                    let begin = ContinuousClock.now
                    try store.collection("photos").put(["id": .string("b\(number)")])
                    #expect(try socket.received(upTo: "\"b\(number)\"").contains("event: change"))
                    isPrompt = ContinuousClock.now - begin < .seconds(5)
                }
                #expect(isPrompt)
            }
        }

        @Test func `Clients that are silent make room for others`() async throws {
            try await Self.with(headTime: .seconds(600)) { _, port, token in
                var silent = try (0..<64).map { _ in try RawSocket.connected(to: port) }
                let text = "GET /api/v1 HTTP/1.1\nHost: 127.0.0.1:\(port)\nAuthorization: Bearer \(token)\n"
                // Without making room, it would wait ten minutes for the first of them.
                #expect(try Self.answer(port, text + "Connection: close\n\n").hasPrefix("HTTP/1.1 200 "))
                silent.removeAll()
            }
        }

        @Test func `The IPv6 address of this machine has the same port`() async throws {
            try await Self.with { _, port, token in
                guard let socket = try RawSocket.connected(toIPv6: port) else { return }
                try socket.send(
                    "GET /api/v1 HTTP/1.1\r\nHost: [::1]:\(port)\r\nAuthorization: Bearer \(token)\r\n"
                        + "Connection: close\r\n\r\n")
                #expect(try socket.receivedToEnd().hasPrefix("HTTP/1.1 200 "))
            }
        }

        @Test func `Bytes that are not requests do no harm`() async throws {
            try await Self.with { _, port, token in
                var random = TestRun.random(stream: 82)
                for _ in 0..<200 {
                    let socket = try RawSocket.connected(to: port)
                    var bytes = Array("GET /c/photos?where=a HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
                    for _ in 0..<(1 + random.next() % 20) {
                        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next() % 128)
                    }
                    try? socket.send(String(decoding: bytes, as: UTF8.self))
                }
                let text =
                    "GET /api/v1 HTTP/1.1\nHost: 127.0.0.1:\(port)\nAuthorization: Bearer \(token)\nConnection: close\n\n"
                #expect(try Self.answer(port, text).hasPrefix("HTTP/1.1 200 "))
            }
        }
    }
#endif
