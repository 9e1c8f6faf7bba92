/// The highlighting of matches in search results.
public struct TextMarking: Sendable {
    /// The string inserted before a match.
    public var before: String
    /// The string inserted after a match.
    public var after: String
    /// The string inserted where text was cut off.
    public var ellipsis = "…"
    private let escape: @Sendable (Character) -> String?

    /// Creates a marking that also replaces characters that must not be shown as they are.
    ///
    /// - Parameters:
    ///   - before: what to insert before a match.
    ///   - after: what to insert after a match.
    ///   - escape: returns the replacement for a character; `nil` to keep it.
    public init(before: String, after: String, escape: @escaping @Sendable (Character) -> String? = { _ in nil }) {
        self.before = before
        self.after = after
        self.escape = escape
    }

    /// Puts `<mark>` around matches and escapes the text for use in HTML content and attributes.
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

    /// Shows matches in bold on a terminal. Drops control characters, so that the text cannot send commands to the
    /// terminal.
    public static let ansi = TextMarking(before: "\u{1b}[1m", after: "\u{1b}[22m") { character in
        character.unicodeScalars.contains { $0.properties.generalCategory == .control }
            ? (character.isWhitespace ? " " : "") : nil
    }

    /// Returns the text with the matches of a query marked.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - query: the query whose matches are marked.
    ///   - analyzer: the analyzer of the field that contains the text; see `IndexDefinition.Component.analyzer`.
    public func marked(_ text: String, for query: TextQuery, analyzer: TextAnalyzer = .simple) -> String {
        let tokens = TextTokens(text, analyzer)
        return shown(text, tokens, matches: tokens.matches(query), in: text.startIndex..<text.endIndex)
    }

    /// Returns the part of the text that matches a query best, with the matches marked.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - query: the query whose matches are marked.
    ///   - wordCount: the approximate number of words to show.
    ///   - analyzer: the analyzer of the field that contains the text.
    /// - Returns: the beginning of the text if nothing matches.
    public func snippet(
        of text: String, for query: TextQuery, wordCount: Int = 24, analyzer: TextAnalyzer = .simple
    ) -> String {
        let tokens = TextTokens(text, analyzer)
        let matches = tokens.matches(query)
        let size = max(1, wordCount)
        guard tokens.tokens.count > size else {
            return shown(text, tokens, matches: matches, in: text.startIndex..<text.endIndex)
        }
        // Different words count more than repetitions. Among equal windows, the first wins.
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
        // Matches with nothing between them, such as ideographs, are marked as one.
        var marked: [Range<String.Index>] = []
        for match in matches.sorted() {
            let token = tokens.tokens[match].range
            guard token.lowerBound >= range.lowerBound, token.upperBound <= range.upperBound else { continue }
            if let last = marked.last, last.upperBound == token.lowerBound {
                marked[marked.count - 1] = last.lowerBound..<token.upperBound
            } else {
                marked.append(token)
            }
        }
        for match in marked {
            append(upTo: match.lowerBound)
            result += before
            append(upTo: match.upperBound)
            result += after
        }
        append(upTo: range.upperBound)
        return result
    }
}
