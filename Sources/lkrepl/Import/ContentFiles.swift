import DocIndex
import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A directory with the contents of attachments: `DIR/ab/abcd…`, named by their digests, as in a store.
struct ContentFiles {
    let directory: String

    /// Creates the directory if it does not exist.
    init(creating directory: String) throws {
        self.directory = directory
        try Self.makeDirectory(directory)
    }

    /// Names an existing directory.
    init(directory: String) { self.directory = directory }

    /// The path of an attachment.
    func path(of digest: Attachment.Digest) -> String {
        let name = digest.description
        return "\(directory)/\(name.prefix(2))/\(name)"
    }

    /// Writes an attachment, unless a file already contains it.
    ///
    /// - Throws: ``CommandError`` with `cannotCreate` if there is a file with different content; `DocIndexError` for
    ///   a missing or damaged attachment.
    func write(_ attachment: Attachment, from attachments: DocumentStore.Attachments) throws {
        let path = path(of: attachment.digest)
        if FileDescriptor.exists(path) {
            guard try Self.digest(ofFileAt: path) == attachment.digest else {
                throw CommandError(
                    .cannotCreate, "\(path) already exists, but its content does not match its name",
                    hint: "delete it, or choose another directory")
            }
            return
        }
        try Self.makeDirectory(FileDescriptor.parent(of: path))
        try NewFile.write(path, replacing: false) { output in
            try Self.write(attachment, from: attachments, to: output)
        }
    }

    /// Writes the content of an attachment to an output. Its digest is checked before the last part is written.
    static func write(
        _ attachment: Attachment, from attachments: DocumentStore.Attachments, to output: StandardOutput
    ) throws {
        try attachments.read(attachment) { bytes in
            try Interruption.check()
            try output.write(bytes)
        }
        try output.flush()
    }

    /// Calls `body` with the content of a file in parts.
    ///
    /// - Throws: ``CommandError`` with `badData` for a pipe or a device: the directory may be another user's, and a
    ///   pipe without a writer, or an endless device, would keep the command for ever.
    static func read(_ path: String, _ body: ([UInt8]) throws -> Void) throws {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw CommandError.system(SystemError(number: errno), "cannot read \(path)") }
        let file = FileDescriptor(rawValue: descriptor)
        defer { try? file.closeFile() }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError(
                .badData, "\(path) is not a regular file", hint: "delete it, or choose another directory")
        }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            try Interruption.check()
            let count = try file.read(into: &buffer)
            if count == 0 { return }
            try body(Array(buffer[..<count]))
        }
    }

    /// The SHA-256 digest of a file.
    static func digest(ofFileAt path: String) throws -> Attachment.Digest? {
        var hash = SHA256Hash()
        try read(path) { bytes in unsafe bytes.withUnsafeBytes { unsafe hash.update($0) } }
        return Attachment.Digest(hash.digest.span)
    }

    /// Creates a directory if it does not exist.
    ///
    /// - Throws: ``CommandError`` with `cannotCreate`, also if a link of another user leads to the directory.
    static func makeDirectory(_ path: String) throws {
        try OutputPlace.makeDirectory(path)
        guard FileDescriptor.isDirectory(path) else {
            throw CommandError(.cannotCreate, "\(path) is not a directory", hint: "choose another directory")
        }
    }
}
