import LevelKit

/// Decides which keys of a range are selected.
struct KeyFilter {
    /// The condition on a key.
    enum Condition {
        case all
        case glob(GlobPattern)
        /// A match anywhere in the key's text, where bytes that are not UTF-8 are U+FFFD.
        case expression(Regex<AnyRegexOutput>)

        /// The maximum nesting of groups and sets in a regular expression, and its maximum size in bytes.
        private static let nestingLimit = 50
        private static let byteCountLimit = 4096

        /// Parses a regular expression.
        ///
        /// - Throws: ``CommandError`` if it is invalid, too long or too deeply nested.
        static func regex(_ text: String) throws -> Condition {
            // The parser of the standard library is recursive; nested groups could overflow the stack.
            var (depth, deepest) = (0, 0)
            for byte in text.utf8 {
                if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth -= 1 }
                deepest = max(deepest, depth)
            }
            guard deepest <= nestingLimit, text.utf8.count <= byteCountLimit else {
                throw CommandError(
                    .usage,
                    "--regex has more than \(byteCountLimit) bytes, or groups nested more than \(nestingLimit) deep")
            }
            do {
                // Match by code points: composed and decomposed letters are different keys.
                return .expression(try Regex(text).matchingSemantics(.unicodeScalar))
            } catch {
                throw CommandError(.usage, "--regex \(text) is not a regular expression: \(error)")
            }
        }
    }

    private let condition: Condition
    private let isInverted: Bool

    init(_ condition: Condition, isInverted: Bool) {
        self.condition = condition
        self.isInverted = isInverted
    }

    /// Whether a key is selected.
    func admits(_ key: Span<UInt8>) -> Bool {
        switch condition {
        case .all: true
        case .glob(let pattern): pattern.matches(key) != isInverted
        case .expression(let regex):
            String(decoding: key.copied(), as: UTF8.self).firstMatch(of: regex) != nil ? !isInverted : isInverted
        }
    }

    /// Whether every key is selected, so that no key needs to be tested.
    var admitsAll: Bool {
        if case .all = condition { true } else { false }
    }
}
