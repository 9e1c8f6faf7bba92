import Foundation
import Testing

@testable import LevelKit

/// Missing tables cause an error, not absence. `leveldb_get` itself reports their keys as not found.
@Suite struct MissingTableTests {
    @Test func `Table numbers are parsed from LevelDB's listing whatever bytes the keys contain`() {
        let list = """
            --- level 0 ---
             9:100['x' @ 7 : 1 .. 'z' @ 8 : 1]
            --- level 2 ---
             5:1234['a' @ 5 : 1 .. 'k\\x00\\xff' @ 9 : 0]
             6:1234['k\\x00\\xff' @ 3 : 1 .. 'it's' @ 9 : 1]
            """
        #expect(TableDirectoryMonitor.fileNumbers(in: list) == [9, 5, 6])
        #expect(TableDirectoryMonitor.fileNumbers(in: "nonsense\n 1\n--- level") == [1])
    }

    @Test func `A table missing at opening is corruption, and the other files are not changed`() throws {
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

    @Test func `A table deleted before its first read is an error, not absence`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try Self.makeTwoTables(at: directory)
            let database = try Database.open(at: directory)
            for table in try files(ofKind: "ldb", in: directory) { try FileManager.default.removeItem(atPath: table) }
            try Self.expectErrors(of: database)
        }
    }

    /// With few tables, LevelDB keeps all of them open and can still read them. Runs in a separate process because
    /// other tests have databases open.
    @Test(arguments: ["the tables", "the directory", "the directory above"])
    func `Deleting files after all tables were opened changes no result`(what: String) async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            try Self.makeTwoTables(at: directory + "/above/db")
            await #expect(processExitsWith: .success) { [directory = directory as String, what = what as String] in
                let path = directory + "/above/db"
                let database = try Database.open(at: path)
                try Self.believeMisses(of: database)
                try Self.remove(what, of: path, from: directory)
                #expect(try keys(of: database).count == 200)
                for number in [0, 99, 100, 150, 199] {
                    #expect(try database.value(forKey: numberedKey(number)) == TableFixture.value(number))
                    #expect(try database.value(forKey: numberedKey(number) + [0]) == nil)
                }
            }
        }
    }

    /// With too many databases to share LevelDB's mapped memory, the file system is checked instead.
    @Test(arguments: ["the tables", "the directory", "the directory above"])
    func `With many databases open, missing files are an error and not absence`(what: String) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/above/db"
            try Self.makeTwoTables(at: path)
            let others = try (0..<5).map { try Database.open(at: "\(directory)/other\($0)") }
            let database = try Database.open(at: path)
            try Self.believeMisses(of: database)
            try Self.remove(what, of: path, from: directory)
            try Self.expectErrors(of: database)
            for other in others { try other.close() }
        }
    }

    private static func remove(_ what: String, of path: String, from directory: String) throws {
        switch what {
        case "the tables":
            for table in try files(ofKind: "ldb", in: path) { try FileManager.default.removeItem(atPath: table) }
        case "the directory": try FileManager.default.moveItem(atPath: path, toPath: directory + "/elsewhere")
        default: try FileManager.default.moveItem(atPath: directory + "/above", toPath: directory + "/elsewhere")
        }
    }

    /// Creates a database with the keys 0 to 99 in one table and 100 to 199 in another.
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

    /// Reads missing keys, outside both tables, until LevelKit trusts not-found results.
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
