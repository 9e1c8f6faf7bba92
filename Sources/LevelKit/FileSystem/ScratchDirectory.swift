internal import LevelFiles
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A directory that nobody but its owner can enter, for files that are gone when the process is done with them.
///
/// Made by `mkdtemp` with mode 0700 whatever the mask of the process is, so no other user can have put a link there, and
/// what is in it cannot be read by others, whatever its own mode is. While the object lives it holds a lock; what a
/// killed process leaves is removed by ``clearLeftovers(in:prefix:)`` once that lock is free.
///
/// Holds files with LevelDB's names, and databases in directories named `db`, `db.` and more, or `lost`. Anything else is
/// never removed.
///
/// In a process that was forked off the maker, ``remove()`` and `deinit` do nothing.
package final class ScratchDirectory: Sendable {
    /// How the names of scratch directories begin, six letters and digits follow.
    package static let standardPrefix = ".levelkit-scratch-"

    private struct Open {
        let handle: DirectoryHandle
        let lock: ScratchLock
    }

    /// The absolute path.
    package let path: String
    /// The open directory, for `openat` and its relatives; valid until ``remove()``.
    package let descriptor: Int32
    private let maker: pid_t
    private let open: Mutex<Open?>

    /// The path for a database in the directory; nothing is there at first.
    package var databasePath: String { path + "/db" }

    /// Makes a directory.
    ///
    /// - Parameters:
    ///   - base: an existing directory.
    ///   - prefix: how the name begins.
    ///   - trust: who may be able to replace the directory.
    /// - Throws: ``LevelError`` with `io` where it cannot be made, or where other users could replace it.
    package init(
        in base: String, prefix: String = ScratchDirectory.standardPrefix, trust: DirectoryTrust = .nobodyElse
    ) throws(LevelError) {
        let parent = try DatabaseDirectory(base).path
        guard trust.allows(parent) else {
            throw LevelError(
                .io,
                "could not make a private directory in \(parent): other users can rename what is in it; use a directory that "
                    + "belongs to you, or to root with the sticky bit (chmod +t), and so do those above it")
        }
        var made: (path: String, open: Open)?
        do throws(SystemError) {
            // Only a process that clears leftovers at this very moment lets a try fail.
            for _ in 0..<100 where made == nil { made = try Self.make((parent == "/" ? "/" : parent + "/") + prefix) }
        } catch {
            throw error.levelError("make a private directory in \(parent)")
        }
        guard let made else {
            throw LevelError(.io, "could not keep a private directory in \(parent); another process removes them")
        }
        path = made.path
        descriptor = made.open.handle.descriptor
        maker = getpid()
        open = Mutex(made.open)
    }

    deinit { remove() }

    private static func make(_ start: String) throws(SystemError) -> (path: String, open: Open)? {
        var template = Array((start + "XXXXXX").utf8CString)
        guard unsafe template.withUnsafeMutableBufferPointer({ unsafe mkdtemp($0.baseAddress!) }) != nil else {
            throw .last
        }
        let path = unsafe template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        let handle: DirectoryHandle
        do throws(SystemError) {
            handle = try DirectoryHandle(path: path, followsLink: false)
        } catch let error where error.isMissingFile {
            return nil
        }
        let status = try handle.status()
        guard status.owner == geteuid() else { throw SystemError(number: EPERM) }
        // A mask such as 0277 would have taken bits from it.
        // What a directory inherits of its parent, a group, stays.
        if status.permissions & 0o777 != 0o700 { try handle.setPermissions(status.permissions & 0o7000 | 0o700) }
        do throws(SystemError) {
            guard let lock = try ScratchLock.make(in: handle) else { return nil }
            return (path, Open(handle: handle, lock: lock))
        } catch {
            unsafe rmdir(path)
            throw error
        }
    }

    /// Removes the directory with the files in it, and releases the lock. Safe to call more than once and from any thread.
    ///
    /// A file with a name that is not one of LevelDB's stays, and so do the directories that it is in.
    package func remove() {
        guard getpid() == maker else { return }
        let taken = open.withLock { open in
            defer { open = nil }
            return open
        }
        guard let taken, let base = DatabaseDirectory.parent(of: path),
            let parent = try? DirectoryHandle(path: base, followsLink: false)
        else { return }
        let name = path.utf8.dropFirst(base == "/" ? 1 : base.utf8.count + 1)
        Self.remove(String(Substring(name)), in: parent, openAs: taken.handle)
    }

    // MARK: - Leftovers

    /// Removes what killed processes of this user have left in a directory.
    ///
    /// A leftover is a directory, and no link to one; it belongs to the effective user, has mode 0700 and a name that
    /// `mkdtemp` gives, and no process holds its lock. Everything else stays as it is.
    ///
    /// - Complexity: O(n) in the number of names in `base`.
    package static func clearLeftovers(in base: String, prefix: String = ScratchDirectory.standardPrefix) {
        guard let parent = try? DirectoryHandle(path: base, followsLink: true), let names = try? parent.names() else {
            return
        }
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

    /// Whether a name is the prefix with what `mkdtemp` appends.
    private static func isMade(_ name: String, _ prefix: String) -> Bool {
        guard name.utf8.starts(with: prefix.utf8) else { return false }
        let rest = name.utf8.dropFirst(prefix.utf8.count)
        return rest.count == 6
            && rest.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
    }

    private static func remove(_ name: String, in parent: DirectoryHandle, openAs handle: DirectoryHandle) {
        clear(handle, depth: 0)
        try? handle.removeFile(ScratchLock.name)
        try? parent.removeDirectory(name, openAs: handle)
    }

    /// Removes files with LevelDB's names, and databases below them: `db.partial-a1B2c3/db/lost` is as deep as it goes.
    private static func clear(_ directory: DirectoryHandle, depth: Int) {
        for name in (try? directory.names()) ?? [] {
            if EngineFileName(name) != nil || depth > 0 && name == ScratchLock.name {
                // A directory of such a name is empty: it keeps LevelDB from making the file.
                if (try? directory.removeFile(name)) == nil,
                    let inner = try? DirectoryHandle(name, in: directory.descriptor)
                {
                    try? directory.removeDirectory(name, openAs: inner)
                }
            } else if depth < 3, holdsDatabase(name), let inner = try? DirectoryHandle(name, in: directory.descriptor) {
                clear(inner, depth: depth + 1)
                try? directory.removeDirectory(name, openAs: inner)
            }
        }
    }

    private static func holdsDatabase(_ name: String) -> Bool {
        name == "db" || name == "lost" || name.hasPrefix("db.")
    }
}
