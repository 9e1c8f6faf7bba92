/// The declared format of a database's keys. Keys are shown and typed by its parts.
///
/// With `'photo/' utf8 '/' u64be`, the bytes `photo/ann/` followed by the number 42 in eight bytes are shown as
/// `photo/ann/#42`, and typed in the same way. Text is unchanged, and numbers are preceded by `#`.
struct KeyFormat: Hashable {
    /// One part of a key.
    enum Part: Hashable {
        /// Bytes that every key contains at this position.
        case literal([UInt8])
        /// Text, up to the first occurrence of the following literal or up to the bytes of the remaining parts.
        case text
        /// A fixed-width integer.
        case integer(byteCount: Int, isSigned: Bool, isBigEndian: Bool)
        /// Sixteen bytes in hexadecimal.
        case uuid
        /// All remaining bytes in hexadecimal.
        case hex

        /// The size of the part; `nil` if it is variable.
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
    /// The declaration of the format.
    let source: String

    /// Parses the declaration of a format: words, and quoted literals.
    ///
    /// - Throws: ``CommandError`` for an invalid declaration.
    init(_ source: String) throws {
        self.source = source
        var parts: [Part] = []
        for word in try Self.words(of: source) { parts.append(try Self.part(word)) }
        guard !parts.isEmpty else { throw CommandError(.usage, "a key format needs at least one part") }
        for (part, next) in zip(parts, parts.dropFirst()) {
            if part == .hex {
                throw CommandError(.usage, "hex must be the last part, because it takes all remaining bytes")
            }
            if part == .text, next == .text || next == .hex {
                throw CommandError(
                    .usage, "utf8 cannot be followed by \(next == .text ? "utf8" : "hex")",
                    hint: "put a literal such as '/' between them")
            }
            // Adjacent digits would be ambiguous in typed keys.
            if next.byteCount != nil, case .integer = part {
                if case .literal(let bytes) = next, let first = bytes.first, !Self.isDigit(first) { continue }
                if case .integer = next { continue }
                throw CommandError(
                    .usage, "a number must be followed by a number, or by a literal that does not begin with a digit")
            }
        }
        self.parts = parts
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Splits a declaration at spaces; a quoted literal is one word.
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
                // A doubled quote, or one after a backslash, does not end the literal.
                while true {
                    guard end < rest.endIndex else {
                        throw CommandError(.usage, "a quoted literal in the key format is not closed")
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
            guard !bytes.isEmpty else { throw CommandError(.usage, "a literal of the key format is empty") }
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
            throw CommandError(
                .usage, "unknown part \(word) of a key format",
                hint: "use 'literal', utf8, u8, u16be, u32be, u64be, the same with i or le, uuid, hex")
        }
    }
}
