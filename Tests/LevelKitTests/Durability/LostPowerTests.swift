import Foundation
import LevelKit
import TestSupport
import Testing

/// Power is lost while batches are written, of which every eighth is synced: only the synced part of each file
/// survives.
///
/// Table files are synced late, so LevelDB has usually switched to a new log while the old log's entries are not yet in
/// any table. It also switches for compactions of another thread.
@Suite(.enabled(if: FailingCalls.canPreload, "what was synced is noted by LD_PRELOAD on Linux only"))
struct LostPowerTests {
    /// With the large write buffer, only compactions make LevelDB switch to a new log.
    @Test(arguments: [64, 4096])
    func `A synced batch survives a power loss with everything written before it`(bufferKibibytes: Int) throws {
        var random = TestRun.random(stream: 42)
        var leftLogCount = 0
        for round in 0..<TestRun.rounds(12, long: 200) {
            try withTemporaryDirectory { directory in
                let microseconds = 20_000 + random.number(below: 300_000)
                let acknowledged = try Self.killWriter(bufferKibibytes, in: directory, after: microseconds)
                let description = "round \(round), after \(microseconds) microseconds; \(TestRun.repetition)"
                if try Self.losePower(in: directory) > 1 { leftLogCount += 1 }
                let database = try Database.open(at: directory + "/db")
                let found = try BatchHistory.count(in: database)
                try database.close()
                let count = try #require(found, "there is a batch without those before it; \(description)")
                #expect(count > acknowledged, "\(acknowledged + 1 - count) synced batches are lost; \(description)")
            }
        }
        print("\(leftLogCount) times there was a log that LevelDB had left")
        #expect(leftLogCount > 0)
    }

    /// Starts the writer and kills it some time after its first synced batch.
    ///
    /// - Returns: The last acknowledged synced batch.
    private static func killWriter(
        _ bufferKibibytes: Int, in directory: String, after microseconds: Int
    ) throws -> Int {
        try #require(FileManager.default.fileExists(atPath: FailingCalls.library), "swift build builds it")
        let path = directory + "/acknowledged"
        try write([], to: path)
        let output = try FileHandle(forWritingTo: URL(filePath: path))
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "levelkit-writer")
        process.arguments = [directory + "/db", "\(bufferKibibytes)", "mixed"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LD_PRELOAD": FailingCalls.library,
            "FAILING_CALLS_DIRECTORY": URL(filePath: directory).resolvingSymlinksInPath().path() + "/db",
            "FAILING_CALLS_SYNCED": directory + "/synced", "FAILING_CALLS_TABLES": "100000",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let deadline = ContinuousClock.now + .seconds(30)
        while try content(of: path).isEmpty, ContinuousClock.now < deadline { usleep(1000) }
        usleep(UInt32(microseconds))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try output.close()
        #expect(process.terminationReason == .uncaughtSignal)
        let text = String(decoding: try content(of: path), as: UTF8.self)
        // A line break shows that the line was printed completely.
        let last = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.flatMap { Int($0) }
        return try #require(last, "nothing was acknowledged: \(text)")
    }

    /// Removes the unsynced part of each file.
    ///
    /// - Returns: The number of logs.
    private static func losePower(in directory: String) throws -> Int {
        var syncedCounts: [String: UInt64] = [:]
        for line in String(decoding: try content(of: directory + "/synced"), as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            // The kill may have interrupted the last line.
            guard parts.count == 2, let count = UInt64(parts[0]) else { continue }
            syncedCounts[URL(filePath: String(parts[1])).lastPathComponent, default: 0] = count
        }
        var logCount = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: directory + "/db") {
            guard name.hasSuffix(".log") || name.hasSuffix(".ldb") || name.hasPrefix("MANIFEST-") else { continue }
            if name.hasSuffix(".log") { logCount += 1 }
            let file = try FileHandle(forUpdating: URL(filePath: directory + "/db/" + name))
            try file.truncate(atOffset: min(try file.seekToEnd(), syncedCounts[name] ?? 0))
            try file.close()
        }
        return logCount
    }
}
