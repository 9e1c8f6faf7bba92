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
    /// - Parameter body: writes everything, and does not close.
    static func write<R>(_ file: String?, _ body: (StandardOutput) throws -> R) throws -> R {
        guard let file, file != "-" else { return try body(StandardOutput()) }
        guard !file.isEmpty, !FileDescriptor.isDirectory(file) else {
            throw CommandFailure(.cannotCreate, "cannot write to \(file): it is no file", hint: "name a file with -o")
        }
        if FileDescriptor.isSpecial(file) {
            let descriptor = try FileDescriptor.openForWriting(file, isNew: false)
            let output = StandardOutput(descriptor: descriptor, name: file)
            do {
                let result = try body(output)
                try output.close()
                return result
            } catch {
                try? descriptor.closeFile()
                throw error
            }
        }
        let path = FileDescriptor.resolvingLinks(file)
        let partial = "\(path).partial-\(getpid())"
        let output = StandardOutput(descriptor: try FileDescriptor.openForWriting(partial, isNew: true), name: partial)
        Interruption.removeAtExit(partial)
        defer { Interruption.keep(partial) }
        do {
            let result = try body(output)
            try output.synchronize()
            try output.close()
            guard unsafe rename(partial, path) == 0 else {
                throw CommandFailure.system(SystemError(number: errno), "cannot rename \(partial) to \(path)")
            }
            return result
        } catch {
            unsafe unlink(partial)
            throw error
        }
    }
}
