#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An open file, closed with the last reference to it.
///
/// Never used for the `LOCK` file of a database that this process has open: POSIX drops the lock when any descriptor of
/// the file is closed.
package final class OpenFile: Sendable {
    /// The file descriptor, valid for the lifetime of this object.
    package let descriptor: Int32

    /// The status of an open file.
    package struct Status {
        /// The size of the file in bytes.
        package let byteCount: UInt64
        /// The bytes that the file takes on the disk; fewer than ``byteCount`` for a sparse file.
        package let allocatedByteCount: UInt64
        /// The permission bits.
        package let permissions: UInt32
        package let owner: UInt32
        /// The number of hard links.
        package let linkCount: Int
    }

    /// Opens a file for reading. A pipe, a device or a socket is an error, because reading it might never end.
    ///
    /// - Parameter followsLink: whether the last component of the path may be a symbolic link. If not, a link is an
    ///   error, `ELOOP`.
    package init(reading path: String, followsLink: Bool = true) throws(SystemError) {
        // Without blocking, because opening a pipe would otherwise wait for a writer.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else { throw .last }
        try requireFile()
    }

    /// Creates a file for writing. An existing file is an error.
    ///
    /// - Parameter permissions: the mode, before the process's umask.
    package init(creating path: String, permissions: UInt32 = 0o644) throws(SystemError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
        guard descriptor >= 0 else { throw .last }
    }

    /// Opens a file in an open directory for reading. A link is an error.
    package init(reading name: String, in directory: Int32) throws(SystemError) {
        descriptor = unsafe openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last }
        try requireFile()
    }

    /// Creates a file for writing in an open directory. An existing file is an error.
    ///
    /// - Parameter permissions: the mode, before the process's umask.
    package init(creating name: String, in directory: Int32, permissions: UInt32) throws(SystemError) {
        descriptor = unsafe openat(
            directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(permissions))
        guard descriptor >= 0 else { throw .last }
    }

    /// Opens a file in an open directory for writing behind its content. A link is an error, also a hard link, since
    /// writing would change the other file.
    package init(continuing name: String, in directory: Int32) throws(SystemError) {
        descriptor = unsafe openat(directory, name, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last }
        try requireFile()
        guard try status().linkCount == 1 else { throw .notAFile }
    }

    deinit {
        close(descriptor)
    }

    /// Throws unless this is a file, or a directory, which can be opened to synchronize its names.
    private func requireFile() throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw .notAFile }
    }

    /// Returns the size, owner and permissions of the file.
    package func status() throws(SystemError) -> Status {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        return Status(
            byteCount: UInt64(max(0, status.st_size)), allocatedByteCount: UInt64(max(0, status.st_blocks)) * 512,
            permissions: UInt32(status.st_mode) & 0o777, owner: UInt32(status.st_uid), linkCount: Int(status.st_nlink))
    }

    /// Sets the permissions of the file.
    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
        guard fchmod(descriptor, mode_t(permissions)) == 0 else { throw .last }
    }

    // MARK: - Reading

    /// Reads up to `byteCount` bytes at the current position; fewer only at the end of the file.
    package func read(upTo byteCount: Int) throws(SystemError) -> [UInt8] {
        try unsafe bytes(upTo: byteCount) { target, count, _ in unsafe systemRead(descriptor, target, count) }
    }

    /// Calls `read` with the target, the remaining count and the number of bytes read so far, until it has enough bytes
    /// or reaches the end.
    private func bytes(
        upTo byteCount: Int, _ read: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        // All empty arrays share their storage, and filling it would write to it.
        if byteCount <= 0 { return [] }
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            while count < byteCount {
                let read = unsafe read(buffer.baseAddress! + count, byteCount - count, count)
                if read == 0 { return }
                if read > 0 {
                    count += read
                } else if errno != EINTR {
                    failure = .last
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Reads to the end of the file, or up to a limit. The limit keeps a file that does not match its name from filling
    /// the memory.
    package func readToEnd(limit: Int = .max) throws(SystemError) -> [UInt8] {
        // Does not use the file size, because the file may be growing.
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let count = min(256 << 10, limit - bytes.count)
            let part = try read(upTo: count)
            bytes += part
            if part.count < count { break }
        }
        return bytes
    }

    /// Returns the content of the file at `path`, up to a limit.
    package static func content(of path: String, limit: Int = .max) throws(SystemError) -> [UInt8] {
        try OpenFile(reading: path).readToEnd(limit: limit)
    }

    /// Reads `byteCount` bytes at `offset`, independent of the current position; fewer only at the end of the file.
    package func read(at offset: UInt64, byteCount: Int) throws(SystemError) -> [UInt8] {
        try unsafe bytes(upTo: byteCount) { target, count, before in
            unsafe pread(descriptor, target, count, off_t(clamping: offset) + off_t(before))
        }
    }

    /// Reads the first `byteCount` bytes into one array; fewer only if the file is shorter.
    ///
    /// - Parameter body: receives each part after it was read.
    package func readAll(
        byteCount: Int, partByteCount: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) -> [UInt8] {
        try unsafe bytes(upTo: byteCount) { target, count, before in
            let count = unsafe pread(descriptor, target, min(count, partByteCount), off_t(before))
            if count > 0 { unsafe body(UnsafeRawBufferPointer(start: target, count: count)) }
            return count
        }
    }

    /// Moves the read position.
    package func seek(to offset: UInt64) throws(SystemError) {
        guard lseek(descriptor, off_t(clamping: offset), SEEK_SET) >= 0 else { throw .last }
    }

    // MARK: - Writing

    /// Writes all bytes at the current position.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let written = unsafe systemWrite(descriptor, buffer.baseAddress! + offset, buffer.count - offset)
                if written >= 0 {
                    offset += written
                } else if errno != EINTR {
                    failure = .last
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    /// Deletes the content from a position on.
    package func truncate(to byteCount: UInt64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(clamping: byteCount)) == 0 else { throw .last }
    }

    /// Copies another file into this empty file.
    ///
    /// - Parameter limit: the maximum number of bytes to copy, because another process may be appending to the file.
    /// - Returns: the number of copied bytes.
    package func fill(from source: OpenFile, limit: UInt64 = .max) throws(SystemError) -> UInt64 {
        #if os(Linux)
            // Shares the blocks if the file system supports it (FICLONE of linux/fs.h), which is immediate and takes no
            // space.
            if ioctl(descriptor, 0x4004_9409, source.descriptor) == 0 {
                return try status().byteCount
            }
        #endif
        var total: UInt64 = 0
        while total < limit {
            let part = try source.read(upTo: Int(min(256 << 10, limit - total)))
            if part.isEmpty { break }
            try write(part)
            total += UInt64(part.count)
        }
        return total
    }

    /// Flushes the content to the disk.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
            // On Darwin, fsync leaves the data in the disk's cache.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Starts writing the content to the disk, without waiting for it. Does nothing where the system has no such call.
    ///
    /// Every error means that the content may be lost. A later ``synchronize()`` need not report it again.
    package func startWriting() throws(SystemError) {
        #if os(Linux)
            try synchronizeRange(2)
        #endif
    }

    /// Writes the content to the disk, which may still keep it in its cache, and waits. ``synchronize()`` has little left
    /// to do then, but is necessary: it flushes that cache, and writes the size and the place of the content.
    ///
    /// Every error means that the content may be lost. A later ``synchronize()`` need not report it again.
    package func waitUntilWritten() throws(SystemError) {
        #if os(Linux)
            try synchronizeRange(1 | 2 | 4)
        #else
            guard fsync(descriptor) == 0 else { throw .last }
        #endif
    }

    #if os(Linux)
        /// Calls `sync_file_range` for the whole file, which glibc declares only with `_GNU_SOURCE`.
        ///
        /// - Parameter flags: 1: wait for what is being written; 2: start writing; 4: wait for it.
        private func synchronizeRange(_ flags: UInt32) throws(SystemError) {
            guard let call = Self.syncFileRange, call(descriptor, 0, 0, flags) != 0 else { return }
            // Some file systems and emulations of Linux lack the call. It is not necessary.
            guard ![ENOSYS, EINVAL, EOPNOTSUPP, ESPIPE].contains(errno) else { return }
            throw .last
        }

        private typealias SyncFileRange = @convention(c) (Int32, Int64, Int64, UInt32) -> Int32

        private static let syncFileRange: SyncFileRange? = unsafe dlsym(nil, "sync_file_range").map {
            unsafe unsafeBitCast($0, to: SyncFileRange.self)
        }
    #endif

    /// Flushes the names in an open directory to the disk.
    package static func synchronize(directory: Int32) throws(SystemError) {
        // Some file systems have nothing to flush and report it with EINVAL.
        guard fsync(directory) == 0 || errno == EINVAL else { throw .last }
    }
}

// The methods shadow the names `read` and `write`.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
