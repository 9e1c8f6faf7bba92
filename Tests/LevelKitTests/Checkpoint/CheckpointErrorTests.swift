import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

@Suite struct CheckpointErrorTests {
    private let directory: TemporaryDirectory

    /// Creates a closed database `db` with tables and a log.
    init() throws {
        directory = try TemporaryDirectory()
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: directory.path("db"), options: options)
        for index in 0..<3_000 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.close()
    }

    private func code(_ source: String = "db", to destination: String = "copy") -> LevelError.Code? {
        do throws(LevelError) {
            _ = try Checkpoint.take(of: directory.path(source), to: directory.path(destination))
            return nil
        } catch {
            return error.code
        }
    }

    private func lastLog() throws -> String {
        "db/" + (try #require(try directory.names(in: "db").last { $0.hasSuffix(".log") }))
    }

    /// A live table; an interrupted compaction may have left others.
    private func table() throws -> String {
        let table = try #require(try Manifest(ofDatabaseAt: directory.path("db")).tables.last)
        return "db/" + EngineFileName.table(named: table.number)
    }

    @Test func `A checkpoint to an existing destination is rejected`() throws {
        try FileManager.default.createDirectory(atPath: directory.path("copy"), withIntermediateDirectories: false)
        #expect(code() == .databaseExists)
        try directory.write([], to: "file")
        #expect(code(to: "file") == .databaseExists)
    }

    @Test func `A checkpoint destination inside the source is rejected and not created`() throws {
        let names = try directory.names(in: "db")
        #expect(code(to: "db/copy") == .invalidArgument)
        #expect(code(to: "db/deeper/copy") == .invalidArgument)
        #expect(try directory.names(in: "db") == names)
    }

    @Test func `A checkpoint of a source without a database fails with databaseNotFound`() throws {
        #expect(code("nowhere") == .databaseNotFound)
        try FileManager.default.createDirectory(atPath: directory.path("empty"), withIntermediateDirectories: false)
        #expect(code("empty") == .databaseNotFound)
        try directory.write([1], to: "empty/notes.txt")
        #expect(code("empty") == .databaseNotFound)
        try directory.write([1], to: "file")
        #expect(code("file") == .databaseNotFound)
        #expect(try directory.names(in: ".") == ["db", "empty", "file"])
    }

    @Test func `A failed checkpoint deletes the parent directories it created`() throws {
        try FileManager.default.removeItem(atPath: directory.path(table()))
        #expect(code(to: "a/b/copy") == .corruption)
        #expect(try directory.names(in: ".") == ["db"])
    }

    @Test func `A checkpoint creates a missing parent directory`() throws {
        #expect(code(to: "a/b/copy") == nil)
        #expect(try directory.names(in: "a/b") == ["copy"])
    }

    @Test func `A checkpoint with a missing table fails with corruption and leaves nothing behind`() throws {
        try FileManager.default.removeItem(atPath: directory.path(table()))
        #expect(code() == .corruption)
        #expect(try directory.names(in: ".") == ["db"])
    }

    @Test func `A checkpoint with a truncated table fails with corruption`() throws {
        let name = try table()
        try directory.write(Array(try directory.read(name).dropLast()), to: name)
        #expect(code() == .corruption)
    }

    @Test func `A checkpoint with a missing log fails with corruption instead of omitting its writes`() throws {
        let number = try Manifest(ofDatabaseAt: directory.path("db")).logNumber
        try FileManager.default.removeItem(atPath: directory.path("db/" + EngineFileName.log(named: number)))
        #expect(code() == .corruption)
    }

    @Test func `A checkpoint with a damaged manifest fails with corruption`() throws {
        let name = "db/" + (try #require(try directory.names(in: "db").first { $0.hasPrefix("MANIFEST") }))
        var bytes = try directory.read(name)
        bytes[20] ^= 1
        try directory.write(bytes, to: name)
        #expect(code() == .corruption)
    }

    @Test func `A checkpoint includes tables of old databases that end in sst`() throws {
        for name in try directory.names(in: "db") where name.hasSuffix(".ldb") {
            try FileManager.default.moveItem(
                atPath: directory.path("db/" + name), toPath: directory.path("db/" + name.dropLast(3) + "sst"))
        }
        #expect(code() == nil)
        let copy = try Database.open(at: directory.path("copy"))
        #expect(try WriterHistory.prefix(of: copy) == 3_000)
        try copy.close()
    }

    @Test func `A checkpoint copies a log with an unfinished record up to its last complete record`() throws {
        let name = try lastLog()
        try directory.write(Array(try directory.read(name).dropLast(5)), to: name)
        let report = try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"))
        let copy = try Database.open(at: report.path)
        #expect(try WriterHistory.prefix(of: copy) == 2_999)
        #expect(report.lastSequence == 2_999)
        try copy.close()
    }

    @Test func `An unfinished record in a log before the last is corruption`() throws {
        // Splits the last log in two, as if the writer had started a new one.
        let name = try lastLog()
        var reader = RecordReader(try directory.read(name), holding: .batches)
        var records: [[UInt8]] = []
        while case .record(let record) = try reader.next() { records.append(record) }
        try #require(records.count > 2)
        var (first, second) = (RecordWriter(), RecordWriter())
        for (index, record) in records.enumerated() {
            if index < records.count / 2 { first.append(record) } else { second.append(record) }
        }
        try directory.write(first.bytes, to: name)
        try directory.write(second.bytes, to: "db/999999.log")
        #expect(code() == nil)
        try directory.write(first.bytes.dropLast(5), to: name)
        #expect(code(to: "copy-2") == .corruption)
    }

    @Test func `A checkpoint has no wider permissions than its source`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path("db"))
        #expect(code() == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("copy"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
}
