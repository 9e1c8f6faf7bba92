import Foundation
import Testing

@testable import LevelKit

@Suite struct ScratchDirectoryTests {
    private static let prefix = ScratchDirectory.standardPrefix

    private func mode(of path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `A scratch directory has mode 0700 whatever the umask`() async {
        await #expect(processExitsWith: .success) {
            for mask: mode_t in [0, 0o022, 0o277, 0o777] {
                let base = NSTemporaryDirectory()
                umask(mask)
                let scratch = try ScratchDirectory(in: base)
                let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path)
                #expect(attributes[.posixPermissions] as? Int == 0o700)
                scratch.remove()
                #expect(!FileManager.default.fileExists(atPath: scratch.path))
            }
        }
    }

    @Test func `Removing a scratch directory removes its databases and the leftovers of repairs`() throws {
        let directory = try TemporaryDirectory()
        let scratch = try ScratchDirectory(in: directory.path)
        for part in ["db", "db/lost", "db.before-repair-1"] {
            try FileManager.default.createDirectory(
                atPath: scratch.path + "/" + part, withIntermediateDirectories: true)
            for name in ["CURRENT", "LOCK", "LOG", "LOG.old", "MANIFEST-000001", "000003.log", "000005.ldb"] {
                try Data([1]).write(to: URL(filePath: "\(scratch.path)/\(part)/\(name)"))
            }
        }
        scratch.remove()
        #expect(try directory.names(in: "").isEmpty)
        scratch.remove()
    }

    @Test func `A scratch directory in use is not treated as a leftover`() throws {
        let directory = try TemporaryDirectory()
        let scratch = try ScratchDirectory(in: directory.path)
        try Data().write(to: URL(filePath: scratch.path + "/CURRENT"))
        ScratchDirectory.clearLeftovers(in: directory.path)
        #expect(FileManager.default.fileExists(atPath: scratch.path + "/CURRENT"))
        #expect(FileManager.default.fileExists(atPath: scratch.path + "/" + ScratchLock.name))
    }

    @Test func `A scratch directory in use by another process is not treated as a leftover`() async throws {
        let directory = try TemporaryDirectory()
        let scratch = try ScratchDirectory(in: directory.path)
        let name = URL(filePath: scratch.path).lastPathComponent
        try directory.write([7], to: name + "/CURRENT")
        // A real leftover, to see that the other process deletes such directories at all.
        try FileManager.default.createDirectory(
            atPath: directory.path(Self.prefix + "aaaaaa"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        await #expect(processExitsWith: .success) { [base = directory.path as String] in
            ScratchDirectory.clearLeftovers(in: base)
        }
        #expect(try directory.names(in: "") == [name])
        #expect(try directory.names(in: name) == ["CURRENT", ScratchLock.name])
        #expect(try directory.read(name + "/CURRENT") == [7])
        scratch.remove()
        #expect(try directory.names(in: "").isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to another user"))
    func `Clearing leftovers keeps the directories of other users, even as root`() throws {
        let directory = try TemporaryDirectory()
        let name = Self.prefix + "Theirs"
        try FileManager.default.createDirectory(
            atPath: directory.path(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for file in ["CURRENT", ScratchLock.name] { try directory.write([], to: name + "/" + file) }
        for owner: uid_t in [65534, geteuid()] {
            for file in [".", "CURRENT", ScratchLock.name] {
                #expect(unsafe lchown(directory.path(name + "/" + file), owner, owner) == 0)
            }
            ScratchDirectory.clearLeftovers(in: directory.path)
            // Once it belongs to this user, it is a leftover like any other.
            let left = owner == geteuid() ? [] : ["CURRENT", ScratchLock.name]
            #expect((try? directory.names(in: name)) ?? [] == left, "owner \(owner)")
        }
        #expect(try directory.names(in: "").isEmpty)
    }

    @Test func `The scratch directory of a killed process is removed by the next process`() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .signal(SIGKILL)) { [base = directory.path as String] in
            let scratch = try ScratchDirectory(in: base)
            _ = try Database.open(at: scratch.databasePath)
            kill(getpid(), SIGKILL)
        }
        #expect(try directory.names(in: "").count == 1)
        ScratchDirectory.clearLeftovers(in: directory.path)
        #expect(try directory.names(in: "").isEmpty)
    }

    @Test func `A leftover without a lock file is removed only if it is empty`() throws {
        let directory = try TemporaryDirectory()
        for name in ["aaaaaa", "bbbbbb"] {
            try FileManager.default.createDirectory(
                atPath: directory.path(Self.prefix + name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        try directory.write([1], to: Self.prefix + "bbbbbb/CURRENT")
        ScratchDirectory.clearLeftovers(in: directory.path)
        #expect(try directory.names(in: "") == [Self.prefix + "bbbbbb"])
    }

    /// Plants what an attacker would: each case is one directory entry, and the victim's files must not change.
    @Test func `Clearing leftovers follows no links and removes only LevelDB file names`() throws {
        let directory = try TemporaryDirectory()
        let files = FileManager.default
        let precious = directory.path("precious")
        func makePrivate(_ path: String) throws {
            try files.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try makePrivate(precious)
        for name in ["CURRENT", "000005.ldb", "letter.txt", ScratchLock.name] {
            try directory.write([7], to: "precious/" + name)
        }
        // The directory itself is a symbolic link.
        try files.createSymbolicLink(atPath: directory.path(Self.prefix + "linked"), withDestinationPath: precious)
        // Links inside a directory, in place of `lost`, a database, a file and the lock.
        let planted = directory.path(Self.prefix + "Links0")
        try makePrivate(planted)
        try directory.write([], to: Self.prefix + "Links0/" + ScratchLock.name)
        for name in ["lost", "db", "db.before-repair-1"] {
            try files.createSymbolicLink(atPath: planted + "/" + name, withDestinationPath: precious)
        }
        try files.createSymbolicLink(atPath: planted + "/000007.ldb", withDestinationPath: precious + "/000005.ldb")
        let lockless = directory.path(Self.prefix + "Links1")
        try makePrivate(lockless)
        try files.createSymbolicLink(
            atPath: lockless + "/" + ScratchLock.name, withDestinationPath: precious + "/" + ScratchLock.name)
        try directory.write([7], to: Self.prefix + "Links1/CURRENT")
        // Writable by others, or with a name that no scratch directory has.
        for (name, permissions) in [("Open00", 0o755), ("short", 0o700), ("4194399-1", 0o700)] {
            try files.createDirectory(
                atPath: directory.path(Self.prefix + name), withIntermediateDirectories: false,
                attributes: [.posixPermissions: permissions])
            try directory.write([], to: Self.prefix + name + "/" + ScratchLock.name)
            try directory.write([7], to: Self.prefix + name + "/CURRENT")
        }
        // Foreign files in a leftover are kept.
        let foreign = directory.path(Self.prefix + "Other0")
        try makePrivate(foreign)
        try directory.write([], to: Self.prefix + "Other0/" + ScratchLock.name)
        try directory.write([7], to: Self.prefix + "Other0/letter.txt")

        ScratchDirectory.clearLeftovers(in: directory.path)

        #expect(
            try directory.names(in: "precious") == ["000005.ldb", "CURRENT", "letter.txt", ScratchLock.name].sorted())
        #expect(try directory.read("precious/000005.ldb") == [7])
        #expect(try directory.names(in: Self.prefix + "Links0") == ["db", "db.before-repair-1", "lost"])
        for name in ["Links1", "Open00", "short", "4194399-1"] {
            #expect(try directory.read(Self.prefix + name + "/CURRENT") == [7], "\(name)")
        }
        #expect(try directory.read(Self.prefix + "Other0/letter.txt") == [7])
    }

    @Test func `A process forked from the creator of a scratch directory does not remove it`() async {
        await #expect(processExitsWith: .success) {
            let scratch = try ScratchDirectory(in: NSTemporaryDirectory())
            #expect(
                ForkTests.statusOfFork { _ in
                    scratch.remove()
                    return true
                } == "exited with success")
            #expect(FileManager.default.fileExists(atPath: scratch.path + "/" + ScratchLock.name))
            scratch.remove()
            #expect(!FileManager.default.fileExists(atPath: scratch.path))
        }
    }

    @Test func `A directory in which anyone can rename others' files is rejected`() throws {
        let directory = try TemporaryDirectory()
        let open = directory.path("open")
        try FileManager.default.createDirectory(atPath: open + "/inner", withIntermediateDirectories: true)
        #expect(unsafe chmod(open, 0o777) == 0)
        for base in [open, open + "/inner"] {
            #expect(thrownError { _ = try ScratchDirectory(in: base) }?.code == .io)
            #expect(thrownError { _ = try ScratchDirectory(in: base, trust: .group) }?.code == .io)
        }
        #expect(unsafe chmod(open, 0o1777) == 0)
        #expect(throws: Never.self) { _ = try ScratchDirectory(in: open) }
        #expect(try directory.names(in: "open") == ["inner"])
    }

    @Test func `Processes that clear leftovers do not disturb those creating directories`() async throws {
        let directory = try TemporaryDirectory()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [base = directory.path] in
                    for _ in 0..<50 {
                        let scratch = try ScratchDirectory(in: base)
                        ScratchDirectory.clearLeftovers(in: base)
                        #expect(FileStatus(path: scratch.path + "/" + ScratchLock.name) != nil)
                        scratch.remove()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try directory.names(in: "").isEmpty)
    }
}
