internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A private directory for temporary files, deleted when the process is done with it.
///
/// It is created with mode 0700 whatever the umask, so other users can neither place links in it nor read its files,
/// whatever the modes of those files. The object holds a lock while it lives. ``clearLeftovers(in:prefix:)``
/// deletes the directories of killed processes, whose locks are free.
///
/// The directory contains files with LevelDB's names, and databases in subdirectories named `db`, `db.*` or `lost`.
/// Nothing else is ever deleted.
///
/// In a process forked from the maker, ``remove()`` and `deinit` do nothing.
package final class ScratchDirectory: Sendable {
    /// The prefix of scratch directory names. Six letters and digits follow.
    package static let standardPrefix = ".levelkit-scratch-"

    private struct Open {
        let parent: DirectoryHandle
        let handle: DirectoryHandle
        let lock: ScratchLock
    }

    /// The absolute path.
    package let path: String
    /// The open directory, for `openat` and related calls. Valid until ``remove()``.
    package let descriptor: Int32
    private let name: String
    private let maker: pid_t
    private let open: Mutex<Open?>

    /// The path for a database in the directory. Nothing exists there at first.
    package var databasePath: String { path + "/db" }

    /// Creates a directory in a place that the user chose, such as the directory for temporary files.
    ///
    /// - Parameters:
    ///   - base: an existing directory. Links in its path are followed.
    ///   - prefix: the start of the name.
    ///   - trust: the users that may be able to replace the directory.
    /// - Throws: ``LevelError`` with `io` if the directory cannot be created, or if untrusted users could replace it.
    package convenience init(
        in base: String, prefix: String = ScratchDirectory.standardPrefix, trust: DirectoryTrust = .nobodyElse
    ) throws(LevelError) {
        try self.init(inResolved: DatabaseDirectory(base).path, prefix: prefix, trust: trust)
    }

    /// Creates a directory at an absolute path without links. A component that another user has replaced by a link
    /// since the path was resolved is an error.
    package convenience init(inResolved base: String, prefix: String, trust: DirectoryTrust) throws(LevelError) {
        try Self.require(trust, in: base)
        let parent: DirectoryHandle
        do throws(SystemError) {
            parent = try DirectoryHandle.at(resolved: base)
        } catch {
            throw error.levelError("create a private directory in \(base)")
        }
        try self.init(in: parent, at: base, prefix: prefix)
    }

    /// Throws if untrusted users could replace what this user creates at a resolved path.
    static func require(_ trust: DirectoryTrust, in base: String) throws(LevelError) {
        guard !trust.allows(resolved: base) else { return }
        throw LevelError(
            .io,
            "could not create a private directory in \(base): other users can rename its content; use a directory that "
                + "belongs to you, or to root with the sticky bit (chmod +t), and whose parents do too")
    }

    /// Creates a directory in an open directory. The caller uses its files through descriptors, because other users may
    /// be able to replace it.
    ///
    /// - Parameters:
    ///   - parent: the open directory, from ``DirectoryHandle/at(resolved:)``.
    ///   - base: its path.
    ///   - prefix: the start of the name.
    init(in parent: DirectoryHandle, at base: String, prefix: String) throws(LevelError) {
        var made: (name: String, handle: DirectoryHandle, lock: ScratchLock)?
        do throws(SystemError) {
            // An attempt fails if the name is taken, or if another process clears leftovers at the same moment.
            for _ in 0..<100 where made == nil { made = try Self.make(prefix, in: parent) }
        } catch {
            throw error.levelError("create a private directory in \(base)")
        }
        guard let made else {
            throw LevelError(
                .io, "could not keep a private directory in \(base); another process deletes or replaces it")
        }
        name = made.name
        path = DatabaseDirectory(resolved: base).file(made.name)
        descriptor = made.handle.descriptor
        maker = getpid()
        open = Mutex(Open(parent: parent, handle: made.handle, lock: made.lock))
    }

    deinit { remove() }

    private static func make(
        _ prefix: String, in parent: DirectoryHandle
    ) throws(SystemError) -> (name: String, handle: DirectoryHandle, lock: ScratchLock)? {
        let name = prefix + String((0..<6).map { _ in nameCharacters.randomElement()! })
        let handle: DirectoryHandle
        do throws(SystemError) {
            try parent.makeDirectory(name, permissions: 0o700)
        } catch let error where error.number == EEXIST {
            return nil
        }
        do throws(SystemError) {
            handle = try DirectoryHandle(name, in: parent.descriptor)
        } catch {
            if error.isMissingFile { return nil }
            // With a umask such as 0777, the directory cannot be opened.
            try? parent.removeDirectory(name)
            throw error
        }
        let status = try handle.status()
        // On some file systems, a new directory belongs to somebody else.
        guard status.owner == geteuid() else {
            try? parent.removeDirectory(name, openAs: handle)
            throw SystemError(number: EPERM)
        }
        do throws(SystemError) {
            // A umask such as 0277 removes owner bits.
            if status.permissions & 0o700 != 0o700 { try handle.setPermissions(status.permissions | 0o700) }
            // Another user may have put another directory of this user in its place, whose files would be deleted with
            // the scratch directory.
            guard try handle.names().isEmpty else { return nil }
            AccessControlList.removeInherited(from: handle)
            // The inherited set-group-ID bit is kept.
            try handle.setPermissions(status.permissions & 0o7000 | 0o700)
            guard let lock = try ScratchLock.make(in: handle) else { return nil }
            return (name, handle, lock)
        } catch {
            try? parent.removeDirectory(name, openAs: handle)
            throw error
        }
    }

    /// Deletes the directory and its files, and releases the lock. May be called more than once and from any thread.
    ///
    /// A file without a LevelDB name is kept, along with the directories that contain it.
    package func remove() {
        guard getpid() == maker else { return }
        let taken = open.withLock { open in
            defer { open = nil }
            return open
        }
        if let taken { Self.remove(name, in: taken.parent, openAs: taken.handle) }
    }

    // MARK: - Leftovers

    /// Deletes the scratch directories in `base` that killed processes of this user left there.
    ///
    /// A leftover is a directory, not a link. It belongs to the effective user, has mode 0700 and a name as this type
    /// generates them, and its lock is free. Everything else is kept.
    ///
    /// - Complexity: O(n) in the number of names in `base`.
    package static func clearLeftovers(in base: String, prefix: String = ScratchDirectory.standardPrefix) {
        guard let parent = try? DirectoryHandle(path: base, followsLink: true) else { return }
        clearLeftovers(in: parent, prefix: prefix)
    }

    /// Like ``clearLeftovers(in:prefix:)``, in an open directory. One that this user may not list is left as it is.
    static func clearLeftovers(in parent: DirectoryHandle, prefix: String) {
        guard let names = try? parent.readable().names() else { return }
        for name in names where isMade(name, prefix) {
            guard let handle = try? DirectoryHandle(name, in: parent.descriptor), let status = try? handle.status(),
                status.owner == geteuid(), status.permissions & 0o1777 == 0o700
            else { continue }
            switch ScratchLock.take(in: handle) {
            case .somebody: continue
            case .notMade: try? parent.removeDirectory(name, openAs: handle)
            case .nobody(let lock):
                remove(name, in: parent, openAs: handle)
                _ = consume lock
            }
        }
    }

    private static let nameCharacters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// Returns whether a name is the prefix plus six letters and digits.
    static func isMade(_ name: String, _ prefix: String) -> Bool {
        guard name.utf8.starts(with: prefix.utf8) else { return false }
        let rest = Substring(name.utf8.dropFirst(prefix.utf8.count))
        return rest.utf8.count == 6 && rest.allSatisfy(nameCharacters.contains)
    }

    private static func remove(_ name: String, in parent: DirectoryHandle, openAs handle: DirectoryHandle) {
        clear(handle, depth: 0)
        try? handle.removeFile(ScratchLock.name)
        try? parent.removeDirectory(name, openAs: handle)
    }

    /// Deletes files with LevelDB's names, attachments, renditions, and databases in subdirectories. The deepest path is
    /// `db.partial-a1B2c3/db/lost`.
    private static func clear(_ directory: DirectoryHandle, depth: Int) {
        for name in (try? directory.names()) ?? [] {
            if EngineFileName(name) != nil || depth > 0 && name == ScratchLock.name {
                // A directory with such a name is empty. It is there to keep LevelDB from creating the file.
                if (try? directory.removeFile(name)) == nil,
                    let inner = try? DirectoryHandle(name, in: directory.descriptor)
                {
                    try? directory.removeDirectory(name, openAs: inner)
                }
            } else if depth < 3, holdsDatabase(name), let inner = try? DirectoryHandle(name, in: directory.descriptor) {
                clear(inner, depth: depth + 1)
                try? directory.removeDirectory(name, openAs: inner)
            } else if depth > 0, name == ContentDirectory.name {
                ContentDirectory.clear(in: directory)
            } else if depth > 0, name == DerivedDirectory.name {
                DerivedDirectory.clear(in: directory)
            }
        }
    }

    private static func holdsDatabase(_ name: String) -> Bool {
        name == "db" || name == "lost" || name.hasPrefix("db.")
    }
}
