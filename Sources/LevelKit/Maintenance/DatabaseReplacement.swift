internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A copy of a database that replaces it once complete, or not at all.
///
/// The copy is a checkpoint in a private, locked directory `<path>.loading-XXXXXX` next to the database, and shares its
/// table files by hard links. While the copy exists, the database itself is locked, so other processes cannot write
/// data that the copy would lack.
///
/// ``publish()`` exchanges the two directories with a single system call, so a killed process leaves either the old or
/// the new database at the path. If the file system cannot exchange directories, the old one is first moved aside;
/// ``restoreMoved(to:)``, which every shell command calls first, moves it back.
package final class DatabaseReplacement: Sendable {
    /// The infix between the name of the database and six random letters.
    package static let marker = ".loading-"
    /// The name of the old database while it is moved aside.
    private static let oldName = "old"
    private static let newName = "db"

    /// The path of the copy.
    package var copyPath: String { scratch.databasePath }
    /// The private directory that contains the copy, for a signal handler to delete.
    package let scratch: ScratchDirectory
    private let place: DatabaseDirectory
    private let access: Mutex<Access>

    private struct Access: ~Copyable {
        var lock: ExclusiveAccess?
    }

    /// Locks a database and copies it.
    ///
    /// - Parameters:
    ///   - path: the database. A link to it remains a link.
    ///   - timeout: how long to wait for another process that has the database open.
    /// - Throws: ``LevelError``: `databaseNotFound`, `locked`, `notSupported` if the directory is a mount point, `io`,
    ///   and the errors of ``Checkpoint/take(of:to:tables:tryLimit:)``.
    package init(of path: String, waiting timeout: Duration = .zero) throws(LevelError) {
        place = try DatabaseDirectory(toChange: path)
        guard try place.content() == .database else { throw try place.missingDatabase() }
        guard let own = FileStatus(path: place.path), let parent = FileStatus(path: place.parentPath),
            own.identity.device == parent.identity.device
        else { throw Self.mountPointError(place.path) }
        try ScratchDirectory.require(.group, in: place.parentPath)
        let lock = try Self.lock(place, until: .now + timeout)
        Self.clearLeftovers(of: place.path)
        scratch = try ScratchDirectory(
            inResolved: place.parentPath, prefix: place.name + Self.marker, trust: .group)
        do throws(LevelError) {
            try EngineFolder(place).check()
            try Checkpoint.take(of: place.path, to: scratch.databasePath)
        } catch {
            scratch.remove()
            throw error
        }
        access = Mutex(Access(lock: lock))
    }

    /// Throws if a database may not be replaced where it is, because untrusted users could rename what is created there.
    ///
    /// - Throws: ``LevelError`` with `io`; `invalidArgument` for a link of another user.
    package static func requireTrustedPlace(of path: String) throws(LevelError) {
        try ScratchDirectory.require(.group, in: DatabaseDirectory(toChange: path).parentPath)
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
            "\(path) is a mount point, which cannot be replaced; put the database in a directory below it")
    }

    // MARK: - Publishing

    /// Replaces the database by the copy, which must be closed, and deletes the old database.
    ///
    /// - Parameter exchanges: `false` to use the fallback for file systems that cannot exchange directories.
    /// - Throws: ``LevelError`` with `io` or `notSupported`. The database is then unchanged.
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
            // The renames are done. A file system that cannot synchronize does not change that.
            try? FileOperations.synchronizeDirectory(place.parentPath)
        } catch let error where error.number == EBUSY || error.number == EXDEV {
            discard()
            throw Self.mountPointError(place.path)
        } catch {
            discard()
            throw error.levelError("replace \(place.path) with the new database")
        }
        discard()
    }

    /// Deletes the content of the private directory, and unlocks the database.
    package func discard() {
        scratch.remove()
        access.withLock { $0.lock = nil }
    }

    /// Gives the copy the group, the permissions, the access control list and the lock file of the database.
    ///
    /// The lock file is hard-linked. A process that has opened it, and locks it only after the exchange, therefore
    /// locks the new database.
    private func adoptSurroundings() throws(SystemError) {
        let copy = try DirectoryHandle(Self.newName, in: scratch.descriptor)
        let old = try DirectoryHandle(path: place.path, followsLink: false)
        let status = try old.status()
        let isOfGroup = try adoptGroup(status.group, for: copy)
        var permissions = status.permissions
        // Another group gets only what everybody may do.
        if !isOfGroup { permissions = permissions & ~0o070 | permissions & (permissions & 0o007) << 3 }
        if try copy.status().permissions != permissions { try copy.setPermissions(permissions) }
        // Last, because permissions change a list. Without it, the bits could let in whom the list excludes.
        if !isOfGroup && AccessControlList.exists(on: old) || !AccessControlList.copy(from: old, to: copy) {
            try copy.setPermissions(0o700)
        }
        try? copy.removeFile("LOCK")
        try FileOperations.link(place.file("LOCK"), to: "LOCK", in: copy.descriptor)
    }

    /// Gives the copy and its own files the group of the database.
    ///
    /// - Returns: whether the copy has that group.
    private func adoptGroup(_ group: UInt32, for copy: borrowing DirectoryHandle) throws(SystemError) -> Bool {
        guard try copy.status().group != group else { return true }
        guard fchown(copy.descriptor, uid_t.max, group) == 0 else { return false }
        for name in try copy.readable().names() {
            // A file with another link is one of the old database.
            guard let file = copy.status(of: name), file.isRegularFile, file.linkCount == 1 else { continue }
            _ = unsafe fchownat(copy.descriptor, name, uid_t.max, group, AT_SYMLINK_NOFOLLOW)
        }
        return true
    }

    /// Moves files that do not belong to LevelDB from the old directory to the new one.
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
    /// - Returns: whether the system and the file system support this.
    private func exchange() throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try FileOperations.exchange(copyPath, place.path)
        } catch let error where error.number == EINVAL || error.number == ENOSYS || error.number == ENOTSUP {
            return false
        }
    }

    /// The first of two renames on file systems that cannot exchange directories. A process that is killed after it
    /// leaves no database at the path, and the old one in the private directory.
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
        // The database is replaced. If this fails, the next clearing of leftovers deletes the old one.
        try? FileOperations.rename(old, to: copyPath)
    }
}

// MARK: - Leftovers

extension DatabaseReplacement {
    /// Deletes what killed processes of this user left next to a database, and moves a database back that one of them
    /// had moved aside. Directories of live processes are kept.
    ///
    /// - Complexity: O(n) in the number of names in the parent directory.
    package static func clearLeftovers(of path: String) {
        guard let place = try? DatabaseDirectory(toChange: path), let parent = restoreMoved(to: place) else { return }
        ScratchDirectory.clearLeftovers(in: parent, prefix: place.name + marker)
    }

    /// Moves a database back that a killed process of this user had moved aside, if there is nothing at its path.
    package static func restoreMoved(to path: String) {
        guard let place = try? DatabaseDirectory(toChange: path), FileStatus(linkAt: place.path) == nil else { return }
        _ = restoreMoved(to: place)
    }

    /// - Returns: the parent directory if it contains leftovers.
    private static func restoreMoved(to place: DatabaseDirectory) -> DirectoryHandle? {
        guard let parent = try? DirectoryHandle.at(resolved: place.parentPath).readable(),
            let names = try? parent.names()
        else { return nil }
        let leftovers = names.filter { ScratchDirectory.isMade($0, place.name + marker) }
        if leftovers.isEmpty { return nil }
        // Elsewhere, another user could give any directory of this user such a name, and databases are not replaced. Opened
        // after the check, because it is about the path.
        if DirectoryTrust.group.allows(resolved: place.parentPath),
            let parent = try? DirectoryHandle.at(resolved: place.parentPath).readable()
        {
            for name in leftovers { restore(from: name, to: place.name, in: parent) }
        }
        return parent
    }

    /// Moves the old database back to its path, or renames it for deletion if the new one is already there.
    private static func restore(from name: String, to place: String, in parent: DirectoryHandle) {
        guard let handle = try? DirectoryHandle(name, in: parent.descriptor),
            let status = try? handle.status(), status.owner == geteuid(), status.permissions & 0o1777 == 0o700,
            let old = try? DirectoryHandle(oldName, in: handle.descriptor), old.status(of: "CURRENT") != nil
        else { return }
        switch ScratchLock.take(in: handle) {
        case .somebody: return
        // The lock file is deleted last, or was deleted by an earlier version that does not know of the moved database.
        case .notMade: move(oldName, in: handle, to: parent, as: place)
        case .nobody(let lock):
            move(oldName, in: handle, to: parent, as: place)
            _ = consume lock
        }
    }

    private static func move(_ name: String, in handle: DirectoryHandle, to parent: DirectoryHandle, as place: String) {
        if parent.status(of: place) == nil {
            try? parent.take(name, from: handle.descriptor, as: place)
            try? parent.synchronize()
        } else {
            // A name for databases in private directories, which are deleted.
            _ = unsafe renameat(handle.descriptor, name, handle.descriptor, newName + "." + name)
        }
    }
}
