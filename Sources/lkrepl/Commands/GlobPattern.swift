/// A shell-style pattern: `*` matches any run of bytes, `?` one character, `[a-z]` or `[!a-z]` one ASCII character
/// in or not in a set; `\` escapes the next character. A pattern must match the whole key.
struct GlobPattern: Hashable {
    private enum Part: Hashable {
        case byte(UInt8)
        /// One UTF-8 character, or one byte that is not part of one.
        case character
        case any
        case set([ClosedRange<UInt8>], isInverted: Bool)
    }

    private var parts: [Part] = []

    /// Reads a pattern.
    ///
    /// - Throws: ``CommandError`` for an unclosed set or a trailing backslash.
    init(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"): if parts.last != .any { parts.append(.any) }
            case UInt8(ascii: "?"): parts.append(.character)
            case UInt8(ascii: "["): parts.append(try Self.set(&rest, text))
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else {
                    throw CommandError(.usage, "the pattern \(text) ends with a backslash")
                }
                parts.append(.byte(next))
            default: parts.append(.byte(byte))
            }
        }
    }

    private static func set(_ rest: inout ArraySlice<UInt8>, _ text: String) throws -> Part {
        let isInverted = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
        if isInverted { rest.removeFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        while let byte = rest.popFirst() {
            // A bracket at the start is a member of the set.
            if byte == UInt8(ascii: "]"), !ranges.isEmpty { return .set(ranges, isInverted: isInverted) }
            if rest.first == UInt8(ascii: "-"), let end = rest.dropFirst().first, end != UInt8(ascii: "]") {
                rest = rest.dropFirst(2)
                ranges.append(min(byte, end)...max(byte, end))
            } else {
                ranges.append(byte...byte)
            }
        }
        throw CommandError(.usage, "the pattern \(text) has a [ without a ]", hint: "write \\[ for the character")
    }

    /// Whether the pattern matches a key.
    ///
    /// - Complexity: O(n·m) in the bytes of the key and the parts of the pattern: backtracking returns to the last
    /// `*` only.
    func matches(_ key: Span<UInt8>) -> Bool {
        var (index, part) = (0, 0)
        var retry: (index: Int, part: Int)?
        while true {
            if part < parts.count, parts[part] == .any {
                retry = (index, part + 1)
                part += 1
                continue
            }
            if part == parts.count, index == key.count { return true }
            if part < parts.count, let count = match(parts[part], key, at: index) {
                index += count
                part += 1
                continue
            }
            guard let last = retry, last.index < key.count else { return false }
            retry = (last.index + 1, last.part)
            (index, part) = (last.index + 1, last.part)
        }
    }

    /// The number of bytes that a part matches at a position; `nil` if it does not match there.
    private func match(_ part: Part, _ key: Span<UInt8>, at index: Int) -> Int? {
        guard index < key.count else { return nil }
        switch part {
        case .byte(let byte): return key[index] == byte ? 1 : nil
        case .character: return key.utf8Scalar(at: index)?.byteCount ?? 1
        case .set(let ranges, let isInverted):
            return ranges.contains { $0.contains(key[index]) } != isInverted ? 1 : nil
        case .any: return nil
        }
    }
}
