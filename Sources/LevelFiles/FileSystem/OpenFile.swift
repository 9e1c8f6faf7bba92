#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A file that this process has open; closed when the last reference goes.
///
/// Never used for `LOCK` of a database that this process has open: POSIX drops the lock with any descriptor that is
/// closed.
package final class OpenFile {
    /// The system's number of the file, valid as long as this object lives.
    package let descriptor: Int32

    /// What the system tells of an open file.
    package struct Status {
        /// Bytes in the file.
        package let byteCount: UInt64
        /// Bytes that the file takes on the disk; fewer than ``byteCount`` in a file with holes.
        package let allocatedByteCount: UInt64
        /// The permission bits.
        package let permissions: UInt32
        package let owner: UInt32
        /// How many names the file has.
        package let linkCount: Int
    }

    /// Opens a file for reading. A pipe, a device or a socket is an error: one may be read without end.
    ///
    /// - Parameter followsLink: whether the last step of the path may be a symbolic link; else that is an error, `ELOOP`.
    package init(reading path: String, followsLink: Bool = true) throws(SystemError) {
        // Without waiting: a pipe in place of a file would otherwise wait for somebody who writes to it.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else { throw .last }
        try requireFile()
    }

    /// Makes a new file for writing; an existing one is an error.
    ///
    /// - Parameter permissions: as `mode_t`, before the process's mask.
    package init(creating path: String, permissions: UInt32 = 0o644) throws(SystemError) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
        guard descriptor >= 0 else { throw .last }
    }

    /// Opens a file of a directory that is open for reading; a link is an error.
    package init(reading name: String, in directory: Int32) throws(SystemError) {
        descriptor = unsafe openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .last }
        try requireFile()
    }

    /// Makes a new file for writing in a directory that is open; an existing one is an error.
    ///
    /// - Parameter permissions: as `mode_t`, before the process's mask.
    package init(creating name: String, in directory: Int32, permissions: UInt32) throws(SystemError) {
        descriptor = unsafe openat(
            directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(permissions))
        guard descriptor >= 0 else { throw .last }
    }

    deinit {
        close(descriptor)
    }

    /// Throws for what is neither a file nor a directory, whose names can be synchronized.
    private func requireFile() throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { throw .notAFile }
    }

    /// Bytes in the file, and who may use it.
    package func status() throws(SystemError) -> Status {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        return Status(
            byteCount: UInt64(max(0, status.st_size)), allocatedByteCount: UInt64(max(0, status.st_blocks)) * 512,
            permissions: UInt32(status.st_mode) & 0o777, owner: UInt32(status.st_uid), linkCount: Int(status.st_nlink))
    }

    /// Sets who may use the file.
    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
        guard fchmod(descriptor, mode_t(permissions)) == 0 else { throw .last }
    }

    // MARK: - Reading

    /// Reads on, up to `byteCount` bytes; fewer only at the end of the file.
    package func read(upTo byteCount: Int) throws(SystemError) -> [UInt8] {
        try unsafe bytes(upTo: byteCount) { target, count, _ in unsafe systemRead(descriptor, target, count) }
    }

    /// Calls `read` with where bytes are to go, how many, and how many came before, until there are enough or no more.
    private func bytes(
        upTo byteCount: Int, _ read: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) throws(SystemError) -> [UInt8] {
        // An array of no capacity is the one that all share, and filling it would write to it.
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

    /// Reads on to the end of the file, or up to a limit, so that a file that is not what its name says does not fill
    /// the memory.
    package func readToEnd(limit: Int = .max) throws(SystemError) -> [UInt8] {
        // Not the size the system tells: the file may be growing.
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let count = min(256 << 10, limit - bytes.count)
            let part = try read(upTo: count)
            bytes += part
            if part.count < count { break }
        }
        return bytes
    }

    /// The content of the file at `path`, up to a limit.
    package static func content(of path: String, limit: Int = .max) throws(SystemError) -> [UInt8] {
        try OpenFile(reading: path).readToEnd(limit: limit)
    }

    /// Reads `byteCount` bytes that begin at `offset`, wherever the position is; fewer only at the end of the file.
    package func read(at offset: UInt64, byteCount: Int) throws(SystemError) -> [UInt8] {
        try unsafe bytes(upTo: byteCount) { target, count, before in
            unsafe pread(descriptor, target, count, off_t(clamping: offset) + off_t(before))
        }
    }

    /// Moves the position for reading.
    package func seek(to offset: UInt64) throws(SystemError) {
        guard lseek(descriptor, off_t(clamping: offset), SEEK_SET) >= 0 else { throw .last }
    }

    // MARK: - Writing

    /// Writes all the bytes at the position.
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

    /// Fills this empty file with another one, from its beginning to its end.
    ///
    /// - Parameter limit: the most bytes that are copied; somebody may be adding to the file.
    /// - Returns: the bytes that were copied.
    package func fill(from source: OpenFile, limit: UInt64 = .max) throws(SystemError) -> UInt64 {
        #if os(Linux)
            // Shares the blocks where the file system can (FICLONE of linux/fs.h), at once and without space.
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

    /// Waits until the content is on the disk.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
            // On Darwin fsync leaves the data in the cache of the disk.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Waits until the names in a directory that is open are on the disk.
    package static func synchronize(directory: Int32) throws(SystemError) {
        // Some file systems have nothing to wait for and say so with EINVAL.
        guard fsync(directory) == 0 || errno == EINVAL else { throw .last }
    }
}

// The names `read` and `write` are taken by the methods.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
