#if Server
    public import DocSync

    extension SyncServer {
        /// Listens on this machine, and answers peers until the task is canceled. Requests in progress then get a few
        /// seconds to end.
        ///
        /// Without a `login` in its options, everyone who uses this machine can read and change the collections.
        ///
        /// - Parameters:
        ///   - host: the name or the IP address to listen on, one that only this machine can reach.
        ///   - port: the port; 0 for any that is free.
        ///   - whenListening: called once with the port.
        /// - Throws: ``NetworkError``.
        public func run(
            host: String = "127.0.0.1", port: Int, whenListening: @Sendable (_ port: Int) -> Void = { _ in }
        ) async throws {
            try await run(Self.configuration(host, port), whenListening)
        }

        private static func configuration(_ host: String, _ port: Int) -> HTTPServer.Configuration {
            var configuration = HTTPServer.Configuration()
            configuration.host = host
            configuration.port = port
            // Peers that wait for changes need not be waited for, and a supervisor waits only a few seconds.
            configuration.stopTime = .seconds(2)
            return configuration
        }

        private func run(
            _ configuration: HTTPServer.Configuration, _ whenListening: @Sendable (_ port: Int) -> Void
        ) async throws {
            try await HTTPServer(self, configuration: configuration).run(whenListening: whenListening)
        }

        #if Network
            /// Does the same as ``run(host:port:whenListening:)`` with TLS, so that other machines can be let in.
            ///
            /// - Parameters:
            ///   - host: the name or the IP address to listen on.
            ///   - port: the port; 0 for any that is free.
            ///   - certificate: a file with the server's certificate and its chain (PEM).
            ///   - key: a file with the key of the certificate (PEM), without a passphrase.
            ///   - whenListening: called once with the port.
            /// - Throws: ``NetworkError``.
            public func run(
                host: String = "127.0.0.1", port: Int, certificate: String, key: String,
                whenListening: @Sendable (_ port: Int) -> Void = { _ in }
            ) async throws {
                var configuration = Self.configuration(host, port)
                configuration.tls = HTTPServer.TLS(certificateFile: certificate, keyFile: key)
                try await run(configuration, whenListening)
            }
        #endif
    }
#endif
