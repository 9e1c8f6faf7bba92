import DocNetwork
import DocSync
import Inspector

/// Connections in the network, which only a program built with the traits `Network` and `Server` has.
enum NetworkPeers {
    #if Network
        /// Runs `body` with a peer.
        static func with<R: Sendable>(
            _ web: PeerArgument.Web, _ options: PeerOptions, _ credentials: Credentials, attemptLimit: Int?,
            _ body: @escaping @Sendable (Peer) async throws -> R
        ) throws -> R {
            var configuration = HTTPClientTransport.Configuration()
            configuration.tls.authorityFile = options.cacert
            let transport = try HTTPClientTransport(
                to: DocNetwork.PeerAddress(parsing: web.server), configuration: configuration)
            let peer = Peer(transport, database: [web.database], credentials: credentials, attemptLimit: attemptLimit)
            return try CommandTask.wait {
                do {
                    let result = try await body(peer)
                    await transport.shutdown()
                    return result
                } catch {
                    await transport.shutdown()
                    throw error
                }
            }
        }
    #else
        /// Runs `body` with a peer.
        static func with<R: Sendable>(
            _ web: PeerArgument.Web, _ options: PeerOptions, _ credentials: Credentials, attemptLimit: Int?,
            _ body: @escaping @Sendable (Peer) async throws -> R
        ) throws -> R {
            throw missing("an HTTP client")
        }
    #endif

    #if Server
        /// Serves until ^C.
        ///
        /// - Parameter begin: is told of the address, such as `http://127.0.0.1:6984`.
        static func serve(
            _ server: SyncServer, at listener: ServerAddress, _ begin: @escaping @Sendable (String) -> Void
        ) throws {
            let scheme = listener.certificate == nil ? "http" : "https"
            let host = listener.host.contains(":") ? "[\(listener.host)]" : listener.host
            try CommandTask.wait {
                try await run(server, at: listener) { port in begin("\(scheme)://\(host):\(port)") }
            }
            throw interruption
        }

        /// Shows a store in browsers until ^C.
        ///
        /// - Parameter begin: is called when the address of the inspector is known.
        static func inspect(_ inspector: Inspector, port: Int, _ begin: @escaping @Sendable () -> Void) throws {
            try CommandTask.wait { try await inspector.run(port: port, whenListening: begin) }
            throw interruption
        }

        /// A server ends only if it is interrupted, and that is no failure to report.
        private static var interruption: CommandError {
            .silent(Interruption.reason?.exitCode ?? .interrupted)
        }

        private static func run(
            _ server: SyncServer, at listener: ServerAddress, _ begin: @escaping @Sendable (Int) -> Void
        ) async throws {
            guard let certificate = listener.certificate, let key = listener.key else {
                return try await server.run(host: listener.host, port: listener.port, whenListening: begin)
            }
            #if Network
                try await server.run(
                    host: listener.host, port: listener.port, certificate: certificate, key: key, whenListening: begin)
            #else
                throw missing("TLS")
            #endif
        }
    #else
        /// Serves until ^C.
        static func serve(
            _ server: SyncServer, at listener: ServerAddress, _ begin: @escaping @Sendable (String) -> Void
        ) throws {
            throw missing("an HTTP server")
        }

        /// Shows a store in browsers until ^C.
        static func inspect(_ inspector: Inspector, port: Int, _ begin: @escaping @Sendable () -> Void) throws {
            throw missing("an HTTP server")
        }
    #endif

    private static func missing(_ part: String) -> CommandError {
        CommandError(
            .unavailable, "this lkrepl was built without \(part)",
            hint: "make install builds it with everything; so does swift build --traits Network")
    }
}
