/// The values of index keys as text: decodes the ordered encoding of `docs/FORMAT.md` for people.
///
/// Values of simple types are shown directly; other types and undecodable bytes are shown in hexadecimal.
struct OrderedText {
    /// The values, separated by commas.
    let text: String
    /// Whether all bytes were decoded.
    let isWhole: Bool

    /// Decodes a sequence of values.
    init(_ bytes: ArraySlice<UInt8>) {
        var texts: [String] = []
        var rest = bytes
        while let kind = rest.first {
            // A descending component is the complement of an ascending one.
            let isDescending = kind >= 0x80
            guard let (text, count) = Self.value(isDescending ? ArraySlice(rest.map { ~$0 }) : rest) else { break }
            texts.append(text + (isDescending ? " descending" : ""))
            rest = rest.dropFirst(count)
        }
        isWhole = rest.isEmpty
        if !rest.isEmpty { texts.append(ByteNotation.print(Array(rest), form: .hex)) }
        text = texts.joined(separator: ", ")
    }

    /// The size of the first value in bytes; `nil` if it cannot be decoded.
    static func byteCount(ofFirstIn bytes: ArraySlice<UInt8>) -> Int? {
        guard let kind = bytes.first else { return nil }
        return value(kind >= 0x80 ? ArraySlice(bytes.map { ~$0 }) : bytes)?.1
    }

    /// The first value, in ascending encoding, and its size.
    private static func value(_ bytes: ArraySlice<UInt8>) -> (String, Int)? {
        guard let kind = bytes.first else { return nil }
        let content = bytes.dropFirst()
        switch kind {
        case 0x02: return ("missing", 1)
        case 0x04: return ("null", 1)
        case 0x06: return ("false", 1)
        case 0x08: return ("true", 1)
        case 0x0a:
            guard let (raw, count) = escaped(content), raw.count <= 10 else { return nil }
            return (number(raw), 1 + count)
        case 0x0b:
            // The folded form, followed by the string itself.
            guard let (_, folded) = escaped(content), let (raw, count) = escaped(content.dropFirst(folded)) else {
                return nil
            }
            return (quoted(raw), 1 + folded + count)
        case 0x0c:
            guard let (raw, count) = escaped(content) else { return nil }
            return (quoted(raw), 1 + count)
        case 0x0d: return levels(content)
        case 0x0e:
            guard content.count >= 10 else { return nil }
            let bits = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return ("\(Int64(bitPattern: bits ^ 1 << 63)) ms since 1970", 11)
        case 0x10:
            guard let (raw, count) = escaped(content) else { return nil }
            return (ByteNotation.print(raw, form: .hex), 1 + count)
        case 0x18:
            return content.count >= 8 ? ("cell " + ByteNotation.print(Array(content.prefix(8)), form: .hex), 9) : nil
        default: return nil
        }
    }

    private static func levels(_ content: ArraySlice<UInt8>) -> (String, Int)? {
        var names: [String] = []
        var rest = content
        while rest.first == 0x02 {
            guard let (raw, count) = escaped(rest.dropFirst()) else { return nil }
            names.append(quoted(raw))
            rest = rest.dropFirst(1 + count)
        }
        guard rest.first == 0x00 else { return nil }
        return (names.joined(separator: " > "), 2 + content.count - rest.count)
    }

    /// The bytes up to `00`, in which `00 ff` denotes a zero, and the number of bytes read.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        var raw: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == 0 else {
                raw.append(bytes[index])
                index += 1
                continue
            }
            guard index + 1 < bytes.endIndex, bytes[index + 1] == 0xff else {
                return (raw, index + 1 - bytes.startIndex)
            }
            raw.append(0)
            index += 2
        }
        return nil
    }

    private static func number(_ raw: [UInt8]) -> String {
        if raw.isEmpty { return "NaN" }
        let padded = raw + Array(repeating: 0, count: max(0, 8 - raw.count))
        let bits = padded.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let value = Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
        guard let whole = Int64(exactly: value) else { return "\(value)" }
        // An integer that a double cannot represent has its distance from the next lower one in two more bytes.
        let distance = raw.count > 8 ? (raw.dropFirst(8) + [0]).prefix(2).reduce(Int64(0)) { $0 << 8 | Int64($1) } : 0
        return "\(whole &+ distance)"
    }

    private static func quoted(_ raw: [UInt8]) -> String { ByteNotation.print(raw, form: .text) }
}
