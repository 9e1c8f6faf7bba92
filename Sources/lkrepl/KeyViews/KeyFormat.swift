/// The declared form of the keys of a database, which lets them be read and typed by their parts.
///
/// `'photo/' utf8 '/' u64be` makes `photo/ann/#42` of the bytes `photo/ann/` and the number 42 in eight bytes, and the
/// other way round. Texts stand as they are, numbers behind a `#`.
struct KeyFormat: Hashable {
    /// One part of a key.
    enum Part: Hashable {
        /// Bytes that every key has here.
        case literal([UInt8])
        /// A text, up to the first occurrence of the literal that follows or up to the bytes that the rest takes.
        case text
        /// An integer of a fixed width.
        case integer(byteCount: Int, isSigned: Bool, isBigEndian: Bool)
        /// Sixteen bytes, in hexadecimal.
        case uuid
        /// All bytes that are left, in hexadecimal.
        case hex

        /// The bytes that the part takes; `nil` if that is not fixed.
        var byteCount: Int? {
            switch self {
            case .literal(let bytes): bytes.count
            case .integer(let byteCount, _, _): byteCount
            case .uuid: 16
            case .text, .hex: nil
            }
        }
    }

    /// The parts, in order.
    let parts: [Part]
    /// The text that the format was declared with.
    let source: String

    /// Reads the declaration of a format: words, and literals in quotes.
    ///
    /// - Throws: ``CommandFailure`` that says what is wrong with it.
    init(_ source: String) throws {
        self.source = source
        var parts: [Part] = []
        for word in try Self.words(of: source) { parts.append(try Self.part(word)) }
        guard !parts.isEmpty else { throw CommandFailure(.usage, "a format of keys has at least one part") }
        for (part, next) in zip(parts, parts.dropFirst()) {
            if part == .hex { throw CommandFailure(.usage, "hex takes all that is left, so nothing can follow it") }
            if part == .text, next == .text || next == .hex {
                throw CommandFailure(
                    .usage, "utf8 has no end before \(next == .text ? "utf8" : "hex")",
                    hint: "put a literal such as '/' between them")
            }
            // Digits that follow digits could not be told apart when they are typed.
            if next.byteCount != nil, case .integer = part {
                if case .literal(let bytes) = next, let first = bytes.first, !Self.isDigit(first) { continue }
                if case .integer = next { continue }
                throw CommandFailure(
                    .usage, "what follows a number begins with a literal that is no digit, or with a number")
            }
        }
        self.parts = parts
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Words between spaces; what stands in quotes is one word.
    private static func words(of source: String) throws -> [String] {
        var words: [String] = []
        var rest = Array(source.utf8)[...]
        while let first = rest.first {
            if first == 0x20 || first == 0x09 {
                rest.removeFirst()
                continue
            }
            var end = rest.startIndex + 1
            if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") {
                // A doubled quote, or one behind a backslash, does not end the literal.
                while true {
                    guard end < rest.endIndex else {
                        throw CommandFailure(.usage, "a literal of the format is not closed")
                    }
                    if first == UInt8(ascii: "\""), rest[end] == UInt8(ascii: "\\") {
                        end += 2
                    } else if rest[end] != first {
                        end += 1
                    } else if first == UInt8(ascii: "'"), rest[(end + 1)...].first == first {
                        end += 2
                    } else {
                        break
                    }
                }
                end += 1
            } else {
                while end < rest.endIndex, rest[end] != 0x20, rest[end] != 0x09 { end += 1 }
            }
            words.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[end...]
        }
        return words
    }

    private static func part(_ word: String) throws -> Part {
        if word.hasPrefix("'") || word.hasPrefix("\"") || word.hasPrefix("0x") {
            let bytes = try ByteNotation.parse(word)
            guard !bytes.isEmpty else { throw CommandFailure(.usage, "a literal of the format is empty") }
            return .literal(bytes)
        }
        switch word {
        case "utf8": return .text
        case "uuid": return .uuid
        case "hex": return .hex
        case "u8", "i8": return .integer(byteCount: 1, isSigned: word == "i8", isBigEndian: true)
        default:
            for bits in [16, 32, 64] {
                for order in ["be", "le"] where word == "u\(bits)\(order)" || word == "i\(bits)\(order)" {
                    return .integer(byteCount: bits / 8, isSigned: word.hasPrefix("i"), isBigEndian: order == "be")
                }
            }
            throw CommandFailure(
                .usage, "a format of keys has no part \(word)",
                hint: "'literal', utf8, u8, u16be, u32be, u64be, the same with i or le, uuid, hex")
        }
    }
}
