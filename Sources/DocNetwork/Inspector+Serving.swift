#if Server
    internal import DocSync
    public import Inspector

    extension Inspector {
        /// Listens on this machine, and answers until the task is canceled.
        ///
        /// - Parameters:
        ///   - port: the port; 0 for any that is free.
        ///   - whenListening: called once, when ``address`` is known.
        /// - Throws: ``NetworkError``.
        public func run(port: Int = 0, whenListening: @Sendable () -> Void = {}) async throws {
            try await run(port: port, HTTPServer.Configuration(), whenListening: whenListening)
        }

        /// Does the same as ``run(port:whenListening:)``, with limits or an executor of its own.
        package func run(
            port: Int = 0, _ configuration: HTTPServer.Configuration, whenListening: @Sendable () -> Void
        ) async throws {
            var configuration = configuration
            configuration.port = port
            configuration.otherHost = "::1"
            // Pages that follow changes need not be waited for.
            configuration.stopTime = .seconds(1)
            try await HTTPServer(self, configuration: configuration).run { port in
                setPort(port)
                whenListening()
            }
        }
    }
#endif
