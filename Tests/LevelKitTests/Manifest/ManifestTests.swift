import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

@Suite struct ManifestTests {
    /// Databases that the Go implementation wrote, with manifests of 64 KiB that end in zeros.
    private static let golangData = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/data/leveldb/golang-testdata")

    private static var hasGolangData: Bool { FileManager.default.fileExists(atPath: golangData.path) }

    @Test(.enabled(if: hasGolangData), arguments: [(1, 3, 0), (2, 3, 0), (3, 6, 1)])
    func `Manifests of other implementations are readable`(stage: Int, log: UInt64, tableCount: Int) throws {
        let manifest = try Manifest(ofDatabaseAt: Self.golangData.appending(path: "db-stage-\(stage)").path)
        #expect(manifest.comparatorName == "leveldb.BytewiseComparator")
        #expect(manifest.logNumber == log)
        #expect(manifest.tables.count == tableCount)
        if let table = manifest.tables.first {
            #expect(table.number == 5)
            #expect(table.byteCount == 165)
            #expect(table.smallestKey == Array("bar".utf8))
            #expect(table.largestKey == Array("foo".utf8))
        }
    }

    @Test(.enabled(if: hasGolangData), arguments: 1...4)
    func `Checkpoints of databases of other implementations open`(stage: Int) throws {
        let directory = try TemporaryDirectory()
        let source = Self.golangData.appending(path: "db-stage-\(stage)").path
        let before = try FileManager.default.contentsOfDirectory(atPath: source).sorted()
        try Checkpoint.take(of: source, to: directory.path("copy"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: source).sorted() == before)
        let copy = try Database.open(at: directory.path("copy"))
        let expected: [String: String] =
            switch stage {
            case 1: [:]
            case 4: ["foo": "five", "quux": "six"]
            default: ["baz": "three", "foo": "four"]
            }
        var found: [String: String] = [:]
        var cursor = try copy.cursor()
        while try cursor.advance() {
            found[String(decoding: cursor.key.copied(), as: UTF8.self)] =
                String(decoding: cursor.value.copied(), as: UTF8.self)
        }
        #expect(found == expected)
        _ = consume cursor
        try copy.close()
    }

    /// A manifest of a certain length, from a database that was filled and closed.
    private static func manifest(in directory: TemporaryDirectory) throws -> (path: String, bytes: [UInt8]) {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: directory.path("db"), options: options)
        for index in 0..<8_000 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.close()
        let name = try Manifest(ofDatabaseAt: directory.path("db")).name
        return ("db/" + name, try directory.read("db/" + name))
    }

    @Test func `The manifest agrees with LevelDB's statistics about its tables`() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.manifest(in: directory)
        let database = try Database.open(at: directory.path("db"))
        try database.compact()
        let manifest = try Manifest(ofDatabaseAt: directory.path("db"))
        let statistics = try database.statistics()
        #expect(manifest.tables.map(\.number) == statistics.tables.map(\.number).sorted())
        #expect(manifest.tableByteCount == statistics.tableByteCount)
        #expect(manifest.lastSequence >= 8_000)
        #expect(try Database.comparatorName(at: directory.path("db")) == "leveldb.BytewiseComparator")
        try database.close()
    }

    @Test func `A manifest truncated at any byte is read up to its last complete record`() throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.manifest(in: directory).bytes
        var last: Manifest?
        var stateCount = 0
        for count in 0...bytes.count {
            guard let manifest = try? Manifest(decoding: Array(bytes.prefix(count)), name: "cut") else {
                #expect(last == nil, "cut at \(count)")
                continue
            }
            if manifest != last { stateCount += 1 }
            last = manifest
        }
        #expect(stateCount > 3)
    }

    @Test func `A flipped bit in a manifest is corruption`() throws {
        let directory = try TemporaryDirectory()
        let bytes = try Self.manifest(in: directory).bytes
        let whole = try Manifest(decoding: bytes, name: "whole")
        var acceptedCount = 0
        for position in 0..<min(bytes.count, 3_000) {
            var damaged = bytes
            damaged[position] ^= 1 << UInt8(position % 8)
            do throws(LevelError) {
                // Only a length may look like an unfinished end: then content is missing, but never different.
                let manifest = try Manifest(decoding: damaged, name: "damaged")
                #expect(manifest.lastSequence <= whole.lastSequence)
                acceptedCount += 1
            } catch {
                #expect(error.code == .corruption)
            }
        }
        #expect(acceptedCount < 600)
    }

    @Test func `Random bytes in valid manifest records decode or are corruption`() throws {
        let directory = try TemporaryDirectory()
        var reader = RecordReader(try Self.manifest(in: directory).bytes, holding: .edits)
        var records: [[UInt8]] = []
        while case .record(let record) = try reader.next() { records.append(record) }
        var random = SplitMix64(seed: TupleTestPlan.seed ^ 0x3a41)
        var (decodedCount, failedCount) = (0, 0)
        for _ in 0..<TupleTestPlan.rounds(5_000, long: 1_000_000) {
            var writer = RecordWriter()
            for record in records.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
                + records.prefix(1)
            {
                var record = record
                for _ in 0..<Int.random(in: 0...2, using: &random) where !record.isEmpty {
                    let position = record.indices.randomElement(using: &random)!
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: record[position] = UInt8.random(in: 0...255, using: &random)
                    case 1: record.removeSubrange(position...)
                    case 2: record.insert(UInt8.random(in: 0...255, using: &random), at: position)
                    default: record[position] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random)!
                    }
                }
                writer.append(record)
            }
            do throws(LevelError) {
                let manifest = try Manifest(decoding: writer.bytes, name: "fuzz")
                _ = manifest.tableByteCount
                decodedCount += 1
            } catch {
                failedCount += 1
                guard error.code == .corruption else {
                    Issue.record("\(error); \(TupleTestPlan.repetition)")
                    return
                }
            }
        }
        #expect(decodedCount > 100)
        #expect(failedCount > 100)
    }

    @Test func `Out-of-range numbers in a manifest do not trap`() throws {
        let huge: [UInt8] = Array(repeating: 0xff, count: 9) + [0x01]
        let key: [UInt8] = [9] + Array("k".utf8) + Array(repeating: 0, count: 8)
        let fields: [[UInt8]] = [
            // The number of the log is one less than that of the next file.
            [1, 1] + Array("c".utf8), [2, 0xfe] + huge.dropFirst(), [9] + huge, [3] + huge, [4] + huge,
            // Two tables of 2^64 - 1 bytes, whose sum overflows.
            [7, 6, 1] + huge + key + key, [7, 6, 2] + huge + key + key,
        ]
        var writer = RecordWriter()
        writer.append(Array(fields.joined()))
        let manifest = try Manifest(decoding: writer.bytes, name: "huge")
        #expect(manifest.tableByteCount == .max)
        #expect(manifest.tables.map(\.smallestKey) == [Array("k".utf8), Array("k".utf8)])
        #expect(EngineFileName.table(named: manifest.nextFileNumber) == "18446744073709551615.ldb")
    }

    @Test func `The comparator name of a database is read without opening it`() throws {
        let directory = try TemporaryDirectory()
        var options = DatabaseOptions()
        options.order = .reverseBytewise
        let database = try Database.open(at: directory.path("db"), options: options)
        // The database is open and stays open.
        #expect(try Database.comparatorName(at: directory.path("db")) == KeyOrder.reverseBytewise.name)
        #expect(try Database.exists(at: directory.path("db")))
        try database.close()
        #expect(try !Database.exists(at: directory.path("nowhere")))
        #expect(try !Database.exists(at: directory.path(".")))
        #expect(try directory.names(in: ".") == ["db"])
    }

    @Test(arguments: ["", "MANIFEST-000002", "MANIFEST-x\n", "../MANIFEST-000002\n", "MANIFEST-000099\n", "\n"])
    func `A CURRENT that names no manifest is reported as corruption`(content: String) throws {
        let directory = try TemporaryDirectory()
        _ = try Self.manifest(in: directory)
        try directory.write(content.utf8, to: "db/CURRENT")
        let error = #expect(throws: LevelError.self) { try Manifest(ofDatabaseAt: directory.path("db")) }
        #expect(error?.code == .corruption)
    }

    @Test func `File names are classified as LevelDB does`() {
        #expect(EngineFileName("000012.ldb") == .table(12))
        #expect(EngineFileName("12.sst") == .table(12))
        #expect(EngineFileName("000012.log") == .log(12))
        #expect(EngineFileName("MANIFEST-000002") == .manifest(2))
        #expect(EngineFileName("LOG.old") == .messages)
        for name in ["", ".ldb", "a.ldb", "12.ldb.bak", "MANIFEST-", "MANIFEST-2.log", "CURRENT~", "1e3.log", "-1.log"]
        {
            #expect(EngineFileName(name) == nil)
        }
        #expect(EngineFileName("99999999999999999999999.log") == nil)
    }
}
