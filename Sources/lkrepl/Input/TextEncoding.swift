/// The encoding of a text file, detected from its first bytes.
enum TextEncoding: Hashable, Sendable {
    case utf8
    /// UTF-8 after a byte order mark.
    case markedUTF8
    case utf16(isBigEndian: Bool)

    /// Detects the encoding: by a byte order mark, or by the zero bytes of an ASCII character in UTF-16.
    init(detecting bytes: [UInt8]) {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
            self = .markedUTF8
        } else if bytes.starts(with: [0xff, 0xfe]) || Self.isASCII(bytes, zeroAt: 1) {
            self = .utf16(isBigEndian: false)
        } else if bytes.starts(with: [0xfe, 0xff]) || Self.isASCII(bytes, zeroAt: 0) {
            self = .utf16(isBigEndian: true)
        } else {
            self = .utf8
        }
    }

    /// A whole text as UTF-8, without a byte order mark.
    static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var text = bytes
        if case .utf16(let isBigEndian) = TextEncoding(detecting: bytes) {
            var decoder = UTF16Decoder(isBigEndian: isBigEndian)
            text = decoder.decode(bytes)
            text += decoder.finish()
        }
        return TextEncoding(detecting: text) == .markedUTF8 ? Array(text.dropFirst(3)) : text
    }

    /// Whether the first two characters are ASCII in UTF-16.
    private static func isASCII(_ bytes: [UInt8], zeroAt offset: Int) -> Bool {
        guard bytes.count >= 4 else { return false }
        return [0, 2].allSatisfy { bytes[$0 + offset] == 0 && (0x09...0x7e).contains(bytes[$0 + 1 - offset]) }
    }

    /// The encoding in words; `nil` for plain UTF-8, about which nothing need be said.
    var description: String? {
        switch self {
        case .utf8: nil
        case .markedUTF8: "UTF-8 with a byte order mark"
        case .utf16: "UTF-16"
        }
    }
}

/// Converts chunks of UTF-16 to UTF-8.
struct UTF16Decoder {
    private let isBigEndian: Bool
    /// The bytes of an incomplete character at the end of the last chunk.
    private var rest: [UInt8] = []

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// The text of the next chunk as UTF-8. A byte that no character begins with stands for half a surrogate pair, so
    /// that readers report the place.
    mutating func decode(_ chunk: some Collection<UInt8>) -> [UInt8] {
        let bytes = rest + chunk
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        func unit(at index: Int) -> UInt16 {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        while index + 2 <= bytes.count {
            let first = unit(at: index)
            guard UTF16.isLeadSurrogate(first) else {
                if let scalar = Unicode.Scalar(first) {
                    output += Array(String(Character(scalar)).utf8)
                } else {
                    output.append(0xff)
                }
                index += 2
                continue
            }
            guard index + 4 <= bytes.count else { break }
            let second = unit(at: index + 2)
            guard UTF16.isTrailSurrogate(second) else {
                output.append(0xff)
                index += 2
                continue
            }
            let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
            if let scalar = Unicode.Scalar(value) { output += Array(String(Character(scalar)).utf8) }
            index += 4
        }
        rest = Array(bytes[index...])
        return output
    }

    /// The end of the text: a byte that no character begins with if it is incomplete.
    mutating func finish() -> [UInt8] {
        defer { rest = [] }
        return rest.isEmpty ? [] : [0xff]
    }
}
