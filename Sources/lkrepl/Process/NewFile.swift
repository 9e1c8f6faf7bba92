#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that is written under a name of its own, and appears under its right one as a whole.
///
/// What is no regular file, such as a pipe or a device, is written as it is: a file must not take its place.
struct NewFile {
    /// Writes a file by `body`; `nil` or `-` is standard output.
    ///
    /// - Parameters:
    ///   - replaces: whether a file that exists may be replaced.
    ///   - body: writes everything, and does not close.
    /// - Throws: ``CommandFailure`` with `cannotCreate`, also where another user has put a link or a file there.
    static func write<R>(_ file: String?, replacing replaces: Bool, _ body: (StandardOutput) throws -> R) throws -> R {
        guard let file, file != "-" else { return try body(StandardOutput()) }
        guard !file.isEmpty, !FileDescriptor.isDirectory(file) else {
            throw CommandFailure(.cannotCreate, "cannot write to \(file): it is no file", hint: "name a file with -o")
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
            throw CommandFailure(
                .cannotCreate, "\(file) exists already", hint: "name another file, or add --force to replace it")
        }
        return try PartialFile.write(place, isSynchronized: true, body)
    }

    /// Whether a path leads to the file that standard output does, as `/dev/stdout`.
    private static func isStandardOutput(_ file: String) -> Bool {
        var named = stat()
        var output = stat()
        guard unsafe stat(file, &named) == 0, unsafe fstat(1, &output) == 0 else { return false }
        return named.st_dev == output.st_dev && named.st_ino == output.st_ino
    }
}
