#if Network
    internal import AsyncHTTPClient
    package import DocSync
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOSSL

    /// A transport over HTTP/1.1 to one peer.
    ///
    /// A connection is kept for further requests. Dropping the transport closes all connections, also those in use.
    package final class HTTPClientTransport: Transport {
        /// How a client connects.
        package struct Configuration: Sendable {
            /// The value of the header field `User-Agent`.
            package var userAgent = "LevelKit/0.1.0"
            /// The largest number of connections at the same time; further requests wait. At least 1.
            package var connectionLimit = 8
            /// The longest time until a connection is established, including TLS and the proxy.
            package var connectLimit = Duration.seconds(10)
            /// The files that TLS uses beyond the certificate authorities of the system.
            package var tls = TLS()
            /// The proxy between this program and the peer; `nil` for none.
            package var proxy: Proxy?
            /// Where the task that reads the bodies of requests runs; `nil` for the threads that all tasks share.
            package var executor: (any TaskExecutor)?

            /// Creates a configuration with the authorities of the system and no proxy.
            package init() {}
        }

        /// The files of a client's TLS, all in PEM format.
        package struct TLS: Sendable, Hashable {
            /// Certificates of authorities to trust in addition to the system's.
            package var authorityFile: String?
            /// The client's certificate and its chain, for peers that require one.
            package var certificateFile: String?
            /// The key of the client's certificate, without a passphrase; `nil` if it is in the same file.
            package var keyFile: String?

            package init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
                self.authorityFile = authorityFile
                self.certificateFile = certificateFile
                self.keyFile = keyFile
            }
        }

        /// A proxy that connects to the peer with the method `CONNECT`.
        package struct Proxy: Sendable {
            package var host: String
            package var port: Int
            /// The user name and the password; `nil` if the proxy needs none. They appear in no message.
            package var credentials: (user: String, password: String)?

            package init(host: String, port: Int, credentials: (user: String, password: String)? = nil) {
                self.host = host
                self.port = port
                self.credentials = credentials
            }
        }

        /// The address of the peer.
        package let address: PeerAddress
        private let configuration: Configuration
        private let client: HTTPClient
        private let gate: ConnectionGate
        private let eventLoop: any EventLoop

        /// Creates a transport. Connects when the first request is sent.
        ///
        /// - Throws: ``NetworkError`` with the code `unreadableFile` if a certificate or the key cannot be used.
        package init(to address: PeerAddress, configuration: Configuration = Configuration()) throws(NetworkError) {
            self.address = address
            self.configuration = configuration
            gate = ConnectionGate(limit: configuration.connectionLimit)
            var pool = HTTPClient.Configuration.ConnectionPool(
                // Shorter than servers keep connections, so that a request seldom meets one that is being closed.
                idleTimeout: .seconds(4),
                concurrentHTTP1ConnectionsPerHostSoftLimit: max(configuration.connectionLimit, 1))
            pool.retryConnectionEstablishment = false
            var client = HTTPClient.Configuration(
                tlsConfiguration: address.isSecure ? try Self.tls(configuration.tls) : nil,
                redirectConfiguration: .disallow,
                timeout: HTTPClient.Configuration.Timeout(connect: configuration.connectLimit.timeAmount),
                connectionPool: pool, proxy: configuration.proxy.map(Self.proxy), decompression: .disabled)
            client.httpVersion = .http1Only
            // One loop for all connections: what is written waits for the socket without a detour.
            eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            self.client = HTTPClient(eventLoopGroup: eventLoop, configuration: client)
        }

        deinit { client.shutdown { _ in } }

        /// Closes all connections, also those in use. Requests that are sent later fail.
        package func shutdown() async {
            try? await client.shutdown().get()
        }

        package func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
            guard let permit = await gate.enter(), !Task.isCancelled else {
                throw TransportError(.cancelled, peer: address.description)
            }
            let stream = Self.stream(of: request.body)
            let exchange = Exchange(
                with: ExchangePeer(address: address, hasProxy: configuration.proxy != nil), owner: self, permit: permit,
                eventLoop: eventLoop, silenceLimit: request.silenceLimit.timeAmount,
                sendsStream: stream != nil)
            let message: HTTPClient.Request
            do {
                message = try HTTPClient.Request(
                    url: address.description + request.target, method: HTTPMethod(rawValue: request.method.rawValue),
                    headers: headers(of: request), body: body(of: request.body, as: stream, in: exchange))
            } catch {
                throw TransportError(.malformed, peer: address.description, detail: "the request has an invalid path")
            }
            let head = try await exchange.head {
                client.execute(request: message, delegate: exchange, eventLoop: .indifferent)
            }
            var response = SyncResponse(status: Int(head.status.code))
            for (name, value) in head.headers { response.fields.append(name, value) }
            response.body = .stream(
                ByteStream(
                    ResponseChunks(exchange),
                    byteCount: request.method == .head ? nil : response.fields.count("Content-Length")))
            return response
        }

        private func headers(of request: SyncRequest) -> HTTPHeaders {
            var headers = HTTPHeaders()
            for field in request.fields.fields { headers.add(name: field.name, value: field.value) }
            if !headers.contains(name: "User-Agent") { headers.add(name: "User-Agent", value: configuration.userAgent) }
            return headers
        }

        /// Returns a body as a stream; `nil` if there is none, or it is sent at once.
        private static func stream(of body: SyncBody) -> ByteStream? {
            switch body {
            case .none: nil
            case .bytes(let bytes): bytes.count > Exchange.pieceSize ? body.chunks : nil
            case .stream(let stream): stream.byteCount == 0 ? nil : stream
            }
        }

        private func body(of body: SyncBody, as stream: ByteStream?, in exchange: Exchange) -> HTTPClient.Body? {
            if let stream {
                let executor = configuration.executor
                return .stream(contentLength: stream.byteCount) { writer in
                    exchange.upload(stream, to: writer, on: executor)
                }
            }
            guard case .bytes(let bytes) = body, !bytes.isEmpty else { return nil }
            return .byteBuffer(ByteBuffer(bytes: bytes))
        }

        private static func tls(_ files: TLS) throws(NetworkError) -> TLSConfiguration {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            if let file = files.authorityFile {
                tls.additionalTrustRoots = [.certificates(try TLSFiles.certificates(file))]
            }
            if let file = files.certificateFile {
                tls.certificateChain = try TLSFiles.certificates(file).map { .certificate($0) }
                tls.privateKey = .privateKey(try TLSFiles.key(files.keyFile ?? file))
            }
            _ = try TLSFiles.context(tls)
            return tls
        }

        private static func proxy(_ proxy: Proxy) -> HTTPClient.Configuration.Proxy {
            .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.credentials.map { .basic(username: $0.user, password: $0.password) })
        }
    }
#endif
