/// A form that a part of a text may have: a regular expression.
///
/// It is matched in time proportional to the length of the text, whatever the expression (K. Thompson, "Regular expression
/// search algorithm", 1968), so a search cannot be brought to a standstill. For the same reason there are no references
/// to groups, and nothing that looks ahead or behind.
///
/// Notation: `.` (any character but a line feed), `[a-z]`, `[^a-z]`, `\d` `\w` `\s` and their opposites `\D` `\W` `\S`
/// (of ASCII), `\b` (the edge of a word), `^`, `$`, `(…)`, `(?:…)`, `|`, `*`, `+`, `?`, `{2}`, `{2,}`, `{2,4}`; `\` before
/// another sign means the sign, `\n` `\t` `\r` `\x41` `\u{e9}` the characters. `*?` and the like mean the same as `*`,
/// because only whether there is a match is asked.
public struct TextPattern: Sendable {
    /// The expression as it was written, but for backslashes before slashes.
    public let source: String
    /// Whether upper and lower case are one.
    public let ignoresCase: Bool
    private let program: PatternProgram

    /// A pattern.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`, the position in the expression, and what is not understood; also for
    ///   groups nested more than 64 deep, and for more than 5,000 steps when repetitions are written out.
    public init(_ source: String, ignoresCase: Bool = false) throws {
        self.source = Self.withPlainSlashes(source)
        self.ignoresCase = ignoresCase
        var parser = PatternParser(source, ignoresCase: ignoresCase)
        program = try parser.program()
    }

    /// The expression without backslashes before slashes, which need none.
    private static func withPlainSlashes(_ source: String) -> String {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in source.unicodeScalars {
            if isEscaped, scalar == "/" { text.removeLast() }
            isEscaped = !isEscaped && scalar == "\\"
            text.append(scalar)
        }
        return String(text)
    }

    /// Whether a part of a text has the form.
    ///
    /// - Complexity: O(*n* · *m*) in the length of the text and of the expression, its repetitions written out.
    public func hasMatch(in text: String) -> Bool { program.hasMatch(in: text) }

    /// As ``hasMatch(in:)``, for queries: ends when the task is cancelled, and where one text takes seconds.
    ///
    /// - Throws: `CancellationError`; ``DocIndexError`` with `queryTooLarge`.
    func hasBoundedMatch(in text: String) throws -> Bool { try program.hasBoundedMatch(in: text) }
}

extension TextPattern: Hashable, CustomStringConvertible {
    /// Whether both were written with the same bytes.
    public static func == (left: TextPattern, right: TextPattern) -> Bool {
        left.ignoresCase == right.ignoresCase && left.source.hasSameBytes(as: right.source)
    }

    /// Feeds the expression into `hasher`.
    public func hash(into hasher: inout Hasher) { source.hashBytes(into: &hasher) }

    /// The expression between slashes, as the notation of conditions has it.
    public var description: String {
        var text = "/"
        for character in source.unicodeScalars {
            if character == "/" { text += "\\" }
            text.unicodeScalars.append(character)
        }
        return text + (ignoresCase ? "/i" : "/")
    }
}
