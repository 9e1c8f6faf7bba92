#if Network
    import DocNetwork
    import DocSync
    import TestSupport
    import Testing

    /// The limits of the server, and what it does with clients that are slow, gone, or not proper clients.
    @Suite struct ServerTests {
        private static let hello: @Sendable (SyncRequest) async -> SyncResponse = { _ in
            SyncResponse(status: 200, body: .bytes(Array("hello".utf8)))
        }

        private static func isAnswered(_ socket: RawSocket) throws -> Bool {
            try socket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try socket.received(upTo: "hello").contains("hello")
        }

        /// Returns a connection on which a request was answered. On a busy machine, a server with short times may close one
        /// before it has read a request.
        private static func answeredConnection(to server: TestServer) throws -> RawSocket {
            for _ in 0..<20 {
                let socket = try RawSocket.connected(to: server.port)
                if (try? isAnswered(socket)) == true { return socket }
            }
            throw RawSocket.Failure(call: "no request was answered")
        }

        @Test func `A head above the limit is refused, also before it is complete`() async throws {
            let requests = Count()
            try await withServer { _ in
                requests.add()
                return SyncResponse(status: 200)
            } _: { server in
                let long = String(repeating: "a", count: 17_000)
                let short = "X: \(String(repeating: "a", count: 100))\r\n"
                for head in [
                    "GET / HTTP/1.1\r\nX: \(long)\r\n\r\n", "GET / HTTP/1.1\r\nX: \(long)",
                    "GET /\(long) HTTP/1.1\r\n\r\n",
                    "GET / HTTP/1.1\r\n" + String(repeating: short, count: 200) + "\r\n", "GET /\(long)",
                ] {
                    let socket = try RawSocket.connected(to: server.port)
                    try socket.send(head)
                    #expect(try socket.receivedToEnd().hasPrefix("HTTP/1.1 431 "), "\(head.prefix(30))")
                }
                #expect(requests.value == 0)
                let socket = try RawSocket.connected(to: server.port)
                try socket.send("GET / HTTP/1.1\r\nX: \(long.prefix(15_000))\r\n\r\n")
                #expect(try socket.received().hasPrefix("HTTP/1.1 200 "))
            }
        }

        @Test(arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{1}",
        ])
        func `A request that is not HTTP is refused`(text: String) async throws {
            try await withServer(respond: Self.hello) { server in
                let socket = try RawSocket.connected(to: server.port)
                try socket.send(text)
                #expect(try socket.receivedToEnd().hasPrefix("HTTP/1.1 400 "))
            }
        }

        @Test func `A connection is closed if the first or a later request has no complete head in time`()
            async throws
        {
            try await withServer {
                $0.headTime = .seconds(1)
            } respond: { _ in
                await Self.hello(SyncRequest(.get, "/"))
            } _: { server in
                for start in ["", "GET / HT"] {
                    let socket = try RawSocket.connected(to: server.port)
                    try socket.send(start)
                    #expect(try socket.receivedToEnd() == "")
                    let second = try Self.answeredConnection(to: server)
                    // A connection without a request may wait for longer.
                    await pause(for: .seconds(2))
                    #expect(try Self.isAnswered(second))
                    try second.send("GET / HT")
                    #expect(try second.receivedToEnd() == "")
                }
            }
        }

        @Test func `Idle connections and bodies that do not arrive are closed`() async throws {
            let wasCut = Signal()
            try await withServer {
                $0.idleTime = .seconds(1)
            } respond: { request in
                do { _ = try await request.body.text } catch { wasCut.give() }
                return await Self.hello(request)
            } _: { server in
                let idle = try Self.answeredConnection(to: server)
                #expect(try idle.receivedToEnd() == "")
                // Once, unless the connection is closed before its head arrives.
                for _ in 0..<20 where !wasCut.isGiven {
                    let half = try RawSocket.connected(to: server.port)
                    try half.send("PUT / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc")
                    #expect(try half.receivedToEnd() == "")
                }
                try await wasCut.wait()
            }
        }

        @Test func `A connection is closed if the client does not read, but not while it waits for the responder`()
            async throws
        {
            let ended = Signal()
            try await withServer {
                $0.idleTime = .seconds(2)
            } respond: { request in
                if request.target == "/slow" {
                    await pause(for: .seconds(5))
                    return await Self.hello(request)
                }
                return SyncResponse(status: 200, body: .stream(endless(Count(), onEnd: ended)))
            } _: { server in
                let slow = try RawSocket.connected(to: server.port)
                try slow.send("GET /slow HTTP/1.1\r\n\r\n")
                #expect(try slow.received(upTo: "hello").hasSuffix("hello"))
                let stalled = try RawSocket.connected(to: server.port)
                try stalled.send("GET / HTTP/1.1\r\n\r\n")
                try await ended.wait()
                while try !stalled.received().isEmpty {}
            }
        }

        @Test func `A client that disconnects cancels the task, before and during the response`() async throws {
            let (began, ended) = (Count(), Signal())
            let cancelled = Count()
            try await withServer { request in
                began.add()
                switch request.target {
                case "/wait":
                    await Signal.cancellation()
                    cancelled.add()
                    return SyncResponse(status: 200)
                case "/quiet":
                    let body = ByteStream {
                        await Signal.cancellation()
                        cancelled.add()
                        return nil
                    }
                    return SyncResponse(status: 200, body: .stream(body))
                default:
                    return SyncResponse(status: 200, body: .stream(endless(Count(), onEnd: ended)))
                }
            } _: { server in
                for (round, target) in ["/wait", "/quiet", "/endless"].enumerated() {
                    var socket: RawSocket? = try RawSocket.connected(to: server.port)
                    try socket?.send("GET \(target) HTTP/1.1\r\n\r\n")
                    try await began.reaches(round + 1)
                    await pause(for: .milliseconds(100))
                    socket = nil
                    if round < 2 { try await cancelled.reaches(round + 1) } else { try await ended.wait() }
                }
            }
        }

        @Test func `At the limit of connections, the next client waits until one closes`() async throws {
            try await withServer {
                $0.crowdedTime = .seconds(300)
            } respond: {
                await Self.hello($0)
            } _: { server in
                var sockets = try (0..<64).map { _ in try RawSocket.connected(to: server.port) }
                for socket in sockets { #expect(try Self.isAnswered(socket)) }
                let isAnswered = Signal()
                let next = Task(executorPreference: OwnThreads.shared) {
                    let socket = try RawSocket.connected(to: server.port)
                    let result = try Self.isAnswered(socket)
                    isAnswered.give()
                    return result
                }
                await pause(for: .milliseconds(500))
                #expect(!isAnswered.isGiven)
                sockets.removeFirst()
                #expect(try await next.value)
                for socket in sockets { #expect(try Self.isAnswered(socket)) }
            }
        }

        @Test func `A connection without a request is closed while another client waits`() async throws {
            try await withServer {
                $0.connectionLimit = 8
                $0.crowdedTime = .seconds(5)
            } respond: {
                await Self.hello($0)
            } _: { server in
                let sockets = try (0..<8).map { _ in
                    let socket = try RawSocket.connected(to: server.port)
                    #expect(try Self.isAnswered(socket))
                    return socket
                }
                let next = try RawSocket.connected(to: server.port)
                #expect(try Self.isAnswered(next))
                withExtendedLifetime(sockets) {}
            }
        }

        @Test func `Requests sent at once are answered in order`() async throws {
            try await withServer { request in
                let text = (try? await request.body.text) ?? "?"
                if request.target == "/1" { await pause(for: .milliseconds(100)) }
                return SyncResponse(status: 200, body: .bytes(Array("<\(request.target) \(text)>".utf8)))
            } _: { server in
                let socket = try RawSocket.connected(to: server.port)
                try socket.send(
                    "PUT /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\n\r\n"
                        + "PUT /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
                        + "GET http://host:80/4?x HTTP/1.1\r\nConnection: close\r\n\r\n")
                let text = try socket.receivedToEnd()
                let answers = text.matches(of: /<[^>]*>/).map { String($0.output) }
                #expect(answers == ["</1 abc>", "</2 >", "</3 def>", "</4?x >"])
                #expect(text.contains("Connection: close"))
            }
        }

        @Test
        func `A client that sends Expect gets 100 Continue when its body is first read, and not if it is refused`()
            async throws
        {
            try await withServer { request in
                guard request.target == "/read" else { return SyncResponse(status: 413) }
                let text = (try? await request.body.text) ?? "?"
                return SyncResponse(status: 200, body: .bytes(Array(text.utf8)))
            } _: { server in
                let head = "HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
                let socket = try RawSocket.connected(to: server.port)
                try socket.send("PUT /read \(head)")
                #expect(try socket.received(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue\r\n"))
                try socket.send("Fog")
                let answer = try socket.received(upTo: "Fog")
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && !answer.contains("Connection: close"))
                try socket.send("PUT /refuse \(head)")
                let refusal = try socket.receivedToEnd()
                #expect(refusal.hasPrefix("HTTP/1.1 413 ") && refusal.contains("Connection: close"))
            }
        }

        @Test func `For HTTP 1.0, the end of the connection ends the body`() async throws {
            try await withServer { _ in
                let made = Count()
                let body = ByteStream {
                    made.add()
                    return made.value > 2 ? nil : Array("text".utf8)
                }
                return SyncResponse(status: 200, body: .stream(body))
            } _: { server in
                let socket = try RawSocket.connected(to: server.port)
                try socket.send("GET / HTTP/1.0\r\n\r\n")
                let text = try socket.receivedToEnd()
                #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n") && text.hasSuffix("\r\n\r\ntexttext"))
                #expect(!text.lowercased().contains("chunked"))
            }
        }

        @Test func `A server that stops lets requests end, closes idle connections, and cancels feeds`() async throws {
            let (began, goOn, cancelled) = (Count(), Signal(), Signal())
            try await within {
                var configuration = HTTPServer.Configuration()
                configuration.stopTime = .seconds(10)
                // Below the ports that the system chooses: another test must not get the port when this server has left it.
                configuration.port = Int.random(in: 20_000..<30_000)
                let server = try await TestServer.start(configuration) { request in
                    guard request.target != "/idle" else { return await Self.hello(request) }
                    began.add()
                    if request.target == "/feed" {
                        await Signal.cancellation()
                        cancelled.give()
                    } else {
                        try? await goOn.wait()
                    }
                    return await Self.hello(request)
                }
                let (idle, working, feed) = try (
                    RawSocket.connected(to: server.port), RawSocket.connected(to: server.port),
                    RawSocket.connected(to: server.port)
                )
                try idle.send("GET /idle HTTP/1.1\r\n\r\n")
                _ = try idle.received(upTo: "hello")
                try working.send("GET /work HTTP/1.1\r\n\r\n")
                try feed.send("GET /feed HTTP/1.1\r\n\r\n")
                try await began.reaches(2)
                server.task.cancel()
                #expect(try idle.receivedToEnd() == "")
                // A child process holds a copy of the listening socket until it executes its program. The system accepts
                // connections for that copy, but nobody answers.
                while let late = try? RawSocket.connected(to: server.port) {
                    try Task.checkCancellation()
                    try? late.send("GET /idle HTTP/1.1\r\n\r\n")
                    #expect((try? late.receivedToEnd()) ?? "" == "")
                }
                #expect(!cancelled.isGiven)
                goOn.give()
                #expect(try working.receivedToEnd().hasSuffix("hello"))
                #expect(try feed.receivedToEnd() == "")
                try await cancelled.wait()
                try await server.stop()
            }
        }

        @Test func `Without TLS, a server listens only at addresses of this machine`() async throws {
            try await within {
                for host in ["0.0.0.0", "::", "192.0.2.1"] {
                    var configuration = HTTPServer.Configuration()
                    configuration.host = host
                    await #expect {
                        try await TestServer.start(configuration, Self.hello)
                    } throws: { ($0 as? NetworkError)?.code == .unprotected }
                }
                for host in ["localhost", "127.0.0.2"] {
                    var configuration = HTTPServer.Configuration()
                    configuration.host = host
                    try await TestServer.start(configuration, Self.hello).stop()
                }
            }
        }

        @Test func `A port that is in use and a name without an address are reported`() async throws {
            try await withServer(respond: Self.hello) { server in
                var configuration = HTTPServer.Configuration()
                configuration.port = server.port
                await #expect {
                    try await TestServer.start(configuration, Self.hello)
                } throws: { error in
                    (error as? NetworkError)?.code == .cannotListen && "\(error)".contains("in use")
                }
                configuration.host = "name.invalid"
                await #expect {
                    try await TestServer.start(configuration, Self.hello)
                } throws: { ($0 as? NetworkError)?.code == .cannotListen }
            }
        }
    }
#endif
