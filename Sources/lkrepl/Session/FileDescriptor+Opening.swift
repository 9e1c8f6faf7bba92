import DocIndex
import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileDescriptor {
    /// Opens a file for reading; `-` is standard input.
    ///
    /// - Throws: ``CommandError`` with `noInput` if it does not exist.
    static func openForReading(_ path: String) throws -> FileDescriptor {
        if path == "-" {
            guard !(Session.shell?.readsStandardInput ?? false) else {
                throw CommandError(.usage, "standard input is used for commands", hint: "specify a file instead of -")
            }
            if standardInput.isTerminal { OpenOutputs.current?.tellItself() }
            return .standardInput
        }
        guard !isDirectory(path) else {
            throw CommandError(
                .noInput, "cannot read \(path): it is a directory", hint: "specify a file, or - for standard input")
        }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandError.system(SystemError(number: errno), "cannot read \(path)") }
        return FileDescriptor(rawValue: descriptor)
    }

    /// Ensures that the three standard streams are open, so that a file opened later cannot take the number of one.
    ///
    /// A closed stream is replaced by `/dev/null` with the wrong access mode, so that using it is an error.
    static func reserveStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Creates a file for writing. Fails if the path exists, even as a dangling link.
    ///
    /// - Parameter permissions: The permissions, before the process's mask is applied.
    static func openNew(_ path: String, permissions: mode_t = 0o600) throws -> FileDescriptor {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw failure(creating: path) }
        return FileDescriptor(rawValue: descriptor)
    }

    /// Creates a file with a random name that only this user can access.
    ///
    /// - Parameters:
    ///   - start: The path up to the random letters.
    ///   - suffix: The text after them.
    static func makeTemporary(_ start: String, suffix: String = "") throws -> (file: FileDescriptor, path: String) {
        var template = Array((start + "XXXXXX" + suffix).utf8CString)
        // mkstemps creates the file with O_EXCL and mode 0600.
        let descriptor = unsafe template.withUnsafeMutableBufferPointer {
            unsafe mkstemps($0.baseAddress!, Int32(suffix.utf8.count))
        }
        guard descriptor >= 0 else { throw failure(creating: start + "…") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let path = unsafe template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        return (FileDescriptor(rawValue: descriptor), path)
    }

    /// The last component of a path.
    static func lastStep(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    /// The failure to create a file, from `errno`.
    static func failure(creating path: String) -> CommandError {
        let error = SystemError(number: errno)
        return CommandError(.cannotCreate, "cannot create \(path): \(error)", hint: error.hint)
    }

    /// The parent directory of a path; `.` for a plain name.
    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Opens a file for writing from its beginning, creating or truncating it.
    ///
    /// - Throws: ``CommandError`` with `cannotCreate`, including if another user planted a link or a file there.
    static func openForOverwriting(_ path: String) throws -> FileDescriptor {
        try OutputPlace(path).openForOverwriting()
    }

    /// The path with links resolved; the path itself if it does not exist.
    static func resolvingLinks(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Whether a path exists and is not a regular file.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Whether a path is a link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether a path exists and is not a regular file, or is a link.
    static func isLinkOrSpecial(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    /// Whether a path is a directory.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a path exists, even as a dangling link.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// The size of the file; `nil` if it is not a regular file.
    var byteCount: Int? {
        var status = stat()
        guard unsafe fstat(rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// Seeks to the last bytes of a regular file. Returns whether there are bytes before them.
    func skip(toLast byteCount: Int) throws -> Bool {
        guard let total = self.byteCount, total > byteCount else { return false }
        guard lseek(rawValue, off_t(total - byteCount), SEEK_SET) >= 0 else { throw SystemError(number: errno) }
        return true
    }

    /// Reads all bytes up to the end.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes, so that a device or a wrong file does not exhaust memory.
    ///   - name: The file's name in the error message.
    /// - Throws: ``CommandError`` with `badData` if the file exceeds the limit; `SystemError`.
    func readAll(limit: Int, name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try read(into: &buffer)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            if bytes.count > limit {
                throw CommandError(
                    .badData, "\(name) is larger than \(HumanNumber.byteCount(limit))",
                    hint: "check the path")
            }
        }
    }

    /// The total size and the number of files in a directory, without subdirectories.
    static func directoryByteCount(_ path: String) -> (bytes: Int, files: Int) {
        var total = (bytes: 0, files: 0)
        for name in names(in: path) {
            var status = stat()
            guard unsafe stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            total.bytes += Int(status.st_size)
            total.files += 1
        }
        return total
    }

    /// The metadata of a file that a write changes.
    struct FileState: Hashable {
        /// The modification time in seconds since 1970. Writes within the same tick of the kernel's clock have the
        /// same.
        let time: Double
        let byteCount: Int64
    }

    /// The states of the files in a directory, by name.
    static func fileStates(in path: String) -> [String: FileState] {
        var states: [String: FileState] = [:]
        for name in names(in: path) {
            var status = stat()
            guard unsafe stat(path + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            states[name] = FileState(
                time: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, byteCount: Int64(status.st_size))
        }
        return states
    }

    /// The latest modification time of a file in a directory, in seconds since 1970; `nil` if there is none.
    static func lastChange(in path: String) -> Double? { fileStates(in: path).values.map(\.time).max() }

    /// The names of the entries in a directory; empty if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                    unsafe tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                        unsafe String(cString: $0)
                    }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }
}
