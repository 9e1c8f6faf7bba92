import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

@Suite struct RepairTests {
    private let directory: TemporaryDirectory
    private let path: String

    /// Creates a closed database `db` with tables and a log, the result of 8,000 operations.
    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("db")
        let database = try Database.open(at: path, options: Self.options())
        for index in 0..<8_000 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.close()
    }

    private static func options(order: KeyOrder = .bytewise) -> DatabaseOptions {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        options.order = order
        if order != .bytewise { options.bloomFilterBitsPerKey = 0 }
        return options
    }

    private func code(_ name: String = "db", order: KeyOrder = .bytewise) -> LevelError.Code? {
        do throws(LevelError) {
            _ = try Database.repair(at: directory.path(name), options: Self.options(order: order))
            return nil
        } catch {
            return error.code
        }
    }

    private func flip(_ name: String, at position: Int) throws {
        var bytes = try directory.read(name)
        bytes[position] ^= 0x20
        try directory.write(bytes, to: name)
    }

    // MARK: - What is repaired

    @Test func `An unfinished table file of an interrupted compaction is not reported as a loss`() throws {
        let name = try #require(try directory.names(in: "db").first { $0.hasSuffix(".ldb") })
        let table = try directory.read("db/" + name)
        // The manifest has not assigned this number yet, so the file could also be newer than the manifest.
        try directory.write(Array(table.prefix(table.count / 2)), to: "db/900000.ldb")
        let report = try Database.repair(at: path)
        #expect(report.droppedByteCount == 0)
        #expect(report.losses.isEmpty, "\(report.losses)")
        #expect(report.verification.isSound)
    }

    @Test func `Repairing an undamaged database loses nothing`() throws {
        let report = try Database.repair(at: path)
        #expect(report.verification.isSound)
        #expect(report.droppedByteCount == 0)
        #expect(report.losses.isEmpty, "\(report.losses)")
        #expect(report.isOrderChecked)
        let database = try Database.open(at: path)
        #expect(try WriterHistory.prefix(of: database) == 8_000)
        try database.close()
    }

    @Test func `Repair recovers everything without CURRENT and manifest`() throws {
        try FileManager.default.removeItem(atPath: directory.path("db/CURRENT"))
        for name in try directory.names(in: "db") where name.hasPrefix("MANIFEST") {
            try FileManager.default.removeItem(atPath: directory.path("db/" + name))
        }
        let report = try Database.repair(at: path)
        #expect(!report.isOrderChecked)
        #expect(report.verification.isSound)
        let database = try Database.open(at: path)
        #expect(try database.contains(Array("key/1000000".utf8)))
        try database.close()
    }

    @Test func `A repair loses the keys of a damaged block, and its report says so`() throws {
        let manifest = try Manifest(ofDatabaseAt: path)
        let table = try #require(manifest.tables.max { $0.byteCount < $1.byteCount })
        try flip("db/" + EngineFileName.table(named: table.number), at: 2_000)
        let report = try Database.repair(at: path)
        #expect(report.verification.isSound)
        #expect(report.messages.contains { $0.description.contains("checksum mismatch") })
        #expect(report.archivedNames.contains(EngineFileName.table(named: table.number)))
        #expect(report.verification.keyCount < 8_000)
        #expect(report.verification.keyCount > 3_000)
        // The backup still contains the original state.
        let backup = report.backupPath
        #expect(backup == path + ".before-repair-1")
        // It shares no file with the repaired database.
        for name in try FileManager.default.contentsOfDirectory(atPath: backup) {
            let attributes = try FileManager.default.attributesOfItem(atPath: backup + "/" + name)
            #expect(attributes[.referenceCount] as? Int == 1, "\(name)")
        }
        let error = #expect(throws: LevelError.self) {
            var cursor = try Database.open(at: backup).cursor()
            while try cursor.advance() {}
        }
        #expect(error?.code == .corruption)
    }

    @Test func `Repair replaces a damaged Bloom filter without losing entries`() throws {
        var database = try Database.open(at: path, options: Self.options())
        try database.compact()
        try database.close()
        for listed in try Manifest(ofDatabaseAt: path).tables {
            let name = "db/" + EngineFileName.table(named: listed.number)
            let footer = try Table(at: directory.path(name)).footer
            // The filters end before the metaindex, with a compression byte and a checksum.
            try flip(name, at: Int(footer.metaIndex.offset) - 12)
        }
        #expect(!FileCheck(try DatabaseFiles(at: path), depth: .everything).problems.isEmpty)
        let report = try Database.repair(at: path, options: Self.options())
        #expect(report.losses.isEmpty && report.verification.isSound)
        #expect(FileCheck(try DatabaseFiles(at: path), depth: .everything).problems.isEmpty)
        database = try Database.open(at: path)
        #expect(try WriterHistory.prefix(of: database) == 8_000)
        try database.close()
    }

    @Test func `A damaged log costs only the damaged records, and the repair report says so`() throws {
        let path = directory.path("logged")
        let database = try Database.open(at: path)
        for index in 0..<3_000 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.close()
        let name = "logged/" + (try #require(try directory.names(in: "logged").last { $0.hasSuffix(".log") }))
        try flip(name, at: 100_000)
        let report = try Database.repair(at: path)
        #expect(report.verification.isSound)
        #expect((1...32_768).contains(report.droppedByteCount))
        #expect(report.verification.keyCount > 2_000)
        let repaired = try Database.open(at: path)
        var cursor = try repaired.cursor()
        while try cursor.advance() { #expect(cursor.value.count == 100) }
        _ = consume cursor
        try repaired.close()
    }

    @Test func `Obsolete tables do not bring deleted keys back in a repair`() throws {
        // A table from before a deletion, as a crash would leave it.
        let old = try Manifest(ofDatabaseAt: path)
        let kept = directory.path("kept")
        try FileManager.default.copyItem(atPath: path, toPath: kept)
        let database = try Database.open(at: path)
        var range = try database.cursor()
        var keys: [[UInt8]] = []
        while try range.advance() { keys.append(range.key.copied()) }
        _ = consume range
        for key in keys { try database.delete(key) }
        try database.compact()
        try database.compact()
        try database.close()
        for table in old.tables {
            let name = EngineFileName.table(named: table.number)
            guard !FileManager.default.fileExists(atPath: path + "/" + name) else { continue }
            try FileManager.default.copyItem(atPath: kept + "/" + name, toPath: path + "/" + name)
        }
        let report = try Database.repair(at: path)
        #expect(!report.obsoleteNames.isEmpty)
        #expect(report.verification.keyCount == 0)
    }

    @Test func `Each repair keeps a separate backup`() throws {
        #expect(try Database.repair(at: path).backupPath.hasSuffix(".before-repair-1"))
        #expect(try Database.repair(at: path).backupPath.hasSuffix(".before-repair-2"))
        let backup = try Database.open(at: path + ".before-repair-1")
        #expect(try WriterHistory.prefix(of: backup) == 8_000)
        try backup.close()
    }

    // MARK: - Reported losses

    private static func holds(_ range: KeyRange, _ key: [UInt8]) -> Bool {
        guard case .included(let lower) = range.lower, case .included(let upper) = range.upper else { return false }
        return !key.lexicographicallyPrecedes(lower) && !upper.lexicographicallyPrecedes(key)
    }

    /// Returns the keys of a database.
    private func keys(_ path: String) throws -> Set<[UInt8]> {
        let database = try Database.open(at: path)
        var keys: Set<[UInt8]> = []
        var cursor = try database.cursor()
        while try cursor.advance() { keys.insert(cursor.key.copied()) }
        _ = consume cursor
        try database.close()
        return keys
    }

    /// Moves everything into tables that opening does not change.
    private func settle() throws {
        let database = try Database.open(at: path)
        try database.compact()
        try database.close()
    }

    /// Repairs a copy of the database after damaging it.
    private func repaired(_ damage: (_ name: String) throws -> Void) throws -> (
        Database.RepairReport, lost: Set<[UInt8]>
    ) {
        // A copy, because opening replaces the manifest.
        let reference = directory.path("reference-\(UUID().uuidString)")
        try FileManager.default.copyItem(atPath: path, toPath: reference)
        let before = try keys(reference)
        let name = "copy-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: path, toPath: directory.path(name))
        try damage(name)
        let report = try Database.repair(at: directory.path(name))
        return (report, before.subtracting(try keys(directory.path(name))))
    }

    @Test func `For a damaged block, repair reports the file, the bytes, the key range and the entry count`() throws {
        try settle()
        let manifest = try Manifest(ofDatabaseAt: path)
        let table = try #require(manifest.tables.max { $0.byteCount < $1.byteCount })
        let name = EngineFileName.table(named: table.number)
        let handle = try #require(try Table(at: path + "/" + name).index().dropFirst(2).first).handle
        let (report, lost) = try repaired { try flip("\($0)/\(name)", at: Int(handle.offset) + 100) }
        #expect(lost.count > 1)
        let losses = report.losses
        #expect(!losses.isEmpty && losses.placeCount == 1 && losses.blockCount == 1 && losses.tableNames.isEmpty)
        #expect(report.droppedByteCount == handle.byteCount && losses.byteCount == handle.byteCount)
        #expect(losses.missingKeyCount == 0 && losses.changedKeyCount == 0 && losses.returnedKeyCount == 0)
        // A lower bound, and an estimate from the damaged bytes.
        #expect((1...UInt64(lost.count)).contains(losses.entryCount))
        #expect(try #require(losses.estimatedEntryCount) >= lost.count)
        let place = try #require(losses.places.first)
        #expect(place.kind == .block && place.file == name && place.offset == handle.offset)
        let keys = try #require(place.keys)
        for key in lost { #expect(Self.holds(keys, key)) }
    }

    @Test func `For a missing table, repair reports its name, its size and its key range`() throws {
        try settle()
        let manifest = try Manifest(ofDatabaseAt: path)
        let table = try #require(manifest.tables.max { $0.byteCount < $1.byteCount })
        let name = EngineFileName.table(named: table.number)
        let (report, lost) = try repaired { copy in
            try FileManager.default.removeItem(atPath: directory.path("\(copy)/\(name)"))
        }
        #expect(!lost.isEmpty)
        #expect(report.losses.tableNames == [name], "\(report.losses)")
        #expect(report.droppedByteCount >= table.byteCount && report.losses.entryCount >= 1)
        let keys = try #require(report.losses.places.first { $0.kind == .table }?.keys)
        for key in lost { #expect(Self.holds(keys, key)) }
    }

    @Test func `Of a table that was cut, repair saves the blocks before the cut`() throws {
        try settle()
        let manifest = try Manifest(ofDatabaseAt: path)
        let table = try #require(manifest.tables.max { $0.byteCount < $1.byteCount })
        let name = EngineFileName.table(named: table.number)
        let blocks = try Table(at: path + "/" + name).index()
        for kept in [0, 1, blocks.count / 2, blocks.count - 1, blocks.count] {
            let end = kept < blocks.count ? blocks[kept].handle.offset + 10 : table.byteCount - 20
            let (report, lost) = try repaired { copy in
                try directory.write(
                    Array(try directory.read("\(copy)/\(name)").prefix(Int(end))), to: "\(copy)/\(name)")
            }
            let losses = report.losses
            #expect(report.verification.isSound && losses.isEmpty == (kept == blocks.count), "\(kept): \(losses)")
            #expect(losses.tableNames == (kept == 0 ? [name] : []) && losses.blockCount == 0)
            #expect(losses.missingKeyCount == 0 && losses.changedKeyCount == 0 && losses.returnedKeyCount == 0)
            #expect(lost.isEmpty == losses.isEmpty)
            guard let place = losses.places.first else { continue }
            #expect(place.kind == (kept == 0 ? .table : .tableEnd) && place.file == name && place.entryCount >= 1)
            if kept > 0 { #expect(place.offset == blocks[kept].handle.offset) }
            let keys = try #require(place.keys)
            for key in lost {
                #expect(Self.holds(keys, key))
                #expect(kept == 0 || blocks[kept - 1].separator.dropLast(8).lexicographicallyPrecedes(key))
            }
        }
    }

    @Test func `Of a table with a damaged index, repair saves everything`() throws {
        try settle()
        let manifest = try Manifest(ofDatabaseAt: path)
        let table = try #require(manifest.tables.max { $0.byteCount < $1.byteCount })
        let name = EngineFileName.table(named: table.number)
        let index = try Table(at: path + "/" + name).footer.index
        let (report, lost) = try repaired { try flip("\($0)/\(name)", at: Int(index.offset) + 1) }
        #expect(report.losses.isEmpty && lost.isEmpty && report.verification.isSound, "\(report.losses)")
    }

    @Test func `A truncated manifest makes no table obsolete`() throws {
        try settle()
        // Edits that replace the tables make the manifest longer.
        let database = try Database.open(at: path)
        for index in 0..<4_000 {
            try database.put(Array(repeating: 7, count: 100), forKey: Array("later/\(index)".utf8))
        }
        try database.compact()
        try database.close()
        let manifest = try Manifest(ofDatabaseAt: path).name
        let original = try directory.read("db/" + manifest)
        var reader = RecordReader(original, holding: .batches)
        var ends: [Int] = []
        while case .record? = try reader.next() { ends.append(Int(reader.endOffset)) }
        try #require(ends.count > 1)
        for end in ends.dropLast() {
            let (report, lost) = try repaired { copy in
                try directory.write(Array(original.prefix(end)), to: "\(copy)/\(manifest)")
            }
            // Everything still in the files is kept, and everything missing is reported.
            #expect(lost.isEmpty, "\(end): \(lost.count) keys, \(report.losses)")
            #expect(report.obsoleteNames.isEmpty || report.losses.isEmpty, "\(report)")
        }
    }

    @Test func `A damaged or missing manifest is reported, because unlisted tables may be missing`() throws {
        try settle()
        for isGone in [false, true] {
            var name = ""
            let (report, lost) = try repaired { copy in
                name = try Manifest(ofDatabaseAt: directory.path(copy)).name
                if isGone {
                    try FileManager.default.removeItem(atPath: directory.path("\(copy)/\(name)"))
                } else {
                    try flip("\(copy)/\(name)", at: 20)
                }
            }
            #expect(lost.isEmpty && !report.losses.isEmpty && !report.losses.isManifestComplete)
            #expect(report.losses.places.map(\.kind) == [.manifest] && report.losses.places.first?.file == name)
        }
        // CURRENT alone contains nothing that the newest manifest does not.
        let (report, lost) = try repaired {
            try FileManager.default.removeItem(atPath: directory.path("\($0)/CURRENT"))
        }
        #expect(lost.isEmpty && report.losses.isEmpty, "\(report.losses)")
    }

    @Test func `Writes lost to a damaged log are counted by their sequence numbers`() throws {
        let path = directory.path("logged")
        let database = try Database.open(at: path)
        for index in 0..<3_000 { try database.put(Array(repeating: 1, count: 90), forKey: Array("key/\(index)".utf8)) }
        try database.close()
        let name = "logged/" + (try #require(try directory.names(in: "logged").last { $0.hasSuffix(".log") }))
        try flip(name, at: 100_000)
        let report = try Database.repair(at: path)
        #expect(report.losses.entryCount == 3_000 - report.verification.keyCount, "\(report.losses)")
        #expect(report.losses.places.allSatisfy { $0.kind == .log && $0.offset != nil }, "\(report.losses)")
    }

    // MARK: - What is rejected

    @Test func `Repair with the wrong key order is rejected before anything changes`() throws {
        let names = try directory.names(in: "db")
        #expect(code(order: .reverseBytewise) == .comparatorMismatch)
        #expect(try directory.names(in: "db") == names)
        // Even if the manifest is damaged after its first record.
        let name = "db/" + (try Manifest(ofDatabaseAt: path).name)
        try flip(name, at: try directory.read(name).count - 3)
        #expect(code(order: .reverseBytewise) == .comparatorMismatch)
        try FileManager.default.removeItem(atPath: directory.path("db/CURRENT"))
        #expect(code(order: .reverseBytewise) == .comparatorMismatch)
        #expect(try directory.names(in: ".") == ["db"])
        #expect(code() == nil)
    }

    @Test func `An open database is not repaired, and stays locked`() throws {
        let database = try Database.open(at: path)
        #expect(code() == .locked)
        #expect(try WriterHistory.prefix(of: database) == 8_000)
        #expect(throws: WriterProcess.Failure.self) { try WriterProcess(database: path) }
        try database.close()
        #expect(try directory.names(in: ".") == ["db"])
    }

    @Test func `A database that another process has open is not repaired`() throws {
        let writer = try WriterProcess(database: directory.path("live"))
        #expect(code("live") == .locked)
        let count = try writer.stop()
        let database = try Database.open(at: directory.path("live"))
        #expect(try WriterHistory.prefix(of: database) == count)
        try database.close()
    }

    @Test func `Repairing a missing database creates nothing`() throws {
        #expect(code("nowhere") == .databaseNotFound)
        try FileManager.default.createDirectory(atPath: directory.path("empty"), withIntermediateDirectories: false)
        #expect(code("empty") == .databaseNotFound)
        #expect(try directory.names(in: ".") == ["db", "empty"])
        #expect(try directory.names(in: "empty") == [])
    }

    @Test(arguments: [
        ["000012.log"], ["000012.log", "letter.txt"], ["000005.ldb", "LOG"], ["CURRENT", "MANIFEST-000001"],
    ])
    func `Repair does not touch a directory of other files, whatever their names`(names: [String]) throws {
        try FileManager.default.createDirectory(atPath: directory.path("mine"), withIntermediateDirectories: false)
        for name in names { try directory.write("dear reader, this is no database".utf8, to: "mine/" + name) }
        #expect(code("mine") == .databaseNotFound)
        #expect(try directory.names(in: "mine") == names.sorted())
        #expect(try directory.names(in: ".") == ["db", "mine"])
    }
}
