/// A file that is read once from its beginning, and whose first bytes can be examined before.
///
/// Standard input and pipes cannot be rewound, so the examined bytes are kept and returned first.
struct InputFile: ~Copyable {
    let descriptor: FileDescriptor
    /// The file's name in messages.
    let name: String
    /// The first bytes, up to a few thousand; empty for an empty file.
    let beginning: [UInt8]
    /// The encoding, if it was detected.
    let encoding: TextEncoding
    /// Converts the text after ``beginning``; `nil` for UTF-8.
    private let decoder: UTF16Decoder?
    private let ownsDescriptor: Bool

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameter decodes: Whether UTF-16 is converted to UTF-8, and a byte order mark removed.
    /// - Throws: ``CommandError`` with `noInput` if it does not exist.
    init(path: String, decodes: Bool = false) throws {
        let descriptor = try FileDescriptor.openForReading(path)
        let name = path == "-" ? "standard input" : path
        var beginning: [UInt8]
        do {
            beginning = try Self.firstBytes(of: descriptor, name: name)
        } catch {
            if path != "-" { try? descriptor.closeFile() }
            throw error
        }
        self.descriptor = descriptor
        self.name = name
        encoding = decodes ? TextEncoding(detecting: beginning) : .utf8
        switch encoding {
        case .utf8: decoder = nil
        case .markedUTF8:
            decoder = nil
            beginning.removeFirst(3)
        case .utf16(let isBigEndian):
            var decoder = UTF16Decoder(isBigEndian: isBigEndian)
            beginning = decoder.decode(beginning)
            // The mark itself.
            if beginning.starts(with: [0xef, 0xbb, 0xbf]) { beginning.removeFirst(3) }
            self.decoder = decoder
        }
        self.beginning = beginning
        ownsDescriptor = path != "-"
    }

    /// Reads from an open descriptor, which is not closed.
    init(descriptor: FileDescriptor, name: String) throws {
        let beginning = try Self.firstBytes(of: descriptor, name: name)
        self.descriptor = descriptor
        self.name = name
        self.beginning = beginning
        (encoding, decoder) = (.utf8, nil)
        ownsDescriptor = false
    }

    /// A file with the given bytes as its content.
    init(bytes: [UInt8], name: String) throws {
        let descriptor = try FileDescriptor.openForReading("/dev/null")
        self.descriptor = descriptor
        self.name = name
        ownsDescriptor = true
        (encoding, decoder) = (.utf8, nil)
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

    /// Files of other programs, by their first bytes, with what to do instead.
    private static let foreign: [(beginning: [UInt8], kind: String, hint: String)] = {
        let pictures = "import --photos DIR imports what exiftool reads of pictures"
        return [
            ([0xff, 0xd8, 0xff], "a JPEG picture", pictures), ([0x89, 0x50, 0x4e, 0x47], "a PNG picture", pictures),
            (Array("GIF8".utf8), "a GIF picture", pictures),
            (Array("%PDF".utf8), "a PDF document", "convert it to JSON or CSV"),
            (Array("PK\u{3}\u{4}".utf8), "a ZIP archive or an office document", "unpack it, or save it as CSV"),
            (Array("SQLite format 3".utf8), "an SQLite database", "export it: sqlite3 -json FILE 'SELECT …'"),
            (Array("<".utf8), "XML or HTML", "convert it to JSON or CSV"),
        ]
    }()

    /// Throws a ``CommandError`` for a compressed file, or another unsupported file, with what to do instead.
    func refuseForeign(_ command: String) throws {
        if let other = Self.foreign.first(where: { beginning.starts(with: $0.beginning) }) {
            throw CommandError(.badData, "\(name):1: the file is \(other.kind)", hint: other.hint)
        }
        guard let program = compression else { return }
        throw CommandError(
            .badData, "\(name):1: the file is compressed with \(program)",
            hint: "use \(program) -dc FILE | lkrepl \(command) … -")
    }

    /// The first nonempty line, without leading whitespace; empty if there is none.
    var firstLine: ArraySlice<UInt8> {
        let text = beginning.drop { $0 <= 0x20 }
        return text.prefix { $0 != 0x0a }
    }

    /// A line reader at the beginning of the file.
    func lines(maximumLineByteCount: Int = LineReader.usualMaximum) -> LineReader {
        LineReader(
            descriptor: descriptor, beginning: beginning, decoder: decoder, maximumLineByteCount: maximumLineByteCount,
            shouldStop: { Interruption.isRequested })
    }
}
