import Foundation
import LevelKit
import Testing

/// Faults of opening a database: paths, locks, leftovers, options, logs.
@Suite struct OpeningFaultTests {
    @Test func `Missing parent directories are created, and no error mentions a lock file`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/a/b/db")
            try database.put("1", forKey: "a")
            #expect(try database.value(forKey: "a") == utf8("1"))
        }
    }

    @Test func `A second open is rejected under every spelling of the path`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/a/db")
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link", withDestinationPath: directory + "/a")
            for spelling in ["/a/db", "/a/../a/db", "/a/./db/", "/link/db", "//a//db"] {
                #expect(code { _ = try Database.open(at: directory + spelling) } == .locked, "\(spelling)")
            }
            try database.put("1", forKey: "a")
        }
    }

    @Test func `After a rejected second open, other processes are still locked out`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            #expect(code { _ = try Database.open(at: directory + "/db") } == .locked)
            await expectAnotherProcess(getsLockOn: database.path, false)
            #expect(code { try Database.destroy(at: directory + "/db") } == .locked)
            await expectAnotherProcess(getsLockOn: database.path, false)
            try database.close()
            await expectAnotherProcess(getsLockOn: database.path, true)
        }
    }

    @Test func `Opening a missing database leaves nothing behind`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.createIfMissing = false
            #expect(code { _ = try Database.open(at: directory + "/a/db", options: options) } == .databaseNotFound)
            try expectFiles([], in: directory)
        }
    }

    @Test func `A rejected open does not touch the info log of the process that has the database open`() async throws {
        try await withSharedDirectory { directory in
            let outcome = try await whileAnotherProcessHoldsDatabase("db", in: directory) { [directory] _ in
                let before = try fileNames(in: directory + "/db")
                let messages = try content(of: directory + "/db/LOG")
                let found = code { _ = try Database.open(at: directory + "/db") }
                let isSame = try fileNames(in: directory + "/db") == before
                return (found, isSame, try content(of: directory + "/db/LOG") == messages)
            }
            #expect(outcome.0 == .locked)
            #expect(outcome.1, "no file came or went")
            #expect(outcome.2, "LOG is as it was")
        }
    }

    @Test(arguments: ["MANIFEST-000099\n", "MANIFEST-000002", "\n", "../other\n"])
    func `A forged CURRENT is corruption, and no file is deleted`(text: String) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 100)
            try write(utf8(text), to: directory + "/CURRENT")
            let before = try contents(of: directory)
            let found = code { _ = try Database.open(at: directory) }
            #expect(found == .corruption)
            #expect(try contents(of: directory) == before)
        }
    }

    @Test func `Tables without CURRENT are never treated as an empty directory`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 100)
            try FileManager.default.removeItem(atPath: directory + "/CURRENT")
            let before = try contents(of: directory)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
            #expect(try contents(of: directory) == before)
        }
    }

    @Test func `A directory of other files never becomes a database`() throws {
        try withTemporaryDirectory { directory in
            try write(utf8("mine"), to: directory + "/notes.txt")
            #expect(code { _ = try Database.open(at: directory) } == .databaseNotFound)
            try expectFiles(["notes.txt"], in: directory)
        }
    }

    @Test func `A relative path names the same database after a change of directory`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try reportingErrors {
                    #expect(FileManager.default.changeCurrentDirectoryPath(directory))
                    try TableFixture.make(at: "db", count: 200)
                    let database = try Database.open(at: "db")
                    #expect(FileManager.default.changeCurrentDirectoryPath("/"))
                    for number in 0..<200 {
                        #expect(try database.value(forKey: numberedKey(number)) == TableFixture.value(number))
                    }
                }
            }
        }
    }

    @Test func `A path that contains a NUL byte is rejected, not truncated at it`() throws {
        try withTemporaryDirectory { directory in
            #expect(code { _ = try Database.open(at: directory + "/db\0x") } == .invalidArgument)
            try expectFiles([], in: directory)
        }
    }

    @Test func `A flipped byte in the middle of the log is corruption, not a gap`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let database = try Database.open(at: directory)
            for number in 0..<5000 { try database.put(Array(repeating: 7, count: 100), forKey: numberedKey(number)) }
            try database.close()
            let log = try #require(try files(ofKind: "log", in: directory).last)
            var bytes = try content(of: log)
            bytes[bytes.count / 2] ^= 0x01
            try write(bytes, to: log)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
        }
    }

    @Test func `A log that ends within a write opens with the writes before it`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory)
            for number in 0..<100 { try database.put([7], forKey: numberedKey(number)) }
            try database.close()
            let log = try #require(try files(ofKind: "log", in: directory).last)
            try write(try content(of: log).dropLast(5), to: log)
            #expect(try keys(of: Database.open(at: directory)) == (0..<99).map(numberedKey))
        }
    }

    @Test func `Another comparator is rejected, and the error names both in the right roles`() throws {
        try withTemporaryDirectory { directory in
            try Database.open(at: directory).close()
            var options = DatabaseOptions()
            options.order = .reverseBytewise
            let error = thrownError { _ = try Database.open(at: directory, options: options) }
            #expect(error?.code == .comparatorMismatch)
            #expect(error?.message.contains("it is ordered by the comparator leveldb.BytewiseComparator") == true)
            #expect(error?.message.contains("opened with \(KeyOrder.reverseBytewise.name)") == true)
        }
    }

    @Test func `A Bloom filter is rejected for an order in which different bytes are the same key`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.order = .custom("test.byLength") { $0.count - $1.count }
            #expect(code { _ = try Database.open(at: directory + "/db", options: options) } == .invalidArgument)
            try expectFiles([], in: directory)
        }
    }

    @Test func `An out-of-range option is rejected, not silently adjusted`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.writeBufferByteCount = 1
            let error = thrownError { _ = try Database.open(at: directory + "/db", options: options) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("writeBufferByteCount is 1") == true)
            try expectFiles([], in: directory)
        }
    }
}
