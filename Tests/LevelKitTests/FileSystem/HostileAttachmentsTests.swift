import Foundation
import TestSupport
import Testing

@testable import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Links, pipes and directories in the directory `attachments`, and databases of other users.
@Suite struct HostileAttachmentsTests {
    private let directory: TemporaryDirectory
    private static let other: uid_t = 65534
    private static let isRoot = geteuid() == 0
    private static let name = String(repeating: "3c", count: 32)

    init() throws { directory = try TemporaryDirectory() }

    /// Creates a database with a file in `attachments`.
    private func makeDatabase(_ name: String = "db") throws {
        let database = try Database.open(at: directory.path(name))
        try database.put("value", forKey: "key")
        try database.compact()
        let file = try ContentDirectory(of: database).newFile()
        try file.write([1, 2, 3])
        try file.publish(as: Self.name, hasRecord: true)
        try database.close()
    }

    private func file(in database: String) -> String { "\(database)/attachments/3c/\(Self.name)" }

    private func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: directory.path(name)) }

    private func link(_ name: String, to target: String) {
        #expect(unsafe symlink(directory.path(target), directory.path(name)) == 0)
    }

    private func contents(of name: String, isReadOnly: Bool = false) -> ContentDirectory {
        ContentDirectory(at: directory.path(name), isReadOnly: isReadOnly)
    }

    /// What stands in place of a file.
    enum Replacement: CaseIterable { case link, linkToNothing, directory, pipe }

    private func replaceFile(by replacement: Replacement) throws {
        let place = file(in: "db")
        try remove(place)
        switch replacement {
        case .link: link(place, to: "secret")
        case .linkToNothing: link(place, to: "nothing")
        case .directory:
            try FileManager.default.createDirectory(
                atPath: directory.path(place), withIntermediateDirectories: false)
        case .pipe: #expect(unsafe mkfifo(directory.path(place), 0o600) == 0)
        }
    }

    @Test(arguments: Replacement.allCases)
    func `A link, directory or pipe in place of an attachment is an error, and is not read, copied, listed or replaced`(
        replacement: Replacement
    ) throws {
        try makeDatabase()
        try directory.write([4, 5, 6], to: "secret")
        try replaceFile(by: replacement)
        let contents = contents(of: "db")
        #expect(thrownError { _ = try contents.open(Self.name) }?.code == .io)
        var count = 0
        try contents.forEachFile { _ in count += 1 }
        #expect(count == 0)
        for tables in [Checkpoint.Tables.linked, .copied] {
            let error = thrownError {
                try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"), tables: tables)
            }
            #expect(error?.code == .io)
            #expect(error?.message.contains(file(in: "db")) == true, "\(error as Any)")
            #expect(!FileManager.default.fileExists(atPath: directory.path("copy")))
        }
        #expect(thrownError { _ = try DatabaseReplacement(of: directory.path("db")) }?.code == .io)
        let file = try contents.newFile()
        try file.write([1, 2, 3])
        #expect(thrownError { try file.publish(as: Self.name, hasRecord: true) }?.code == .io)
        #expect(try directory.names(in: "db/attachments/new") == [])
        #expect(try directory.read("secret") == [4, 5, 6])
        #expect(try directory.names(in: ".") == ["db", "secret"])
    }

    @Test(arguments: ["attachments", "attachments/3c", "attachments/new", "attachments/lock"])
    func `A link in place of a directory or of the lock is not followed`(name: String) throws {
        try makeDatabase()
        try makeDatabase("victim")
        try directory.write([], to: "victim/attachments/lock")
        try? remove("db/" + name)
        link("db/" + name, to: "victim/" + name)
        let before = try DirectoryState(directory.path("victim"))
        let contents = contents(of: "db")
        if name == "attachments" || name.hasSuffix("3c") {
            #expect(thrownError { _ = try contents.open(Self.name) }?.code == .io)
            #expect(throws: LevelError.self) { try contents.forEachFile { _ in } }
            #expect(thrownError { try contents.remove(Self.name) }?.code == .io)
        }
        if !name.hasSuffix("3c") {
            #expect(
                thrownError {
                    _ = try contents.newFile(); _ = try contents.holdForDeletion()
                }?.code == .io)
        }
        if name.hasSuffix("lock") || name == "attachments" {
            #expect(thrownError { _ = try contents.holdFiles() }?.code == .io)
        }
        if !name.hasSuffix("new") {
            #expect(
                thrownError { try Checkpoint.take(of: directory.path("db"), to: directory.path("copy")) }?.code == .io)
        }
        let isKept = !name.hasSuffix("lock")
        #expect(try Database.destroy(at: directory.path("db")) == (isKept ? ["attachments"] : []))
        #expect(try DirectoryState(directory.path("victim")).difference(from: before) == [])
        #expect(try directory.read(file(in: "victim")) == [1, 2, 3])
    }

    @Test(.enabled(if: isRoot, "only root can give files to another user"))
    func `A checkpoint of another user's database copies its attachments, and only its maker can read them`() throws {
        try makeDatabase()
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path("db")) + [""] {
            #expect(unsafe lchown(directory.path("db/" + name), Self.other, Self.other) == 0)
        }
        #expect(unsafe chmod(directory.path("db"), 0o755) == 0)
        #expect(unsafe chmod(directory.path(file(in: "db")), 0o644) == 0)
        let report = try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"))
        #expect(report.attachmentCount == 1)
        #expect(report.linkedTableCount == 0)
        let original = try #require(FileStatus(linkAt: directory.path(file(in: "db"))))
        let copy = try #require(FileStatus(linkAt: directory.path(file(in: "copy"))))
        #expect(copy.identity != original.identity)
        #expect(copy.permissions & 0o077 == 0)
        #expect(original.linkCount == 1)
        for name in ["copy", "copy/attachments", "copy/attachments/3c"] {
            let status = try #require(FileStatus(linkAt: directory.path(name)))
            #expect(status.permissions & 0o077 == 0, "\(name)")
            #expect(status.owner == geteuid())
        }
        #expect(try directory.read(file(in: "copy")) == [1, 2, 3])
    }

    @Test(.enabled(if: isRoot, "only root can give files to another user"))
    func `A link of another user in the attachments of their database is not followed`() throws {
        try makeDatabase()
        try directory.write([4, 5, 6], to: "secret")
        #expect(unsafe chmod(directory.path("secret"), 0o600) == 0)
        try replaceFile(by: .link)
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path("db")) + [""] {
            #expect(unsafe lchown(directory.path("db/" + name), Self.other, Self.other) == 0)
        }
        #expect(
            thrownError { try Checkpoint.take(of: directory.path("db"), to: directory.path("copy")) }?.code == .io)
        #expect(thrownError { _ = try contents(of: "db", isReadOnly: true).open(Self.name) }?.code == .io)
    }

    @Test func `Reading creates nothing, and names that are not digests are ignored`() throws {
        try makeDatabase()
        try directory.write([9], to: "db/attachments/notes")
        try directory.write([9], to: "db/attachments/3c/notes")
        try FileManager.default.createDirectory(
            atPath: directory.path("db/attachments/zz"), withIntermediateDirectories: false)
        let before = try DirectoryState(directory.path("db"))
        let contents = contents(of: "db", isReadOnly: true)
        #expect(thrownError { _ = try contents.newFile() }?.code == .readOnly)
        #expect(try contents.open(Self.name)?.byteCount == 3)
        var names: [String] = []
        try contents.forEachFile { names.append($0.name) }
        #expect(names == [Self.name])
        #expect(thrownError { _ = try contents.open("../../secret") }?.code == .invalidArgument)
        _ = try contents.holdFiles()
        #expect(try DirectoryState(directory.path("db")).difference(from: before) == [])
        #expect(try Checkpoint.take(of: directory.path("db"), to: directory.path("copy")).attachmentCount == 1)
        #expect(try directory.names(in: "copy/attachments") == ["3c"])
        #expect(try Database.destroy(at: directory.path("db")) == ["attachments"])
        #expect(try directory.names(in: "db/attachments") == ["3c", "notes", "zz"])
    }
}
