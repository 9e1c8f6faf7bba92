import Foundation
import LevelKit
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A database that is opened read-only: nothing in its directory changes, and other processes are not locked out.
@Suite struct ReadOnlyTests {
    /// Creates a database whose newest entries are in its log.
    static func makeWithLog(at path: String, count: Int = 200) throws {
        let database = try Database.open(at: path)
        for number in 0..<count { try database.put(numberedKey(number), forKey: numberedKey(number)) }
        try database.compact()
        for number in stride(from: 0, to: count, by: 2) { try database.delete(numberedKey(number)) }
        try database.put("new", forKey: "new")
        try database.close()
    }

    /// Creates a database that LevelDB would start to compact immediately after opening: a copy of a writer's files
    /// with many tables in level 0.
    static func makeCrowded(at path: String) throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: path + "-writing", options: options)
        var random = SplitMix64(seed: 7)
        for number in 0..<4000 {
            let value = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
            try database.put(value, forKey: numberedKey(number * 7919 % 5000))
        }
        _ = try Checkpoint.take(of: path + "-writing", to: path, tables: .copied)
        try database.close()
        try FileManager.default.removeItem(atPath: path + "-writing")
    }

    @Test func `Opening, reading and closing read-only does not change the directory`() throws {
        try withTemporaryDirectory { directory in
            let makers: [(String, (String) throws -> Void)] = [
                ("fresh", { try Database.open(at: $0).close() }), ("log", { try Self.makeWithLog(at: $0) }),
                ("crowded", Self.makeCrowded),
            ]
            for (name, make) in makers {
                let path = directory + "/" + name
                try make(path)
                let before = try DirectoryState(path)
                let database = try Database.open(at: path, mode: .readOnly)
                #expect(database.mode == .readOnly)
                #expect(database.path == path)
                let read = try entries(of: database)
                let backward = try entries(of: database, reverse: true)
                #expect(backward == read.reversed())
                for entry in read.prefix(50) { #expect(try database.value(forKey: entry.key) == entry.value) }
                #expect(try database.value(forKey: "nothing") == nil)
                #expect(try database.verify().problems.isEmpty)
                _ = try database.statistics()
                try database.close()
                #expect(try DirectoryState(path).difference(from: before) == [], "\(name)")
                let writable = try Database.open(at: path)
                #expect(try entries(of: writable) == read, "\(name)")
                try writable.close()
            }
        }
    }

    @Test func `Every write to a read-only database throws readOnly and changes nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            let before = try DirectoryState(path)
            let database = try Database.open(at: path, mode: .readOnly)
            let writes: [() throws -> Void] = [
                { try database.put("1", forKey: "a") }, { try database.delete("a") },
                { try database.write { try $0.put("1", forKey: "a") } }, { try database.write(WriteBatch()) },
                { try database.flush() }, { try database.compact() },
                { try database.compact(includingDeepestLevel: true) }, { try database.deleteRange(.all) },
                { _ = try database.keyspace("new", key: String.self, value: .bytes) },
            ]
            for write in writes {
                let error = thrownError(write)
                #expect(error?.code == .readOnly)
                #expect(error?.message.contains(path) == true)
            }
            let snapshot = try database.snapshot()
            #expect(try snapshot.value(forKey: utf8("new")) == utf8("new"))
            try database.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
        }
    }

    @Test func `A read-only database shows the state at its opening while a writer continues`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeCrowded(at: path)
            let writer = try Database.open(at: path)
            let before = try entries(of: writer)
            let readers = try (0..<3).map { _ in try Database.open(at: path, mode: .readOnly) }
            for number in 0..<5000 {
                try writer.put("changed", forKey: String(decoding: numberedKey(number), as: UTF8.self))
            }
            try writer.compact(includingDeepestLevel: true)
            for reader in readers {
                #expect(try entries(of: reader) == before)
                try reader.close()
            }
            let later = try Database.open(at: path, mode: .readOnly)
            #expect(try later.value(forKey: numberedKey(3)) == utf8("changed"))
            // The writer still holds its lock.
            #expect(code { _ = try Database.open(at: path) } == .locked)
            try later.close()
            try writer.close()
        }
    }

    @Test func `A read-only database is not compacted into memory`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeCrowded(at: path)
            let manifest = try Manifest(ofDatabaseAt: path)
            try #require(manifest.tables.count { $0.level == 0 } >= 4 || manifest.tableByteCount > 2 << 20)
            var settings = DatabaseOptions()
            // At least as many tables in level 0 as trigger a compaction.
            settings.writeBufferByteCount = 64 << 10
            let database = try Database.open(at: path, options: settings, mode: .readOnly)
            let before = try entries(of: database)
            for _ in 0..<20 { _ = try entries(of: database) }
            usleep(300_000)
            #expect(try entries(of: database) == before)
            let logs = try files(ofKind: "log", in: path).map { try content(of: $0).count }.reduce(0, +)
            let scratch = database.enginePath
            let own = try fileNames(in: scratch).reduce(0) { sum, name in
                let attributes = try FileManager.default.attributesOfItem(atPath: scratch + "/" + name)
                return attributes[.type] as? FileAttributeType == .typeRegular
                    ? sum + (attributes[.size] as? Int ?? 0) : sum
            }
            #expect(own < 2 * logs + (256 << 10), "\(own) bytes")
            try database.close()
            #expect(!FileManager.default.fileExists(atPath: scratch))
        }
    }

    @Test func `An error of a read-only database names the original path`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try TableFixture.make(at: path, count: 400)
            let table = try #require(try files(ofKind: "ldb", in: path).first)
            var bytes = try content(of: table)
            bytes[bytes.count / 2] ^= 1
            try write(bytes, to: table)
            let database = try Database.open(at: path, mode: .readOnly)
            let error = try #require(thrownError { _ = try entries(of: database) })
            #expect(error.code == .corruption)
            #expect(error.message.contains(path))
            #expect(!error.description.contains("levelkit-reading"), "\(error)")
            #expect(try !database.verify().problems.isEmpty)
            try database.close()
            try FileManager.default.removeItem(atPath: table)
            let missing = try #require(thrownError { _ = try Database.open(at: path, mode: .readOnly) })
            #expect(missing.code == .corruption && missing.message.contains(path))
            #expect(!missing.description.contains("levelkit-reading"), "\(missing)")
        }
    }

    @Test func `Opening read-only does not create a missing database`() throws {
        try withTemporaryDirectory { directory in
            #expect(code { _ = try Database.open(at: directory + "/db", mode: .readOnly) } == .databaseNotFound)
            #expect(code { _ = try Database.open(at: directory, mode: .readOnly) } == .databaseNotFound)
            try expectFiles([], in: directory)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `A database without write permission is readable by another user`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            for name in try fileNames(in: path) { unsafe chmod(path + "/" + name, 0o444) }
            unsafe chmod(path, 0o555)
            unsafe chmod(directory, 0o755)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    setgid(65534)
                    setuid(65534)
                    unsafe setenv("TMPDIR", "/tmp", 1)
                    let database = try Database.open(at: path, mode: .readOnly)
                    #expect(try keys(of: database).count == 101)
                    try database.close()
                    #expect(code { _ = try Database.open(at: path) } != nil)
                }
            }
            unsafe chmod(path, 0o755)
            for name in try fileNames(in: path) { unsafe chmod(path + "/" + name, 0o644) }
        }
    }

    @Test func `Files that other users can modify are read through private copies, unaffected by later changes`()
        throws
    {
        try Self.expectPrivateCopies { path in
            for name in try fileNames(in: path) { unsafe chmod(path + "/" + name, 0o666) }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"))
    func `Files of another user are read through private copies, unaffected by later changes`() throws {
        try Self.expectPrivateCopies { path in
            for name in try fileNames(in: path) + ["."] {
                #expect(unsafe lchown(path + "/" + name, 65534, 65534) == 0)
            }
        }
    }

    /// Opens a database whose files `expose` makes writable for other users, and then changes every byte of them in
    /// place. Through a hard link, or a link to an open file, the reader would see the changes.
    private static func expectPrivateCopies(_ expose: (String) throws -> Void) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try makeWithLog(at: path)
            let odd = stride(from: 1, to: 200, by: 2).map { Entry(key: numberedKey($0), value: numberedKey($0)) }
            let expected = odd + [Entry(key: utf8("new"), value: utf8("new"))]
            try expose(path)
            let before = try DirectoryState(path)
            let database = try Database.open(at: path, mode: .readOnly)
            #expect(try DirectoryState(path).difference(from: before) == [])
            let scratch = try #require(database.scratch).path
            #expect(try status(of: scratch).st_mode & 0o777 == 0o700)
            let tables = try files(ofKind: "ldb", in: path)
            #expect(!tables.isEmpty)
            for table in tables {
                let name = URL(filePath: table).lastPathComponent
                let original = try status(of: table)
                let copy = try status(of: database.enginePath + "/" + name)
                #expect(copy.st_mode & S_IFMT == S_IFREG, "\(name)")
                #expect(original.st_nlink == 1 && copy.st_nlink == 1, "\(name)")
                #expect(copy.st_ino != original.st_ino || copy.st_dev != original.st_dev, "\(name)")
            }
            for name in try fileNames(in: path) {
                let changed = try content(of: path + "/" + name).map { ~$0 }
                let file = try FileHandle(forWritingTo: URL(filePath: path + "/" + name))
                try file.write(contentsOf: Data(changed))
                try file.close()
            }
            #expect(try entries(of: database) == expected)
            #expect(try entries(of: database, reverse: true) == expected.reversed())
            for entry in expected { #expect(try database.value(forKey: entry.key) == entry.value) }
            try database.close()
        }
    }

    /// Returns the status of a file, or of the link in its place.
    private static func status(of path: String) throws -> stat {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return status
    }

    @Test func `With few file descriptors, a database is read through hard links`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            try Self.makeCrowded(at: path)
            let count = try keys(of: Database.open(at: path, mode: .readOnly)).count
            await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
                try reportingErrors {
                    limitDescriptors(to: 130)
                    let database = try Database.open(at: path, mode: .readOnly)
                    #expect(try keys(of: database).count == count)
                    try database.close()
                }
            }
        }
    }

    @Test func `Files that a killed reader left in memory are removed by the next reader`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, directory = directory as String] in
                let database = try Database.open(at: path, mode: .readOnly)
                try write(utf8(database.enginePath), to: directory + "/left")
                kill(getpid(), SIGKILL)
            }
            let left = String(decoding: try content(of: directory + "/left"), as: UTF8.self)
            // Another reader may already have done this.
            try Database.open(at: path, mode: .readOnly).close()
            #expect(!FileManager.default.fileExists(atPath: URL(filePath: left).deletingLastPathComponent().path))
        }
    }

    @Test func `A checkpoint of a read-only database contains what it reads, not later writes`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            let database = try Database.open(at: path, mode: .readOnly)
            let read = try entries(of: database)
            let writer = try Database.open(at: path)
            for number in 0..<200 { try writer.put(utf8("later"), forKey: numberedKey(number)) }
            try writer.compact(includingDeepestLevel: true)
            try writer.close()
            let before = try DirectoryState(path)
            let report = try database.checkpoint(to: directory + "/copy")
            #expect(report.path == directory + "/copy")
            #expect(report.linkedTableCount == 0 && report.copiedTableCount > 0)
            #expect(try entries(of: database) == read)
            let inside = thrownError { _ = try database.checkpoint(to: path + "/inside") }
            #expect(inside?.code == .invalidArgument && inside?.message.contains(path + ";") == true)
            try database.close()
            #expect(try DirectoryState(path).difference(from: before) == [])
            let copy = try Database.open(at: directory + "/copy")
            #expect(try entries(of: copy) == read)
            #expect(try copy.verify().problems == [])
            try copy.close()
        }
    }

    @Test func `A read-only database stays readable while the original is repaired and destroyed`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            let database = try Database.open(at: path, mode: .readOnly)
            let read = try entries(of: database)
            #expect(try Database.repair(at: path).losses.isEmpty)
            #expect(try entries(of: database) == read)
            #expect(try entries(of: Database.open(at: path, mode: .readOnly)) == read)
            _ = try Database.destroy(at: path)
            #expect(try entries(of: database) == read)
            try database.checkpoint(to: directory + "/saved")
            try database.close()
            #expect(code { _ = try Database.open(at: path, mode: .readOnly) } == .databaseNotFound)
            #expect(try entries(of: Database.open(at: directory + "/saved")) == read)
        }
    }

    @Test func `If the process cannot write files, opening read-only names the limit to raise`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try reportingErrors {
                    try limitFileByteCount(to: 0)
                    let error = thrownError { _ = try Database.open(at: path, mode: .readOnly) }
                    try limitFileByteCount(to: nil)
                    #expect(error?.code == .io)
                    #expect(error?.message.contains("ulimit -f") == true, "\(String(describing: error))")
                }
            }
        }
    }

    @Test func `A checkpoint of a read-only database is a complete database`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/db"
            try Self.makeWithLog(at: path)
            let database = try Database.open(at: path, mode: .readOnly)
            try database.checkpoint(to: directory + "/copy")
            let read = try entries(of: database)
            try database.close()
            let copy = try Database.open(at: directory + "/copy")
            #expect(try entries(of: copy) == read)
            try copy.close()
        }
    }
}
