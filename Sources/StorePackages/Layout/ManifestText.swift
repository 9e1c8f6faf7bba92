internal import DocIndex

/// Splits the text of a description into its list of files and the rest. Files are read one by one, so a long list
/// needs little more memory than its entries. The parts are checked when they are parsed.
struct ManifestText {
    /// The error for text that is not a description.
    struct FormatError: Error {}

    /// The members except `files`, as a JSON object.
    private(set) var head: [UInt8] = [UInt8(ascii: "{")]
    private let text: [UInt8]
    private var offset = 0

    /// The maximum size of everything except the list of files, in bytes.
    static let maximumHeadByteCount = 1 << 20
    /// The maximum size of a file of the list, in bytes.
    static let maximumFileByteCount = 64 << 10

    /// Reads the members.
    ///
    /// - Parameter body: receives the text of each element of the member `files`.
    /// - Throws: ``FormatError``, including for parts that are too large; what `body` throws.
    init(_ text: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        self.text = text
        try take("{")
        var hasFiles = false
        while try peek() != UInt8(ascii: "}") {
            let start = offset
            try skipValue()
            let isFiles = text[start..<offset] == Self.filesName
            try take(":")
            if isFiles {
                guard !hasFiles else { throw FormatError() }
                hasFiles = true
                try readFiles(body)
            } else {
                _ = try peek()
                try skipValue()
                if head.count > 1 { head.append(UInt8(ascii: ",")) }
                guard offset - start <= Self.maximumHeadByteCount - head.count else { throw FormatError() }
                head += text[start..<offset]
            }
            if try peek() == UInt8(ascii: "}") { break }
            try take(",")
            guard try peek() == UInt8(ascii: "\"") else { throw FormatError() }
        }
        try take("}")
        head.append(UInt8(ascii: "}"))
        skipWhiteSpace()
        guard offset == text.count, hasFiles else { throw FormatError() }
    }

    private static let filesName = ArraySlice("\"files\"".utf8)

    private mutating func readFiles(_ body: ([UInt8]) throws -> Void) throws {
        try take("[")
        if try peek() == UInt8(ascii: "]") { return try take("]") }
        while true {
            _ = try peek()
            let start = offset
            try skipValue()
            guard offset - start <= Self.maximumFileByteCount else { throw FormatError() }
            try body(Array(text[start..<offset]))
            if try peek() == UInt8(ascii: "]") { return try take("]") }
            try take(",")
        }
    }

    /// Moves to the end of a value.
    private mutating func skipValue() throws {
        var scanner = JSONElementScanner()
        var position = JSONError.Position()
        // A separate reference, because a span of `text` would prevent changes to the rest of `self`.
        let text = text
        guard (try? scanner.scan(text.span, from: &offset, position: &position)) == true else { throw FormatError() }
    }

    /// Moves after a sign.
    private mutating func take(_ sign: Unicode.Scalar) throws {
        guard try peek() == UInt8(ascii: sign) else { throw FormatError() }
        offset += 1
    }

    /// Moves to the next byte that is not whitespace, and returns it.
    private mutating func peek() throws -> UInt8 {
        skipWhiteSpace()
        guard offset < text.count else { throw FormatError() }
        return text[offset]
    }

    private mutating func skipWhiteSpace() {
        while offset < text.count, [0x20, 0x09, 0x0a, 0x0d].contains(text[offset]) { offset += 1 }
    }
}
