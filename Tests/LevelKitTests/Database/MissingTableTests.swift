import Foundation
import LevelKit
import Testing

/// Tables that are gone: an error, never absence. `leveldb_get` itself reports them like a key that is not there.
@Suite struct MissingTableTests {
    @Test func `a table that is gone before opening is corruption, and the rest stays`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            let table = try #require(try files(ofKind: "ldb", in: directory).first)
            let bytes = try content(of: table)
            try FileManager.default.removeItem(atPath: table)
            let before = try contents(of: directory)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
            #expect(try contents(of: directory) == before)
            try write(bytes, to: table)
            #expect(try keys(of: Database.open(at: directory)).count == 200)
        }
    }

    @Test(arguments: ["at once", "after a quiet while"])
    func `a table that goes while the database is open is an error, not absence`(moment: String) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try Self.makeTwoTables(at: directory)
            let database = try Database.open(at: directory)
            if moment == "after a quiet while" { try Self.believeMisses(of: database) }
            for table in try files(ofKind: "ldb", in: directory) { try FileManager.default.removeItem(atPath: table) }
            try Self.expectErrors(of: database)
        }
    }

    @Test(arguments: ["db", "above"])
    func `a directory that is moved away while the database is open is an error, not absence`(name: String) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try Self.makeTwoTables(at: directory + "/above/db")
            let database = try Database.open(at: directory + "/above/db")
            try Self.believeMisses(of: database)
            let moved = name == "db" ? directory + "/above/db" : directory + "/above"
            try FileManager.default.moveItem(atPath: moved, toPath: directory + "/elsewhere")
            try Self.expectErrors(of: database)
        }
    }

    /// Makes a database with the keys 0 to 99 in one table and 100 to 199 in another.
    private static func makeTwoTables(at path: String) throws {
        let database = try Database.open(at: path, options: TableFixture.options)
        for part in 0..<2 {
            for number in part * 100..<part * 100 + 100 {
                try database.put(TableFixture.value(number), forKey: numberedKey(number))
            }
            try database.compact()
        }
        try database.close()
        let tableCount = try files(ofKind: "ldb", in: path).count
        try #require(tableCount == 2)
    }

    /// Reads a key that is not there, in neither table, until LevelKit has reason to believe that it is absent.
    private static func believeMisses(of database: Database) throws {
        for _ in 0..<3 {
            #expect(try database.value(forKey: "a key before all tables") == nil)
            usleep(120_000)
        }
    }

    private static func expectErrors(of database: Database) throws {
        for reader in [database, try database.snapshot()] as [any KeyValueReader] {
            #expect(code { _ = try reader.value(forKey: numberedKey(150)) } == .corruption)
            #expect(code { _ = try reader.contains(numberedKey(150)) } == .corruption)
            #expect(code { _ = try reader.value(forKey: numberedKey(150) + [0]) } == .corruption)
            #expect(code { _ = try keys(of: reader) } == .corruption)
            #expect(code { _ = try keys(of: reader, reverse: true) } == .corruption)
        }
    }
}
