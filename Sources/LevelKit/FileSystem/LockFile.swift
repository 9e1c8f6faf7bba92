#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The `LOCK` file through which LevelDB keeps a second process out.
enum LockFile {
    /// The process that holds the lock on the database in `directory`; `nil` if nobody does.
    ///
    /// Asks with `fcntl(F_GETLK)`, which takes no lock and gives the process id of the holder. Where a database of this
    /// process uses the file it is not opened: POSIX drops a process's lock when it closes any descriptor of the file.
    static func holder(in directory: DatabaseDirectory) -> Int32? {
        guard let place = FileStatus(path: directory.path)?.identity,
            let lock = FileStatus(path: directory.file("LOCK")), lock.isRegularFile
        else { return nil }
        // Not `??`: that nobody holds the lock is an answer too.
        guard let holder = OpenDatabases.whileUnused(place, lock: lock.identity, { foreignHolder(in: directory) })
        else { return getpid() }
        return holder
    }

    /// As ``holder(in:)``, for a process that has entered the database in ``OpenDatabases`` itself.
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

    /// Runs `body` while this process holds the lock, and takes the lock file away if `body` says so; does nothing where
    /// there is no lock file or another process holds it. For a process that has not opened the database.
    ///
    /// Where there is a database the file must stay: a process that has opened it, and locks it only after it was taken
    /// away, would keep nobody out.
    static func removing(in directory: DatabaseDirectory, _ body: () -> Bool) {
        let descriptor = unsafe open(directory.file("LOCK"), O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        guard unsafe fcntl(descriptor, F_SETLK, &request) == 0 else { return }
        if body() { unsafe unlink(directory.file("LOCK")) }
    }

    /// The error for a database that process `pid` holds.
    static func heldError(path: String, pid: Int32) -> LevelError {
        LevelError(
            .locked,
            "\(path) is open in process \(pid)\(name(of: pid).map { " (\($0))" } ?? ""); "
                + "close it there, or wait and try again")
    }

    /// The name of a process, where the system tells it.
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
