import Foundation
import LevelFiles
import Synchronization
import TestSupport
import Testing

@testable import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Directories and files that belong to another user or are world-writable.
@Suite struct OtherUserTests {
    private let directory: TemporaryDirectory
    private static let other: uid_t = 65534
    private static let isRoot = geteuid() == 0
    private static let note: Comment = "only root can give files to another user"

    init() throws { directory = try TemporaryDirectory() }

    private func makeDirectory(_ name: String, _ permissions: mode_t = 0o755) throws {
        try FileManager.default.createDirectory(atPath: directory.path(name), withIntermediateDirectories: false)
        #expect(unsafe chmod(directory.path(name), permissions) == 0)
    }

    private func give(_ name: String) {
        #expect(unsafe lchown(directory.path(name), Self.other, Self.other) == 0)
        for inner in (try? directory.names(in: name)) ?? [] {
            #expect(unsafe lchown(directory.path(name + "/" + inner), Self.other, Self.other) == 0)
        }
    }

    private func makeDatabase(_ name: String = "db") throws {
        let database = try Database.open(at: directory.path(name))
        try database.put("value", forKey: "key")
        try database.compact()
        try database.put("later", forKey: "key2")
        try database.close()
    }

    private func status(_ name: String) throws -> FileStatus {
        try #require(FileStatus(linkAt: directory.path(name)))
    }

    // MARK: - Trust

    @Test(.enabled(if: isRoot, note))
    func `A directory of another user and all below it are untrusted, with or without the sticky bit`() throws {
        try makeDirectory("theirs", 0o1777)
        try makeDirectory("theirs/mine")
        #expect(DirectoryTrust.nobodyElse.allows(directory.path("theirs")))
        #expect(unsafe chown(directory.path("theirs"), Self.other, Self.other) == 0)
        for trust in [DirectoryTrust.nobodyElse, .group] {
            #expect(!trust.allows(directory.path("theirs")))
            #expect(!trust.allows(directory.path("theirs/mine")), "its owner can rename what is in it")
        }
        #expect(throws: LevelError.self) { try ScratchDirectory(in: directory.path("theirs/mine"), trust: .group) }
    }

    @Test func `A world-writable directory is trusted only with the sticky bit`() throws {
        try makeDirectory("open", 0o777)
        try makeDirectory("open/inner")
        for trust in [DirectoryTrust.nobodyElse, .group] {
            #expect(!trust.allows(directory.path("open")) && !trust.allows(directory.path("open/inner")))
        }
        #expect(unsafe chmod(directory.path("open"), 0o1777) == 0)
        #expect(DirectoryTrust.nobodyElse.allows(directory.path("open")))
        let resolved = try DatabaseDirectory(directory.path("open")).path
        #expect(!DirectoryTrust.isClosed(resolved), "everybody can make names in it")
        #expect(DirectoryTrust.isClosed(resolved + "/inner"))
    }

    @Test func `A resolved path is no longer trusted once a link replaces one of its components`() throws {
        try makeDirectory("real")
        try makeDirectory("real/inner")
        let resolved = try DatabaseDirectory(directory.path(".")).path
        #expect(DirectoryTrust.isClosed(resolved + "/real/inner"))
        #expect(unsafe symlink("real", directory.path("link")) == 0)
        #expect(DirectoryTrust.nobodyElse.allows(directory.path("link/inner")))
        for path in ["/link", "/link/inner"] {
            #expect(!DirectoryTrust.nobodyElse.allows(resolved: resolved + path))
            #expect(!DirectoryTrust.isClosed(resolved + path) && !DirectoryTrust.mayHoldDatabase(resolved + path))
            #expect(throws: SystemError.self) { try DatabaseDirectory(resolved: resolved + path).openWithParent() }
        }
        let handles = try DatabaseDirectory(resolved: resolved + "/real/inner").openWithParent()
        #expect(try handles.directory.status() == status("real/inner"))
        #expect(try handles.parent.status() == status("real"))
    }

    // MARK: - Links to databases

    @Test(.enabled(if: isRoot, note))
    func `Links of other users in shared directories do not redirect changes`() throws {
        try makeDirectory("mine")
        try makeDatabase("mine/db")
        try makeDatabase("spare")
        try makeDirectory("open", 0o1777)
        for (name, target) in [("link", "../mine/db"), ("parent", "../mine"), ("absolute", directory.path("mine/db"))] {
            #expect(unsafe symlink(target, directory.path("open/" + name)) == 0)
            #expect(unsafe lchown(directory.path("open/" + name), Self.other, Self.other) == 0)
        }
        let names = try directory.names(in: "mine/db")
        for path in ["open/link", "open/absolute", "open/parent/db", "open/parent/new"].map({ directory.path($0) }) {
            let changes: [(String) throws -> Void] = [
                { _ = try Database.open(at: $0) }, { _ = try Database.repair(at: $0) },
                { try Database.destroy(at: $0) }, { try Database.replace(at: $0, with: directory.path("spare")) },
                { try Database.replace(at: directory.path("spare"), with: $0) },
                { _ = try DatabaseReplacement(of: $0) },
                { _ = try Checkpoint.take(of: directory.path("mine/db"), to: $0) },
            ]
            for change in changes {
                let error = thrownError { try change(path) }
                #expect(
                    error?.code == .invalidArgument && error?.message.contains("is a link") == true, "\(error as Any)")
            }
        }
        #expect(try directory.names(in: "mine/db") == names && directory.names(in: "mine") == ["db"])
        // Reading follows them.
        try Database.open(at: directory.path("open/parent/db"), mode: .readOnly).close()
    }

    @Test(.enabled(if: isRoot, note))
    func `A hard link to a trusted link in a shared directory is not trusted, and a trusted link is`() throws {
        try makeDatabase("db")
        try makeDirectory("open", 0o1777)
        #expect(unsafe symlink("../db", directory.path("open/link")) == 0)
        try Database.open(at: directory.path("open/link")).close()
        #expect(unsafe linkat(AT_FDCWD, directory.path("open/link"), AT_FDCWD, directory.path("open/other"), 0) == 0)
        #expect(code { _ = try Database.open(at: directory.path("open/other")) } == .invalidArgument)
        unsafe unlink(directory.path("open/other"))
        // Without the sticky bit, anybody can replace the link.
        #expect(unsafe chmod(directory.path("open"), 0o777) == 0)
        #expect(code { try Database.destroy(at: directory.path("open/link")) } == .invalidArgument)
        #expect(unsafe chmod(directory.path("open"), 0o755) == 0)
        #expect(unsafe lchown(directory.path("open/link"), Self.other, Self.other) == 0)
        try Database.destroy(at: directory.path("open/link"))
        #expect(try directory.names(in: "").contains("db") == false)
    }

    @Test func `A copy is built and named in the directory that was opened first, whatever replaces it`() throws {
        try makeDirectory("open")
        try makeDirectory("precious")
        let place = try DatabaseDirectory(directory.path("open/copy"))
        let audience = try Audience(ofDirectory: directory.path("precious"))
        func exchange(_ target: String) throws {
            try FileManager.default.moveItem(atPath: directory.path("open"), toPath: directory.path("moved"))
            #expect(unsafe symlink(target, directory.path("open")) == 0)
        }
        let copy = try UnpublishedDirectory(beside: place, marker: ".partial-", for: audience)
        let discarded = try UnpublishedDirectory(beside: place, marker: ".partial-", for: audience)
        try exchange("precious")
        try copy.create("CURRENT", permissions: 0o600).write([7])
        try copy.publish(as: place.name)
        discarded.discard()
        #expect(try directory.names(in: "precious").isEmpty)
        #expect(try directory.names(in: "moved") == ["copy"] && directory.read("moved/copy/CURRENT") == [7])
        // A path that was resolved before a link took its place leads nowhere.
        for path in ["open/copy", "open/inner/copy"].map({ directory.path($0) }) {
            let place = DatabaseDirectory(resolved: path)
            #expect(throws: LevelError.self) {
                try UnpublishedDirectory(beside: place, marker: ".partial-", for: audience)
            }
            #expect(throws: LevelError.self) { try MadeDirectories(place) }
            for trust in [DirectoryTrust.nobodyElse, .group] {
                #expect(throws: LevelError.self) {
                    try ScratchDirectory(inResolved: place.parentPath, prefix: ".x-", trust: trust)
                }
            }
        }
        #expect(try directory.names(in: "precious").isEmpty)
    }

    @Test(.enabled(if: isRoot, note))
    func `Exchanging a directory with a link while copies and databases are created redirects none of them`() throws {
        try makeDatabase()
        try makeDirectory("precious")
        try makeDirectory("shared", 0o777)
        try makeDirectory("shared/open", 0o777)
        #expect(unsafe symlink("../precious", directory.path("shared/link")) == 0)
        for name in ["shared", "shared/open", "shared/link"] {
            #expect(unsafe lchown(directory.path(name), Self.other, Self.other) == 0)
        }
        func changeDate() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: directory.path("precious"))[.modificationDate] as? Date
        }
        let date = try #require(try changeDate())
        let paths = ["shared/open", "shared/link"].map { directory.path($0) }
        let other = Intruder { _ = try? FileOperations.exchange(paths[0], paths[1]) }
        var madeCount = 0
        for index in 0..<400 {
            do throws(LevelError) {
                try Checkpoint.take(of: directory.path("db"), to: directory.path("shared/open/copy\(index)"))
                madeCount += 1
            } catch {
                #expect([.io, .invalidArgument].contains(error.code), "\(error)")
            }
            let error = thrownError {
                _ = try Database.open(at: directory.path("shared/open/a\(index)/b")).close()
            }
            #expect(error != nil)
            #expect(try directory.names(in: "precious").isEmpty, "attempt \(index)")
        }
        other.stop()
        #expect(try changeDate() == date, "nothing was created there for a moment")
        #expect((1..<400).contains(madeCount), "the exchange was sometimes before and sometimes after: \(madeCount)")
    }

    /// Who owns the parent directory can put another database in the place of one that was found trustworthy.
    @Test(.enabled(if: isRoot, note))
    func `A database that is exchanged while it is opened is not read from files that others can change`() throws {
        try makeDirectory("theirs")
        for name in ["theirs/db", "theirs/other"] { try makeDatabase(name) }
        give("theirs/other")
        #expect(unsafe chown(directory.path("theirs"), Self.other, Self.other) == 0)
        let paths = ["theirs/db", "theirs/other"].map { directory.path($0) }
        let intruder = Intruder { _ = try? FileOperations.exchange(paths[0], paths[1]) }
        var readCount = 0
        for _ in 0..<300 {
            do throws(LevelError) {
                let database = try Database.open(at: paths[0], mode: .readOnly)
                readCount += 1
                let files = (try? FileManager.default.contentsOfDirectory(atPath: database.enginePath)) ?? []
                for name in files where name.hasSuffix(".ldb") {
                    #expect(FileStatus(path: database.enginePath + "/" + name)?.owner == geteuid())
                }
                try database.close()
            } catch {
                #expect([.busy, .corruption, .databaseNotFound, .io].contains(error.code), "\(error)")
            }
        }
        intruder.stop()
        #expect(readCount > 0)
    }

    @Test(.enabled(if: isRoot && ThreadUser.canChange, "only root can act as another user, and only on Linux"))
    func `A refused database deletes nothing through a link that took the place of its directory`() throws {
        try makeDirectory("precious")
        try makeDirectory("precious/db")
        for name in ["LOCK", "letter", "000005.ldb"] { try directory.write([7], to: "precious/db/" + name) }
        try makeDirectory("shared", 0o1777)
        try makeDirectory("shared/theirs", 0o777)
        #expect(unsafe symlink("../precious", directory.path("shared/link")) == 0)
        for name in ["shared/theirs", "shared/link"] {
            #expect(unsafe lchown(directory.path(name), Self.other, Self.other) == 0)
        }
        let shared = try DirectoryHandle(path: directory.path("shared"), followsLink: false)
        let theirs = try DirectoryHandle("theirs", in: shared.descriptor)
        // The name is absent, then a directory, then a link.
        let other = Intruder(user: Self.other) {
            for place in ["theirs", "link"] {
                unsafe renameat(shared.descriptor, place, shared.descriptor, "open")
                usleep(UInt32.random(in: 10...100))
                unsafe renameat(shared.descriptor, "open", shared.descriptor, place)
                usleep(UInt32.random(in: 10...100))
            }
        }
        var codes: Set<LevelError.Code?> = []
        for index in 0..<600 {
            codes.insert(code { _ = try Database.open(at: directory.path("shared/open/db")).close() })
            #expect(try directory.names(in: "precious/db") == ["000005.ldb", "LOCK", "letter"], "attempt \(index)")
            // What was created in the other user's directory, and while the name was absent.
            try? theirs.removeDirectory("db")
            if let open = try? DirectoryHandle("open", in: shared.descriptor), try open.status().owner == geteuid() {
                if let made = try? DirectoryHandle("db", in: open.descriptor) {
                    for name in try made.names() { try made.removeFile(name) }
                    try open.removeDirectory("db")
                }
                try shared.removeDirectory("open")
            }
        }
        other.stop()
        #expect(codes.contains(.invalidArgument), "\(codes)")
    }

    @Test func `A copy is not built in a directory that took the place of its own`() throws {
        try makeDatabase()
        try makeDirectory("open", 0o777)
        try makeDirectory("open/mine")
        for name in ["000005.ldb", "CURRENT", "letter"] { try directory.write([7], to: "open/mine/" + name) }
        let mine = try DirectoryHandle(path: directory.path("open/mine"), followsLink: false)
        let before = try mine.status()
        let place: String = directory.path("open")
        let other = Intruder {
            for name in (try? DirectoryNames.list(place)) ?? [] where name.contains(".partial-") {
                _ = try? FileOperations.exchange(place + "/" + name, place + "/mine")
            }
        }
        for index in 0..<100 {
            _ = try? Checkpoint.take(of: directory.path("db"), to: directory.path("open/copy\(index)"))
            #expect(try mine.names().sorted() == ["000005.ldb", "CURRENT", "letter"], "attempt \(index)")
            #expect(try mine.status().permissions == before.permissions)
        }
        other.stop()
    }

    #if os(Linux)
        /// The tags of the entries of an access control list.
        private enum Tag: UInt16 {
            case owner = 0x01
            case user = 0x02
            case group = 0x04
            case mask = 0x10
            case others = 0x20
        }

        /// Sets an access control list, in the form of linux/posix_acl_xattr.h.
        ///
        /// - Returns: `false` if the file system has no lists.
        private func setList(
            _ kind: String, of name: String, other: UInt16, group: UInt16 = 5, mask: UInt16, others: UInt16
        ) throws -> Bool {
            var list: [UInt8] = [2, 0, 0, 0]
            for (tag, permissions, id) in [
                (Tag.owner, 7, UInt32.max), (.user, other, UInt32(Self.other)), (.group, group, .max),
                (.mask, mask, .max), (.others, others, .max),
            ] {
                for value in [tag.rawValue, permissions] { list += [UInt8(value & 0xff), UInt8(value >> 8)] }
                list += (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
            }
            typealias Set =
                @convention(c) (
                    UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
                ) -> Int32
            let set = try unsafe unsafeBitCast(#require(dlsym(nil, "setxattr")), to: Set.self)
            if unsafe set(directory.path(name), "system.posix_acl_\(kind)", list, list.count, 0) == 0 { return true }
            #expect(errno == ENOTSUP)
            return false
        }

        private func hasList(_ name: String) throws -> Bool {
            AccessControlList.exists(on: try DirectoryHandle(path: directory.path(name), followsLink: false))
        }

        @Test func `A copy inherits no access control list, and passes on none`() throws {
            try makeDatabase()
            #expect(unsafe chmod(directory.path("db"), 0o750) == 0)
            try makeDirectory("open")
            guard try setList("default", of: "open", other: 7, mask: 7, others: 0) else { return }
            try makeDirectory("open/plain")
            #expect(try hasList("open/plain"))
            try Checkpoint.take(of: directory.path("db"), to: directory.path("open/copy"), tables: .copied)
            #expect(try !hasList("open/copy") && status("open/copy").permissions & 0o777 == 0o750)
            // The bits of the group of a database with a list are those of the user, and not passed on.
            #expect(try setList("access", of: "db", other: 7, mask: 7, others: 0))
            try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"), tables: .copied)
            #expect(try !hasList("copy") && status("copy").permissions & 0o777 == 0o700)
        }

        @Test func `A copy is private if a list excludes users from the database, or from a directory above it`() throws
        {
            try makeDatabase()
            try makeDirectory("above")
            #expect(unsafe chmod(directory.path("db"), 0o755) == 0 && chmod(directory.path("above"), 0o755) == 0)
            try Checkpoint.take(of: directory.path("db"), to: directory.path("above/db"), tables: .copied)
            #expect(try status("above/db").permissions & 0o777 == 0o755)
            guard try setList("access", of: "above", other: 0, mask: 5, others: 5) else { return }
            try Checkpoint.take(of: directory.path("above/db"), to: directory.path("below"), tables: .copied)
            #expect(try status("below").permissions & 0o777 == 0o700)
            #expect(try setList("access", of: "db", other: 0, mask: 5, others: 5))
            try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"), tables: .linked)
            #expect(try status("copy").permissions & 0o777 == 0o700)
        }

        @Test func `A directory is untrusted if a list lets another user write to it`() throws {
            try makeDirectory("listed")
            let path = directory.path("listed")
            guard try setList("access", of: "listed", other: 5, mask: 7, others: 5) else { return }
            #expect(DirectoryTrust.group.allows(path) && DirectoryTrust.isClosed(path))
            #expect(DirectoryTrust.mayHoldDatabase(path))
            #expect(try setList("access", of: "listed", other: 7, mask: 7, others: 5))
            #expect(!DirectoryTrust.group.allows(path) && !DirectoryTrust.isClosed(path))
            #expect(!DirectoryTrust.nobodyElse.allows(path) && !DirectoryTrust.mayHoldDatabase(path))
            let handle = try DirectoryHandle(path: path, followsLink: false)
            #expect(DirectoryTrust.isShared(handle.descriptor))
        }

        @Test func `A database is read from copies if a list lets another user write to it or to one of its files`()
            throws
        {
            try makeDatabase()
            func isTrusted() throws -> Bool {
                let database = try Database.open(at: directory.path("db"), mode: .readOnly)
                let copied = try directory.names(in: "db").filter { $0.hasSuffix(".ldb") }.contains { name in
                    FileStatus(path: database.enginePath + "/" + name)?.identity
                        != FileStatus(path: directory.path("db/" + name))?.identity
                }
                try database.close()
                let folder = try EngineFolder(try DatabaseDirectory(directory.path("db")))
                #expect(folder.isTrusted != copied || !ReadOnlyFiles.canLinkDescriptors)
                return folder.isTrusted
            }
            #expect(try isTrusted())
            let table = "db/" + (try #require(try directory.names(in: "db").first { $0.hasSuffix(".ldb") }))
            for name in ["db", table] {
                guard try setList("access", of: name, other: 5, mask: 7, others: 5) else { return }
                #expect(try isTrusted(), "\(name)")
                #expect(try setList("access", of: name, other: 7, mask: 7, others: 5))
                #expect(try !isTrusted(), "\(name)")
                #expect(try setList("access", of: name, other: 7, mask: 5, others: 5))
                #expect(try isTrusted(), "\(name)")
            }
        }

        @Test(.enabled(if: isRoot, note))
        func `A replaced database keeps its group and its access control list`() throws {
            try makeDatabase()
            let path = directory.path("db")
            #expect(unsafe chown(path, geteuid(), 4711) == 0 && chmod(path, 0o2750) == 0)
            func replace() throws {
                let replacement = try DatabaseReplacement(of: path)
                try Database.open(at: replacement.copyPath).close()
                try replacement.publish()
            }
            try replace()
            #expect(try status("db").group == 4711 && status("db").permissions & 0o7777 == 0o2750)
            guard try setList("access", of: "db", other: 5, group: 0, mask: 5, others: 0) else { return }
            try replace()
            #expect(try hasList("db") && status("db").group == 4711 && status("db").permissions & 0o777 == 0o750)
        }
    #endif

    @Test func `A directory that others can rename is not taken for a database that was moved aside`() throws {
        for (place, name, isRestored) in [
            ("closed", "db.loading-abcdef", true), ("open", "db.loading-abcdef", false),
            ("named", "db.loading-ab", false),
        ] {
            try makeDirectory(place)
            try makeDirectory("\(place)/\(name)", 0o700)
            try makeDatabase("\(place)/\(name)/old")
            if place == "open" { #expect(unsafe chmod(directory.path(place), 0o777) == 0) }
            DatabaseReplacement.clearLeftovers(of: directory.path(place + "/db"))
            #expect(try directory.names(in: place).contains("db") == isRestored, "\(place)")
        }
    }

    // MARK: - New databases

    @Test func `A database is not created in a world-writable directory`() throws {
        try makeDirectory("open", 0o1777)
        let error = thrownError { _ = try Database.open(at: directory.path("open")) }
        #expect(error?.code == .invalidArgument && error?.message.contains("everybody") == true, "\(error as Any)")
        #expect(try directory.names(in: "open").isEmpty)
        // A subdirectory belongs to the user alone.
        try Database.open(at: directory.path("open/db")).close()
    }

    @Test(.enabled(if: isRoot, note))
    func `A database is not created in or below another user's world-writable directory`() throws {
        try makeDirectory("theirs", 0o1777)
        give("theirs")
        #expect(code { _ = try Database.open(at: directory.path("theirs")) } == .invalidArgument)
        #expect(code { _ = try Database.open(at: directory.path("theirs/a/b")) } == .invalidArgument)
        #expect(try directory.names(in: "theirs").isEmpty)
    }

    @Test(.enabled(if: isRoot, note))
    func `Root can create and repair databases in directories of users, as in containers`() throws {
        try makeDirectory("theirs", 0o755)
        give("theirs")
        #expect(try !DirectoryTrust.isClosed(DatabaseDirectory(directory.path("theirs")).path))
        try Database.open(at: directory.path("theirs/db")).close()
        _ = try Database.repair(at: directory.path("theirs/db"))
        try Database.open(at: directory.path("theirs/db")).close()
    }

    @Test func `A new database is never world-writable, whatever the umask`() async throws {
        await #expect(processExitsWith: .success) { [path = directory.path("a/b") as String] in
            umask(0)
            try Database.open(at: path).close()
            for path in [path, DatabaseDirectory.parent(of: path)!] {
                #expect(FileStatus(path: path)?.permissions == 0o775)
            }
        }
    }

    // MARK: - Hard links

    @Test func `The info log is not written through hard links`() throws {
        try makeDatabase()
        try directory.write([7], to: "letter")
        for name in ["LOG", "LOG.old"] {
            unsafe unlink(directory.path("db/" + name))
            #expect(unsafe link(directory.path("letter"), directory.path("db/" + name)) == 0)
        }
        for body in [{ _ = try Database.open(at: $0) }, { _ = try Database.repair(at: $0) }]
            as [(String) throws -> Void]
        {
            let error = thrownError { try body(directory.path("db")) }
            #expect(error?.code == .corruption && error?.message.contains("hard link") == true, "\(error as Any)")
        }
        #expect(try directory.read("letter") == [7])
        // Reading writes no info log.
        try Database.open(at: directory.path("db"), mode: .readOnly).close()
    }

    @Test func `Repair rejects a hard-linked temporary file, which LevelDB would empty`() throws {
        try makeDatabase()
        try directory.write([7], to: "letter")
        #expect(unsafe link(directory.path("letter"), directory.path("db/000001.dbtmp")) == 0)
        #expect(code { _ = try Database.repair(at: directory.path("db")) } == .corruption)
        #expect(try directory.read("letter") == [7])
    }

    // MARK: - Copies

    @Test(.enabled(if: isRoot, note))
    func `A copy of another user's database is private and shares no files with it`() throws {
        try makeDatabase()
        give("db")
        let report = try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"))
        #expect(report.linkedTableCount == 0 && report.copiedTableCount == 1)
        #expect(try status("copy").permissions & 0o777 == 0o700)
        for name in try directory.names(in: "copy") + ["."] {
            let status = try status("copy/" + name)
            #expect(status.owner == 0 && status.permissions & 0o077 == 0, "\(name)")
        }
    }

    @Test(.enabled(if: isRoot, note))
    func `Root reads another user's database without changing its files, their owner, mode or time`() throws {
        try makeDatabase()
        give("db")
        let before = try DirectoryState(directory.path("db"))
        var options = DatabaseOptions()
        options.checksEveryBlock = true
        for options in [DatabaseOptions(), options] {
            let database = try Database.open(at: directory.path("db"), options: options, mode: .readOnly)
            #expect(try database.value(forKey: "key2") == Array("later".utf8))
            #expect(try database.verify().problems.isEmpty)
            try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"))
            try Database.destroy(at: directory.path("copy"))
            try database.close()
        }
        let files = try DatabaseFiles(at: directory.path("db"))
        #expect(Diagnosis.findings(in: files).isEmpty)
        #expect(try DirectoryState(directory.path("db")).difference(from: before) == [])
        #expect(try directory.names(in: "") == ["db"])
    }

    @Test(.enabled(if: isRoot, note))
    func `Repair of another user's world-writable database is rejected and changes nothing`() throws {
        try makeDatabase()
        give("db")
        #expect(unsafe chmod(directory.path("db"), 0o777) == 0)
        let before = try contents(of: directory.path("db"))
        let error = thrownError { _ = try Database.repair(at: directory.path("db")) }
        #expect(error?.code == .invalidArgument && error?.message.contains("another user") == true, "\(error as Any)")
        #expect(try contents(of: directory.path("db")) == before)
        #expect(try directory.names(in: "") == ["db"])
    }

    @Test func `A symbolic link in place of a table is not included in a checkpoint`() throws {
        try makeDatabase()
        let table = try #require(try files(ofKind: "ldb", in: directory.path("db")).first)
        #expect(unsafe rename(table, directory.path("letter")) == 0)
        try FileManager.default.createSymbolicLink(atPath: table, withDestinationPath: directory.path("letter"))
        for tables in [Checkpoint.Tables.linked, .copied] {
            #expect(throws: LevelError.self) {
                try Checkpoint.take(of: directory.path("db"), to: directory.path("copy"), tables: tables)
            }
        }
        #expect(try status("letter").linkCount == 1)
        #expect(try directory.names(in: "") == ["db", "letter"])
    }

    @Test(.enabled(if: isRoot, note))
    func `A sparse file of another user is not copied`() throws {
        try makeDatabase()
        #expect(unsafe truncate(try #require(files(ofKind: "log", in: directory.path("db")).first), 1 << 30) == 0)
        give("db")
        let bodies: [() throws -> Void] = [
            { try Database.open(at: directory.path("db"), mode: .readOnly).close() },
            { try Checkpoint.take(of: directory.path("db"), to: directory.path("copy")) },
        ]
        for body in bodies {
            let error = thrownError(body)
            #expect(error?.code == .corruption && error?.message.contains("sparse") == true, "\(error as Any)")
        }
    }

    @Test func `A copy larger than the free space is rejected before it starts`() throws {
        #expect(code { try CopyRoom.require(.max / 2, at: directory.path) } == .io)
        try CopyRoom.require(1, at: directory.path)
    }

    // MARK: - Devices

    @Test func `Only regular files are read, never a device or a pipe`() throws {
        #expect(unsafe mkfifo(directory.path("pipe"), 0o600) == 0)
        for path in ["/dev/zero", directory.path("pipe")] {
            #expect(throws: SystemError.notAFile) { try OpenFile(reading: path) }
        }
        try makeDatabase()
        for name in try directory.names(in: "db") where name.hasPrefix("MANIFEST") {
            unsafe unlink(directory.path("db/" + name))
            try FileManager.default.createSymbolicLink(
                atPath: directory.path("db/" + name), withDestinationPath: "/dev/zero")
        }
        let files = try DatabaseFiles(at: directory.path("db"))
        #expect(files.manifest == nil && files.manifestFault?.kind == .unreadable)
        #expect(!files.files.contains { $0.name.hasPrefix("MANIFEST") })
        #expect(Diagnosis.findings(in: files).first?.finding == .lostManifest)
    }

    @Test func `Leftovers of a killed reader in TMPDIR are removed even if the next one reads in memory`() async throws
    {
        try makeDatabase()
        try makeDirectory("tmp")
        try makeDirectory("tmp/.levelkit-reading-aaaaaa", 0o700)
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            unsafe setenv("TMPDIR", path + "/tmp", 1)
            try Database.open(at: path + "/db", mode: .readOnly).close()
        }
        #expect(try directory.names(in: "tmp").isEmpty)
    }
}

/// The user by whose permissions the system decides what a thread may do with files.
private enum ThreadUser {
    static var canChange: Bool { unsafe dlsym(nil, "setfsuid") != nil }

    /// Changes the user of this thread. A thread of root loses root's privileges.
    static func change(to user: uid_t) {
        // glibc declares it in a header that its module leaves out.
        typealias Change = @convention(c) (uid_t) -> Int32
        guard let symbol = unsafe dlsym(nil, "setfsuid") else { return }
        _ = unsafe unsafeBitCast(symbol, to: Change.self)(user)
    }
}

/// Another user, who does the same again and again.
private final class Intruder: Sendable {
    private let isStopping = Atomic(false)
    private let hasStopped = Atomic(false)

    /// - Parameter user: the user whose permissions apply; `nil` for those of the process.
    init(user: uid_t? = nil, _ action: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            if let user { ThreadUser.change(to: user) }
            while !isStopping.load(ordering: .acquiring) {
                action()
                usleep(UInt32.random(in: 10...60))
            }
            hasStopped.store(true, ordering: .releasing)
        }
    }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        while !hasStopped.load(ordering: .acquiring) { usleep(100) }
    }
}
