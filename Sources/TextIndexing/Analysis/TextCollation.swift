/// The order and equality of strings in an index, a sort key or a condition.
public enum TextCollation: String, Sendable, Hashable, CaseIterable {
    /// By UTF-8 bytes; only identical strings are equal.
    case binary
    /// Ignores case.
    case caseInsensitive = "ci"
    /// Ignores case, accents, strokes through letters, width and other compatibility forms, and invisible characters:
    /// `Łódź` and `lodz`, `ﬁ` and `FI` are equal.
    case caseAndAccentInsensitive = "ci-ai"
    /// Natural order: runs of the digits 0 to 9 are compared as numbers of any length, and the rest is compared without
    /// case. Ties are broken by UTF-8 bytes, so only identical strings are equal: `IMG_2`, `img_2`, `IMG_02`, `IMG_10`.
    case natural
}

extension TextCollation {
    /// Returns the form in which a string is compared. Natural order compares the string itself in the end.
    package func folded(_ text: String) -> String {
        switch self {
        case .binary, .natural: text
        case .caseInsensitive: TextFolding.withoutCase(text)
        case .caseAndAccentInsensitive: TextFolding.withoutCaseAndAccents(text)
        }
    }
}
