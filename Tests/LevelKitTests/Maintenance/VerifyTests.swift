import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

@Suite struct VerifyTests {
    private let directory: TemporaryDirectory
    private let path: String

    /// Creates a closed database `db` of several tables, with nothing relevant in its log.
    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("db")
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        options.maxFileByteCount = 1 << 20
        options.compression = .none
        let database = try Database.open(at: path, options: options)
        for index in 0..<24_000 {
            let value = (0..<100).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0 &* 7) }
            try database.put(value, forKey: Array("key/\(1_000_000 + index * 7_919 % 24_000)".utf8))
        }
        try database.compact()
        try database.close()
    }

    private func report(_ integrity: DatabaseOptions.Integrity = .strict) throws -> Database.VerificationReport {
        var options = DatabaseOptions()
        options.integrity = integrity
        let database = try Database.open(at: path, options: options)
        defer { try? database.close() }
        return try database.verify()
    }

    /// Returns the names of the tables, largest first.
    private func tables() throws -> [String] {
        try Manifest(ofDatabaseAt: path).tables.sorted { $0.byteCount > $1.byteCount }
            .map { "db/" + EngineFileName.table(named: $0.number) }
    }

    private func damage(_ name: String, at position: Int) throws {
        var bytes = try directory.read(name)
        bytes[position] ^= 0x20
        try directory.write(bytes, to: name)
    }

    @Test func `An undamaged database verifies as sound, and its keys are counted`() throws {
        let report = try report()
        let database = try Database.open(at: path)
        var (keyCount, keyByteCount, valueByteCount): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var cursor = try database.cursor()
        while try cursor.advance() {
            keyCount += 1
            keyByteCount += UInt64(cursor.key.count)
            valueByteCount += UInt64(cursor.value.count)
        }
        _ = consume cursor
        try database.close()
        #expect(report.isSound)
        #expect(report.keyCount == keyCount)
        #expect(report.keyByteCount == keyByteCount)
        #expect(report.valueByteCount == valueByteCount)
        #expect(report.tableCount > 1)
        #expect(report.sharedBoundaryCount == 0)
    }

    @Test func `An empty database verifies as sound`() throws {
        let database = try Database.open(at: directory.path("empty"))
        let report = try database.verify()
        #expect(report.isSound)
        #expect(report.keyCount == 0)
        try database.close()
    }

    @Test(arguments: [DatabaseOptions.Integrity.strict, .relaxed])
    func `Damage in each of two tables is reported, and undamaged entries are read`(
        integrity: DatabaseOptions.Integrity
    ) throws {
        let sound = try report()
        let tables = try tables()
        for name in tables.prefix(2) { try damage(name, at: 100_000) }
        let report = try report(integrity)
        #expect(report.problems.map(\.kind) == [.unreadable, .unreadable])
        #expect(report.keyCount < sound.keyCount)
    }

    @Test func `A missing table is reported`() throws {
        try FileManager.default.removeItem(atPath: directory.path(try tables()[0]))
        // A strict open fails, and so does a relaxed one, because LevelDB checks that the files exist.
        #expect(throws: LevelError.self) { try report() }
    }

    @Test func `A table that is deleted while the database is open is reported by verify`() throws {
        let database = try Database.open(at: path)
        try FileManager.default.removeItem(atPath: directory.path(try tables()[0]))
        let report = try database.verify()
        #expect(report.problems.contains { $0.kind == .table && $0.description.contains("missing") })
        #expect(report.problems.contains { $0.kind == .unreadable })
        try? database.close()
    }

    @Test func `Verify reports a truncated table`() throws {
        let name = try tables()[0]
        try directory.write(try directory.read(name).dropLast(10), to: name)
        let report = try report()
        #expect(report.problems.contains { $0.kind == .table && $0.description.contains("instead of") })
        #expect(!report.problems.allSatisfy { $0.kind == .table })
    }

    @Test func `Verify reports a table with an overwritten footer`() throws {
        let name = try tables()[0]
        try damage(name, at: try directory.read(name).count - 1)
        #expect(try report().problems.contains { $0.kind == .table && $0.description.contains("does not end") })
    }

    @Test func `Verifying during concurrent writes reports no problems`() throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: path, options: options)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            for index in 30_000..<60_000 { try? WriterHistory.perform(UInt64(index), on: database) }
        }
        for _ in 0..<5 { #expect(try database.verify().problems == []) }
        group.wait()
        try database.close()
    }

    @Test func `A closed database cannot be verified`() throws {
        let database = try Database.open(at: path)
        try database.close()
        let error = #expect(throws: LevelError.self) { try database.verify() }
        #expect(error?.code == .closed)
    }
}
