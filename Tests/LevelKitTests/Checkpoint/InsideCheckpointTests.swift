import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

@Suite struct InsideCheckpointTests {
    @Test func `A checkpoint of an open database contains every write that returned before it`() throws {
        let directory = try TemporaryDirectory()
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: directory.path("live"), options: options)
        let written = Atomic<UInt64>(0)
        let isStopped = Atomic(false)
        let failure = Mutex<String?>(nil)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            do throws(LevelError) {
                while !isStopped.load(ordering: .relaxed) {
                    try WriterHistory.perform(written.load(ordering: .relaxed), on: database)
                    written.add(1, ordering: .releasing)
                }
            } catch {
                failure.withLock { $0 = error.description }
            }
        }
        for number in 0..<20 {
            let before = written.load(ordering: .acquiring)
            let report = try database.checkpoint(to: directory.path("checkpoint-\(number)"))
            #expect(report.holder == nil)
            let copy = try Database.open(at: report.path)
            let prefix = try #require(try WriterHistory.prefix(of: copy))
            #expect(prefix >= before)
            #expect(try copy.verify().problems == [])
            try copy.close()
        }
        isStopped.store(true, ordering: .relaxed)
        group.wait()
        #expect(failure.withLock { $0 } == nil)
        #expect(try WriterHistory.prefix(of: database) == written.load(ordering: .acquiring))
        #expect(try database.verify().problems == [])
        try database.close()
    }

    @Test func `A checkpoint does not release this process's lock`() throws {
        let directory = try TemporaryDirectory()
        let database = try Database.open(at: directory.path("live"))
        try database.put("1", forKey: "a")
        try database.checkpoint(to: directory.path("inside"))
        let report = try Checkpoint.take(of: directory.path("live"), to: directory.path("outside"))
        #expect(report.holder == nil)
        // Other processes must still be locked out.
        #expect(throws: WriterProcess.Failure.self) { try WriterProcess(database: directory.path("live")) }
        try database.close()
    }

    @Test func `Writes to a checkpoint do not change its source`() throws {
        let directory = try TemporaryDirectory()
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: directory.path("live"), options: options)
        for index in 0..<5_000 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.checkpoint(to: directory.path("copy"))
        let copy = try Database.open(at: directory.path("copy"), options: options)
        for index in 5_000..<20_000 { try WriterHistory.perform(UInt64(index), on: copy) }
        try copy.compact()
        #expect(try WriterHistory.prefix(of: copy) == 20_000)
        try copy.close()
        #expect(try WriterHistory.prefix(of: database) == 5_000)
        #expect(try database.verify().problems == [])
        try database.close()
        let reopened = try Database.open(at: directory.path("live"))
        #expect(try WriterHistory.prefix(of: reopened) == 5_000)
        try reopened.close()
    }

    @Test func `A checkpoint of a closed database throws closed`() throws {
        let directory = try TemporaryDirectory()
        let database = try Database.open(at: directory.path("live"))
        try database.close()
        let error = #expect(throws: LevelError.self) { try database.checkpoint(to: directory.path("copy")) }
        #expect(error?.code == .closed)
    }
}
