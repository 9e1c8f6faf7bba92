import LevelKit

/// Decides which keys of a range are wanted.
struct KeyFilter {
    /// What a key must be like.
    enum Condition {
        case all
        case glob(GlobPattern)
        /// Somewhere in the text of the key. Bytes that are not UTF-8 are U+FFFD there.
        case expression(Regex<AnyRegexOutput>)

        /// A condition from the text of a regular expression.
        ///
        /// - Throws: ``CommandFailure`` for a text that is none.
        static func regex(_ text: String) throws -> Condition {
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
