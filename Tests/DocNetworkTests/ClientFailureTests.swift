#if Network
    import DocNetwork
    import DocSync
    import TestSupport
    import Testing

    /// How a client reports the failures of a connection, and how it ends one. Most peers here are no proper servers.
    @Suite struct ClientFailureTests {
        /// Runs a test with a client of a peer that receives the head of each request and then does what `answer` does.
        private static func withPeer(
            answer: @escaping @Sendable (RawSocket) async throws -> Void,
            _ body: @escaping @Sendable (HTTPClientTransport) async throws -> Void
        ) async throws {
            try await within {
                let (socket, port) = try RawSocket.listening()
                let peer = Task(executorPreference: OwnThreads.shared) {
                    while !Task.isCancelled {
                        let connection = try socket.accepted()
                        _ = try connection.received(upTo: "\r\n\r\n")
                        try await answer(connection)
                    }
                }
                try await body(client(of: port))
                peer.cancel()
            }
        }

        private static func get(_ silenceLimit: Duration = .seconds(30)) -> SyncRequest {
            SyncRequest(.get, "/", silenceLimit: silenceLimit)
        }

        @Test func `A port that nobody listens at and a name without an address are unreachable`() async throws {
            try await within {
                let (reserved, port) = try RawSocket.reserving()
                let closed = try client(of: port)
                await expectTransportError(.unreachable) { _ = try await closed.send(Self.get()) }
                withExtendedLifetime(reserved) {}
                let unknown = try HTTPClientTransport(to: PeerAddress(parsing: "http://name.invalid:5984"))
                await expectTransportError(.unreachable) { _ = try await unknown.send(Self.get()) }
            }
        }

        @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc\r\n\r\n", "\u{15}\u{3}\u{1}\u{2}\u{2}F"])
        func `A response that is not HTTP is reported as malformed`(answer: String) async throws {
            try await Self.withPeer {
                try $0.send(answer)
                _ = try $0.receivedToEnd()
            } _: { peer in
                await expectTransportError(.malformed) { _ = try await peer.send(Self.get()) }
            }
        }

        @Test func `A connection that closes before the response is reported as cut`() async throws {
            try await Self.withPeer { _ in
            } _: { peer in
                await expectTransportError(.cut) { _ = try await peer.send(Self.get()) }
            }
        }

        @Test(arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n",
        ])
        func `A body that ends too early is reported as cut after the bytes that arrived`(answer: String) async throws {
            try await Self.withPeer {
                try $0.send(answer)
            } _: { peer in
                let response = try await peer.send(Self.get())
                #expect(response.status == 200)
                var iterator = response.body.chunks.makeAsyncIterator()
                #expect(try await iterator.next() == Array("short".utf8))
                await expectTransportError(.cut) { _ = try await iterator.next() }
            }
        }

        @Test func `A server whose body fails closes the connection without ending it`() async throws {
            struct Failure: Error {}
            for byteCount in [nil, 100] as [Int64?] {
                try await withServer { _ in
                    let made = Count()
                    let body = ByteStream(byteCount: byteCount) {
                        made.add()
                        guard made.value == 1 else { throw Failure() }
                        return Array("first".utf8)
                    }
                    return SyncResponse(status: 200, body: .stream(body))
                } _: { server in
                    let response = try await client(of: server.port).send(Self.get())
                    await expectTransportError(.cut) { _ = try await response.body.text }
                }
            }
        }

        @Test func `A server that sends fewer or more bytes than it declared closes the connection`() async throws {
            for declared in [3, 7] as [Int64] {
                try await withServer { _ in
                    let made = Count()
                    let body = ByteStream(byteCount: declared) {
                        made.add()
                        return made.value == 1 ? Array("12345".utf8) : nil
                    }
                    return SyncResponse(status: 200, body: .stream(body))
                } _: { server in
                    let response = try await client(of: server.port).send(Self.get())
                    await expectTransportError(.cut) { _ = try await response.body.text }
                }
            }
        }

        /// A limit that a busy machine does not exceed. Waiting costs no processor time, so the tests can wait longer.
        private static let limit = Duration.seconds(10)

        @Test func `Silence before the response and within its body ends the request`() async throws {
            try await Self.withPeer {
                _ = try $0.receivedToEnd()
            } _: { peer in
                await expectTransportError(.timedOut) { _ = try await peer.send(Self.get(.milliseconds(300))) }
            }
            try await Self.withPeer {
                try $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")
                _ = try $0.receivedToEnd()
            } _: { peer in
                let response = try await peer.send(Self.get(Self.limit))
                await expectTransportError(.timedOut) { _ = try await response.body.text }
            }
        }

        @Test func `A feed with heartbeats lasts longer than the silence limit`() async throws {
            try await Self.withPeer { connection in
                try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in 0..<15 {
                    await pause(for: Self.limit / 10)
                    try connection.send("1\r\n\n\r\n")
                }
                try connection.send("0\r\n\r\n")
            } _: { peer in
                let response = try await peer.send(Self.get(Self.limit))
                #expect(try await response.body.text == String(repeating: "\n", count: 15))
            }
        }

        @Test func `The time that the reader and the producer take does not count as silence of the peer`() async throws
        {
            try await withServer { request in
                SyncResponse(status: 200, body: .stream(request.body.chunks))
            } _: { server in
                let made = Count()
                let slow = ByteStream {
                    await pause(for: Self.limit * 1.1)
                    made.add()
                    return made.value > 2 ? nil : [1]
                }
                let response = try await client(of: server.port).send(
                    SyncRequest(.put, "/", body: .stream(slow), silenceLimit: Self.limit))
                var count = 0
                for try await chunk in response.body.chunks {
                    count += chunk.count
                    await pause(for: Self.limit * 1.1)
                }
                #expect(count == 2)
            }
        }

        @Test func `A refusal of unknown length ends although the connection stays open`() async throws {
            try await Self.withPeer { connection in
                try connection.send("HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno \r\n")
                await pause(for: .milliseconds(200))
                try connection.send("0\r\n\r\n")
                await pause(for: .seconds(3))
            } _: { peer in
                let response = try await peer.send(SyncRequest(.put, "/", body: .stream(endless(Count()))))
                #expect(response.status == 400)
                #expect(try await response.body.text == "no ")
            }
        }

        @Test func `A request body that fails closes the connection`() async throws {
            struct Failure: Error {}
            let wasCut = Signal()
            try await withServer { request in
                do {
                    for try await _ in request.body.chunks {}
                } catch {
                    wasCut.give()
                }
                return SyncResponse(status: 200)
            } _: { server in
                let made = Count()
                let body = ByteStream {
                    made.add()
                    guard made.value < 3 else { throw Failure() }
                    return [1, 2, 3]
                }
                let peer = try client(of: server.port)
                await expectTransportError(.cut) {
                    _ = try await peer.send(SyncRequest(.put, "/", body: .stream(body)))
                }
                try await wasCut.wait()
            }
        }

        @Test func `Cancelling the task closes the connection, whether or not the response has begun`() async throws {
            let (arrived, closed) = (Count(), Count())
            try await Self.withPeer { connection in
                if arrived.value > 0 { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort") }
                arrived.add()
                #expect(try connection.receivedToEnd() == "")
                closed.add()
            } _: { peer in
                for round in 1...2 {
                    let request = Task(executorPreference: OwnThreads.shared) {
                        await expectTransportError(.cancelled) { _ = try await peer.send(Self.get()).body.text }
                    }
                    try await arrived.reaches(round)
                    await pause(for: .milliseconds(100))
                    request.cancel()
                    await request.value
                    try await closed.reaches(round)
                }
                let late = Task(executorPreference: OwnThreads.shared) {
                    await Signal.cancellation()
                    await expectTransportError(.cancelled) { _ = try await peer.send(Self.get()) }
                }
                late.cancel()
                await late.value
                #expect(arrived.value == 2)
            }
        }

        @Test func `Dropping the iterator of a body, or a response that was not read, closes the connection`()
            async throws
        {
            let (began, ended) = (Count(), Count())
            try await withServer { _ in
                began.add()
                let isOver = Signal()
                Task(executorPreference: OwnThreads.shared) {
                    try await isOver.wait()
                    ended.add()
                }
                return SyncResponse(status: 200, body: .stream(endless(Count(), onEnd: isOver)))
            } _: { server in
                let peer = try client(of: server.port)
                let response = try await peer.send(Self.get())
                for try await _ in response.body.chunks { break }
                try await ended.reaches(1)
                _ = try await peer.send(Self.get())
                try await ended.reaches(2)
                #expect(began.value == 2)
                // A body has one reader.
                var iterator = response.body.chunks.makeAsyncIterator()
                #expect(try await iterator.next() == nil)
            }
        }

        @Test func `A transport that is shut down ends its requests and sends no others`() async throws {
            let arrived = Signal()
            try await Self.withPeer {
                arrived.give()
                _ = try $0.receivedToEnd()
            } _: { peer in
                let request = Task(executorPreference: OwnThreads.shared) {
                    _ = await #expect(throws: TransportError.self) { _ = try await peer.send(Self.get()) }
                }
                try await arrived.wait()
                await peer.shutdown()
                await request.value
                await expectTransportError(.cancelled) { _ = try await peer.send(Self.get()) }
                await peer.shutdown()
            }
        }

        @Test func `A proxy that is absent or refuses is reported, without its password`() async throws {
            try await within {
                let (absent, port) = try RawSocket.reserving()
                let peer = try client(of: 1) { $0.proxy = .init(host: "127.0.0.1", port: port) }
                await expectTransportError(.proxyRefused) { _ = try await peer.send(Self.get()) }
                withExtendedLifetime(absent) {}
            }
            for answer in ["407 No", "403 Forbidden"] {
                try await within {
                    let (socket, port) = try RawSocket.listening()
                    let proxy = Task(executorPreference: OwnThreads.shared) {
                        let connection = try socket.accepted()
                        let head = try connection.received(upTo: "\r\n\r\n")
                        try connection.send("HTTP/1.1 \(answer)\r\nContent-Length: 0\r\n\r\n")
                        return head
                    }
                    let peer = try client(of: 1) {
                        $0.proxy = .init(host: "127.0.0.1", port: port, credentials: ("anna", "geheim"))
                    }
                    do {
                        _ = try await peer.send(Self.get())
                        Issue.record("nothing was thrown")
                    } catch let error as TransportError {
                        #expect(error.code == .proxyRefused)
                        #expect(!error.message.contains("geheim"))
                    }
                    let head = try await proxy.value
                    #expect(head.hasPrefix("CONNECT 127.0.0.1:1 HTTP/1.1\r\n"))
                    #expect(head.lowercased().contains("proxy-authorization: basic yw5uytpnzwhlaw0="))
                }
            }
        }

        @Test func `A proxy connects to the peer`() async throws {
            try await within {
                let (socket, port) = try RawSocket.listening()
                let proxy = Task(executorPreference: OwnThreads.shared) {
                    let connection = try socket.accepted()
                    _ = try connection.received(upTo: "\r\n\r\n")
                    try connection.send("HTTP/1.1 200 Connected\r\n\r\n")
                    let head = try connection.received(upTo: "\r\n\r\n")
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nFog")
                    return head
                }
                let peer = try client(of: 1) { $0.proxy = .init(host: "127.0.0.1", port: port) }
                #expect(try await peer.send(SyncRequest(.get, "/a")).body.text == "Fog")
                #expect(try await proxy.value.hasPrefix("GET /a HTTP/1.1\r\n"))
            }
        }
    }
#endif
