import Foundation
import LevelKit
import Testing

/// Directories that were copied, truncated, filled or forged cause an error that says what to do, never a crash, an
/// endless wait or a lost lock.
@Suite struct HostileDirectoryTests {
    private static func makeDatabase(at path: String, count: Int = 10) throws {
        let database = try Database.open(at: path)
        for number in 0..<count { try database.put("1", forKey: String(decoding: numberedKey(number), as: UTF8.self)) }
        try database.close()
    }

    @Test func `A copy made of hard links does not take over the lock of the original`() async throws {
        try await withSharedDirectory { directory in
            let (original, copy) = (directory + "/db", directory + "/copy")
            let database = try Database.open(at: original)
            try database.put("1", forKey: "a")
            try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
            for name in try fileNames(in: original) {
                try FileManager.default.linkItem(atPath: original + "/" + name, toPath: copy + "/" + name)
            }
            let error = thrownError { _ = try Database.open(at: copy) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("same file") == true)
            #expect(code { _ = try Database.repair(at: copy) } == .locked)
            #expect(code { try Database.destroy(at: copy) } == .locked)
            _ = try Checkpoint.take(of: copy, to: directory + "/checkpoint")
            await #expect(processExitsWith: .success) { [original = original as String] in
                try reportingErrors { #expect(code { _ = try Database.open(at: original) } == .locked) }
            }
            try database.close()
            // With its own lock file, the copy is an ordinary database.
            try FileManager.default.removeItem(atPath: directory + "/copy")
        }
    }

    @Test func `A symbolic link to the lock of an open database shares that lock`() throws {
        try withTemporaryDirectory { directory in
            try Self.makeDatabase(at: directory + "/other")
            let database = try Database.open(at: directory + "/db")
            let lock = directory + "/other/LOCK"
            try FileManager.default.removeItem(atPath: lock)
            try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: directory + "/db/LOCK")
            #expect(code { _ = try Database.open(at: directory + "/other") } == .locked)
            try FileManager.default.removeItem(atPath: lock)
            try Database.open(at: directory + "/other").close()
            try database.close()
        }
    }

    @Test func `A named pipe in place of the lock file does not block opening`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Self.makeDatabase(at: path)
            try FileManager.default.removeItem(atPath: path + "/LOCK")
            #expect(unsafe mkfifo(path + "/LOCK", 0o600) == 0)
            #expect(code { _ = try Database.open(at: path) } == .corruption)
            #expect(code { _ = try Database.repair(at: path) } == .corruption)
            #expect(code { try Database.destroy(at: path) } == .corruption)
            _ = try Checkpoint.take(of: path, to: directory + "/checkpoint")
        }
    }

    @Test func `A log with its records duplicated is corruption, and repair keeps each record once`() throws {
        // The repair's backup remains as damaged as the original was.
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Self.makeDatabase(at: path)
            let log = try #require(try files(ofKind: "log", in: path).first)
            let once = try content(of: log)
            try write(once + once, to: log)
            for integrity in [DatabaseOptions.Integrity.strict, .relaxed] {
                var options = DatabaseOptions()
                options.integrity = integrity
                let error = thrownError { _ = try Database.open(at: path, options: options) }
                #expect(error?.code == .corruption)
                #expect(error?.message.contains("duplicated") == true)
            }
            let report = try Database.repair(at: path)
            #expect(report.droppedByteCount > 0)
            let database = try Database.open(at: path)
            #expect(try keys(of: database).count == 10)
            try database.close()
        }
    }

    @Test func `A file with an impossible number is corruption, and the error names it`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            try Self.makeDatabase(at: path)
            for number: UInt64 in [.max, .max - 1, 1 << 63] {
                let name = "\(number).log"
                try write([], to: path + "/" + name)
                let error = thrownError { _ = try Database.open(at: path) }
                #expect(error?.code == .corruption)
                #expect(error?.message.contains(name) == true)
                try FileManager.default.removeItem(atPath: path + "/" + name)
            }
            try Database.open(at: path).close()
        }
    }

    @Test func `Repair reports how many bytes of tables it left out`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            let path = directory + "/db"
            let database = try Database.open(at: path)
            for number in 0..<500 { try database.put(numberedKey(number), forKey: numberedKey(number)) }
            try database.compact()
            try database.close()
            let table = try #require(try files(ofKind: "ldb", in: path).first)
            var bytes = try content(of: table)
            bytes[bytes.count - 1] ^= 1
            // Without its first block, no other one is found.
            bytes[10] ^= 1
            try write(bytes, to: table)
            let report = try Database.repair(at: path)
            #expect(report.droppedByteCount >= UInt64(bytes.count))
            #expect(report.archivedNames.contains(URL(filePath: table).lastPathComponent))
        }
    }

    @Test func `A CURRENT or manifest of gigabytes is corruption and is not read into memory`() throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            for name in ["CURRENT", "MANIFEST"] {
                let path = directory + "/" + name
                try Self.makeDatabase(at: path)
                let file = try #require(try fileNames(in: path).first { $0.hasPrefix(name) })
                // Sparse: occupies no disk blocks.
                #expect(unsafe truncate(path + "/" + file, 3 << 30) == 0)
                #expect(code { _ = try Database.open(at: path) } == .corruption)
                #expect(code { _ = try Manifest(ofDatabaseAt: path) } == .corruption)
                #expect(code { _ = try Checkpoint.take(of: path, to: directory + "/checkpoint") } == .corruption)
            }
        }
    }

    @Test func `A checkpoint path that starts with a combining accent is still inside the database`() throws {
        try withTemporaryDatabase { database in
            // A slash and a combining accent after it form a single `Character`.
            let code = code { try database.checkpoint(to: database.path + "/\u{301}x") }
            #expect(code == .invalidArgument)
            let parent = database.path + "-elsewhere"
            try database.checkpoint(to: parent + "/\u{301}x")
            try FileManager.default.removeItem(atPath: parent)
        }
    }

    @Test func `Closing a temporary database that was moved does not delete another at its path`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.temporary()
            try database.put("1", forKey: "a")
            let path = database.path
            try FileManager.default.moveItem(atPath: path, toPath: directory + "/moved")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in ["CURRENT", "000005.ldb"] { try write(utf8(name), to: path + "/" + name) }
            try database.close()
            try expectFiles(["000005.ldb", "CURRENT"], in: path)
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
