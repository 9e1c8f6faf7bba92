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

/// A repair grants no access to anyone who could not read the database before, and follows no symbolic links.
@Suite struct RepairPrivacyTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("db")
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        let database = try Database.open(at: path, options: options)
        for index in 0..<4_000 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.close()
    }

    private func permissions(_ name: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int)
    }

    private func setPermissions(_ permissions: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: directory.path(name))
    }

    @Test func `A repair creates no file with wider permissions than those it replaces`() throws {
        for name in try directory.names(in: "db") { try setPermissions(0o600, of: "db/" + name) }
        try setPermissions(0o755, of: "db")
        var seen: Set<Int> = []
        let report = try Database.repair(at: path) { stage in
            if case .backingUp = stage {} else { seen.insert((try? permissions("db")) ?? -1) }
            return true
        }
        #expect(report.verification.isSound)
        #expect(seen == [0o700], "others could enter while files of mode 0644 were there")
        #expect(try permissions("db") == 0o755)
        for name in try directory.names(in: "db") where name != "lost" {
            #expect(try permissions("db/" + name) == 0o600, "\(name)")
        }
        for name in try directory.names(in: "db.before-repair-1") {
            #expect(try permissions("db.before-repair-1/" + name) == 0o600, "\(name)")
        }
    }

    @Test func `A repair keeps a world-readable database world-readable`() throws {
        try setPermissions(0o755, of: "db")
        _ = try Database.repair(at: path)
        #expect(try permissions("db") == 0o755)
        for name in try directory.names(in: "db") where name != "lost" {
            #expect(try permissions("db/" + name) == 0o644, "\(name)")
        }
    }

    @Test func `A repair rejects links in place of files and does not change their targets`() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: directory.path("precious"), withIntermediateDirectories: false)
        try directory.write([7], to: "precious/letter")
        for name in ["000001.dbtmp", "MANIFEST-000001", "LOG.old", "900000.ldb", "LOCK", "lost"] {
            let place = path + "/" + name
            let saved = path + "/saved"
            if files.fileExists(atPath: place) { try files.moveItem(atPath: place, toPath: saved) }
            try files.createSymbolicLink(
                atPath: place, withDestinationPath: directory.path(name == "lost" ? "precious" : "precious/letter"))
            let error = thrownError { _ = try Database.repair(at: path) }
            #expect(error?.code == .corruption && error?.message.contains(name) == true, "\(name): \(error as Any)")
            try files.removeItem(atPath: place)
            if files.fileExists(atPath: saved) { try files.moveItem(atPath: saved, toPath: place) }
            #expect(try directory.read("precious/letter") == [7], "\(name)")
            #expect(try directory.names(in: "precious") == ["letter"], "\(name)")
        }
        #expect(try Database.repair(at: path).verification.isSound)
    }

    @Test func `A planted link does not become the backup of a repair`() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: directory.path("precious"), withIntermediateDirectories: false)
        try directory.write([7], to: "precious/CURRENT")
        try files.createSymbolicLink(
            atPath: path + ".before-repair-1", withDestinationPath: directory.path("precious"))
        try files.createSymbolicLink(
            atPath: path + ".before-repair-2", withDestinationPath: directory.path("nothing"))
        #expect(try Database.repair(at: path).backupPath == path + ".before-repair-3")
        #expect(try directory.names(in: "precious") == ["CURRENT"])
        #expect(try directory.read("precious/CURRENT") == [7])
        #expect(!files.fileExists(atPath: directory.path("nothing")))
    }

    @Test func `An incomplete backup of a killed repair is removed by the next repair`() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            var count = 0
            _ = try Database.repair(at: path) { _ in
                count += 1
                if count > 2 { kill(getpid(), SIGKILL) }
                return true
            }
        }
        let left = try directory.names(in: "").filter { $0 != "db" }
        #expect(left.count == 1 && left[0].hasPrefix("db.before-repair-"))
        #expect(try permissions(left[0]) == 0o700)
        _ = try Database.repair(at: path)
        #expect(try directory.names(in: "") == ["db", "db.before-repair-1"])
    }
}
