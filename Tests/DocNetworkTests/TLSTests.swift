#if Network
    import DocNetwork
    import DocSync
    import Foundation
    import TestSupport
    import Testing

    /// The path of the program, or `nil` if it is not installed.
    private let opensslPath = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
        "\($0)/openssl"
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Connections with TLS. The certificates are made by openssl for each test.
    @Suite(.enabled(if: opensslPath != nil, "skipped: openssl is not installed; script/bootstrap tests installs it"))
    struct TLSTests {
        /// The files of an authority, of a server with the address 127.0.0.1, of one with a different name, and of a
        /// client.
        private struct Certificates: Sendable {
            let directory: String

            subscript(name: String) -> String { directory + "/" + name }

            init(in directory: String) throws {
                self.directory = directory
                try Self.openssl(
                    directory,
                    [
                        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-keyout",
                        "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority",
                    ])
                for (name, address) in [
                    ("server", "IP:127.0.0.1"), ("other", "DNS:other.example"), ("client", "DNS:client"),
                ] {
                    try Self.openssl(
                        directory,
                        [
                            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                            "\(name).key", "-out",
                            "\(name).csr", "-subj", "/CN=\(name)",
                        ])
                    try TestFiles.write(Array("subjectAltName=\(address)\n".utf8), to: directory + "/\(name).ext")
                    try Self.openssl(
                        directory,
                        [
                            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                            "-CAcreateserial", "-days",
                            "2", "-extfile", "\(name).ext", "-out", "\(name).pem",
                        ])
                }
            }

            private static func openssl(_ directory: String, _ arguments: [String]) throws {
                let process = Process()
                process.executableURL = try URL(filePath: #require(opensslPath))
                process.arguments = arguments
                process.currentDirectoryURL = URL(filePath: directory)
                process.standardError = FileHandle.nullDevice
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                try #require(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
            }
        }

        private static func withCertificates(
            _ body: @escaping @Sendable (Certificates) async throws -> Void
        ) async throws {
            let directory = FileManager.default.temporaryDirectory.appending(path: "docnetwork-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            try await body(Certificates(in: directory.path))
        }

        private static let hello: @Sendable (SyncRequest) async -> SyncResponse = { request in
            SyncResponse(status: 200, body: request.method == .put ? .stream(request.body.chunks) : .bytes([1, 2, 3]))
        }

        @Test func `A certificate is trusted if its authority is, and only for its name`() async throws {
            try await Self.withCertificates { files in
                for (name, code) in [("server", nil), ("other", .certificateRefused)]
                    as [(String, TransportError.Code?)]
                {
                    try await withServer {
                        $0.tls = .init(certificateFile: files["\(name).pem"], keyFile: files["\(name).key"])
                    } respond: { request in
                        await Self.hello(request)
                    } _: { server in
                        let stranger = try client(of: server.port, scheme: "https")
                        await expectTransportError(.certificateRefused) {
                            _ = try await stranger.send(SyncRequest(.get, "/"))
                        }
                        let peer = try client(of: server.port, scheme: "https") {
                            $0.tls.authorityFile = files["ca.pem"]
                        }
                        if let code {
                            await expectTransportError(code) { _ = try await peer.send(SyncRequest(.get, "/")) }
                        } else {
                            #expect(try await peer.send(SyncRequest(.get, "/")).body.collected(limit: 9) == [1, 2, 3])
                        }
                    }
                }
            }
        }

        @Test func `Large bodies pass through TLS, and dropping one ends its producer`() async throws {
            try await Self.withCertificates { files in
                let ended = Signal()
                try await withServer {
                    $0.tls = .init(certificateFile: files["server.pem"], keyFile: files["server.key"])
                } respond: { request in
                    guard request.method == .get else { return await Self.hello(request) }
                    return SyncResponse(status: 200, body: .stream(endless(Count(), onEnd: ended)))
                } _: { server in
                    let peer = try client(of: server.port, scheme: "https") { $0.tls.authorityFile = files["ca.pem"] }
                    let made = Count()
                    let body = ByteStream {
                        made.add()
                        return made.value > 64 ? nil : [UInt8](repeating: 3, count: 1 << 16)
                    }
                    var count = 0
                    for try await chunk in try await peer.send(SyncRequest(.put, "/", body: .stream(body))).body.chunks
                    {
                        count += chunk.count
                    }
                    #expect(count == 4 << 20)
                    for try await _ in try await peer.send(SyncRequest(.get, "/")).body.chunks { break }
                    try await ended.wait()
                }
            }
        }

        @Test(arguments: [(100, 1), (16_352, 1), (16_375, 2), (16_384, 2), (70_000, 5)])
        func `Each chunk of a body is one record`(byteCount: Int, recordCount: Int) async throws {
            try await Self.withCertificates { files in
                try await withServer {
                    $0.tls = .init(certificateFile: files["server.pem"], keyFile: files["server.key"])
                } respond: { _ in
                    let made = Count()
                    let body = ByteStream {
                        made.add()
                        return made.value > 3 ? nil : [UInt8](repeating: UInt8(ascii: "a"), count: byteCount)
                    }
                    return SyncResponse(status: 200, body: .stream(body))
                } _: { server in
                    let request = files["request"]
                    try TestFiles.write(Array("GET / HTTP/1.1\r\nConnection: close\r\n\r\n".utf8), to: request)
                    // Before TLS 1.3, messages of the handshake have types of their own.
                    let shown = try await Self.output(
                        of: [
                            "s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_2", "-ign_eof", "-msg",
                        ], input: request)
                    var records = 0
                    var isReceived = false
                    for line in shown.split(whereSeparator: \.isNewline) {
                        if isReceived, line.hasPrefix("    17 03 03") { records += 1 }
                        isReceived = line.hasPrefix("<<<") && line.contains("RecordHeader")
                    }
                    // The head, three times the chunks, and the end.
                    #expect(records == 2 + 3 * recordCount, "\(shown)")
                }
            }
        }

        /// What openssl prints.
        private static func output(of arguments: [String], input: String) async throws -> String {
            let path = try #require(opensslPath)
            return try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let process = Process()
                            process.executableURL = URL(filePath: path)
                            process.arguments = arguments
                            process.standardInput = try FileHandle(forReadingFrom: URL(filePath: input))
                            process.standardError = FileHandle.nullDevice
                            let pipe = Pipe()
                            process.standardOutput = pipe
                            try process.run()
                            let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
                            process.waitUntilExit()
                            return String(decoding: bytes, as: UTF8.self)
                        })
                }
            }
        }

        @Test func `A server can require client certificates`() async throws {
            try await Self.withCertificates { files in
                try await withServer {
                    $0.tls = .init(
                        certificateFile: files["server.pem"], keyFile: files["server.key"],
                        clientAuthorityFile: files["ca.pem"])
                } respond: { request in
                    await Self.hello(request)
                } _: { server in
                    let known = try client(of: server.port, scheme: "https") {
                        $0.tls = .init(
                            authorityFile: files["ca.pem"], certificateFile: files["client.pem"],
                            keyFile: files["client.key"])
                    }
                    #expect(try await known.send(SyncRequest(.get, "/")).status == 200)
                    let unknown = try client(of: server.port, scheme: "https") {
                        $0.tls.authorityFile = files["ca.pem"]
                    }
                    await expectTransportError(.insecure) { _ = try await unknown.send(SyncRequest(.get, "/")) }
                }
            }
        }

        @Test func `With TLS on one side only, the client says so`() async throws {
            try await Self.withCertificates { files in
                try await withServer(respond: Self.hello) { server in
                    let peer = try client(of: server.port, scheme: "https")
                    await expectTransportError(.insecure) { _ = try await peer.send(SyncRequest(.get, "/")) }
                }
                try await withServer {
                    $0.tls = .init(certificateFile: files["server.pem"], keyFile: files["server.key"])
                    $0.host = "0.0.0.0"
                } respond: { request in
                    await Self.hello(request)
                } _: { server in
                    let peer = try client(of: server.port)
                    await #expect(throws: TransportError.self) { _ = try await peer.send(SyncRequest(.get, "/")) }
                }
            }
        }

        @Test func `Files that are missing or do not belong together are reported`() async throws {
            try await Self.withCertificates { files in
                let responder = FunctionResponder(body: Self.hello)
                for (certificate, key) in [
                    ("server.pem", "client.key"), ("none.pem", "server.key"), ("server.pem", "none.key"),
                    ("server.key", "server.key"),
                ] {
                    var configuration = HTTPServer.Configuration()
                    configuration.tls = .init(certificateFile: files[certificate], keyFile: files[key])
                    #expect { try HTTPServer(responder, configuration: configuration) } throws: {
                        ($0 as? NetworkError)?.code == .unreadableFile
                    }
                    #expect {
                        try client(of: 1, scheme: "https") {
                            $0.tls = .init(certificateFile: files[certificate], keyFile: files[key])
                        }
                    } throws: { ($0 as? NetworkError)?.code == .unreadableFile }
                }
                #expect {
                    try client(of: 1, scheme: "https") { $0.tls.authorityFile = files["none.pem"] }
                } throws: { ($0 as? NetworkError)?.code == .unreadableFile }
            }
        }
    }
#endif
