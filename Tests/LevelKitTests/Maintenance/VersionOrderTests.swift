import LevelFiles
import TestSupport
import Testing

@testable import LevelKit

/// Old versions of keys in tables that LevelDB reads before the ones with newer versions.
@Suite struct VersionOrderTests {
    /// Creates a database in which the table with the highest number has an old version of `k`, and another table the
    /// newest.
    static func makeDatabase(at path: String) throws {
        let database = try Database.open(at: path)
        func put(_ text: String, _ key: String) throws {
            try database.put(Array(text.utf8), forKey: Array(key.utf8), durability: .flushed)
        }
        for letter in "abcdefghijklmnopqrstuvwxyz" { try database.put("old", forKey: String(letter)) }
        try database.compact()
        // Moves to level 1 and, since that now contains `k`, to level 0.
        try put("older", "k")
        try put("new", "k")
        try put("new", "a")
        // Merges levels 1 and 2 into a table with the highest number.
        try database.compact(in: .range(from: Array("a".utf8), to: Array("b".utf8)))
        try database.close()
    }

    private static func makeInversion(at path: String) throws {
        try makeDatabase(at: path)
        // LevelDB's own repair puts all tables in level 0.
        try EngineMaintenance.repair(path: path, options: EngineOptions(DatabaseOptions()))
    }

    @Test func `After a repair, reads and scans both return the newest version of each key`() throws {
        try withTemporaryDirectory { directory in
            try Self.makeDatabase(at: directory + "/db")
            let report = try Database.repair(at: directory + "/db")
            #expect(report.losses.isEmpty, "\(report.losses)")
            let database = try Database.open(at: directory + "/db")
            #expect(try database.value(forKey: Array("k".utf8)) == Array("new".utf8))
            #expect(try database.value(forKey: Array("a".utf8)) == Array("new".utf8))
            #expect(try database.value(forKey: Array("z".utf8)) == Array("old".utf8))
            try database.close()
        }
    }

    @Test
    func `Misordered versions are found by the file check and by verify, and fixed by compaction`()
        throws
    {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeInversion(at: path)
            let check = FileCheck(try DatabaseFiles(at: path), depth: .everything)
            #expect(check.hasVersionsOutOfOrder && check.problemCount == 1, "\(check.problems)")
            let database = try Database.open(at: path)
            // The case under test: LevelDB itself returns the overwritten value.
            #expect(try database.value(forKey: Array("k".utf8)) == Array("older".utf8))
            let report = try database.verify()
            #expect(report.problems.map(\.kind) == [.version], "\(report.problems)")
            try database.compact()
            #expect(try database.value(forKey: Array("k".utf8)) == Array("new".utf8))
            #expect(try database.verify().isSound)
            try database.close()
            #expect(FileCheck(try DatabaseFiles(at: path), depth: .everything).problems.isEmpty)
        }
    }
}
