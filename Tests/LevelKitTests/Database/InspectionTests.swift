import Foundation
import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database is inspected before LevelDB opens it: anything foreign, forged or dangerous is rejected and not changed.
@Suite struct InspectionTests {
    private static let modes: [Database.Mode] = [.readWrite, .readOnly]

    /// Expects both modes to reject a database without changing its directory.
    private func expectRefusal(
        of path: String, _ expected: LevelError.Code, naming text: String, options: DatabaseOptions = DatabaseOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for mode in Self.modes {
            let before = try DirectoryState(path)
            let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
            #expect(error?.code == expected, "\(mode): \(String(describing: error))", sourceLocation: sourceLocation)
            #expect(
                error?.message.contains(text) == true, "\(mode): \(String(describing: error))",
                sourceLocation: sourceLocation)
            #expect(try DirectoryState(path).difference(from: before) == [], "\(mode)", sourceLocation: sourceLocation)
        }
    }

    @Test func `A symbolic link with a LevelDB file name is rejected, and its target is not changed`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            let victim = directory + "/precious"
            try ReadOnlyTests.makeWithLog(at: path)
            try write(utf8("precious"), to: victim)
            let next = try Manifest(ofDatabaseAt: path).nextFileNumber
            var names = ["LOG", "LOG.old", "LOCK", "CURRENT"]
            for number in [next - 1, next, next + 1, next + 2, next + 3] {
                let digits = String(format: "%06d", Int(number))
                names += ["MANIFEST-\(digits)", "\(digits).log", "\(digits).ldb", "\(digits).dbtmp"]
            }
            for name in names {
                let file = path + "/" + name
                let isThere = FileManager.default.fileExists(atPath: file)
                if isThere { try FileManager.default.moveItem(atPath: file, toPath: directory + "/aside") }
                try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "../precious")
                try expectRefusal(of: path, .corruption, naming: name)
                #expect(try content(of: victim) == utf8("precious"))
                try FileManager.default.removeItem(atPath: file)
                if isThere { try FileManager.default.moveItem(atPath: directory + "/aside", toPath: file) }
            }
            try Database.open(at: path).close()
        }
    }

    @Test func `A hard link that LevelDB would overwrite is rejected for writing`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            let victim = directory + "/precious"
            try ReadOnlyTests.makeWithLog(at: path)
            try write(utf8("precious"), to: victim)
            let name = "MANIFEST-" + String(format: "%06d", Int(try Manifest(ofDatabaseAt: path).nextFileNumber) + 1)
            try FileManager.default.linkItem(atPath: victim, toPath: path + "/" + name)
            let error = thrownError { _ = try Database.open(at: path) }
            #expect(error?.code == .corruption && error?.message.contains(name) == true)
            try Database.open(at: path, mode: .readOnly).close()
            #expect(try content(of: victim) == utf8("precious"))
        }
    }

    @Test(arguments: ["manifest", "log"])
    func `A sparse file of 40 GiB is rejected immediately`(kind: String) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try ReadOnlyTests.makeWithLog(at: path)
            let name =
                try kind == "manifest"
                ? Manifest(ofDatabaseAt: path).name
                : URL(filePath: #require(try files(ofKind: "log", in: path).last)).lastPathComponent
            // Not every file system supports such a file.
            guard unsafe truncate(path + "/" + name, 40 << 30) == 0 else { return }
            let duration = try processorTime {
                try expectRefusal(of: path, .corruption, naming: name)
            }
            #expect(duration < .seconds(5))
        }
    }

    @Test func `A database with a different comparator is rejected without touching its info log`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            var options = DatabaseOptions()
            options.bloomFilterBitsPerKey = 0
            options.order = .custom("mine") { $0.copied().lexicographicallyPrecedes($1.copied()) ? -1 : 1 }
            let database = try Database.open(at: path)
            try database.put("1", forKey: "a")
            try database.close()
            try expectRefusal(of: path, .comparatorMismatch, naming: "leveldb.BytewiseComparator", options: options)
        }
    }

    @Test(arguments: [2, 4, 99] as [UInt8])
    func `A compression type unknown to LevelDB is rejected before anything is written`(type: UInt8) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try TableForgery.setCompression(type, ofBlock: 0, in: path)
            try expectRefusal(of: path, .notSupported, naming: "compress")
        }
    }

    @Test func `A foreign compression is rejected in any table, in its first or last block`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path, options: TableFixture.options)
            // Two tables, because their keys do not overlap.
            for numbers in [0..<100, 100..<400] {
                for number in numbers { try database.put(TableFixture.value(number), forKey: numberedKey(number)) }
                try database.compact()
            }
            try database.close()
            let tables = try files(ofKind: "ldb", in: path)
            try #require(tables.count > 1)
            for table in tables {
                let intact = try content(of: table)
                let index = try Table(at: table).index()
                try #require(index.count > 2)
                for handle in [index[0].handle, index[index.count - 1].handle] {
                    try BlockForgery(table).replace(handle, type: 99) { _ in }
                    try expectRefusal(of: path, .notSupported, naming: "byte \(handle.offset) of \(table)")
                    try write(intact, to: table)
                }
            }
            try Database.open(at: path).close()
        }
    }

    /// Tables are checked by several threads.
    @Test func `Of many bad tables, opening always names the first`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            var options = DatabaseOptions()
            // In the order of keys, each full buffer becomes a table.
            options.writeBufferByteCount = 64 << 10
            let database = try Database.open(at: path, options: options)
            for number in 0..<2000 {
                try database.put(Array(repeating: UInt8(number & 0xff), count: 400), forKey: numberedKey(number))
            }
            try database.close()
            let tables = try files(ofKind: "ldb", in: path)
            try #require(tables.count > 4)
            for table in tables {
                try BlockForgery(table).replace(try Table(at: table).index()[0].handle, type: 99) { _ in }
            }
            let messages = (0..<50).compactMap { _ in
                thrownError { try Database.open(at: path, mode: .readOnly).close() }?.message
            }
            #expect(messages.count == 50 && Set(messages).count == 1, "\(Set(messages))")
        }
    }

    /// Without `checksEveryBlock`, opening reads only the first and the last block of a table.
    @Test(arguments: [2, 4, 99] as [UInt8])
    func `If a middle block has a foreign compression, reads of it throw its file and offset, and its table is kept`(
        type: UInt8
    ) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            let table = try #require(try files(ofKind: "ldb", in: path).first)
            let handle = try Table(at: table).index()[5].handle
            try TableForgery.setCompression(type, ofBlock: 5, in: path)
            let forged = try content(of: table)
            var options = DatabaseOptions()
            options.checksEveryBlock = true
            try expectRefusal(
                of: path, .notSupported, naming: "byte \(handle.offset) of \(table)", options: options)
            for mode in [Database.Mode.readOnly, .readWrite] {
                let before = try DirectoryState(path)
                let database = try Database.open(at: path, mode: mode)
                let errors = try errorsOfReads(of: database, count: 400)
                // Both scans, and the reads of the keys in the block.
                #expect((3..<22).contains(errors.count))
                for error in errors {
                    #expect(error.code == .corruption && error.offset == handle.offset, "\(error)")
                    #expect(error.file.map { path + "/" + $0 } == table, "\(error)")
                    #expect(error.message.contains("compress"), "\(error)")
                }
                #expect(try !database.verify().isSound)
                if mode == .readOnly {
                    try database.close()
                    #expect(try DirectoryState(path).difference(from: before) == [])
                } else {
                    // A compaction that includes the table fails, and the table is not replaced.
                    for number in [0, 399] { try database.put([1], forKey: numberedKey(number)) }
                    try database.compact()
                    #expect(code { try database.put([1], forKey: numberedKey(1)) } == .corruption)
                    try database.close()
                    #expect(try content(of: table) == forged)
                }
            }
        }
    }

    /// Reads every entry of a ``TableFixture`` by its key, and all of them in both directions.
    ///
    /// - Returns: The errors. Reads without an error return the right value.
    private func errorsOfReads(of database: Database, count: Int) throws -> [LevelError] {
        // A slow machine does not end the search for the block.
        try LevelError.$searchLimit.withValue(.seconds(600)) {
            var errors = (0..<count).compactMap { number in
                thrownError {
                    let value = try database.value(forKey: numberedKey(number))
                    #expect(value == TableFixture.value(number))
                }
            }
            for reverse in [false, true] {
                errors.append(try #require(thrownError { _ = try entries(of: database, reverse: reverse) }))
            }
            return errors
        }
    }

    @Test(arguments: TableForgery.allCases)
    func `A forged table does not crash the process`(forgery: TableForgery) async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try forgery.apply(to: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for mode in [Database.Mode.readWrite, .readOnly] {
                        let before = try DirectoryState(path)
                        let error = thrownError { _ = try Database.open(at: path, mode: mode) }
                        #expect(error?.code == .corruption && error?.message.contains(".ldb") == true)
                        #expect(try DirectoryState(path).difference(from: before) == [])
                    }
                }
            }
        }
    }

    @Test(arguments: TableForgery.allCases)
    func `Middle blocks of a table that others can modify are checked when it is opened`(forgery: TableForgery)
        async throws
    {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try forgery.apply(to: path, block: 5)
            unsafe chmod(path, 0o777)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    #expect(code { _ = try Database.open(at: path, mode: .readOnly) } == .corruption)
                }
            }
        }
    }

    @Test(arguments: TableForgery.allCases)
    func `With checksEveryBlock, a forged block in the middle of a table is an error with file and offset`(
        forgery: TableForgery
    ) async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try forgery.apply(to: path, block: 5)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    var options = DatabaseOptions()
                    options.checksEveryBlock = true
                    for mode in [Database.Mode.readWrite, .readOnly] {
                        let before = try DirectoryState(path)
                        let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
                        #expect(error?.code == .corruption)
                        #expect(error?.file?.hasSuffix(".ldb") == true && error?.offset != nil)
                        #expect(try DirectoryState(path).difference(from: before) == [])
                    }
                }
            }
        }
    }

    @Test
    func
        `Misordered keys in a forged table are detected by checksEveryBlock and dropped by repair`()
        throws
    {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try TableForgery.disorder(block: 5, in: path)
            var options = DatabaseOptions()
            options.checksEveryBlock = true
            for mode in [Database.Mode.readWrite, .readOnly] {
                let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
                #expect(error?.code == .corruption && error?.message.contains("out of order") == true)
            }
            let report = try Database.repair(at: path)
            #expect(report.droppedByteCount > 0 && report.verification.isSound)
            let database = try Database.open(at: path)
            let count = try keys(of: database).count
            #expect(count > 380 && count < 400)
            try database.close()
        }
    }

    /// LevelDB's repair would write a manifest with an empty key, at which it ends the process.
    @Test func `A table without entries is an error, and repair leaves it out`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            let name = try #require(fileNames(in: path).first { $0.hasSuffix(".ldb") })
            try TableForgery.appendIndex([], toTableAt: path + "/" + name)
            let byteCount = try UInt64(content(of: path + "/" + name).count)
            try ManifestForgery.rewrite(path) { edit in
                let table = edit.newTables[0]
                edit.newTables = [
                    .init(
                        level: table.level, number: table.number, byteCount: byteCount, smallest: table.smallest,
                        largest: table.largest)
                ]
            }
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for mode in [Database.Mode.readWrite, .readOnly] {
                        let error = thrownError { _ = try Database.open(at: path, mode: mode) }
                        #expect(error?.code == .corruption && error?.message.contains("no entries") == true)
                    }
                    let report = try Database.repair(at: path)
                    #expect(report.droppedByteCount > 0 && report.verification.isSound)
                    let database = try Database.open(at: path)
                    #expect(try keys(of: database).isEmpty)
                    try database.close()
                }
            }
        }
    }

    @Test(arguments: [(0x109 as UInt64, "unknown kind (9)"), (UInt64.max << 8 | 1, "has write 72057594037927935")])
    func `A key of an unknown kind or number is detected by checksEveryBlock, and dropped by repair`(
        number: UInt64, reason: String
    ) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try TableForgery.setNumber(number, block: 5, in: path)
            var options = DatabaseOptions()
            options.checksEveryBlock = true
            for mode in [Database.Mode.readWrite, .readOnly] {
                let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
                #expect(error?.code == .corruption && error?.message.contains(reason) == true)
            }
            let report = try Database.repair(at: path)
            #expect(report.droppedByteCount > 0 && report.verification.isSound)
            let database = try Database.open(at: path)
            let count = try keys(of: database).count
            #expect(count > 380 && count < 400)
            try database.close()
        }
    }

    /// LevelDB does not look for keys outside of the range, and scans from within it begin too late.
    @Test(arguments: [true, false])
    func `A range in the manifest that hides keys is detected by checksEveryBlock and verify`(isFirst: Bool) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            let all: [[UInt8]]
            do {
                let database = try Database.open(at: path)
                all = try keys(of: database)
                try database.close()
            }
            try ManifestForgery.rewrite(path) { edit in
                let table = edit.newTables[0]
                let (key, sequence) = (all[isFirst ? 100 : 300], table.smallest.sequence)
                let other = InternalKey(userKey: key, sequence: sequence, kind: .put)
                edit.newTables = [
                    .init(
                        level: table.level, number: table.number, byteCount: table.byteCount,
                        smallest: isFirst ? other : table.smallest, largest: isFirst ? table.largest : other)
                ]
            }
            var options = DatabaseOptions()
            options.checksEveryBlock = true
            for mode in [Database.Mode.readWrite, .readOnly] {
                let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
                #expect(error?.code == .corruption && error?.message.contains("key is not the one") == true)
            }
            let reading = try Database.open(at: path, mode: .readOnly)
            #expect(try !reading.verify().isSound)
            try reading.close()
            #expect(try Database.repair(at: path).verification.isSound)
            let database = try Database.open(at: path)
            #expect(try keys(of: database) == all)
            for key in all { #expect(try database.contains(key)) }
            try database.close()
        }
    }

    @Test(arguments: TableForgery.allCases)
    func `Verify and repair do not crash on a forged table, and repair keeps its other blocks`(
        forgery: TableForgery
    ) async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try forgery.apply(to: path, block: 5)
            let isWholeTableLost = forgery == .shortKeyInIndex
            // The blocks are found without the index.
            let isNothingLost = [.handleBeyondFile, .repeatedBlock].contains(forgery)
            await #expect(processExitsWith: .success) {
                [
                    path = path as String, isWholeTableLost = isWholeTableLost as Bool,
                    isNothingLost = isNothingLost as Bool
                ] in
                try reportingErrors {
                    if let database = try? Database.open(at: path, mode: .readOnly) {
                        let report = try database.verify()
                        #expect(report.problemCount == 1)
                        #expect(report.problems.first?.description.contains(".ldb, byte ") == true)
                        try database.close()
                    }
                    let report = try Database.repair(at: path)
                    #expect(report.droppedByteCount > 0)
                    #expect(report.losses.isEmpty == isNothingLost)
                    #expect(report.verification.isSound)
                    let database = try Database.open(at: path)
                    let count = try keys(of: database).count
                    let expected = isWholeTableLost ? 0...0 : isNothingLost ? 400...400 : 381...399
                    #expect(expected.contains(count))
                    try database.close()
                }
            }
        }
    }

    @Test func `checksEveryBlock opens an undamaged database in both modes`() throws {
        try withTemporaryDirectory { directory in
            try TableFixture.make(at: directory + "/db", count: 400)
            var options = DatabaseOptions()
            options.checksEveryBlock = true
            for mode in Self.modes {
                let database = try Database.open(at: directory + "/db", options: options, mode: mode)
                #expect(try keys(of: database).count == 400)
                try database.close()
            }
        }
    }

    @Test func `Tables that overlap within a level do not crash the process`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try ManifestForgery.rewrite(path) { edit in
                let table = edit.newTables[0]
                let number = edit.nextFileNumber!
                edit.nextFileNumber = number + 1
                edit.newTables = [table.number, number].map {
                    .init(
                        level: 1, number: $0, byteCount: table.byteCount, smallest: table.smallest,
                        largest: table.largest)
                }
                try? FileManager.default.copyItem(
                    atPath: path + "/" + String(format: "%06d.ldb", Int(table.number)),
                    toPath: path + "/" + String(format: "%06d.ldb", Int(number)))
            }
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    for mode in [Database.Mode.readWrite, .readOnly] {
                        let error = thrownError { _ = try Database.open(at: path, mode: mode) }
                        #expect(error?.code == .corruption && error?.message.contains("overlap") == true)
                    }
                }
            }
        }
    }

    /// LevelDB would not find the writes, and would give their numbers to new ones, which ends the process in a
    /// compaction.
    @Test func `A manifest whose last write is older than those at the bounds of its tables is refused`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            var last: UInt64 = 0
            try ManifestForgery.rewrite(path) { edit in
                last = max(edit.newTables[0].smallest.sequence, edit.newTables[0].largest.sequence) - 1
                edit.lastSequence = last
            }
            #expect(last > 0)
            for mode in Self.modes {
                for integrity in [DatabaseOptions.Integrity.strict, .relaxed] {
                    var options = DatabaseOptions()
                    options.integrity = integrity
                    let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
                    #expect(error?.code == .corruption)
                    #expect(error?.message.contains("has writes after the last one that it names") == true)
                }
            }
            let check = FileCheck(try DatabaseFiles(at: path), depth: .outline)
            #expect(check.problems.map(\.reason).contains { $0.contains("writes after the last one") })
            #expect(try Database.repair(at: path).losses.isEmpty)
            let database = try Database.open(at: path)
            #expect(try keys(of: database).count == 400)
            try database.close()
        }
    }

    @Test func `Writes after the last one within a table are found where every block is checked`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path, options: TableFixture.options)
            for key in ["a", "z"] { try database.put(utf8("first"), forKey: utf8(key)) }
            for number in 100..<500 { try database.put(utf8("later"), forKey: utf8("key\(number)")) }
            try database.compact()
            #expect(try database.verify().isSound)
            try database.close()
            try ManifestForgery.rewrite(path) { edit in
                #expect(edit.newTables.count == 1)
                edit.lastSequence = edit.newTables.map { max($0.smallest.sequence, $0.largest.sequence) }.max()
            }
            for mode in Self.modes {
                var options = DatabaseOptions()
                options.checksEveryBlock = true
                let error = thrownError { _ = try Database.open(at: path, options: options, mode: mode) }
                #expect(error?.code == .corruption)
                #expect(error?.file?.hasSuffix(".ldb") == true)
                #expect(error?.message.contains("the last write in tables is") == true)
            }
            for depth in [FileCheck.Depth.safety, .everything] {
                let check = FileCheck(try DatabaseFiles(at: path), depth: depth)
                #expect(check.problems.map(\.reason).contains { $0.contains("the last write in tables") })
            }
            let harmed = try Database.open(at: path, mode: .readOnly)
            #expect(try harmed.verify().isSound == false)
            try harmed.close()
        }
    }

    /// Such keys are in a scan, but `get` does not find them.
    @Test func `Keys that a Bloom filter excludes are found where every block is checked`() throws {
        for forged in ["bits", "places"] {
            try withTemporaryDirectory(leavesDamage: true) { directory in
                let path = directory + "/db"
                try TableFixture.make(at: path, count: 400)
                let table = try #require(try files(ofKind: "ldb", in: path).first)
                let handle = try #require(try Table(at: table).metaIndex().first?.handle)
                // The filters, their offsets, the start of these, and a byte.
                try BlockForgery(table).replace(handle) { bytes in
                    let array = Int(bytes.dropLast().suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
                    if forged == "bits" {
                        // The last byte of a filter is the number of probes; the others have two bits of eight.
                        for index in 0..<array { bytes[index] = 6 }
                    } else {
                        // Every filter is empty, at a place beyond the filters.
                        for index in stride(from: array, to: bytes.count - 5, by: 4) {
                            bytes.replaceSubrange(index..<index + 4, with: [0xff, 0xff, 0xff, 0])
                        }
                    }
                }
                var options = DatabaseOptions()
                options.checksEveryBlock = true
                try expectRefusal(of: path, .corruption, naming: "Bloom filter of its block excludes", options: options)
                let check = FileCheck(try DatabaseFiles(at: path), depth: .safety)
                #expect(check.problems.map(\.reason).contains { $0.contains("Bloom filter") })
                #expect(try Database.repair(at: path).losses.isEmpty)
                let database = try Database.open(at: path, options: options)
                #expect(try keys(of: database).count == 400)
                for number in 0..<400 { #expect(try database.contains(numberedKey(number))) }
                try database.close()
            }
        }
    }

    @Test func `False numbers in the bounds of a table are found where every block is checked`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            try ManifestForgery.rewrite(path) { edit in
                edit.newTables = edit.newTables.map { table in
                    var last = table.largest
                    last.sequence -= 1
                    return .init(
                        level: table.level, number: table.number, byteCount: table.byteCount, smallest: table.smallest,
                        largest: last)
                }
            }
            var options = DatabaseOptions()
            options.checksEveryBlock = true
            try expectRefusal(of: path, .corruption, naming: "its last key is not the one", options: options)
        }
    }

    @Test func `Files with numbers in another form than LevelDB's are refused, and repair changes nothing`() throws {
        for (name, usual) in [
            ("50.log", "000050.log"), ("0000051.ldb", "000051.ldb"), ("MANIFEST-7", "MANIFEST-000007"),
        ] {
            try withTemporaryDirectory { directory in
                let path = directory + "/db"
                try TableFixture.make(at: path, count: 40)
                try write([], to: path + "/" + name)
                try expectRefusal(of: path, .corruption, naming: "it looks for \(usual)")
                let before = try DirectoryState(path)
                #expect(thrownError { _ = try Database.repair(at: path) }?.message.contains(usual) == true)
                #expect(try DirectoryState(path).difference(from: before) == [])
            }
        }
    }

    /// LevelDB would return the old version of a key to `get`, and the new one to a cursor.
    @Test func `A log whose writes are older than those of the tables is refused`() throws {
        for bounds in [["a", "z"], []] {
            try withTemporaryDirectory(leavesDamage: true) { directory in
                let path = directory + "/db"
                let database = try Database.open(at: path, options: TableFixture.options)
                for key in bounds { try database.put(utf8("first"), forKey: utf8(key)) }
                for number in 100..<500 { try database.put(utf8("old"), forKey: utf8("key\(number)")) }
                let log = try #require(try files(ofKind: "log", in: path).first)
                let old = try content(of: log)
                for number in 100..<500 { try database.put(utf8("new"), forKey: utf8("key\(number)")) }
                try database.compact()
                try database.close()
                let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
                #expect(check.problems.isEmpty)
                // The writes of the bounds come before those of the log, so that only a look at all blocks shows it.
                var reader = RecordReader(old, holding: .batches)
                var writer = RecordWriter()
                var count = 0
                while case .record(let record) = try reader.next() {
                    count += 1
                    if count > bounds.count { writer.append(record) }
                }
                try #require(count == 400 + bounds.count)
                try write(writer.bytes, to: try #require(try files(ofKind: "log", in: path).first))

                var options = DatabaseOptions()
                options.checksEveryBlock = true
                let message = bounds.isEmpty ? "is not newer than write" : "the last write in tables is"
                try expectRefusal(of: path, .corruption, naming: message, options: options)
                if bounds.isEmpty { try expectRefusal(of: path, .corruption, naming: message) }
                for depth in [FileCheck.Depth.safety, .everything] {
                    let check = FileCheck(try DatabaseFiles(at: path), depth: depth)
                    #expect(check.problems.map(\.reason).contains { $0.contains("the last write in tables") })
                }
                if !bounds.isEmpty {
                    let harmed = try Database.open(at: path, mode: .readOnly)
                    #expect(try harmed.verify().isSound == false)
                    try harmed.close()
                }
                #expect(try Database.repair(at: path).losses.isEmpty)
                let repaired = try Database.open(at: path)
                #expect(try repaired.value(forKey: utf8("key100")) == utf8("new"))
                #expect(try keys(of: repaired).count == 400 + bounds.count)
                try repaired.close()
            }
        }
    }

    /// Damage is reported when it is read, as without the inspection: only what would crash the process prevents
    /// opening.
    @Test func `A damaged block does not prevent opening in either mode`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            let table = try #require(try files(ofKind: "ldb", in: path).first)
            var bytes = try content(of: table)
            bytes[10] ^= 1
            try write(bytes, to: table)
            for mode in Self.modes {
                let database = try Database.open(at: path, mode: mode)
                #expect(try database.value(forKey: numberedKey(399)) == TableFixture.value(399))
                #expect(code { _ = try database.value(forKey: numberedKey(0)) } == .corruption)
                try database.close()
            }
        }
    }
}
