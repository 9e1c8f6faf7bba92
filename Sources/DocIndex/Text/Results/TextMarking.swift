/// How words that were found are shown.
public struct TextMarking: Sendable {
    /// What stands before and behind a word that was found.
    public var before: String
    /// What stands behind it.
    public var after: String
    /// What stands where a text was cut off.
    public var ellipsis = "…"
    private let escape: @Sendable (Character) -> String?

    /// A marking with a rule for characters that must not be shown as they are.
    ///
    /// - Parameter escape: what is shown in place of a character; `nil` for itself.
    public init(before: String, after: String, escape: @escaping @Sendable (Character) -> String? = { _ in nil }) {
        self.before = before
        self.after = after
        self.escape = escape
    }

    /// `<mark>` around words; text that can be put into a page or an attribute.
    public static let html = TextMarking(before: "<mark>", after: "</mark>") { character in
        switch character {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
    }

    /// Bold on a terminal; control characters of the text are left out, so that it cannot command the terminal.
    public static let ansi = TextMarking(before: "\u{1b}[1m", after: "\u{1b}[22m") { character in
        character.unicodeScalars.contains { $0.properties.generalCategory == .control }
            ? (character.isWhitespace ? " " : "") : nil
    }

    /// The text with the words marked that a query is about.
    ///
    /// - Parameter analyzer: that of the field at which the text is; see ``IndexComponent/analyzer``.
    public func marked(_ text: String, for query: TextQuery, analyzer: TextAnalyzer = .simple) -> String {
        let tokens = TextTokens(text, analyzer)
        return shown(text, tokens, matches: tokens.matches(query), in: text.startIndex..<text.endIndex)
    }

    /// The part of the text with the most words that a query is about, with these words marked.
    ///
    /// - Parameters:
    ///   - wordCount: how many words are shown, about.
    ///   - analyzer: that of the field at which the text is.
    /// - Returns: the beginning of the text where none of the words is in it.
    public func snippet(
        of text: String, for query: TextQuery, wordCount: Int = 24, analyzer: TextAnalyzer = .simple
    ) -> String {
        let tokens = TextTokens(text, analyzer)
        let matches = tokens.matches(query)
        let size = max(1, wordCount)
        guard tokens.tokens.count > size else {
            return shown(text, tokens, matches: matches, in: text.startIndex..<text.endIndex)
        }
        // Different words count more than the same again; of equal windows the first.
        var best = (start: 0, value: 0)
        for match in matches.sorted() {
            let start = min(max(0, match - size / 4), tokens.tokens.count - size)
            let inside = matches.filter { $0 >= start && $0 < start + size }
            let different = Set(inside.map { tokens.tokens[$0].terms }).count
            let value = different * 1000 + inside.count
            if value > best.value { best = (start, value) }
        }
        let lower = best.start == 0 ? text.startIndex : tokens.tokens[best.start].range.lowerBound
        let end = best.start + size
        let upper = end == tokens.tokens.count ? text.endIndex : tokens.tokens[end - 1].range.upperBound
        let part = shown(text, tokens, matches: matches, in: lower..<upper)
        return (lower > text.startIndex ? ellipsis : "") + part + (upper < text.endIndex ? ellipsis : "")
    }

    private func shown(
        _ text: String, _ tokens: TextTokens, matches: Set<Int>, in range: Range<String.Index>
    ) -> String {
        var result = ""
        var index = range.lowerBound
        func append(upTo end: String.Index) {
            while index < end {
                result += escape(text[index]) ?? String(text[index])
                index = text.index(after: index)
            }
        }
        for match in matches.sorted() {
            let token = tokens.tokens[match].range
            guard token.lowerBound >= range.lowerBound, token.upperBound <= range.upperBound else { continue }
            append(upTo: token.lowerBound)
            result += before
            append(upTo: token.upperBound)
            result += after
        }
        append(upTo: range.upperBound)
        return result
    }
}
