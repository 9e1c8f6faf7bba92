#if Network
    import DocNetwork
    import DocSync
    import Foundation
    import Synchronization
    import TestSupport
    import Testing

    /// A responder made of a function.
    struct FunctionResponder: Responder {
        let body: @Sendable (SyncRequest) async -> SyncResponse

        func respond(to request: SyncRequest) async -> SyncResponse { await body(request) }
    }

    /// A server that runs until it is stopped.
    struct TestServer: Sendable {
        let port: Int
        let task: Task<Result<Void, any Error>, Never>

        /// Stops the server, and waits until it has.
        func stop() async throws {
            task.cancel()
            try await task.value.get()
        }

        /// Starts a server at a free port.
        static func start(
            _ configuration: HTTPServer.Configuration,
            _ respond: @escaping @Sendable (SyncRequest) async -> SyncResponse
        ) async throws -> TestServer {
            var configuration = configuration
            configuration.executor = OwnThreads.shared
            let server = try HTTPServer(FunctionResponder(body: respond), configuration: configuration)
            let listening = AsyncStream<Int>.makeStream()
            let task = Task<Result<Void, any Error>, Never>(executorPreference: OwnThreads.shared) {
                defer { listening.continuation.finish() }
                do { return .success(try await server.run { listening.continuation.yield($0) }) } catch {
                    return .failure(error)
                }
            }
            for await port in listening.stream { return TestServer(port: port, task: task) }
            _ = try await task.value.get()
            throw RawSocket.Failure(call: "the server stopped")
        }
    }

    /// Runs a test against a server on its own threads, and stops the server afterwards.
    func withServer(
        _ change: @escaping @Sendable (inout HTTPServer.Configuration) -> Void = { _ in },
        respond: @escaping @Sendable (SyncRequest) async -> SyncResponse,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await within {
            var configuration = HTTPServer.Configuration()
            configuration.stopTime = .milliseconds(100)
            // Limits that a busy machine does not exceed.
            configuration.headTime = .seconds(300)
            configuration.idleTime = .seconds(300)
            change(&configuration)
            let server = try await TestServer.start(configuration, respond)
            do {
                try await body(server)
            } catch {
                try? await server.stop()
                throw error
            }
            try await server.stop()
        }
    }

    /// Returns a transport to a port of this machine.
    func client(
        of port: Int, scheme: String = "http", path: String = "",
        _ change: (inout HTTPClientTransport.Configuration) -> Void = { _ in }
    ) throws -> HTTPClientTransport {
        var configuration = HTTPClientTransport.Configuration()
        configuration.executor = OwnThreads.shared
        change(&configuration)
        let address = try PeerAddress(parsing: "\(scheme)://127.0.0.1:\(port)\(path)")
        return try HTTPClientTransport(to: address, configuration: configuration)
    }

    /// A number that tasks change and tests wait for.
    final class Count: Sendable {
        private let state = Mutex(0)

        var value: Int { state.withLock { $0 } }

        func add(_ number: Int = 1) { state.withLock { $0 += number } }

        /// Waits until the number is at least `goal`.
        func reaches(_ goal: Int) async throws {
            while value < goal { await pause(for: .milliseconds(2)) }
        }

        /// Waits until the number has not changed for 300 ms, and returns it.
        func standstill() async -> Int {
            var last = -1
            while last != value {
                last = value
                await pause(for: .milliseconds(300))
            }
            return last
        }
    }

    /// Tells a waiting task that something has happened, for example that a task was canceled.
    final class Signal: Sendable {
        private let count = Count()

        var isGiven: Bool { count.value > 0 }

        func give() { count.add() }

        func wait() async throws { try await count.reaches(1) }

        /// Waits until the task is canceled.
        static func cancellation() async {
            while !Task.isCancelled { await pause(for: .milliseconds(2)) }
        }
    }

    /// Returns chunks of 64 KB forever, and counts them. Signals when nobody can read any more.
    func endless(_ count: Count, onEnd: Signal? = nil) -> ByteStream {
        let ending = Ending(signal: onEnd)
        return ByteStream {
            ending.note()
            count.add()
            return [UInt8](repeating: UInt8(truncatingIfNeeded: count.value), count: 1 << 16)
        }
    }

    /// Gives a signal when it is released.
    private final class Ending: Sendable {
        let signal: Signal?

        init(signal: Signal?) { self.signal = signal }

        func note() {}

        deinit { signal?.give() }
    }

    extension SyncBody {
        var text: String {
            get async throws { String(decoding: try await collected(limit: 1 << 26), as: UTF8.self) }
        }
    }

    /// Expects an error of the connection.
    func expectTransportError(
        _ code: TransportError.Code, _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            try await body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch let error as TransportError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
#endif
