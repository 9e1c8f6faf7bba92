import Foundation
import LevelKit
import Synchronization
import Testing

// An exit test provides a second process. While the child runs, the test blocks one of the few threads of Swift
// concurrency, so concurrent work of this process runs on a separate thread and never awaits a task.

/// A flag that one process raises and another waits for, represented by the existence of a file.
struct Flag: Sendable {
    /// The time after which the other process counts as hung. A busy machine may take minutes to start it.
    static let limit = Duration.seconds(600)

    let path: String

    /// Creates a flag with a name in a directory that both processes know.
    init(_ name: String, in directory: String) { path = directory + "/" + name }

    /// Raises the flag with a message for the waiting process.
    func raise(_ text: String = "") throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    /// Waits for the flag and returns its message.
    ///
    /// - Throws: An error if that takes longer than ``limit``, which means that the other process failed.
    @discardableResult
    func wait() throws -> String {
        let deadline = ContinuousClock.now + Self.limit
        while ContinuousClock.now < deadline {
            if let text = try? String(contentsOfFile: path, encoding: .utf8) { return text }
            usleep(1000)
        }
        throw NeverRaised(path: path)
    }

    private struct NeverRaised: Error {
        let path: String
    }
}

/// Runs `body` on a separate thread while `child` waits for an exit test.
///
/// - Returns: The result of `body`. Check it afterwards: a separate thread belongs to no test.
func concurrently<R: Sendable>(
    with child: () async -> Void, _ body: @escaping @Sendable () throws -> R
) async throws -> R {
    let outcome = ThreadOutcome<R>()
    Thread.detachNewThread { outcome.finish(Result { try body() }) }
    await child()
    return try outcome.get()
}

final class ThreadOutcome<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)
    private let isFinished = DispatchSemaphore(value: 0)

    func finish(_ result: Result<R, any Error>) {
        self.result.withLock { $0 = result }
        isFinished.signal()
    }

    func get() throws -> R {
        isFinished.wait()
        return try #require(result.withLock { $0 }).get()
    }
}

/// Runs `body` while another process has the database `name` in `directory` open.
///
/// - Parameter body: Receives the ID of that process.
func whileAnotherProcessHoldsDatabase<R: Sendable>(
    _ name: String, in directory: String, _ body: @escaping @Sendable (Int32) throws -> R
) async throws -> R {
    return try await concurrently(with: { await holdDatabase(name, in: directory) }) {
        defer { try? Flag("stop", in: directory).raise() }
        return try body(try #require(Int32(try Flag("held", in: directory).wait())))
    }
}

private func holdDatabase(_ name: String, in directory: String) async {
    await #expect(processExitsWith: .success) { [name = name as String, directory = directory as String] in
        try reportingErrors {
            let database = try Database.open(at: directory + "/" + name)
            try database.put("from the other process", forKey: "holder")
            try Flag("held", in: directory).raise("\(ProcessInfo.processInfo.processIdentifier)")
            try Flag("stop", in: directory).wait()
            try database.put("still here", forKey: "holder")
            try database.close()
        }
    }
}

/// Runs `body` in the child process of an exit test, and records any error it throws as an issue with its message,
/// which the exit of the process alone would not show.
func reportingErrors(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
    do {
        try body()
    } catch {
        Issue.record("the child process threw: \(error)", sourceLocation: sourceLocation)
    }
}

/// Limits the file descriptors of this process, which a test has started for this.
func limitDescriptors(to count: rlim_t) {
    var limit = rlimit(rlim_cur: count, rlim_max: count)
    #if os(Linux)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
        _ = unsafe setrlimit(RLIMIT_NOFILE, &limit)
    #endif
}

/// Checks whether another process can obtain the lock on a database.
func expectAnotherProcess(
    getsLockOn path: String, _ expected: Bool, sourceLocation: SourceLocation = #_sourceLocation
) async {
    let outcome = expected ? ExitTest.Condition.exitCode(10) : .exitCode(11)
    await #expect(processExitsWith: outcome, sourceLocation: sourceLocation) { [path = path as String] in
        let descriptor = unsafe open(path + "/LOCK", O_RDWR)
        var request = flock()
        request.l_type = .init(F_WRLCK)
        request.l_whence = .init(SEEK_SET)
        exit(unsafe fcntl(descriptor, F_SETLK, &request) == 0 ? 10 : 11)
    }
}
