import Foundation
import Testing

@testable import LevelKit

/// Faults of repair, destruction and compaction.
@Suite struct MaintenanceFaultTests {
    @Test func `Repair with a different comparator is rejected, and the right one still opens the database`() throws {
        try withTemporaryDirectory { directory in
            try TableFixture.make(at: directory + "/db", count: 100)
            var options = DatabaseOptions()
            options.order = .reverseBytewise
            let before = try contents(of: directory + "/db")
            #expect(
                code { _ = try Database.repair(at: directory + "/db", options: options) } == .comparatorMismatch)
            #expect(try contents(of: directory + "/db") == before)
            try expectFiles(["db"], in: directory)
        }
    }

    @Test func `An open database is not repaired`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            #expect(code { _ = try Database.repair(at: database.path) } == .locked)
            try database.put("2", forKey: "b")
        }
    }

    @Test func `Repair of a missing path creates nothing`() throws {
        try withTemporaryDirectory { directory in
            #expect(code { _ = try Database.repair(at: directory + "/db") } == .databaseNotFound)
            try expectFiles([], in: directory)
        }
    }

    @Test func `Repair of a directory of other files changes none of them`() throws {
        try withTemporaryDirectory { directory in
            let names = ["000012.log", "letter.txt"]
            for name in names { try write(utf8("dear reader, this is no database"), to: directory + "/" + name) }
            #expect(code { _ = try Database.repair(at: directory) } == .databaseNotFound)
            try expectFiles(names, in: directory)
        }
    }

    @Test func `Repair does not restore entries that a compaction removed`() throws {
        try withTemporaryDirectory { directory in
            try TableFixture.make(at: directory + "/db", count: 100)
            let old = try #require(try files(ofKind: "ldb", in: directory + "/db").first)
            let bytes = try content(of: old)
            let database = try Database.open(at: directory + "/db")
            for number in 0..<100 { try database.delete(numberedKey(number)) }
            try database.compact()
            try database.close()
            // The state after a crash between a compaction and the deletion of its inputs.
            try write(bytes, to: old)
            #expect(try Database.repair(at: directory + "/db").verification.keyCount == 0)
        }
    }

    @Test func `Destroying a directory of other files deletes none of them`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let names = ["000012.log", "CURRENT", "LOG"]
            for name in names { try write(utf8("mine"), to: directory + "/" + name) }
            #expect([.corruption, .databaseNotFound].contains(code { try Database.destroy(at: directory) }))
            try expectFiles(names, in: directory)
        }
    }

    @Test func `An open database is not destroyed`() throws {
        try withTemporaryDatabase { database in
            try database.put("1", forKey: "a")
            try database.compact()
            #expect(code { try Database.destroy(at: database.path) } == .locked)
            #expect(try database.value(forKey: "a") == utf8("1"))
        }
    }

    @Test func `A compaction without bounds compacts everything`() throws {
        try withTemporaryDatabase { database in
            for number in 0..<20_000 { try database.put(Array(repeating: 1, count: 100), forKey: numberedKey(number)) }
            try database.compact()
            for number in 0..<20_000 { try database.delete(numberedKey(number)) }
            try database.compact()
            #expect(try database.statistics().tableByteCount == 0)
            #expect(try database.approximateByteCount(in: .all) == 0)
        }
    }
}
