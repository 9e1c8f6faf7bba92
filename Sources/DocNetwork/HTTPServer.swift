#if Server
    package import DocSync
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    /// Answers the requests of HTTP/1.1 clients with a responder.
    ///
    /// Without TLS, it listens only at addresses that other machines cannot reach. With TLS, the caller sees to passwords.
    package struct HTTPServer: Sendable {
        /// Where a server listens, and its limits.
        package struct Configuration: Sendable {
            /// The name or the IP address to listen on.
            package var host = "127.0.0.1"
            /// A second address to listen on, with the same port; `nil` for none. If this machine has no such address, the
            /// server listens only at the first one.
            package var otherHost: String?
            /// The port; 0 for any that is free.
            package var port = 0
            #if Network
                /// The certificate and its key; `nil` for HTTP without TLS.
                package var tls: TLS?
            #endif
            /// The largest number of connections. At the limit, further clients wait until one closes.
            package var connectionLimit = 64
            /// The largest size in bytes of the head of a request: its first line and its header fields.
            package var headLimit = 1 << 14
            /// The longest time until the head of a request is complete, from its first byte or the start of the connection.
            package var headTime = Duration.seconds(10)
            /// The longest time without a request, without a byte of a request's body, and without a client's reading.
            package var idleTime = Duration.seconds(60)
            /// The longest time without a request while as many connections are open as the limit.
            package var crowdedTime = Duration.seconds(2)
            /// The longest time that requests in progress get when the server stops.
            package var stopTime = Duration.seconds(5)
            /// Where responders run; `nil` for the threads that all tasks share.
            package var executor: (any TaskExecutor)?

            /// Creates the configuration of a server for this machine at any free port.
            package init() {}
        }

        private let configuration: Configuration
        private let responder: any Responder
        /// Makes the handler that encrypts a connection; `nil` for HTTP without TLS.
        private let encryption: (@Sendable () -> any ChannelHandler)?

        /// Creates a server. It listens when it runs.
        ///
        /// - Throws: ``NetworkError`` with the code `unreadableFile` if the certificate or the key cannot be used.
        package init(_ responder: any Responder, configuration: Configuration = Configuration()) throws(NetworkError) {
            self.responder = responder
            self.configuration = configuration
            #if Network
                encryption = try configuration.tls?.encryption()
            #else
                encryption = nil
            #endif
        }

        /// Listens and answers until the task is canceled.
        ///
        /// Then the server accepts no connection any more, closes the idle ones, and lets requests in progress end within
        /// ``Configuration/stopTime``. After that it cancels their tasks, and returns when they have ended.
        ///
        /// - Parameter whenListening: called once with the port.
        /// - Throws: ``NetworkError`` with the code `unprotected` or `cannotListen`.
        package func run(whenListening: @Sendable (_ port: Int) -> Void = { _ in }) async throws(NetworkError) {
            let connections = ServerConnections()
            let channels = try await listenAtAll(connections)
            for channel in channels {
                channel.closeFuture.whenComplete { _ in for other in channels { other.close(promise: nil) } }
            }
            // Only when no address accepts connections any more are the idle ones closed.
            if let loop = channels.first?.eventLoop {
                EventLoopFuture.whenAllComplete(channels.map(\.closeFuture), on: loop).whenComplete { _ in
                    connections.stop(within: configuration.stopTime.timeAmount)
                }
            }
            if let port = channels.first?.localAddress?.port { whenListening(port) }
            await withTaskCancellationHandler {
                await connections.waitUntilStopped()
            } onCancel: {
                for channel in channels { channel.close(promise: nil) }
            }
            guard Task.isCancelled else {
                throw NetworkError(.cannotListen, "The server stopped, because its socket was closed; start it again.")
            }
        }

        /// Listens at both addresses, at the same port.
        private func listenAtAll(_ connections: ServerConnections) async throws(NetworkError) -> [any Channel] {
            var attempts = 0
            while true {
                guard let first = try await listen(at: configuration.host, configuration.port, connections) else {
                    return []
                }
                guard let other = configuration.otherHost, let port = first.localAddress?.port else { return [first] }
                do throws(NetworkError) {
                    let second = try await listen(at: other, port, connections, isOptional: true)
                    return [first] + (second.map { [$0] } ?? [])
                } catch {
                    try? await first.close().get()
                    attempts += 1
                    // Another program may have the port at this address.
                    guard configuration.port == 0, attempts < 10 else { throw error }
                }
            }
        }

        /// - Returns: `nil` if this machine has no such address and `isOptional` is set.
        private func listen(
            at host: String, _ port: Int, _ connections: ServerConnections, isOptional: Bool = false
        ) async throws(NetworkError) -> (any Channel)? {
            let place = host.contains(":") ? "[\(host)]" : host
            let address: SocketAddress
            do {
                address = try SocketAddress.makeAddressResolvingHost(host, port: port)
            } catch {
                throw NetworkError(
                    .cannotListen, "The server cannot listen on \(place): the name has no address; check the name.")
            }
            guard encryption != nil || address.isOfThisMachine else {
                throw NetworkError(
                    .unprotected,
                    "The server does not listen on \(place) without TLS, because other machines can read along; "
                        + "configure a certificate, or listen on 127.0.0.1.")
            }
            do {
                return try await bootstrap(connections).bind(to: address).get()
            } catch {
                let number = (error as? IOError)?.errnoCode
                if isOptional, number == EADDRNOTAVAIL || number == EAFNOSUPPORT { return nil }
                throw NetworkError(
                    .cannotListen,
                    "The server cannot listen on \(place):\(port) (\(NetworkReason.text(of: error))); "
                        + "choose another address or port.")
            }
        }

        private func bootstrap(_ connections: ServerConnections) -> ServerBootstrap {
            ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.maxMessagesPerRead, value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            AcceptBackoffHandler(), AcceptLimiter(limit: configuration.connectionLimit),
                        ])
                    }
                }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                // One read brings at most 64 KB. What the responder has not read yet is held in memory.
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try add(channel, to: connections) }
                }
        }

        private func add(_ channel: any Channel, to connections: ServerConnections) throws {
            let pipeline = channel.pipeline.syncOperations
            #if Network
                if let encryption { try pipeline.addHandlers([encryption(), WriteJoiner()]) }
            #endif
            let limit = configuration.connectionLimit
            let clock = ConnectionClock(configuration, eventLoop: channel.eventLoop) { connections.count >= limit }
            try pipeline.addHandler(clock)
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = configuration.headLimit
            limits.maxHeaderListSize = configuration.headLimit
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(
                ServerConnection(
                    responder, connections: connections, clock: clock, executor: configuration.executor,
                    isEncrypted: encryption != nil))
            connections.add(channel)
        }
    }

    extension SocketAddress {
        /// Whether only this machine can connect to the address.
        fileprivate var isOfThisMachine: Bool {
            switch self {
            case .v4: ipAddress?.hasPrefix("127.") == true
            case .v6: ipAddress == "::1"
            case .unixDomainSocket: true
            }
        }
    }
#endif
