/// A file that is written under a name of its own, and appears under its right one as a whole.
///
/// What is no regular file, such as a pipe or a device, is written as it is: a file must not take its place.
struct NewFile {
    /// Writes a file by `body`; `nil` or `-` is standard output.
    ///
    /// - Parameter body: writes everything, and does not close.
    /// - Throws: ``CommandFailure`` with `cannotCreate`, also where another user has put a link or a file there.
    static func write<R>(_ file: String?, _ body: (StandardOutput) throws -> R) throws -> R {
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
        return try PartialFile.write(place, isSynchronized: true, body)
    }
}
