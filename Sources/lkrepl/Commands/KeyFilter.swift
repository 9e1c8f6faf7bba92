import LevelKit

/// Decides which keys of a range are wanted.
struct KeyFilter {
    /// What a key must be like.
    enum Condition {
        case all
        case glob(GlobPattern)
        /// Somewhere in the text of the key. Bytes that are not UTF-8 are U+FFFD there.
        case expression(Regex<AnyRegexOutput>)

        /// Groups and sets that may be open at once in a regular expression, and the bytes that it may have.
        private static let nestingLimit = 50
        private static let byteCountLimit = 4096

        /// A condition from the text of a regular expression.
        ///
        /// - Throws: ``CommandFailure`` for a text that is none.
        static func regex(_ text: String) throws -> Condition {
            // The parser of the standard library calls itself for each group.
            var (depth, deepest) = (0, 0)
            for byte in text.utf8 {
                if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth -= 1 }
                deepest = max(deepest, depth)
            }
            guard deepest <= nestingLimit, text.utf8.count <= byteCountLimit else {
                throw CommandFailure(
                    .usage,
                    "--regex has more than \(byteCountLimit) bytes, or groups nested more than \(nestingLimit) deep")
            }
            do {
                // By code points, so that composed and decomposed letters, which are different keys, stay different.
                return .expression(try Regex(text).matchingSemantics(.unicodeScalar))
            } catch {
                throw CommandFailure(.usage, "--regex \(text) is no regular expression: \(error)")
            }
        }
    }

    private let condition: Condition
    private let isInverted: Bool

    init(_ condition: Condition, isInverted: Bool) {
        self.condition = condition
        self.isInverted = isInverted
    }

    /// Whether a key is wanted.
    func admits(_ key: Span<UInt8>) -> Bool {
        switch condition {
        case .all: true
        case .glob(let pattern): pattern.matches(key) != isInverted
        case .expression(let regex):
            String(decoding: key.copied(), as: UTF8.self).firstMatch(of: regex) != nil ? !isInverted : isInverted
        }
    }

    /// Whether every key is wanted, so that none needs to be looked at.
    var admitsAll: Bool {
        if case .all = condition { true } else { false }
    }
}
