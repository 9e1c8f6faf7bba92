import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Processes that store, copy and collect attachments end at any moment, or their calls fail.
@Suite struct AttachmentCrashTests {
    // MARK: - Failing calls

    @Test(
        .enabled(if: FailingCalls.canPreload, "calls can be made to fail by LD_PRELOAD on Linux only"),
        arguments: ["io", "short", "space"] + (Sanitizer.checksThreads ? [] : ["exit", "half"]))
    func `A failed system call loses no attachment of an acknowledged document`(mode: String) throws {
        try withTemporaryDirectory { directory in
            try #require(FileManager.default.fileExists(atPath: FailingCalls.library), "swift build builds it")
            let whole = try Self.run(failing: 0, mode: mode, in: directory)
            #expect(whole.printed.failures.isEmpty && whole.printed.rest.isEmpty, "\(whole.printed)")
            #expect(whole.printed.lastCommit == Self.stepCount)
            let count = try #require(whole.callCount)
            let step = TestRun.isLong ? 1 : max(1, count / 15)
            var random = TestRun.random(stream: 162)
            var failedCount = 0
            for number in stride(from: 1 + random.number(below: step), through: count, by: step) {
                let run = try Self.run(failing: number, mode: mode, in: directory)
                let description = "call \(number) of \(count), \(mode)"
                let isEnded = run.end.reason == .exit && run.end.status == 9 && (mode == "exit" || mode == "half")
                #expect(run.end.isInTime, "\(description): the process hangs")
                #expect(
                    isEnded || (run.end.reason == .exit && run.end.status == 0),
                    "\(description): \(run.end), \(run.printed.rest)")
                #expect(run.printed.rest.isEmpty, "\(description): \(run.printed.rest)")
                if isEnded || !run.printed.failures.isEmpty { failedCount += 1 }
                try Self.check(directory + "/r/s", acknowledged: run.printed.lastCommit, description)
            }
            print("\(mode): \(count) calls, \(failedCount) runs in which one failed")
            #expect(failedCount > 0)
        }
    }

    private static let stepCount = 20

    private typealias Run = (
        end: (reason: Process.TerminationReason, status: Int32, isInTime: Bool), printed: LoaderProcess.Output,
        callCount: Int?
    )

    /// Runs the steps in a new store with one failing call.
    private static func run(failing number: Int, mode: String, in directory: String) throws -> Run {
        let root = directory + "/r"
        try? TestFiles.remove(root)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let process = try LoaderProcess(
            [root + "/s", "attachments", "\(stepCount)"], printingTo: directory + "/printed",
            environment: [
                "LD_PRELOAD": FailingCalls.library, "FAILING_CALLS_NUMBER": "\(number)",
                "FAILING_CALLS_MODE": mode,
                "FAILING_CALLS_DIRECTORY": URL(filePath: root).resolvingSymlinksInPath().path(),
                "FAILING_CALLS_COUNT": directory + "/count",
            ])
        let end = process.wait(seconds: 600)
        let count = (try? TestFiles.bytes(of: directory + "/count")).flatMap {
            Int(String(decoding: $0, as: UTF8.self).filter { !$0.isNewline })
        }
        return (end, try process.printed(), count)
    }

    /// Opens what remains. Every document and its attachments are those of the last acknowledged step or the next one,
    /// and nothing else is left after a collection.
    ///
    /// - Returns: The number of completed steps; `nil` if the store had not been created.
    @discardableResult
    private static func check(_ path: String, acknowledged: Int, _ description: String) throws -> Int? {
        do {
            let store: DocumentStore
            do {
                store = try DocumentStore.open(at: path, schema: acknowledged == 0 ? AttachmentHistory.schema : nil)
            } catch let error as LevelError where error.code == .databaseNotFound && acknowledged == 0 {
                return nil
            }
            try expectSound(store)
            let count = try AttachmentHistory.stepCount(in: store)
            #expect((acknowledged...acknowledged + 1).contains(count), "\(description)")
            #expect(try AttachmentHistory.problems(of: store) == [], "\(description)")
            #expect(try AttachmentHistory.leftovers(in: store) == [], "\(description)")
            #expect(try AttachmentHistory.problems(of: store) == [], "after a collection, \(description)")
            try store.close()
            return count
        } catch {
            Issue.record("\(description): \(error)")
            return nil
        }
    }

    // MARK: - Kills

    @Test func `After a kill, every acknowledged document has its attachments`() throws {
        var random = TestRun.random(stream: 163)
        var count = 0
        try withTemporaryDirectory { directory in
            for round in 0..<TestRun.rounds(10, long: 200) {
                let delay = random.number(below: 400_000)
                let process = try LoaderProcess([directory + "/s", "attachments"], printingTo: directory + "/printed")
                let deadline = ContinuousClock.now + .seconds(30)
                while round % 2 == 0, try !process.hasPrinted(""), ContinuousClock.now < deadline { usleep(1000) }
                usleep(UInt32(delay))
                process.kill()
                let end = process.wait()
                let printed = try process.printed()
                let description = "round \(round), after \(delay) microseconds; \(TestRun.repetition): \(printed.rest)"
                #expect(end.reason == .uncaughtSignal && end.status == SIGKILL, "\(description)")
                #expect(printed.rest.isEmpty && printed.failures.isEmpty, "\(description)")
                count =
                    try Self.check(
                        directory + "/s", acknowledged: max(count, printed.lastCommit), description) ?? count
            }
        }
        print("\(count) steps")
        #expect(count > 0)
    }

    // MARK: - Power loss

    @Test(.enabled(if: FailingCalls.canPreload, "what was synced is noted by LD_PRELOAD on Linux only"))
    func `After a power loss, every document that is left has its attachments`() throws {
        var random = TestRun.random(stream: 164)
        for round in 0..<TestRun.rounds(6, long: 200) {
            try withTemporaryDirectory { directory in
                let delay = random.number(below: 400_000)
                let description = "round \(round), after \(delay) microseconds; \(TestRun.repetition)"
                let root = URL(filePath: directory).resolvingSymlinksInPath().path()
                let process = try LoaderProcess(
                    [directory + "/s", "attachments"], printingTo: directory + "/printed",
                    environment: [
                        "LD_PRELOAD": FailingCalls.library, "FAILING_CALLS_DIRECTORY": root + "/s",
                        "FAILING_CALLS_SYNCED": directory + "/synced",
                    ])
                let deadline = ContinuousClock.now + .seconds(30)
                while try !process.hasPrinted("4"), ContinuousClock.now < deadline { usleep(1000) }
                usleep(UInt32(delay))
                process.kill()
                _ = process.wait()
                let printed = try process.printed()
                #expect(printed.rest.isEmpty && printed.failures.isEmpty, "\(description): \(printed)")
                try Self.losePower(in: directory, acknowledged: printed.lastCommit, description)
            }
        }
    }

    @Test(.enabled(if: FailingCalls.canPreload, "what was synced is noted by LD_PRELOAD on Linux only"))
    func `A directory that a killed process left is synced before a document refers to a file in it`() throws {
        try withTemporaryDirectory { directory in
            _ = try Self.run(steps: 1, in: directory)
            let root = URL(filePath: directory).resolvingSymlinksInPath().path() + "/s/attachments/"
            let log = try FileHandle(forWritingTo: URL(filePath: directory + "/synced"))
            try log.seekToEnd()
            for number in 0...255 {
                let shard = root + (number < 16 ? "0" : "") + String(number, radix: 16)
                if FileManager.default.fileExists(atPath: shard) { continue }
                try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: false)
                try log.write(contentsOf: Data("mkdir \(shard)\n".utf8))
            }
            try log.close()
            let printed = try Self.run(steps: 30, in: directory)
            #expect(printed.lastCommit == 31)
            try Self.losePower(in: directory, acknowledged: 31, "with all directories")
        }
    }

    @Test(
        .enabled(if: FailingCalls.canPreload, "calls can be made to fail by LD_PRELOAD on Linux only"),
        arguments: ["io"] + (Sanitizer.checksThreads ? [] : ["exit", "dies"]))
    func `Data that a failed call left is not relied on when power is lost later`(mode: String) throws {
        var number = 1
        var random = TestRun.random(stream: 165)
        var count = Int.max
        while number <= count {
            try withTemporaryDirectory { directory in
                let description = "call \(number), \(mode); \(TestRun.repetition)"
                _ = try Self.run(
                    steps: 8, in: directory,
                    environment: ["FAILING_CALLS_NUMBER": "\(number)", "FAILING_CALLS_MODE": mode])
                if number == 1 {
                    try withTemporaryDirectory { other in
                        _ = try Self.run(steps: 8, in: other, environment: ["FAILING_CALLS_COUNT": other + "/count"])
                        let text = String(decoding: try TestFiles.bytes(of: other + "/count"), as: UTF8.self)
                        count = try #require(Int(text.filter { !$0.isNewline }))
                    }
                }
                let printed = try Self.run(steps: 16, in: directory)
                #expect(printed.failures.isEmpty && printed.rest.isEmpty, "\(description): \(printed)")
                try Self.losePower(in: directory, acknowledged: printed.lastCommit, description)
            }
            number += TestRun.isLong ? 1 : 1 + random.number(below: max(1, count / 4))
        }
    }

    @Test(.enabled(if: FailingCalls.canPreload, "what was synced is noted by LD_PRELOAD on Linux only"))
    func `A rebuild syncs each file of which it makes a record`() throws {
        try withTemporaryDirectory { directory in
            _ = try Self.run(steps: 16, in: directory)
            try TestFiles.remove(directory + "/synced")
            let database = try Database.open(at: directory + "/s")
            let batch = WriteBatch()
            var cursor = try database.cursor(in: .prefix([StoreKey.attachments.rawValue]))
            while try cursor.advance() { try batch.delete(cursor.key.copied()) }
            try database.write(batch)
            try database.close()
            let process = try LoaderProcess(
                [directory + "/s", "rebuild"], printingTo: directory + "/printed",
                environment: Self.noting(in: directory))
            let end = process.wait(seconds: 600)
            #expect(end.isInTime && end.status == 0)
            let synced = Set(
                String(decoding: try TestFiles.bytes(of: directory + "/synced"), as: UTF8.self)
                    .split(separator: "\n").map(String.init))
            let root = URL(filePath: directory).resolvingSymlinksInPath().path() + "/s/attachments"
            let store = try DocumentStore.open(at: directory + "/s")
            var fileCount = 0
            var recordCursor = try store.database.cursor(in: .prefix([StoreKey.attachments.rawValue]))
            while try recordCursor.advance() {
                let bytes = Array(recordCursor.key.copied().dropFirst())
                guard let digest = Attachment.Digest(bytes.span) else { continue }
                let shard = root + "/" + digest.description.prefix(2)
                let file = shard + "/" + digest.description
                guard let content = try? TestFiles.bytes(of: file) else { continue }
                fileCount += 1
                #expect(synced.contains("\(content.count) \(file)"), "\(file)")
                #expect(synced.contains { $0.hasSuffix(" " + shard) }, "\(shard)")
            }
            #expect(fileCount > 2)
            #expect(synced.contains { $0.hasSuffix(" " + root) })
            try expectSound(store)
            #expect(try AttachmentHistory.problems(of: store) == [])
            try store.close()
        }
    }

    /// The environment of a process that notes what it syncs in the store of a directory.
    private static func noting(in directory: String) -> [String: String] {
        [
            "LD_PRELOAD": FailingCalls.library,
            "FAILING_CALLS_DIRECTORY": URL(filePath: directory).resolvingSymlinksInPath().path() + "/s",
            "FAILING_CALLS_SYNCED": directory + "/synced",
        ]
    }

    /// Performs steps in the store of a directory. What the process syncs is noted.
    private static func run(
        steps: Int, in directory: String, environment: [String: String] = [:]
    ) throws -> LoaderProcess.Output {
        let process = try LoaderProcess(
            [directory + "/s", "attachments", "\(steps)"], printingTo: directory + "/printed",
            environment: noting(in: directory).merging(environment) { $1 })
        let end = process.wait(seconds: 600)
        #expect(end.isInTime)
        return try process.printed()
    }

    /// Removes what was not synced. Every document that is left has its attachments, and those of the synced steps are
    /// left.
    private static func losePower(
        in directory: String, acknowledged: Int, _ description: String
    ) throws {
        let root = URL(filePath: directory).resolvingSymlinksInPath().path()
        var disk = LostPower(log: directory + "/synced")
        try disk.losePower(of: root + "/s")
        let store = try DocumentStore.open(at: directory + "/s")
        try expectSound(store)
        let count = try AttachmentHistory.stepCount(in: store)
        // Every fourth step is synced.
        #expect(count >= acknowledged / 4 * 4, "\(description)")
        #expect(try AttachmentHistory.problems(of: store) == [], "\(description)")
        #expect(try AttachmentHistory.leftovers(in: store) == [], "\(description)")
        try store.close()
    }
}

/// What a disk keeps of the files of a process when power is lost: the bytes of each file, and the names in each
/// directory, as of their last sync.
private struct LostPower {
    private var byteCounts: [String: UInt64] = [:]
    /// The names that are on the disk.
    private var durableNames: Set<String> = []
    /// The names that were made since the directory was synced.
    private var newNames: Set<String> = []
    /// The files of which a sync has failed. Later syncs succeed, but do not write what was not written then.
    private var lostNames: Set<String> = []

    /// Reads the log of the preloaded library.
    init(log path: String) {
        let text = (try? TestFiles.bytes(of: path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        // The kill may have interrupted the last line.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "mkdir": newNames.insert(parts[1])
            case "rename":
                let names = parts[1].components(separatedBy: " TO ")
                byteCounts[names[1]] = byteCounts[names[0]] ?? 0
                newNames.insert(names[1])
                if lostNames.remove(names[0]) != nil { lostNames.insert(names[1]) } else { lostNames.remove(names[1]) }
            case "lost":
                if parts[1].contains("/attachments/") { lostNames.insert(parts[1]) }
            default:
                if !lostNames.contains(parts[1]) { byteCounts[parts[1]] = UInt64(parts[0]) }
                for name in newNames where Self.parent(name) == parts[1] {
                    newNames.remove(name)
                    durableNames.insert(name)
                }
            }
        }
    }

    /// Removes from a store what was not synced.
    mutating func losePower(of store: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: store) {
            guard name.hasSuffix(".log") || name.hasSuffix(".ldb") || name.hasPrefix("MANIFEST-") else { continue }
            try truncate(store + "/" + name)
        }
        let root = store + "/attachments"
        for shard in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] where shard != "lock" {
            let directory = root + "/" + shard
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                let path = directory + "/" + name
                if shard == "new" || ![path, directory, root].allSatisfy(durableNames.contains) {
                    try FileManager.default.removeItem(atPath: path)
                } else {
                    try truncate(path)
                }
            }
        }
    }

    private func truncate(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: min(try file.seekToEnd(), byteCounts[path] ?? 0))
        try file.close()
    }

    private static func parent(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
