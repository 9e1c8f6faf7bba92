#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The `LOCK` file with which LevelDB excludes other processes.
enum LockFile {
    /// Returns the process that holds the lock on the database in `directory`, or `nil` if it is not locked.
    ///
    /// Queries with `fcntl(F_GETLK)`, which takes no lock and returns the process ID of the holder. The file is not
    /// opened while this process has the database open, because POSIX drops all locks of a process on a file when it
    /// closes any descriptor of that file.
    static func holder(in directory: DatabaseDirectory) -> Int32? {
        guard let place = FileStatus(path: directory.path)?.identity,
            let lock = FileStatus(path: directory.file("LOCK")), lock.isRegularFile
        else { return nil }
        // Not `??`: the inner `nil` means that the lock is free.
        guard let holder = OpenDatabases.whileUnused(place, lock: lock.identity, { foreignHolder(in: directory) })
        else { return getpid() }
        return holder
    }

    /// Same as ``holder(in:)``, for a process that has registered the database in ``OpenDatabases`` itself.
    static func foreignHolder(in directory: DatabaseDirectory) -> Int32? {
        let descriptor = unsafe open(directory.file("LOCK"), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var query = flock()
        query.l_type = Int16(F_WRLCK)
        query.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(descriptor, F_GETLK, &query) == 0, query.l_type != Int16(F_UNLCK) else { return nil }
        return query.l_pid
    }

    /// Runs `body` while this process holds the lock, and deletes the lock file if `body` returns `true`. Does nothing
    /// if the lock file does not exist or another process holds the lock. Only for a process that has not opened the
    /// database.
    ///
    /// The lock file of an existing database must stay. A process that has opened the file and locks it after its
    /// deletion would exclude no one.
    static func removing(in directory: DirectoryHandle, _ body: () -> Bool) {
        let descriptor = unsafe openat(
            directory.descriptor, "LOCK", O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(descriptor, F_SETLK, &request) == 0 else { return }
        if body() { try? directory.removeFile("LOCK") }
    }

    /// Returns the error for a database that process `pid` has locked.
    static func heldError(path: String, pid: Int32) -> LevelError {
        LevelError(
            .locked,
            "\(path) is open in process \(pid)\(name(of: pid).map { " (\($0))" } ?? ""); "
                + "close it there, or wait and try again")
    }

    /// Returns the name of a process, or `nil` if the system does not report it.
    private static func name(of pid: Int32) -> String? {
        #if os(Linux)
            guard let file = unsafe fopen("/proc/\(pid)/comm", "r") else { return nil }
            defer { unsafe fclose(file) }
            var bytes = [CChar](repeating: 0, count: 64)
            guard unsafe fgets(&bytes, 64, file) != nil else { return nil }
            let name = bytes.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            return String(decoding: name, as: UTF8.self)
        #else
            return nil
        #endif
    }
}
