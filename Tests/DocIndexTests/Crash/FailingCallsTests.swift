import DocIndex
import Foundation
import LevelKit
import TestSupport
import Testing

/// System calls fail, one after another, while a process writes, builds indexes and migrates.
@Suite(.enabled(if: FailingCalls.canPreload, "calls can be made to fail by LD_PRELOAD on Linux only"))
struct FailingCallsTests {
    @Test(arguments: ["io", "short", "space", "exit", "half"])
    func `A failed system call costs nothing that was acknowledged`(mode: String) throws {
        try withTemporaryDirectory { directory in
            try #require(FileManager.default.fileExists(atPath: FailingCalls.library), "swift build builds it")
            let whole = try Self.run(directory + "/whole", failing: 0, mode: mode, in: directory)
            #expect(whole.printed.failures.isEmpty && whole.printed.rest.isEmpty, "\(whole.printed)")
            #expect(whole.printed.lastCommit == 45)
            let count = try #require(whole.callCount)
            let step = TestRun.isLong ? 1 : max(1, count / 12)
            var random = TestRun.random(stream: 62)
            var failedCount = 0
            for number in stride(from: 1 + random.number(below: step), through: count, by: step) {
                let path = directory + "/s"
                let description = "call \(number) of \(count), \(mode)"
                let run = try Self.run(path, failing: number, mode: mode, in: directory)
                // Compactions run at different times in each run, so the last calls may not be reached.
                let isEnded = run.end.reason == .exit && run.end.status == 9 && (mode == "exit" || mode == "half")
                #expect(run.end.isInTime, "\(description): the process hangs")
                #expect(
                    isEnded || (run.end.reason == .exit && run.end.status == 0),
                    "\(description): \(run.end), \(run.printed.rest)")
                #expect(run.printed.rest.isEmpty, "\(description)")
                if isEnded || !run.printed.failures.isEmpty { failedCount += 1 }
                // One call failed; immediately, or after the store was reopened, the retry and everything after it was
                // stored.
                if !isEnded, mode != "space", run.printed.lastCommit > 0 {
                    #expect(run.printed.lastCommit >= 42, "\(description): \(run.printed)")
                }
                try Self.check(path, run.printed, description)
                try TestFiles.remove(path)
            }
            print("\(mode): \(count) calls, \(failedCount) runs in which one failed")
            #expect(failedCount > 0)
        }
    }

    private typealias Run = (
        end: (reason: Process.TerminationReason, status: Int32, isInTime: Bool), printed: LoaderProcess.Output,
        callCount: Int?
    )

    /// Runs the short history with one failing call.
    private static func run(_ path: String, failing number: Int, mode: String, in directory: String) throws -> Run {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let countPath = directory + "/count"
        let process = try LoaderProcess(
            [path, "short"], printingTo: directory + "/printed",
            environment: [
                "LD_PRELOAD": FailingCalls.library, "FAILING_CALLS_NUMBER": "\(number)",
                "FAILING_CALLS_MODE": mode,
                "FAILING_CALLS_DIRECTORY": URL(filePath: path).resolvingSymlinksInPath().path(),
                "FAILING_CALLS_COUNT": countPath,
            ])
        let end = process.wait(seconds: 600)
        let count = (try? TestFiles.bytes(of: countPath)).flatMap {
            Int(String(decoding: $0, as: UTF8.self).filter { !$0.isNewline })
        }
        return (end, try process.printed(), count)
    }

    /// Opens what remains, and finishes what was started.
    private static func check(_ path: String, _ printed: LoaderProcess.Output, _ description: String) throws {
        do {
            // Anything not created yet can be created.
            let store = try DocumentStore.open(
                at: path, schema: printed.lastCommit == 0 ? LoaderHistory.schema(0) : nil,
                options: DocumentStore.Options(finishesSchemaChange: false))
            try checkContent(of: store, printed, description)
            try store.finishSchemaChange()
            if printed.migrationCount > 0 { try store.migrate(LoaderHistory.migrations(1)) }
            try checkContent(of: store, printed, description)
            try store.close()
        } catch {
            Issue.record("\(description): \(error)")
        }
    }

    private static func checkContent(
        of store: DocumentStore, _ printed: LoaderProcess.Output, _ description: String
    ) throws {
        let verification = try store.verify()
        #expect(verification.problems.isEmpty, "\(description)")
        let state = try LoaderHistory.State(of: store)
        // A failed commit may be present, completely.
        let range = printed.lastCommit...printed.lastCommit + 1
        #expect(range.contains(state.commitCount), "\(description): \(state.commitCount), not in \(range)")
        var expected = LoaderHistory.State()
        while expected.commitCount < state.commitCount { expected.advance() }
        #expect(state == expected, "\(description)")
    }
}
