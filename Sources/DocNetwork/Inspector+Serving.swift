#if Server
    internal import DocSync
    public import Inspector

    extension Inspector {
        /// Listens on this machine, and answers until the task is cancelled.
        ///
        /// - Parameters:
        ///   - port: the port; 0 for any that is free.
        ///   - whenListening: called once, when ``address`` is known.
        /// - Throws: ``NetworkError``.
        public func run(port: Int = 0, whenListening: @Sendable () -> Void = {}) async throws {
            try await run(port: port, executor: nil, whenListening: whenListening)
        }

        /// Does the same as ``run(port:whenListening:)``, and answers on an executor.
        package func run(
            port: Int = 0, executor: (any TaskExecutor)?, whenListening: @Sendable () -> Void
        ) async throws {
            var configuration = HTTPServer.Configuration()
            configuration.port = port
            configuration.otherHost = "::1"
            configuration.executor = executor
            // Pages that follow changes need not be waited for.
            configuration.stopTime = .seconds(1)
            try await HTTPServer(self, configuration: configuration).run { port in
                setPort(port)
                whenListening()
            }
        }
    }
#endif
