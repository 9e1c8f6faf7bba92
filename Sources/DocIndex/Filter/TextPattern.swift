extension Filter {
    /// A regular expression that a part of a string can match.
    ///
    /// Matching takes time proportional to the length of the string, whatever the expression (K. Thompson, "Regular
    /// expression search algorithm", 1968), so no expression can stall a search. For the same reason, backreferences,
    /// lookahead and lookbehind are not supported.
    ///
    /// Notation: `.` (any character except a line feed), `[a-z]`, `[^a-z]`, `\d` `\w` `\s` and their opposites `\D` `\W`
    /// `\S` (ASCII only), `\b` (word boundary), `^`, `$`, `(…)`, `(?:…)`, `|`, `*`, `+`, `?`, `{2}`, `{2,}`, `{2,4}`; `\`
    /// before a special character means that character, and `\n` `\t` `\r` `\x41` `\u{e9}` are characters too. Lazy
    /// repetitions such as `*?` are equivalent to `*`, because only the existence of a match matters. `(?i)` at the
    /// beginning ignores case.
    public struct TextPattern: Sendable {
        /// The expression as written, without `(?i)` at its beginning and backslashes before slashes.
        public let source: String
        /// Whether matching ignores case.
        public let ignoresCase: Bool
        private let program: PatternProgram

        /// Parses a pattern.
        ///
        /// - Throws: ``DocIndexError`` with `invalidQuery`, the position in the expression, and the reason; also for groups
        ///   nested more than 64 deep, and for more than 5,000 steps after expanding repetitions.
        public init(_ source: String, ignoresCase: Bool = false) throws {
            let hasFlag = source.utf8.starts(with: "(?i)".utf8)
            let expression = hasFlag ? String(source.unicodeScalars.dropFirst(4)) : source
            self.source = Self.withPlainSlashes(expression)
            self.ignoresCase = ignoresCase || hasFlag
            var parser = PatternParser(expression, ignoresCase: self.ignoresCase)
            program = try parser.program()
        }

        /// Returns the expression without backslashes before slashes, where they are not needed.
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

        /// Returns whether a part of a string matches.
        ///
        /// - Complexity: O(*n* · *m*) in the lengths of the string and of the expression with repetitions expanded.
        public func hasMatch(in text: String) -> Bool { program.hasMatch(in: text) }

        /// Returns whether a part of a string matches, like ``hasMatch(in:)``, but stops if the task is canceled or the
        /// search takes too many steps.
        ///
        /// - Throws: `CancellationError`; ``DocIndexError`` with `queryTooLarge`.
        func hasBoundedMatch(in text: String) throws -> Bool { try program.hasBoundedMatch(in: text) }
    }
}

extension Filter.TextPattern: Hashable, CustomStringConvertible {
    /// Returns whether both patterns have the same expression, byte for byte, and the same options.
    public static func == (left: Filter.TextPattern, right: Filter.TextPattern) -> Bool {
        left.ignoresCase == right.ignoresCase && left.source.hasSameBytes(as: right.source)
    }

    /// Feeds the expression into `hasher`.
    public func hash(into hasher: inout Hasher) { source.hashBytes(into: &hasher) }

    /// The expression between slashes, as in the notation of conditions.
    public var description: String {
        var text = "/"
        for character in source.unicodeScalars {
            if character == "/" { text += "\\" }
            text.unicodeScalars.append(character)
        }
        return text + (ignoresCase ? "/i" : "/")
    }
}
