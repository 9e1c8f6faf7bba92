import Foundation
import LevelFiles
import LevelKit
import TestSupport
import Testing

/// Logs and manifests whose records are forged and have valid checksums: LevelDB reads what is in them, or the database
/// is rejected. No access ends the process.
@Suite struct RecordForgeryTests {
    /// The ways of using a database that read its logs and its manifest.
    enum Access: CaseIterable {
        case reading, writing, tolerating, repairing

        /// Uses the database, and reads everything in it.
        func use(_ path: String) throws(LevelError) {
            if self == .repairing { _ = try Database.repair(at: path) }
            var options = DatabaseOptions()
            options.integrity = self == .tolerating ? .relaxed : .strict
            let database = try Database.open(
                at: path, options: options, mode: self == .reading ? .readOnly : .readWrite)
            var failure: LevelError?
            do throws(LevelError) {
                _ = try entries(of: database)
                if self != .reading { try database.compact() }
                _ = try database.verify()
            } catch {
                failure = error
            }
            try database.close()
            if let failure { throw failure }
        }
    }

    private static func batch(_ sequence: UInt64, stating count: UInt32, keys: [String]) -> [UInt8] {
        let header = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) }
        let number = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        return header + number + keys.flatMap { [1, UInt8($0.utf8.count)] + Array($0.utf8) + [1, 0x76] }
    }

    private static func write(_ records: [[UInt8]], toFileOf kind: String, in database: String) throws {
        var writer = RecordWriter()
        for record in records { writer.append(record) }
        let name =
            try kind == "log"
            ? #require(try files(ofKind: "log", in: database).first)
            : database + "/" + Manifest(ofDatabaseAt: database).name
        try LevelKitTests.write(writer.bytes, to: name)
    }

    /// LevelDB inserts operations before it compares their number with the header. The next batch would then insert an
    /// entry twice, which ends the process (`db/skiplist.h`).
    @Test func `A batch with more operations than it states is rejected, and repair keeps no entry twice`() async throws
    {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Database.open(at: path).close()
            try Self.write(
                [Self.batch(1, stating: 1, keys: ["k", "k", "k"]), Self.batch(2, stating: 1, keys: ["k"])],
                toFileOf: "log", in: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for access in [Access.reading, .writing, .tolerating] {
                        #expect(code { try access.use(path) } == .corruption, "\(access)")
                    }
                    let report = try Database.repair(at: path)
                    #expect(report.droppedByteCount > 0)
                    let database = try Database.open(at: path)
                    #expect(try database.value(forKey: utf8("k")) == utf8("v"))
                    try database.close()
                }
            }
        }
    }

    /// The sequence numbers of the operations, which the header does not count, would need more than 56 bits.
    @Test func `A batch near the largest sequence number is rejected`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Database.open(at: path).close()
            try Self.write(
                [Self.batch((1 << 56) - 3, stating: 1, keys: ["a", "b", "c", "d"])], toFileOf: "log", in: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for access in [Access.reading, .writing, .tolerating] {
                        #expect(code { try access.use(path) } == .corruption, "\(access)")
                    }
                    let report = try Database.repair(at: path)
                    #expect(report.droppedByteCount > 0)
                }
            }
        }
    }

    /// LevelDB keeps both tables, and ends the process because they overlap.
    @Test(arguments: [false, true])
    func `A table that is added again with other keys is rejected`(isDeletedBefore: Bool) async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Self.makeDatabase(at: path)
            let manifest = path + "/" + (try Manifest(ofDatabaseAt: path).name)
            var first = VersionEdit(try ManifestFile(at: manifest).version)
            var second = VersionEdit()
            let table = try #require(first.newTables.first { $0.level > 0 })
            let other = InternalKey(userKey: table.largest.userKey, sequence: 1, kind: .put)
            first.newTables[first.newTables.firstIndex(of: table)!] = .init(
                level: table.level, number: table.number, byteCount: table.byteCount, smallest: other,
                largest: table.largest)
            if isDeletedBefore { second.deletedTables = [table.key] }
            second.newTables = [table]
            try Self.write([first.encoded, second.encoded], toFileOf: "manifest", in: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for access in [Access.reading, .writing, .tolerating] {
                        let error = thrownError { try access.use(path) }
                        #expect(error?.code == .corruption && error?.message.contains("another table") == true)
                    }
                    _ = try Database.repair(at: path)
                    try Access.writing.use(path)
                }
            }
        }
    }

    /// The next log would have a smaller number, at which LevelDB ends the process.
    @Test func `A manifest with a log whose number has not been assigned is rejected`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Self.makeDatabase(at: path)
            let manifest = path + "/" + (try Manifest(ofDatabaseAt: path).name)
            let first = VersionEdit(try ManifestFile(at: manifest).version)
            var second = VersionEdit()
            second.logNumber = try #require(first.nextFileNumber) + 5
            try Self.write([first.encoded, second.encoded], toFileOf: "manifest", in: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for access in [Access.reading, .writing, .tolerating] {
                        #expect(code { try access.use(path) } == .corruption, "\(access)")
                    }
                }
            }
        }
    }

    /// LevelDB ignores the bits of a length above 32, and takes 0 as the number of a write, a log or a table.
    @Test(arguments: ["length", "write 0", "log 0", "table 0", "two levels", "comparator"])
    func `Numbers and names that LevelDB never writes are rejected, and repair does not end the process`(forged: String)
        async throws
    {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Self.makeDatabase(at: path)
            let manifest = path + "/" + (try Manifest(ofDatabaseAt: path).name)
            let first = VersionEdit(try ManifestFile(at: manifest).version)
            let table = try #require(first.newTables.first { $0.level > 0 })
            var second = VersionEdit()
            switch forged {
            case "length":
                let put: [UInt8] = [1, 0x81, 0x80, 0x80, 0x80, 0x70] + utf8("k") + [1, 0x76]
                let start = Self.batch(1000, stating: 1, keys: [])
                try Self.write(
                    [start + put + put + put, Self.batch(1001, stating: 1, keys: ["k"])], toFileOf: "log", in: path)
            case "write 0": try Self.write([Self.batch(0, stating: 0, keys: [])], toFileOf: "log", in: path)
            case "comparator":
                // LevelDB's own message would end at the zero byte.
                second.comparatorName = "leveld\0x"
                try Self.write([first.encoded, second.encoded], toFileOf: "manifest", in: path)
            case "log 0": try LevelKitTests.write([], to: path + "/000000.log")
            default:
                second.newTables = [
                    .init(
                        level: 5, number: forged == "table 0" ? 0 : table.number, byteCount: table.byteCount,
                        smallest: table.smallest, largest: table.largest)
                ]
                try Self.write([first.encoded, second.encoded], toFileOf: "manifest", in: path)
                if forged == "table 0" {
                    let name = path + "/" + EngineFileName.table(named: table.number)
                    try FileManager.default.copyItem(atPath: name, toPath: path + "/000000.ldb")
                }
            }
            await #expect(processExitsWith: .success) { [path = path as String, forged = forged as String] in
                try reportingErrors {
                    let before = try Set(fileNames(in: path))
                    for access in [Access.reading, .writing, .tolerating] {
                        #expect(code { try access.use(path) } == .corruption, "\(forged), \(access)")
                        // LevelDB would have begun a new log of information.
                        if forged == "comparator" { #expect(try Set(fileNames(in: path)) == before) }
                    }
                    let isRefused = ["log 0", "table 0"].contains(forged)
                    #expect(code { _ = try Database.repair(at: path) } == (isRefused ? .corruption : nil), "\(forged)")
                    if !isRefused { try Access.writing.use(path) }
                }
            }
        }
    }

    @Test(arguments: ["log", "manifest"])
    func `Random records are read as they are or rejected, and never end the process`(kind: String) async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            try Self.makeDatabase(at: directory + "/whole")
            var random = TestRun.random(stream: kind == "log" ? 0x106 : 0x3a9)
            for _ in 0..<TestRun.rounds(3, long: 200) {
                let seed = random.next()
                await #expect(processExitsWith: .success) {
                    [directory = directory as String, kind = kind as String, seed = seed as UInt64] in
                    try reportingErrors { try RecordForgeryTests.forgeAndUse(kind, in: directory, seed: seed) }
                }
                // Left by a process that ended early.
                let note = directory + "/note"
                guard FileManager.default.fileExists(atPath: note) else { continue }
                let text = String(decoding: try content(of: note), as: UTF8.self)
                Issue.record("a process ended during \(text), \(TestRun.repetition)")
                try FileManager.default.removeItem(atPath: note)
            }
        }
    }

    /// A database with two tables, and a log of batches with several operations.
    private static func makeDatabase(at path: String) throws {
        let database = try Database.open(at: path)
        for round in 0..<2 {
            for number in 0..<40 { try database.put(utf8("\(round)"), forKey: numberedKey(number)) }
            try database.compact()
        }
        for number in 0..<30 {
            let batch = WriteBatch()
            for index in 0..<(number % 4) { try batch.put(utf8("new"), forKey: numberedKey(7 * number % 50 + index)) }
            try batch.delete(numberedKey(number))
            try database.write(batch)
        }
        try database.close()
    }

    /// Forges forty copies of the database `whole`, and uses each in all ways.
    static func forgeAndUse(_ kind: String, in directory: String, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (usedCount, rejectedCount) = (0, 0)
        for round in 0..<40 {
            let forged = try forge(try records(ofFileOf: kind, in: directory + "/whole"), using: &random)
            for access in Access.allCases {
                let path = directory + "/forged"
                for name in try fileNames(in: directory) where name.hasPrefix("forged") {
                    try FileManager.default.removeItem(atPath: directory + "/" + name)
                }
                try copyDatabase(from: directory + "/whole", to: path)
                try write(forged, toFileOf: kind, in: path)
                let what = "\(access) of a \(kind), round \(round) of seed \(seed)"
                try LevelKitTests.write(utf8(what), to: directory + "/note")
                do throws(LevelError) {
                    try access.use(path)
                    usedCount += 1
                } catch {
                    let isExpected = [.corruption, .notSupported, .comparatorMismatch].contains(error.code)
                    #expect(isExpected, "\(error), \(what)")
                    rejectedCount += 1
                }
            }
        }
        try FileManager.default.removeItem(atPath: directory + "/note")
        #expect(usedCount > 0 && rejectedCount > 0, "seed \(seed)")
    }

    private static func records(ofFileOf kind: String, in database: String) throws -> [[UInt8]] {
        let name =
            try kind == "log"
            ? #require(try files(ofKind: "log", in: database).first)
            : database + "/" + Manifest(ofDatabaseAt: database).name
        var reader = RecordReader(try content(of: name), holding: kind == "log" ? .batches : .edits)
        var records: [[UInt8]] = []
        while case .record(let record) = try reader.next() { records.append(record) }
        return records
    }

    /// Changes some bytes, or repeats, drops, joins or exchanges records.
    private static func forge(_ records: [[UInt8]], using random: inout SplitMix64) throws -> [[UInt8]] {
        var records = records
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: records.indices, using: &random)
            let other = Int.random(in: records.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: records.insert(records[index], at: other)
            case 1 where records.count > 1: records.remove(at: index)
            case 2: records[index] += records[other].dropFirst(12)
            case 3: records.swapAt(index, other)
            case 4 where records[index].count > 12: records[index][8] &+= UInt8.random(in: 1...255, using: &random)
            default:
                guard !records[index].isEmpty else { continue }
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: records[index].indices, using: &random)
                    records[index][place] = UInt8.random(in: 0...255, using: &random)
                }
            }
        }
        return records
    }
}
