#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is written under a temporary name, and gets its own name only when complete.
///
/// Pipes, devices and other special files are written directly: a regular file must not replace them.
struct NewFile {
    /// Writes a file by calling `body`; `nil` or `-` is standard output.
    ///
    /// - Parameters:
    ///   - replaces: Whether an existing file may be replaced.
    ///   - body: Writes the content, and does not close the output.
    /// - Throws: ``CommandError`` with `cannotCreate`, including if another user planted a link or a file there.
    static func write<R>(_ file: String?, replacing replaces: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        guard let file, file != "-" else { return try body(StandardOutput()) }
        guard !file.isEmpty, !FileDescriptor.isDirectory(file) else {
            throw CommandError(
                .cannotCreate, "cannot write to \(file): it is not a file", hint: "specify a file with -o")
        }
        let place = try OutputPlace(file)
        try place.check()
        if place.isSpecial {
            let descriptor = try place.open(0)
            do {
                let output = StandardOutput(descriptor: descriptor, name: file)
                let result = try body(output)
                try output.close()
                return result
            } catch {
                try? descriptor.closeFile()
                throw error
            }
        }
        guard replaces || !FileDescriptor.exists(FileDescriptor.resolvingLinks(file)) || isStandardOutput(file) else {
            throw CommandError(
                .cannotCreate, "\(file) already exists", hint: "choose another file, or add --force to replace it")
        }
        return try PartialFile.write(place, isSynchronized: true, body)
    }

    /// The program that makes files whose names end like this one; `nil` for names of other files.
    static func packing(of file: String) -> String? {
        let programs = [
            "gz": "gzip", "tgz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd", "zip": "zip", "tar": "tar",
        ]
        return file.split(separator: ".").dropFirst().last.flatMap { programs[$0.lowercased()] }
    }

    /// Advice on a file that is not compressed, although its name says so; `nil` for others.
    static func packingAdvice(_ file: String?) -> String? {
        guard let file, let program = packing(of: file), !FileDescriptor.isSpecial(file) else { return nil }
        let pipe = program == "zip" || program == "tar" ? "" : "; without -o, | \(program) > \(file) compresses"
        return "\(file) is not compressed\(pipe)"
    }

    /// Whether a path refers to the file that is standard output, such as `/dev/stdout`.
    private static func isStandardOutput(_ file: String) -> Bool {
        var named = stat()
        var output = stat()
        guard unsafe stat(file, &named) == 0, unsafe fstat(1, &output) == 0 else { return false }
        return named.st_dev == output.st_dev && named.st_ino == output.st_ino
    }
}
