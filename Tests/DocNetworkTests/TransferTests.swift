#if Network
    import DocNetwork
    import DocSync
    import TestSupport
    import Testing

    /// What a client sends arrives at the server, and the other way round, at the pace of the reader.
    @Suite struct TransferTests {
        private static let echo: @Sendable (SyncRequest) async -> SyncResponse = { request in
            var response = SyncResponse(status: 200, body: .stream(request.body.chunks))
            response.fields["X-Method"] = request.method.rawValue
            response.fields["X-Target"] = request.target
            response.fields["X-Agent"] = request.fields["User-Agent"]
            response.fields["X-Count"] = request.body.byteCount.map { "\($0)" } ?? "unknown"
            return response
        }

        /// Returns 16 MB in chunks of many sizes, made on demand.
        private static func largeBody(byteCount: Int64?) -> SyncBody {
            let made = Count()
            return .stream(
                ByteStream(byteCount: byteCount) {
                    let start = made.value
                    let size = min(1 + start % 100_003, (16 << 20) - start)
                    guard size > 0 else { return nil }
                    made.add(size)
                    return (start..<start + size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
                })
        }

        @Test(arguments: [nil, 16 << 20] as [Int64?])
        func `A body of 16 MB returns unchanged while it is being sent`(byteCount: Int64?) async throws {
            try await withServer(respond: Self.echo) { server in
                let peer = try client(of: server.port)
                let response = try await peer.send(SyncRequest(.put, "/a", body: Self.largeBody(byteCount: byteCount)))
                #expect(response.fields["X-Count"] == (byteCount.map { "\($0)" } ?? "unknown"))
                var count = 0
                for try await chunk in response.body.chunks {
                    let isSame = chunk.indices.allSatisfy {
                        chunk[$0] == UInt8(truncatingIfNeeded: (count + $0) &* 31 &+ (count + $0) >> 8)
                    }
                    #expect(isSame)
                    count += chunk.count
                }
                #expect(count == 16 << 20)
            }
        }

        @Test func `A peer that answers as soon as it has the last byte frees its connection`() async throws {
            let answer: @Sendable (SyncRequest) async -> SyncResponse = { request in
                let count = try? await request.body.collected(limit: 1 << 20).count
                return SyncResponse(status: 201, body: .bytes(Array("\(count ?? -1)".utf8)))
            }
            try await withServer(respond: answer) { server in
                let peer = try client(of: server.port) { $0.connectionLimit = 2 }
                let body = [UInt8](repeating: 7, count: 140_000)
                for _ in 0..<300 {
                    let response = try await peer.send(SyncRequest(.post, "/", body: .bytes(body)))
                    #expect(try await response.body.text == "140000")
                }
            }
        }

        @Test func `Method, path, fields and body arrive as they were given`() async throws {
            try await withServer(respond: Self.echo) { server in
                let peer = try client(of: server.port, path: "/base/")
                let target = "/a%2Fb%20c/_local/%C3%A9+~'()*?since=%22x%22&n=1%2B2&empty="
                let response = try await peer.send(SyncRequest(.post, target, body: .bytes(Array("Fog".utf8))))
                #expect(response.status == 200 && response.isSuccess)
                #expect(response.fields["X-Target"] == "/base" + target)
                #expect(response.fields["x-method"] == "POST")
                #expect(response.fields["X-Count"] == "3")
                #expect(response.fields["X-Agent"]?.hasPrefix("LevelKit/") == true)
                #expect(try await response.body.text == "Fog")
                let named = try await peer.send(SyncRequest(.get, "/", fields: ["User-Agent": "other"]))
                #expect(named.fields["X-Agent"] == "other")
                #expect(try await named.body.text == "")
            }
        }

        @Test func `Responses to HEAD, and with status 204 or 304, have no body`() async throws {
            try await withServer { request in
                let status = Int(request.target.dropFirst()) ?? 0
                return SyncResponse(status: status, body: .bytes(Array("text".utf8)))
            } _: { server in
                let peer = try client(of: server.port)
                for (method, status) in [(SyncRequest.Method.head, 200), (.get, 204), (.get, 304), (.get, 200)] {
                    let response = try await peer.send(SyncRequest(method, "/\(status)"))
                    #expect(response.status == status)
                    #expect(try await response.body.text == (method == .get && status == 200 ? "text" : ""))
                }
            }
        }

        @Test func `Redirects are not followed, and encoded bodies not decoded`() async throws {
            try await withServer { request in
                #expect(request.target == "/a")
                var response = SyncResponse(status: 301, body: .bytes([0x1f, 0x8b, 8, 0]))
                response.fields["Location"] = "/b"
                response.fields["Content-Encoding"] = "gzip"
                return response
            } _: { server in
                let response = try await client(of: server.port).send(SyncRequest(.get, "/a"))
                #expect(response.status == 301)
                #expect(response.fields["Location"] == "/b")
                #expect(try await response.body.collected(limit: 100) == [0x1f, 0x8b, 8, 0])
            }
        }

        @Test func `The producer of a response stops while the client does not read`() async throws {
            let made = Count()
            try await withServer { _ in
                SyncResponse(status: 200, body: .stream(endless(made)))
            } _: { server in
                let response = try await client(of: server.port).send(SyncRequest(.get, "/"))
                var iterator = response.body.chunks.makeAsyncIterator()
                _ = try await iterator.next()
                let atStandstill = await made.standstill()
                #expect(atStandstill < 1024, "\(atStandstill) chunks of 64 KB are on the way")
                var count = 0
                while count < (atStandstill + 16) << 16 { count += try await iterator.next()?.count ?? 0 }
                #expect(made.value >= atStandstill + 16)
            }
        }

        @Test func `The producer of a request stops while the server does not read`() async throws {
            let (made, goOn) = (Count(), Signal())
            try await withServer { request in
                try? await goOn.wait()
                var count = 0
                do {
                    for try await chunk in request.body.chunks where count < 128 << 20 { count += chunk.count }
                } catch {
                    return SyncResponse(status: 500)
                }
                return SyncResponse(status: 200, body: .bytes(Array("\(count)".utf8)))
            } _: { server in
                let peer = try client(of: server.port)
                let body = ByteStream {
                    if made.value == 1024 { return nil }
                    made.add()
                    return [UInt8](repeating: 7, count: 1 << 16)
                }
                let sending = Task(executorPreference: OwnThreads.shared) {
                    try await peer.send(SyncRequest(.put, "/", body: .stream(body))).body.text
                }
                let atStandstill = await made.standstill()
                #expect(atStandstill < 512, "\(atStandstill) chunks of 64 KB are on the way")
                goOn.give()
                #expect(try await sending.value == "\(64 << 20)")
            }
        }

        @Test func `A response that refuses a large request arrives although the request is not read`() async throws {
            try await withServer { _ in
                SyncResponse(status: 413, body: .bytes(Array("too large".utf8)))
            } _: { server in
                let peer = try client(of: server.port)
                for byteCount in [nil, 16 << 20] as [Int64?] {
                    let response = try await peer.send(
                        SyncRequest(.put, "/", body: Self.largeBody(byteCount: byteCount)))
                    #expect(response.status == 413)
                    #expect(try await response.body.text == "too large")
                }
            }
        }

        @Test func `A response of unknown length that refuses a large request ends`() async throws {
            try await withServer { _ in
                let texts = Count()
                let body = ByteStream {
                    texts.add()
                    return texts.value > 3 ? nil : Array("no ".utf8)
                }
                return SyncResponse(status: 400, body: .stream(body))
            } _: { server in
                let response = try await client(of: server.port).send(
                    SyncRequest(.put, "/", body: Self.largeBody(byteCount: nil)))
                #expect(response.status == 400)
                #expect(try await response.body.text == "no no no ")
            }
        }

        @Test func `A refusal arrives although the body of the request fails`() async throws {
            struct Failure: Error {}
            try await withServer { request in
                let goOn = Signal()
                let body = ByteStream {
                    if goOn.isGiven { return nil }
                    goOn.give()
                    await pause(for: .milliseconds(300))
                    return Array("no".utf8)
                }
                return SyncResponse(status: 400, body: .stream(body))
            } _: { server in
                let hasHead = Signal()
                let body = ByteStream {
                    try await hasHead.wait()
                    throw Failure()
                }
                let response = try await client(of: server.port).send(SyncRequest(.put, "/", body: .stream(body)))
                #expect(response.status == 400)
                hasHead.give()
                #expect(try await response.body.text == "no")
            }
        }

        @Test func `No more requests run at the same time than the limit allows`() async throws {
            let (running, most) = (Count(), Count())
            try await withServer { _ in
                running.add()
                if running.value > most.value { most.add(running.value - most.value) }
                await pause(for: .milliseconds(20))
                running.add(-1)
                return SyncResponse(status: 200)
            } _: { server in
                let peer = try client(of: server.port) { $0.connectionLimit = 3 }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask { _ = try await peer.send(SyncRequest(.get, "/")).body.text }
                    }
                    try await group.waitForAll()
                }
                #expect(most.value == 3)
            }
        }
    }
#endif
