import Foundation
import LevelKit
import Synchronization
import Testing

// An exit test gives a second process. While its child runs it keeps one of the few threads of Swift's concurrency
// waiting; so what this process does meanwhile runs on a thread of its own, and never waits for a task.

/// A flag that one process raises and another waits for: a file that exists.
struct Flag: Sendable {
    let path: String

    /// A flag of this name in a directory that both processes know.
    init(_ name: String, in directory: String) { path = directory + "/" + name }

    /// Raises the flag, with a text for those who wait.
    func raise(_ text: String = "") throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    /// The text of the flag, once it is raised.
    ///
    /// - Throws: if that takes longer than half a minute: then the other process has failed.
    @discardableResult
    func wait() throws -> String {
        let deadline = ContinuousClock.now + .seconds(30)
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

/// Runs `body` on a thread of its own while `child` waits for an exit test.
///
/// - Returns: what `body` returns, to be judged after it: a thread of its own belongs to no test.
func concurrently<R: Sendable>(
    with child: () async -> Void, _ body: @escaping @Sendable () throws -> R
) async throws -> R {
    let outcome = ThreadOutcome<R>()
    Thread.detachNewThread { outcome.finish(Result { try body() }) }
    await child()
    return try outcome.get()
}

/// The result of a thread.
final class ThreadOutcome<R: Sendable>: Sendable {
    private let result = Mutex<Result<R, any Error>?>(nil)
    private let isFinished = DispatchSemaphore(value: 0)

    func finish(_ result: Result<R, any Error>) {
        self.result.withLock { $0 = result }
        isFinished.signal()
    }

    /// Waits for the thread.
    func get() throws -> R {
        isFinished.wait()
        return try #require(result.withLock { $0 }).get()
    }
}

/// Runs `body` while another process has the database `name` in `directory` open.
///
/// - Parameter body: is given the id of that process.
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

/// Runs `body` in the child process of an exit test; an error that it throws becomes an issue with its text, which the
/// end of the process alone would not tell.
func reportingErrors(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) throws {
    do {
        try body()
    } catch {
        Issue.record("the child process threw: \(error)", sourceLocation: sourceLocation)
    }
}

/// Expects that another process gets the lock on a database, or that it does not.
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
