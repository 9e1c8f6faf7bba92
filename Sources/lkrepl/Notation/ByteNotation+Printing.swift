import DocIndex

extension ByteNotation {
    /// `bytes` in byte notation.
    static func print(_ bytes: [UInt8], form: Form = .auto) -> String {
        var output: [UInt8] = []
        append(bytes.span, form: form, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the notation of `bytes` to `output`: always valid UTF-8 without control characters.
    ///
    /// - Complexity: O(*n*).
    static func append(_ bytes: Span<UInt8>, form: Form = .auto, to output: inout [UInt8]) {
        switch form {
        case .auto where isPlain(bytes):
            for index in bytes.indices { output.append(bytes[index]) }
        case .auto, .text:
            appendQuoted(bytes, to: &output)
        case .hex:
            append(hexPrefix, to: &output)
            HexText.append(bytes, to: &output)
        case .base64:
            append(base64Prefix, to: &output)
            Base64.append(bytes, to: &output)
        }
    }

    /// Whether the bytes can be printed without quotes.
    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0 else { return false }
        switch bytes[0] {
        case UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "{"), UInt8(ascii: "["): return false
        default: break
        }
        guard !bytes.starts(with: hexPrefix), !bytes.starts(with: base64Prefix) else { return false }

        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                guard isPlain(byte) else { return false }
                index += 1
            } else {
                guard let (scalar, byteCount) = bytes.utf8Scalar(at: index), scalar.isVisible else { return false }
                guard index > 0 || !scalar.isMark else { return false }
                index += byteCount
            }
        }
        return true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...UInt8(ascii: " "), 0x7f: false
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"): false
        case UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "#"): false
        default: true
        }
    }

    private static func appendQuoted(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var index = 0
        // A mark after the opening quote or after an escape would be drawn on a character that is not part of the
        // bytes.
        var mayCarryMark = false
        while index < bytes.count {
            guard let (scalar, byteCount) = bytes.utf8Scalar(at: index) else {
                append("\\x", to: &output)
                HexText.append(bytes[index], to: &output)
                index += 1
                mayCarryMark = false
                continue
            }
            if scalar.isASCII {
                mayCarryMark = appendQuoted(bytes[index], to: &output)
            } else if scalar.isVisible, mayCarryMark || !scalar.isMark {
                for position in index..<index + byteCount { output.append(bytes[position]) }
                mayCarryMark = true
            } else {
                append("\\u{", to: &output)
                output.append(contentsOf: String(scalar.value, radix: 16).utf8)
                append("}", to: &output)
                mayCarryMark = false
            }
            index += byteCount
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends an ASCII byte, escaped for double quotes. Returns true if it needed no escape.
    private static func appendQuoted(_ byte: UInt8, to output: inout [UInt8]) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"): append("\\\\", to: &output)
        case UInt8(ascii: "\""): append("\\\"", to: &output)
        case UInt8(ascii: "\n"): append("\\n", to: &output)
        case UInt8(ascii: "\r"): append("\\r", to: &output)
        case UInt8(ascii: "\t"): append("\\t", to: &output)
        case 0: append("\\0", to: &output)
        case 0x1b: append("\\e", to: &output)
        case 0x20..<0x7f:
            output.append(byte)
            return true
        default:
            append("\\x", to: &output)
            HexText.append(byte, to: &output)
        }
        return false
    }

    private static func append(_ literal: StaticString, to output: inout [UInt8]) {
        literal.withUTF8Buffer { unsafe output.append(contentsOf: $0) }
    }
}
