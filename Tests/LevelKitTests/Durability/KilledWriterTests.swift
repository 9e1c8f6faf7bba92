import Foundation
import LevelKit
import TestSupport
import Testing

/// A process is repeatedly killed while it writes synced batches.
@Suite struct KilledWriterTests {
    /// Half of the delays count from the start of the process, so that some kills interrupt the recovery of the log;
    /// the others count from its first batch.
    @Test func `After a kill, acknowledged writes are present and every batch is complete`() throws {
        var random = TestRun.random(stream: 41)
        var (totalCount, unacknowledgedCount) = (0, 0)
        try withTemporaryDirectory { directory in
            let database = directory + "/db"
            for round in 0..<TestRun.rounds(12, long: 300) {
                let microseconds = random.number(below: 200_000)
                let acknowledged = try Self.killWriter(
                    of: database, acknowledgingIn: directory + "/acknowledged", after: microseconds,
                    ofWriting: round % 2 == 0)
                let found = try Self.countAfterVerifying(database)
                let description = "round \(round), after \(microseconds) microseconds; \(TestRun.repetition)"
                let count = try #require(found, "a batch is there in part; \(description)")
                let least = acknowledged.map { $0 + 1 } ?? totalCount
                #expect(count >= least, "\(least - count) batches are lost; \(description)")
                // One batch may have been written but not acknowledged.
                #expect(count <= least + 1, "\(description)")
                if count > least { unacknowledgedCount += 1 }
                totalCount = count
            }
        }
        print("\(totalCount) batches, \(unacknowledgedCount) of them written and not acknowledged before a kill")
        #expect(totalCount > 0)
    }

    /// Starts the writer and kills it after a delay, counted from its start or from its first batch.
    ///
    /// - Returns: The last acknowledged batch, or `nil` if there was none.
    private static func killWriter(
        of database: String, acknowledgingIn path: String, after microseconds: Int, ofWriting: Bool
    ) throws -> Int? {
        try write([], to: path)
        let output = try FileHandle(forWritingTo: URL(filePath: path))
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "levelkit-writer")
        process.arguments = [database, "64", "batches"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let deadline = ContinuousClock.now + .seconds(30)
        while ofWriting, try content(of: path).isEmpty, ContinuousClock.now < deadline { usleep(1000) }
        usleep(UInt32(microseconds))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try output.close()
        // Any other reason means that the process did not end by the test's signal.
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == SIGKILL)
        let text = String(decoding: try content(of: path), as: UTF8.self)
        // A line break shows that the line was printed completely.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.flatMap { Int($0) }
    }

    private static func countAfterVerifying(_ path: String) throws -> Int? {
        let database = try Database.open(at: path)
        let report = try database.verify()
        #expect(report.problems == [])
        let count = try BatchHistory.count(in: database)
        try database.close()
        return count
    }
}
