import Foundation
import LevelKit
import TestSupport
import Testing

@Suite struct MaintenanceTests {
    /// Puts `count` entries of an incompressible kilobyte each.
    private static func fill(_ database: Database, _ count: Int) throws {
        var random = SplitMix64(seed: 1)
        let batch = WriteBatch()
        for number in 0..<count {
            let noise = (0..<1000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try batch.put(noise, forKey: numberedKey(number))
        }
        try database.write(batch)
    }

    @Test func `A compaction without bounds flushes the memory and drops deleted entries`() throws {
        try withTemporaryDatabase { database in
            try Self.fill(database, 300)
            #expect(try database.approximateByteCount(in: .all) == 0)
            try database.compact()
            #expect(try database.approximateByteCount(in: .all) > 100_000)
            #expect(try files(ofKind: "ldb", in: database.path).count > 0)
            for number in 0..<300 { try database.delete(numberedKey(number)) }
            try database.compact()
            #expect(try database.approximateByteCount(in: .all) == 0)
            try expectFiles(ofKind: "ldb", 0, in: database.path)
        }
    }

    @Test func `Entries deleted before the first flush are dropped if the deepest level is included`() throws {
        try withTemporaryDatabase { database in
            for number in 0..<20_000 { try database.put(Array(repeating: 7, count: 100), forKey: numberedKey(number)) }
            for number in 0..<20_000 { try database.delete(numberedKey(number)) }
            try database.compact()
            #expect(try database.approximateByteCount(in: .all) > 0)
            try database.compact(includingDeepestLevel: true)
            #expect(try database.approximateByteCount(in: .all) == 0)
            try expectFiles(ofKind: "ldb", 0, in: database.path)
        }
    }

    @Test func `A compaction that includes the deepest level drops no live entry`() throws {
        try withTemporaryDatabase { database in
            try Self.fill(database, 3000)
            try database.compact()
            for number in stride(from: 0, to: 3000, by: 3) { try database.delete(numberedKey(number)) }
            let before = try keys(of: database)
            try database.compact(includingDeepestLevel: true)
            #expect(try keys(of: database) == before)
            try database.compact(in: .range(from: numberedKey(100), to: numberedKey(200)), includingDeepestLevel: true)
            #expect(try keys(of: database) == before)
            #expect(try database.verify().problems.isEmpty)
        }
    }

    @Test(arguments: [nil, [], numberedKey(0)] as [[UInt8]?], [nil, numberedKey(299), [0xff, 0xff]] as [[UInt8]?])
    func `A compaction whose bounds enclose all keys compacts everything`(lower: [UInt8]?, upper: [UInt8]?) throws {
        try withTemporaryDatabase { database in
            try Self.fill(database, 300)
            try database.compact()
            for number in 0..<300 { try database.delete(numberedKey(number)) }
            try database.compact(in: .range(from: lower, to: upper))
            try expectFiles(ofKind: "ldb", 0, in: database.path)
        }
    }

    @Test func `A compaction of the empty key alone leaves other keys unchanged`() throws {
        try withTemporaryDatabase { database in
            try Self.fill(database, 300)
            try database.compact()
            for number in 0..<300 { try database.delete(numberedKey(number)) }
            try database.compact(in: .range(from: [UInt8](), to: [UInt8]()))
            #expect(try files(ofKind: "ldb", in: database.path).count > 1)
            #expect(try keys(of: database) == [])
        }
    }

    @Test func `The approximate size of half the keys is about half the total size`() throws {
        try withTemporaryDatabase { database in
            try Self.fill(database, 1000)
            try database.compact()
            let all = try database.approximateByteCount(in: .all)
            let half = try database.approximateByteCount(in: .range(from: nil, to: numberedKey(500)))
            #expect(half > all * 4 / 10 && half < all * 6 / 10)
            #expect(try database.approximateByteCount(in: .range(from: numberedKey(500), to: numberedKey(500))) == 0)
            #expect(try database.approximateByteCount(in: .range(from: [0xff], to: [UInt8]())) == 0)
        }
    }

    @Test func `LevelDB's properties are returned, and unknown ones are nil`() throws {
        try withTemporaryDatabase { database in
            let stats = try database.property("leveldb.stats")
            #expect(stats?.contains("Compactions") == true)
            #expect(try database.property("leveldb.num-files-at-level0") == "0")
            #expect(try database.property("leveldb.nothing") == nil)
            #expect(try database.property("") == nil)
        }
    }

    @Test func `A range is counted and deleted, and adjacent keys are not affected`() throws {
        try withTemporaryDatabase { database in
            for number in 0..<500 { try database.put([1], forKey: numberedKey(number)) }
            let range = KeyRange(lower: .included(numberedKey(100)), upper: .excluded(numberedKey(400)))
            #expect(try database.count(in: range) == 300)
            let snapshot = try database.snapshot()
            #expect(try database.deleteRange(range, batchByteCount: 1000) == 300)
            #expect(try database.count() == 200)
            #expect(try database.count(in: range) == 0)
            #expect(try snapshot.count(in: range) == 300)
            #expect(try database.deleteRange(range) == 0)
            #expect(try database.deleteRange(.all) == 200)
            #expect(try database.count() == 0)
        }
    }

    @Test func `A temporary database deletes its directory`() throws {
        var paths: [String] = []
        do {
            let closed = try Database.temporary()
            let dropped = try Database.temporary()
            for database in [closed, dropped] {
                try database.put("1", forKey: "a")
                try database.compact()
                #expect(FileManager.default.fileExists(atPath: database.path))
                paths.append(database.path)
            }
            #expect(closed.path != dropped.path)
            try closed.close()
        }
        for path in paths { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    private func expectFiles(
        ofKind kind: String, _ count: Int, in directory: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try files(ofKind: kind, in: directory)
        #expect(found.count == count, sourceLocation: sourceLocation)
    }
}
