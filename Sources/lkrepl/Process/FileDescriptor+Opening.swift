#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension FileDescriptor {
    /// Opens a file for reading; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with `noInput` where there is none.
    static func openForReading(_ path: String) throws -> FileDescriptor {
        if path == "-" { return .standardInput }
        guard !isDirectory(path) else {
            throw CommandFailure(
                .noInput, "cannot read \(path): it is a directory", hint: "name a file, or - for standard input")
        }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure.system(SystemError(number: errno), "cannot read \(path)") }
        return FileDescriptor(rawValue: descriptor)
    }

    /// Opens a new file for writing.
    static func create(_ path: String) throws -> FileDescriptor {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let error = SystemError(number: errno)
            throw CommandFailure(.cannotCreate, "cannot create \(path): \(error)", hint: error.hint)
        }
        return FileDescriptor(rawValue: descriptor)
    }

    /// Whether there is a directory at a path.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is anything at a path.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// The bytes of the file; `nil` if it is no regular file.
    var byteCount: Int? {
        var status = stat()
        guard unsafe fstat(rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// All bytes up to the end.
    func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = try read(into: &buffer)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// The bytes and the number of the files in a directory, without those below it.
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

    /// Removes a database that was being made and is not whole. What is not there is no error.
    static func removeDatabase(_ path: String) {
        for name in names(in: path) { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }

    /// The names of the files in a directory; none if there is no directory.
    private static func names(in path: String) -> [String] {
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
