internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Calls that change names in directories.
enum FileOperations {
    /// Gives a file a second name in an open directory of the same file system. Of a symbolic link, that is a link again.
    static func link(_ source: String, to name: String, in directory: Int32) throws(SystemError) {
        guard unsafe linkat(AT_FDCWD, source, directory, name, 0) == 0 else { throw .last }
    }

    /// Whether there is anything at a path; a link that leads to nothing is something.
    static func exists(_ path: String) -> Bool { status(path) != nil }

    /// The status of what is at a path, a link's own for a link; `nil` if there is nothing.
    static func status(_ path: String) -> DirectoryHandle.Status? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? DirectoryHandle.Status(status) : nil
    }

    /// Makes a symbolic link.
    ///
    /// - Parameter target: what it leads to.
    static func symbolicLink(_ target: String, at path: String) throws(SystemError) {
        guard unsafe symlink(target, path) == 0 else { throw .last }
    }

    /// Takes a name away.
    static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw .last }
    }

    /// Takes an empty directory away.
    static func removeDirectory(_ path: String) throws(SystemError) {
        guard unsafe rmdir(path) == 0 else { throw .last }
    }

    /// Makes a directory.
    static func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
        guard unsafe mkdir(path, mode_t(permissions)) == 0 else { throw .last }
    }

    /// Gives a file another name, in place of the file that had it.
    static func rename(_ source: String, replacing target: String) throws(SystemError) {
        guard systemRename(source, target) == 0 else { throw .last }
    }

    /// Gives a directory another name that nothing has yet.
    static func rename(_ source: String, to target: String) throws(SystemError) {
        // Between the question and the rename only an empty directory could be replaced: the system refuses the rest.
        guard !exists(target) else { throw SystemError(number: EEXIST) }
        try rename(source, replacing: target)
    }

    /// Exchanges two directories of one file system in one step.
    ///
    /// - Returns: `false` where the system has no such call.
    /// - Throws: `SystemError` with `EINVAL` or `ENOTSUP` where the file system cannot do it, `EBUSY` or `EXDEV` where one of
    ///   them is a mount point.
    static func exchange(_ first: String, _ second: String) throws(SystemError) -> Bool {
        #if canImport(Glibc)
            // glibc has declared it since 2.28, for its own extensions only.
            typealias Rename =
                @convention(c) (
                    Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
                ) -> Int32
            guard let symbol = unsafe dlsym(nil, "renameat2") else { return false }
            let exchange: UInt32 = 2
            guard
                unsafe unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, first, AT_FDCWD, second, exchange) == 0
            else { throw .last }
        #else
            guard unsafe renamex_np(first, second, UInt32(RENAME_SWAP)) == 0 else { throw .last }
        #endif
        return true
    }

    /// Waits until the names in a directory are on the disk.
    static func synchronizeDirectory(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try OpenFile(reading: path).synchronize()
        } catch let error where error.number == EINVAL {
            // Some file systems have nothing to wait for and say so this way.
        }
    }

    /// How many files a process may have open.
    static var openFileLimit: Int {
        Int(clamping: openFileLimits?.rlim_cur ?? 256)
    }

    /// Has this process keep more files open if so many are needed, up to what the system lets it have.
    ///
    /// - Returns: how many files the process may have open now.
    static func raisedOpenFileLimit(for count: Int) -> Int {
        guard var limits = openFileLimits, count > Int(clamping: limits.rlim_cur) / 2 else { return openFileLimit }
        limits.rlim_cur = limits.rlim_max
        #if canImport(Glibc)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #else
            limits.rlim_cur = min(limits.rlim_max, rlim_t(OPEN_MAX))
            unsafe setrlimit(RLIMIT_NOFILE, &limits)
        #endif
        return openFileLimit
    }

    /// The size up to which the process may write files.
    static var fileByteCountLimit: UInt64 {
        var limit = rlimit()
        #if canImport(Glibc)
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
        #else
            guard unsafe getrlimit(RLIMIT_FSIZE, &limit) == 0 else { return .max }
        #endif
        return UInt64(limit.rlim_cur)
    }

    private static var openFileLimits: rlimit? {
        var limit = rlimit()
        #if canImport(Glibc)
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        #else
            guard unsafe getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return nil }
        #endif
        return limit
    }
}

private func systemRename(_ source: String, _ target: String) -> Int32 {
    unsafe rename(source, target)
}
