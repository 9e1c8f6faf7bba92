import Foundation
import LevelKit
import TestSupport
import Testing

@Suite(.serialized) struct OutsideCheckpointTests {
    private static let isLong = ProcessInfo.processInfo.environment["LEVELKIT_TEST_LONG"] == "1"
    /// Names that the writer itself creates. `LOG.old` would come from a second open.
    private static func isMadeByWriter(_ name: String) -> Bool {
        name.wholeMatch(of: /CURRENT|LOCK|LOG|MANIFEST-\d+|\d+\.(ldb|log|dbtmp)/) != nil
    }

    /// The long form takes a thousand checkpoints, of five writers: the manifest of a writer that creates a table every
    /// few milliseconds grows, and so does the time to read it.
    @Test(arguments: 1...(isLong ? 5 : 1))
    func `A checkpoint of a database in use by another process contains a prefix of its writes`(run: Int) throws {
        let directory = try TemporaryDirectory()
        let live = directory.path("live")
        let writer = try WriterProcess.withTables(database: live)
        var last: UInt64 = 0
        var tries: [Int: Int] = [:]
        var (slowest, total) = (Duration.zero, Duration.zero)
        let count = Self.isLong ? 200 : 50
        for number in 0..<count {
            let path = directory.path("checkpoint-\(number)")
            let start = ContinuousClock.now
            let report = try Checkpoint.take(of: live, to: path)
            let duration = ContinuousClock.now - start
            (slowest, total) = (max(slowest, duration), total + duration)
            tries[report.tryCount, default: 0] += 1
            #expect(report.holder == writer.processIdentifier)
            #expect(report.copiedTableCount == 0)
            var options = DatabaseOptions()
            options.createIfMissing = false
            let copy = try Database.open(at: report.path, options: options)
            let prefix = try WriterHistory.prefix(of: copy)
            try copy.close()
            guard let prefix else {
                Issue.record("checkpoint \(number) is no prefix")
                break
            }
            #expect(prefix == report.lastSequence, "each operation has one sequence number")
            #expect(prefix >= last, "a later checkpoint holds no less")
            last = prefix
            for name in try directory.names(in: "live") where !Self.isMadeByWriter(name) {
                Issue.record("\(name) was made in the live directory")
            }
            try FileManager.default.removeItem(atPath: path)
        }
        let writeCount = try writer.stop()
        print(
            "run \(run): \(count) checkpoints during \(writeCount) writes: tries \(tries.sorted { $0.key < $1.key }), "
                + "mean \(total / count), slowest \(slowest)")
        #expect(writeCount >= last)
        let database = try Database.open(at: live)
        #expect(try WriterHistory.prefix(of: database) == writeCount)
        #expect(try database.verify().problems == [])
        try database.close()
        // Nothing but the open call above renamed the info log.
        #expect(try directory.names(in: ".") == ["live"])
    }

    @Test func `A checkpoint of a killed writer's database contains everything it wrote`() throws {
        let directory = try TemporaryDirectory()
        let writer = try WriterProcess.withTables(database: directory.path("live"))
        writer.kill()
        let report = try Checkpoint.take(of: directory.path("live"), to: directory.path("copy"))
        #expect(report.holder == nil)
        #expect(report.tryCount == 1)
        let copy = try Database.open(at: directory.path("copy"))
        let live = try Database.open(at: directory.path("live"))
        let prefix = try #require(try WriterHistory.prefix(of: copy))
        #expect(try WriterHistory.prefix(of: live) == prefix)
        #expect(prefix > 0)
        try copy.close()
        try live.close()
    }

    @Test func `Copied tables share no files with the source`() throws {
        let directory = try TemporaryDirectory()
        let writer = try WriterProcess.withTables(database: directory.path("live"))
        for number in 0..<5 {
            let path = directory.path("copy-\(number)")
            let report = try Checkpoint.take(of: directory.path("live"), to: path, tables: .copied)
            #expect(report.linkedTableCount == 0)
            for name in try directory.names(in: "copy-\(number)") {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
                #expect(attributes[.referenceCount] as? Int == 1)
            }
            let copy = try Database.open(at: path)
            #expect(try WriterHistory.prefix(of: copy) != nil)
            try copy.close()
        }
        _ = try writer.stop()
    }

    @Test func `Tables are copied if the destination is on another file system`() throws {
        let other = "/dev/shm"
        guard FileManager.default.isWritableFile(atPath: other) else { return }
        let directory = try TemporaryDirectory()
        let elsewhere = try TemporaryDirectory(under: other)
        let writer = try WriterProcess.withTables(database: directory.path("live"))
        let report = try Checkpoint.take(of: directory.path("live"), to: elsewhere.path("copy"))
        #expect(report.linkedTableCount == 0)
        #expect(report.copiedTableCount > 0)
        let copy = try Database.open(at: report.path)
        #expect(try WriterHistory.prefix(of: copy) == report.lastSequence)
        try copy.close()
        _ = try writer.stop()
    }
}
