import Foundation
import TestSupport
import Testing

@testable import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A checkpoint grants no access to anyone who could not read its source, and follows no symbolic links.
@Suite struct CheckpointPrivacyTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("home"), withIntermediateDirectories: false)
        let database = try Database.open(at: directory.path("home/db"))
        try database.put("secret", forKey: "key")
        try database.close()
    }

    private func permissions(_ name: String) throws -> Int {
        try #require(
            FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int)
    }

    private func setPermissions(_ permissions: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: directory.path(name))
    }

    @Test func `A checkpoint of a database in a private home directory is private elsewhere`() throws {
        try setPermissions(0o755, of: "home/db")
        try setPermissions(0o700, of: "home")
        try Checkpoint.take(of: directory.path("home/db"), to: directory.path("copy"))
        #expect(try permissions("copy") == 0o700)
        for name in try directory.names(in: "copy") {
            #expect(try permissions("copy/" + name) & 0o077 == 0 || name.hasSuffix(".ldb"), "\(name)")
        }
        try setPermissions(0o755, of: "home")
        try Checkpoint.take(of: directory.path("home/db"), to: directory.path("open"))
        #expect(try permissions("open") == 0o755)
    }

    @Test func `A copied file has no wider permissions than the original`() throws {
        for name in try directory.names(in: "home/db") { try setPermissions(0o600, of: "home/db/" + name) }
        try Checkpoint.take(of: directory.path("home/db"), to: directory.path("copy"), tables: .copied)
        #expect(try permissions("copy") == 0o755)
        for name in try directory.names(in: "copy") {
            #expect(try permissions("copy/" + name) == 0o600, "\(name)")
        }
    }

    @Test func `Leftovers of a killed checkpoint are private, and the next checkpoint deletes them`() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
            let source = try DatabaseDirectory(path + "/home/db")
            var staging = try StagingArea(beside: DatabaseDirectory(path + "/copy"), like: source)
            try staging.write([1, 2, 3], to: "CURRENT")
            kill(getpid(), SIGKILL)
        }
        let left = try directory.names(in: "").filter { $0 != "home" }
        #expect(left.count == 1 && left[0].hasPrefix("copy.partial-"))
        #expect(try permissions(left[0]) == 0o700)
        try Checkpoint.take(of: directory.path("home/db"), to: directory.path("copy"))
        #expect(try directory.names(in: "") == ["copy", "home"])
    }

    @Test func `A checkpoint neither writes to nor empties the target of a planted link`() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: directory.path("precious"), withIntermediateDirectories: false)
        try directory.write([7], to: "precious/CURRENT")
        for name in ["copy.partial-\(getpid())", "copy.partial-aaaaaa"] {
            try files.createSymbolicLink(
                atPath: directory.path(name), withDestinationPath: directory.path("precious"))
        }
        try Checkpoint.take(of: directory.path("home/db"), to: directory.path("copy"))
        #expect(try directory.names(in: "precious") == ["CURRENT"])
        #expect(try directory.read("precious/CURRENT") == [7])
        // A dangling link counts as an existing entry.
        try files.createSymbolicLink(
            atPath: directory.path("dangling"), withDestinationPath: directory.path("nothing"))
        #expect(throws: LevelError.self) {
            try Checkpoint.take(of: directory.path("home/db"), to: directory.path("dangling"))
        }
        #expect(try directory.names(in: "").contains("dangling"))
    }
}
