import LevelKit

extension KeyFormat {
    /// The key in this format; `nil` if the key does not match it.
    func text(of key: [UInt8]) -> String? {
        var text: [UInt8] = []
        var rest = key[...]
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let bytes):
                guard rest.starts(with: bytes), String(validating: bytes, as: UTF8.self) != nil else { return nil }
                text += bytes
                rest = rest.dropFirst(bytes.count)
            case .text:
                guard let count = textByteCount(at: index, in: rest) else { return nil }
                guard String(validating: rest.prefix(count), as: UTF8.self) != nil else { return nil }
                text += rest.prefix(count)
                rest = rest.dropFirst(count)
            case .integer(let byteCount, let isSigned, let isBigEndian):
                guard rest.count >= byteCount else { return nil }
                let bytes = rest.prefix(byteCount)
                let bits = (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                let shift = UInt64(64 - byteCount * 8)
                let number = isSigned ? String(Int64(bitPattern: bits << shift) >> Int64(shift)) : String(bits)
                text += Array("#\(number)".utf8)
                rest = rest.dropFirst(byteCount)
            case .uuid, .hex:
                let count = part.byteCount ?? rest.count
                guard rest.count >= count else { return nil }
                text += Array(hexadecimal(rest.prefix(count)).utf8)
                rest = rest.dropFirst(count)
            }
        }
        return rest.isEmpty ? String(decoding: text, as: UTF8.self) : nil
    }

    /// The key that a string in this format denotes; `nil` if the text does not match it.
    func key(of text: String) -> [UInt8]? {
        var key: [UInt8] = []
        var rest = Array(text.utf8)[...]
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let bytes):
                guard rest.starts(with: bytes) else { return nil }
                key += bytes
                rest = rest.dropFirst(bytes.count)
            case .text:
                let count: Int
                if index + 1 == parts.count {
                    count = rest.count
                } else if case .literal(let next) = parts[index + 1] {
                    guard let found = Self.firstIndex(of: next, in: rest) else { return nil }
                    count = found
                } else if case .integer = parts[index + 1] {
                    // Each of several consecutive numbers has its own mark.
                    let numbers = parts[(index + 1)...].prefix { if case .integer = $0 { true } else { false } }.count
                    let marks = rest.indices.filter { rest[$0] == UInt8(ascii: "#") }
                    guard marks.count >= numbers, numbers + index + 1 == parts.count else { return nil }
                    count = marks[marks.count - numbers] - rest.startIndex
                } else {
                    guard index + 2 == parts.count, rest.count >= 32 else { return nil }
                    count = rest.count - 32
                }
                key += rest.prefix(count)
                rest = rest.dropFirst(count)
            case .integer(let byteCount, let isSigned, let isBigEndian):
                guard rest.popFirst() == UInt8(ascii: "#") else { return nil }
                let sign = rest.first == UInt8(ascii: "-") ? 1 : 0
                let digits = rest.prefix(sign + rest.dropFirst(sign).prefix { (0x30...0x39).contains($0) }.count)
                guard
                    let bytes = Self.bytes(
                        of: String(decoding: digits, as: UTF8.self), byteCount: byteCount, isSigned: isSigned)
                else { return nil }
                key += isBigEndian ? bytes : bytes.reversed()
                rest = rest.dropFirst(digits.count)
            case .uuid, .hex:
                let digits = rest.prefix(part.byteCount.map { $0 * 2 } ?? rest.count)
                guard let bytes = try? ByteNotation.parse("0x" + String(decoding: digits, as: UTF8.self)),
                    bytes.count == part.byteCount ?? bytes.count
                else { return nil }
                key += bytes
                rest = rest.dropFirst(digits.count)
            }
        }
        return rest.isEmpty ? key : nil
    }

    /// The length of the text at part `index`: up to the following literal, or all bytes except those of the fixed
    /// parts.
    private func textByteCount(at index: Int, in rest: ArraySlice<UInt8>) -> Int? {
        guard index + 1 < parts.count else { return rest.count }
        if case .literal(let next) = parts[index + 1] { return Self.firstIndex(of: next, in: rest) }
        var fixed = 0
        for part in parts[(index + 1)...] {
            guard let count = part.byteCount else { return nil }
            fixed += count
        }
        return rest.count >= fixed ? rest.count - fixed : nil
    }

    private static func firstIndex(of literal: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= literal.count else { return nil }
        return (0...bytes.count - literal.count).first { bytes.dropFirst($0).starts(with: literal) }
    }

    /// Two's complement, most significant byte first; `nil` if the number is out of range.
    private static func bytes(of digits: String, byteCount: Int, isSigned: Bool) -> [UInt8]? {
        let bits: UInt64
        if isSigned {
            guard let number = Int64(digits), byteCount == 8 || number >> (byteCount * 8 - 1) == number >> 63 else {
                return nil
            }
            bits = UInt64(bitPattern: number)
        } else {
            guard let number = UInt64(digits), byteCount == 8 || number >> UInt64(byteCount * 8) == 0 else {
                return nil
            }
            bits = number
        }
        return (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: bits >> UInt64($0 * 8)) }
    }
}
