internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Calls that change directory entries.
enum FileOperations {
    /// Creates a hard link to a file in an open directory of the same file system. A symbolic link is linked, not
    /// followed.
    static func link(_ source: String, to name: String, in directory: Int32) throws(SystemError) {
        guard unsafe linkat(AT_FDCWD, source, directory, name, 0) == 0 else { throw .last }
    }

    /// Returns whether a path exists. A dangling link exists.
    static func exists(_ path: String) -> Bool { FileStatus(linkAt: path) != nil }

    /// Creates a symbolic link.
    ///
    /// - Parameter target: the path that the link contains.
    static func symbolicLink(_ target: String, at path: String) throws(SystemError) {
        guard unsafe symlink(target, path) == 0 else { throw .last }
    }

    /// Deletes a file.
    static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw .last }
    }

    /// Deletes an empty directory.
    static func removeDirectory(_ path: String) throws(SystemError) {
        guard unsafe rmdir(path) == 0 else { throw .last }
    }

    /// Creates a directory.
    static func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
        guard unsafe mkdir(path, mode_t(permissions)) == 0 else { throw .last }
    }

    /// Renames a file, replacing any file at the target.
    static func rename(_ source: String, replacing target: String) throws(SystemError) {
        guard systemRename(source, target) == 0 else { throw .last }
    }

    /// Renames a directory to an unused name.
    static func rename(_ source: String, to target: String) throws(SystemError) {
        // If the target appears after this check, `rename` can replace it only if it is an empty directory.
        guard !exists(target) else { throw SystemError(number: EEXIST) }
        try rename(source, replacing: target)
    }

    /// Atomically exchanges two directories of one file system.
    ///
    /// - Returns: `false` if the system has no such call.
    /// - Throws: `SystemError` with `EINVAL` or `ENOTSUP` if the file system does not support it, `EBUSY` or `EXDEV` if
    ///   one of them is a mount point.
    static func exchange(_ first: String, _ second: String) throws(SystemError) -> Bool {
        #if canImport(Glibc)
            // glibc declares it since 2.28, but only with `_GNU_SOURCE`.
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

    /// Flushes the names in a directory to the disk.
    static func synchronizeDirectory(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try OpenFile(reading: path).synchronize()
        } catch let error where error.number == EINVAL {
            // Some file systems have nothing to flush and report it with this error.
        }
    }

    /// The number of files that the process may have open.
    static var openFileLimit: Int {
        Int(clamping: openFileLimits?.rlim_cur ?? 256)
    }

    /// Raises the limit on open files to the hard limit if half of the current limit does not cover `count`.
    ///
    /// - Returns: the number of files that the process may have open now.
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

    /// The maximum size of a file that the process may write.
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
