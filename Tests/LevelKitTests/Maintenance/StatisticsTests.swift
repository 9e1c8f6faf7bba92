import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

@Suite struct StatisticsTests {
    @Test func `LevelDB's statistics strings are parsed`() {
        let statistics = Database.Statistics(
            sstables:
                "--- level 0 ---\n 7:120['a:1[' @ 3 : 1 .. 'b' @ 2 : 0]\n--- level 1 ---\n 5:100['a' @ 1 : 1 .. 'c' @ 2 : 1]\n"
                + " 6:50['d' @ 1 : 1 .. 'e' @ 2 : 1]\n--- level 2 ---\n",
            stats: """
                                               Compactions
                Level  Files Size(MB) Time(sec) Read(MB) Write(MB)
                --------------------------------------------------
                  1        2        0         4       50        60

                """,
            memory: "4194304")
        #expect(statistics.levels.map(\.tableCount) == [1, 2, 0, 0, 0, 0, 0])
        #expect(statistics.levels.map(\.byteCount) == [120, 150, 0, 0, 0, 0, 0])
        #expect(statistics.tables.map(\.number) == [7, 5, 6])
        #expect(statistics.levels[1].compactionSeconds == 4)
        #expect(statistics.levels[1].compactionReadMebibytes == 50)
        #expect(statistics.levels[1].compactionWrittenMebibytes == 60)
        #expect(statistics.tableByteCount == 270)
        #expect(statistics.approximateMemoryByteCount == 4_194_304)
    }

    @Test func `Statistics agree with the files, whatever bytes the keys contain`() throws {
        let directory = try TemporaryDirectory()
        let database = try Database.open(at: directory.path("db"))
        #expect(try database.statistics().tables == [])
        for byte in UInt8.min...UInt8.max {
            try database.put([1], forKey: [byte, 0x0a, 0x20, 0x31, 0x3a, 0x32, 0x5b, byte])
        }
        try database.flush()
        let statistics = try database.statistics()
        #expect(statistics.tables.count == 1)
        for table in statistics.tables {
            let bytes = try directory.read("db/" + EngineFileName.table(named: table.number))
            #expect(table.byteCount == UInt64(bytes.count))
        }
        #expect(statistics.approximateMemoryByteCount > 0)
        try database.close()
        let error = #expect(throws: LevelError.self) { try database.statistics() }
        #expect(error?.code == .closed)
    }

    @Test func `Records that a relaxed open drops from a damaged log are reported`() throws {
        let directory = try TemporaryDirectory()
        let database = try Database.open(at: directory.path("db"))
        for index in 0..<3_000 { try WriterHistory.perform(UInt64(index), on: database) }
        #expect(try database.recoveryNotes() == [])
        try database.close()
        let name = "db/" + (try #require(try directory.names(in: "db").last { $0.hasSuffix(".log") }))
        var bytes = try directory.read(name)
        bytes[100_000] ^= 1
        try directory.write(bytes, to: name)
        #expect(throws: LevelError.self) { try Database.open(at: directory.path("db")) }
        var options = DatabaseOptions()
        options.integrity = .relaxed
        let relaxed = try Database.open(at: directory.path("db"), options: options)
        let notes = try relaxed.recoveryNotes()
        #expect(notes.contains { ($0.droppedByteCount ?? 0) > 0 })
        #expect(notes.contains { $0.description.contains("checksum mismatch") })
        try relaxed.close()
    }

    @Test func `Info log lines are parsed with and without a decimal thread ID`() {
        let with = Database.EngineMessage(
            line: "2026/11/21-13:31:19.123456 140245 000012.log: dropping 29443 bytes; Corruption: x")
        #expect(with.description == "000012.log: dropping 29443 bytes; Corruption: x")
        #expect(with.droppedByteCount == 29_443)
        let without = Database.EngineMessage(line: "2012/02/03-18:39:40.556778 7f7d66252740 Recovering log #3")
        #expect(without.description == "Recovering log #3")
        #expect(without.droppedByteCount == nil)
        #expect(Database.EngineMessage(line: "").description == "")
        #expect(Database.EngineMessage(line: "dropping").droppedByteCount == nil)
    }
}
