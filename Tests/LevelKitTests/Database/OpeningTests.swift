import Foundation
import LevelKit
import Testing

@Suite struct OpeningTests {
    @Test func `Opening creates the database and its parent directories`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/a/b/db")
            #expect(database.path == directory + "/a/b/db")
            try database.put("1", forKey: "a")
            try database.close()
            #expect(try fileNames(in: directory + "/a/b/db").contains("CURRENT"))
        }
    }

    @Test func `An empty directory becomes a database, even after an interrupted creation`() throws {
        try withTemporaryDirectory { directory in
            for names in [
                [], ["LOCK"], ["LOCK", "LOG", "LOG.old"], ["000001.dbtmp", "LOCK", "LOG", "MANIFEST-000001"],
            ] {
                let path = directory + "/db\(names.count)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                for name in names { try write([], to: path + "/" + name) }
                let database = try Database.open(at: path)
                try database.put("1", forKey: "a")
                try database.close()
            }
        }
    }

    @Test func `Without createIfMissing, a missing path is databaseNotFound and is not created`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.createIfMissing = false
            for path in ["/db", "/a/b/db"] {
                let error = try #require(throws: LevelError.self) {
                    try Database.open(at: directory + path, options: options)
                }
                #expect(error.code == .databaseNotFound)
                #expect(error.message.contains(directory + path))
            }
            try expectFiles([], in: directory)
        }
    }

    @Test func `Without createIfMissing, an empty directory is databaseNotFound and stays empty`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.createIfMissing = false
            #expect(code { _ = try Database.open(at: directory, options: options) } == .databaseNotFound)
            try expectFiles([], in: directory)
        }
    }

    @Test func `Without createIfMissing, an existing database opens`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.createIfMissing = false
            try Database.open(at: directory + "/db").close()
            try Database.open(at: directory + "/db", options: options).close()
        }
    }

    @Test func `errorIfExists rejects an existing database and does not change it`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.errorIfExists = true
            let database = try Database.open(at: directory + "/db", options: options)
            try database.put("1", forKey: "a")
            try database.close()
            let before = try contents(of: directory + "/db")
            let error = try #require(throws: LevelError.self) {
                try Database.open(at: directory + "/db", options: options)
            }
            #expect(error.code == .databaseExists)
            #expect(error.message.contains(directory + "/db"))
            #expect(try contents(of: directory + "/db") == before)
        }
    }

    @Test func `A directory of other files is rejected and not changed`() throws {
        try withTemporaryDirectory { directory in
            try write(utf8("mine"), to: directory + "/notes.txt")
            try write(utf8("mine too"), to: directory + "/LOG")
            let error = try #require(throws: LevelError.self) { try Database.open(at: directory) }
            #expect(error.code == .databaseNotFound)
            try expectFiles(["LOG", "notes.txt"], in: directory)
            #expect(try content(of: directory + "/notes.txt") == utf8("mine"))
            #expect(try content(of: directory + "/LOG") == utf8("mine too"))
        }
    }

    @Test(arguments: [true, false])
    func `A database without CURRENT is corrupt, and none of its files is changed`(createIfMissing: Bool) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path)
            for number in 0..<100 { try database.put([1], forKey: numberedKey(number)) }
            try database.compact()
            try database.put([2], forKey: numberedKey(100))
            try database.close()
            let before = try contents(of: path)
            let current = try #require(before["CURRENT"])
            try FileManager.default.removeItem(atPath: path + "/CURRENT")

            var options = DatabaseOptions()
            options.createIfMissing = createIfMissing
            let error = try #require(throws: LevelError.self) { try Database.open(at: path, options: options) }
            #expect(error.code == .corruption)
            #expect(error.message.contains("CURRENT"))

            try write(current, to: path + "/CURRENT")
            #expect(try contents(of: path) == before)
            #expect(try keys(of: Database.open(at: path)).count == 101)
        }
    }

    @Test(arguments: ["000005.ldb", "000005.sst", "000003.log"])
    func `A single database file without CURRENT is rejected`(name: String) throws {
        try withTemporaryDirectory { directory in
            try write(utf8("bytes"), to: directory + "/" + name)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
            #expect(try contents(of: directory) == [name: utf8("bytes")])
            try expectFiles([name], in: directory)
        }
    }

    @Test(arguments: ["", "MANIFEST-000099\n", "MANIFEST-000002", "nonsense\n"])
    func `A CURRENT that names no manifest is corruption, and nothing is deleted`(text: String) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let database = try Database.open(at: directory)
            try database.put("1", forKey: "a")
            try database.compact()
            try database.close()
            try write(utf8(text), to: directory + "/CURRENT")
            let before = try contents(of: directory)
            #expect(code { _ = try Database.open(at: directory) } == .corruption)
            #expect(try contents(of: directory) == before)
        }
    }

    @Test func `A regular file is not a database and is not changed`() throws {
        try withTemporaryDirectory { directory in
            try write(utf8("text"), to: directory + "/file")
            #expect(code { _ = try Database.open(at: directory + "/file") } == .databaseNotFound)
            #expect(code { _ = try Database.open(at: directory + "/file/db") } == .io)
            #expect(code { _ = try Database.open(at: directory + "/file/a/db") } == .io)
            #expect(try contents(of: directory) == ["file": utf8("text")])
        }
    }

    @Test func `An out-of-range option leaves nothing on disk`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.blockByteCount = 1
            #expect(code { _ = try Database.open(at: directory + "/db", options: options) } == .invalidArgument)
            try expectFiles([], in: directory)
        }
    }

    @Test func `A failed open deletes what it created`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try limitFileByteCount(to: 0)
                #expect(code { _ = try Database.open(at: directory + "/a/b/db") } == .io)
                try expectFiles([], in: directory)
            }
            try Database.open(at: directory + "/a/b/db").close()
        }
    }

    @Test func `A failed open leaves an empty directory empty, so that it can be opened later`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try limitFileByteCount(to: 0)
                #expect(code { _ = try Database.open(at: path) } == .io)
                try expectFiles([], in: path)
            }
            try Database.open(at: path).close()
        }
    }

    @Test func `Opening waits for the lock for as long as lockTimeout`() throws {
        try withTemporaryDirectory { directory in
            let first = try Database.open(at: directory + "/db")
            var options = DatabaseOptions()
            options.lockTimeout = .milliseconds(60)
            let duration = ContinuousClock().measure {
                #expect(code { _ = try Database.open(at: directory + "/db", options: options) } == .locked)
            }
            #expect(duration >= .milliseconds(60))
            options.lockTimeout = .seconds(20)
            let thread = startThread { () throws(LevelError) in
                usleep(30_000)
                try first.close()
            }
            let second = try Database.open(at: directory + "/db", options: options)
            try thread.get()
            try second.put("1", forKey: "a")
        }
    }

    @Test func `Opening succeeds after every kind of failed open`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try write([1], to: path + "/CURRENT")
            #expect(code { _ = try Database.open(at: path) } == .corruption)
            try FileManager.default.removeItem(atPath: path)
            try write([1], to: path)
            #expect(code { _ = try Database.open(at: path) } == .databaseNotFound)
            try FileManager.default.removeItem(atPath: path)
            try Database.open(at: path).close()
        }
    }

    @Test func `Without descriptors for another database, opening fails with io, and open databases keep working`()
        async throws
    {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                try reportingErrors {
                    limitDescriptors(to: 80)
                    var databases: [Database] = []
                    let error = thrownError {
                        while databases.count < 80 {
                            databases.append(try Database.open(at: directory + "/\(databases.count)"))
                        }
                    }
                    #expect(error?.code == .io, "\(error as Any)")
                    #expect(databases.count >= 5)
                    // A compaction needs a descriptor for a while, which the closed database leaves.
                    try databases.removeLast().close()
                    for (number, database) in databases.enumerated() {
                        try database.put("\(number)", forKey: "number")
                        try database.compact()
                        #expect(try database.value(forKey: "number") == Array("\(number)".utf8))
                        #expect(try database.verify().problems.isEmpty)
                    }
                    for database in databases { try database.close() }
                    // The database that could not be opened left nothing behind, or can be opened now.
                    for number in 0...databases.count + 1 {
                        try Database.open(at: directory + "/\(number)").close()
                    }
                }
            }
        }
    }
}
