internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A copy of a database that takes its place when it is complete, or not at all.
///
/// The copy is a checkpoint in a private, locked directory `<path>.loading-XXXXXX` beside the database. It shares the tables by
/// hard links. While it lives, the database itself is locked, so no other process can write what the copy would lack.
///
/// ``publish()`` exchanges the two directories by one call of the system, so a process that is killed leaves either the
/// old database or the new one under the path. Where the file system cannot exchange directories, the old one is first
/// moved aside; ``clearLeftovers(of:)``, which every command of the shell calls first, moves it back.
package final class DatabaseReplacement: Sendable {
    /// What stands between the name of the database and six random letters.
    package static let marker = ".loading-"
    /// Where the old database is while it is neither in its place nor removed.
    private static let oldName = "old"
    private static let newName = "db"

    /// The path of the copy.
    package var copyPath: String { scratch.databasePath }
    /// The private directory that the copy is in, for a signal handler to remove.
    package let scratch: ScratchDirectory
    private let place: DatabaseDirectory
    private let access: Mutex<Access>

    private struct Access: ~Copyable {
        var lock: ExclusiveAccess?
    }

    /// Locks a database and copies it.
    ///
    /// - Parameters:
    ///   - path: the database; a link to it stays a link.
    ///   - timeout: how long another process that has the database open is waited for.
    /// - Throws: ``LevelError``: `databaseNotFound`, `locked`, `notSupported` where the directory is a mount point, `io`, and
    ///   what ``Checkpoint/take(of:to:tables:tryLimit:)`` throws.
    package init(of path: String, waiting timeout: Duration = .zero) throws(LevelError) {
        place = try DatabaseDirectory(path)
        guard try place.content() == .database else { throw try place.missingDatabase() }
        guard let own = FileStatus(path: place.path), let parent = FileStatus(path: place.parentPath),
            own.identity.device == parent.identity.device
        else { throw Self.mountPointError(place.path) }
        let lock = try Self.lock(place, until: .now + timeout)
        Self.clearLeftovers(of: place.path)
        scratch = try ScratchDirectory(in: place.parentPath, prefix: place.name + Self.marker, trust: .group)
        do throws(LevelError) {
            try EngineFolder(place).check()
            try Checkpoint.take(of: place.path, to: scratch.databasePath)
        } catch {
            scratch.remove()
            throw error
        }
        access = Mutex(Access(lock: lock))
    }

    private static func lock(
        _ place: DatabaseDirectory, until deadline: ContinuousClock.Instant
    ) throws(LevelError) -> ExclusiveAccess {
        while true {
            do throws(LevelError) {
                return try ExclusiveAccess(to: place)
            } catch {
                guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
                usleep(20_000)
            }
        }
    }

    private static func mountPointError(_ path: String) -> LevelError {
        LevelError(
            .notSupported,
            "\(path) is a mount point, which cannot be replaced as a whole; put the database into a directory below it")
    }

    // MARK: - The end

    /// Puts the copy, which must be closed, in the place of the database, and removes the old one.
    ///
    /// - Parameter exchanges: `false` to go the way of file systems that cannot exchange directories.
    /// - Throws: ``LevelError`` with `io` or `notSupported`. The database is as it was then.
    package func publish(exchanges: Bool = true) throws(LevelError) {
        do throws(SystemError) {
            try adoptSurroundings()
            let copy = try DirectoryHandle(Self.newName, in: scratch.descriptor)
            try OpenFile.synchronize(directory: copy.descriptor)
            _ = consume copy
            var isDone = false
            if exchanges { isDone = try exchange() }
            if !isDone {
                try moveAside()
                try moveIn()
            }
            moveOtherFiles()
            // What was renamed is in its place; a file system that cannot be synchronized changes nothing about that.
            try? FileOperations.synchronizeDirectory(place.parentPath)
        } catch let error where error.number == EBUSY || error.number == EXDEV {
            discard()
            throw Self.mountPointError(place.path)
        } catch {
            discard()
            throw error.levelError("put the new database in the place of \(place.path)")
        }
        discard()
    }

    /// Removes what is in the private directory, and unlocks the database.
    package func discard() {
        scratch.remove()
        access.withLock { $0.lock = nil }
    }

    /// Gives the copy the permissions of the database, and its lock file.
    ///
    /// The lock file is the same file: a process that has opened it, and locks it only after the exchange, keeps others out
    /// of the new database.
    private func adoptSurroundings() throws(SystemError) {
        let copy = try DirectoryHandle(Self.newName, in: scratch.descriptor)
        let status = try DirectoryHandle(path: place.path, followsLink: false).status()
        if try copy.status().permissions != status.permissions { try copy.setPermissions(status.permissions) }
        try? copy.removeFile("LOCK")
        try FileOperations.link(place.file("LOCK"), to: "LOCK", in: copy.descriptor)
    }

    /// Moves files that are not LevelDB's from the old directory into the new one.
    private func moveOtherFiles() {
        guard let old = try? DirectoryHandle(Self.newName, in: scratch.descriptor), let names = try? old.names(),
            let new = try? DirectoryHandle(path: place.path, followsLink: false)
        else { return }
        for name in names where EngineFileName(name) == nil && new.status(of: name) == nil {
            _ = unsafe renameat(old.descriptor, name, new.descriptor, name)
        }
    }

    /// Exchanges the two directories.
    ///
    /// - Returns: whether the system and the file system can do that.
    private func exchange() throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try FileOperations.exchange(copyPath, place.path)
        } catch let error where error.number == EINVAL || error.number == ENOSYS || error.number == ENOTSUP {
            return false
        }
    }

    /// The first of two renames where directories cannot be exchanged. A process that is killed after it leaves no database
    /// under the path, and the old one in the private directory.
    func moveAside() throws(SystemError) {
        try FileOperations.rename(place.path, to: scratch.path + "/" + Self.oldName)
    }

    private func moveIn() throws(SystemError) {
        let old = scratch.path + "/" + Self.oldName
        do throws(SystemError) {
            try FileOperations.rename(copyPath, to: place.path)
        } catch {
            try FileOperations.rename(old, to: place.path)
            throw error
        }
        try FileOperations.rename(old, to: copyPath)
    }
}

// MARK: - Leftovers

extension DatabaseReplacement {
    /// Removes what killed processes of this user have left beside a database, and moves a database that one of them has moved
    /// aside back into its place. What another live process works on stays as it is.
    ///
    /// - Complexity: O(n) in the number of names in the parent directory.
    package static func clearLeftovers(of path: String) {
        guard let place = try? DatabaseDirectory(path),
            let parent = try? DirectoryHandle(path: place.parentPath, followsLink: true),
            let names = try? parent.names()
        else { return }
        let prefix = place.name + marker
        guard names.contains(where: { $0.utf8.starts(with: prefix.utf8) }) else { return }
        for name in names where name.utf8.starts(with: prefix.utf8) { restore(from: name, in: parent, to: place) }
        ScratchDirectory.clearLeftovers(in: place.parentPath, prefix: prefix)
    }

    /// Moves the old database back to its path, or renames it for removal if the new one is already there.
    private static func restore(from name: String, in parent: DirectoryHandle, to place: DatabaseDirectory) {
        guard let handle = try? DirectoryHandle(name, in: parent.descriptor),
            let status = try? handle.status(), status.owner == geteuid(), status.permissions & 0o1777 == 0o700,
            handle.status(of: oldName)?.isDirectory == true
        else { return }
        switch ScratchLock.take(in: handle) {
        case .somebody: return
        // Its lock file is removed last, or was by an earlier version that does not know what it leaves.
        case .notMade: move(oldName, in: handle, to: place)
        case .nobody(let lock):
            move(oldName, in: handle, to: place)
            _ = consume lock
        }
    }

    private static func move(_ name: String, in handle: DirectoryHandle, to place: DatabaseDirectory) {
        if !FileOperations.exists(place.path) {
            _ = unsafe renameat(handle.descriptor, name, AT_FDCWD, place.path)
            try? FileOperations.synchronizeDirectory(place.parentPath)
        } else {
            // A name of databases in private directories, which are removed.
            _ = unsafe renameat(handle.descriptor, name, handle.descriptor, newName + "." + name)
        }
    }
}
