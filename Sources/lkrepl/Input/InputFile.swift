/// A file that is read once from its beginning, and whose first bytes can be examined before.
///
/// Standard input and pipes cannot be rewound, so the examined bytes are kept and returned first.
struct InputFile: ~Copyable {
    let descriptor: FileDescriptor
    /// The file's name in messages.
    let name: String
    /// The first bytes, up to some thousands; empty for an empty file.
    let beginning: [UInt8]
    private let ownsDescriptor: Bool

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandError`` with `noInput` if it does not exist.
    init(path: String) throws {
        let descriptor = try FileDescriptor.openForReading(path)
        let name = path == "-" ? "standard input" : path
        let beginning: [UInt8]
        do {
            beginning = try Self.firstBytes(of: descriptor, name: name)
        } catch {
            if path != "-" { try? descriptor.closeFile() }
            throw error
        }
        self.descriptor = descriptor
        self.name = name
        self.beginning = beginning
        ownsDescriptor = path != "-"
    }

    /// Reads from an open descriptor, which is not closed.
    init(descriptor: FileDescriptor, name: String) throws {
        let beginning = try Self.firstBytes(of: descriptor, name: name)
        self.descriptor = descriptor
        self.name = name
        self.beginning = beginning
        ownsDescriptor = false
    }

    /// A file with the given bytes as its contents.
    init(bytes: [UInt8], name: String) throws {
        let descriptor = try FileDescriptor.openForReading("/dev/null")
        self.descriptor = descriptor
        self.name = name
        ownsDescriptor = true
        beginning = bytes
    }

    deinit {
        if ownsDescriptor { try? descriptor.closeFile() }
    }

    private static func firstBytes(of descriptor: FileDescriptor, name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        do {
            // A read from a pipe may return only a few bytes; one nonempty line is enough to detect the format.
            while bytes.count < 4096 {
                let count = try descriptor.read(into: &buffer, shouldStop: { Interruption.isRequested })
                if count == 0 { break }
                bytes += buffer[..<count]
                if bytes.contains(where: { $0 > 0x20 }), bytes.contains(0x0a) { break }
            }
        } catch {
            if error.isInterruption { throw Interruption.failure() }
            throw CommandError.system(error, "cannot read \(name)")
        }
        return bytes
    }

    /// The size of the file; `nil` if it is not a regular file.
    var byteCount: Int? { descriptor.byteCount }

    /// The program that compressed the file; `nil` if it is not recognized.
    var compression: String? {
        if beginning.starts(with: [0x1f, 0x8b]) { return "gzip" }
        if beginning.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) { return "zstd" }
        if beginning.starts(with: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]) { return "xz" }
        if beginning.starts(with: Array("BZh".utf8)) { return "bzip2" }
        return nil
    }

    /// Throws a ``CommandError`` for a compressed file, with the command to read it.
    func refuseCompression(_ command: String) throws {
        guard let program = compression else { return }
        throw CommandError(
            .badData, "\(name):1: the file is compressed with \(program)",
            hint: "use \(program) -dc FILE | lkrepl \(command) … -")
    }

    /// The first nonempty line, without leading white space; empty if there is none.
    var firstLine: ArraySlice<UInt8> {
        let text = beginning.drop { $0 <= 0x20 }
        return text.prefix { $0 != 0x0a }
    }

    /// A line reader at the beginning of the file.
    func lines(maximumLineByteCount: Int = LineReader.usualMaximum) -> LineReader {
        LineReader(
            descriptor: descriptor, beginning: beginning, maximumLineByteCount: maximumLineByteCount,
            shouldStop: { Interruption.isRequested })
    }
}
