/// Splits a condition into tokens: words, quoted strings, operators, parentheses, commas and bound values, each with its
/// position.
struct QueryLexer {
    enum Kind: Equatable {
        /// A path, a number, a keyword or an unquoted string.
        case word(String)
        /// A string in double or single quotes.
        case quoted(String)
        /// A pattern between slashes, and the flags after it.
        case pattern(String, flags: String)
        case comparison(String)
        case open, close, comma
        /// A value or a path that was bound, and is never read as notation.
        case bound(QuerySource.Bound)
    }

    struct Token: Equatable {
        let kind: Kind
        /// The offset in Unicode scalars.
        let position: Int
    }

    /// Returns the tokens of a condition.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of an unclosed quote or pattern, or of a bound
    ///   value that is part of a word, a quoted string or a pattern.
    static func tokens(of source: QuerySource) throws -> [Token] {
        var lexer = QueryLexer(source)
        return try lexer.run()
    }

    private let source: QuerySource
    /// The operators of the notation other than the operators of conditions.
    private let operators: [String]
    private let text: [Unicode.Scalar]
    private var offset = 0

    private init(_ source: QuerySource) {
        self.source = source
        operators = source.subject.operators
        text = source.scalars
    }

    private mutating func run() throws -> [Token] {
        var tokens: [Token] = []
        while offset < text.count {
            let start = offset
            if let bound = source.bound[offset] {
                try requireAlone()
                tokens.append(single(.bound(bound)))
                continue
            }
            if let operation = operatorHere {
                offset += 2
                tokens.append(Token(kind: .comparison(operation), position: start))
                continue
            }
            switch text[offset] {
            case let space where space.properties.isWhitespace: offset += 1
            case "(": tokens.append(single(.open))
            case ")": tokens.append(single(.close))
            case ",": tokens.append(single(.comma))
            case "\"", "'": tokens.append(Token(kind: try quotedOrPath(), position: start))
            case "=", "<", ">", "!", "^", "*":
                let operation = comparison()
                tokens.append(Token(kind: .comparison(operation), position: start))
            case "/":
                // Elsewhere a slash is an ordinary character, as in `file = /photos/a.jpg`.
                if case .word(let word) = tokens.last?.kind, word.uppercased() == "MATCHES" {
                    tokens.append(Token(kind: try pattern(), position: start))
                } else {
                    tokens.append(Token(kind: .word(word()), position: start))
                }
            default: tokens.append(Token(kind: .word(word()), position: start))
            }
        }
        return tokens
    }

    /// Throws if the placeholder at the offset is part of a word.
    private func requireAlone() throws {
        let neighbors = [offset - 1, offset + 1].filter { text.indices.contains($0) }
        let isAlone = neighbors.allSatisfy {
            source.bound[$0] == nil
                && (text[$0].properties.isWhitespace || "(),=<>!^*".unicodeScalars.contains(text[$0]))
        }
        if !isAlone { throw source.fault("a bound value must stand alone; put spaces around it", at: offset) }
    }

    private mutating func single(_ kind: Kind) -> Token {
        offset += 1
        return Token(kind: kind, position: offset - 1)
    }

    /// The operator at the offset that conditions do not have; `nil` if there is none.
    private var operatorHere: String? {
        guard !operators.isEmpty, offset + 1 < text.count else { return nil }
        let two = string(offset..<offset + 2)
        return operators.contains(two) ? two : nil
    }

    private func string(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(text[range])) }

    private mutating func comparison() -> String {
        let two = string(offset..<min(offset + 2, text.count))
        let known = ["!=", "<=", ">=", "^=", "*=", "=="]
        let operation = known.contains(two) ? two : string(offset..<offset + 1)
        offset += operation.unicodeScalars.count
        return operation
    }

    /// Reads a bare word, which ends at a space, a parenthesis, a comma or an operator. A path may contain steps in
    /// double quotes: `exif."strange.name"`.
    private mutating func word() -> String {
        let start = offset
        while offset < text.count, source.bound[offset] == nil {
            let scalar = text[offset]
            if scalar == "\"", offset > start, text[offset - 1] == "." {
                offset += 1
                while offset < text.count, text[offset] != "\"", source.bound[offset] == nil {
                    offset += text[offset] == "\\" && source.bound[offset + 1] == nil ? 2 : 1
                }
                if source.bound[offset] != nil { break }
                offset = min(offset + 1, text.count)
                continue
            }
            if scalar.properties.isWhitespace || "(),=<>!^\"".unicodeScalars.contains(scalar) { break }
            if scalar == "*", offset + 1 < text.count, text[offset + 1] == "=" { break }
            if operatorHere != nil { break }
            offset += 1
        }
        // A character that begins neither a word nor an operator becomes a separate word.
        if offset == start { offset += 1 }
        return string(start..<offset)
    }

    private mutating func quotedOrPath() throws -> Kind {
        let start = offset
        let quote = text[offset]
        var value = String.UnicodeScalarView()
        offset += 1
        while offset < text.count, text[offset] != quote {
            try requireText("a quoted string; remove the quotes")
            if text[offset] == "\\", quote == "\"", offset + 1 < text.count {
                offset += 1
                try requireText("a quoted string; remove the quotes")
                value.append(try escaped())
            } else {
                value.append(text[offset])
            }
            offset += 1
        }
        guard offset < text.count else {
            throw source.fault("this quote is not closed", at: start)
        }
        offset += 1
        // A quoted step followed by more steps is the beginning of a path.
        if quote == "\"", offset < text.count, text[offset] == "." || text[offset] == "[" {
            return .word(string(start..<offset) + word())
        }
        return .quoted(String(value))
    }

    private mutating func pattern() throws -> Kind {
        let start = offset
        var expression = String.UnicodeScalarView()
        offset += 1
        while offset < text.count, text[offset] != "/" {
            try requireText("a pattern; bind the whole pattern and omit the slashes")
            if text[offset] == "\\", offset + 1 < text.count {
                // Only an escaped slash belongs to this notation. Other escapes are left for the pattern.
                if text[offset + 1] != "/" { expression.append(text[offset]) }
                offset += 1
            }
            try requireText("a pattern; bind the whole pattern and omit the slashes")
            expression.append(text[offset])
            offset += 1
        }
        guard offset < text.count else {
            throw source.fault("this pattern has no closing /", at: start)
        }
        offset += 1
        let flags = offset
        while offset < text.count, text[offset].properties.isAlphabetic { offset += 1 }
        return .pattern(String(expression), flags: string(flags..<offset))
    }

    /// Reads an escape from the scalar after its backslash up to its last one.
    private mutating func escaped() throws -> Unicode.Scalar {
        let scalar = text[offset]
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "\"", "'", "\\", "/": return scalar
        case "u":
            if let scalar = unicodeEscape() { return scalar }
            throw source.fault(
                "\\u must be followed by four hexadecimal digits, or by up to six in braces", at: offset - 1)
        default:
            throw source.fault(
                "\\\(scalar) is not an escape sequence; write \\\\ for a backslash, or put the string in single quotes",
                at: offset - 1)
        }
    }

    /// Reads `u00e9`, `u{e9}` or a surrogate pair up to its last scalar; `nil` if it is none.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        if offset + 1 < text.count, text[offset + 1] == "{" {
            guard let end = text[offset...].prefix(9).firstIndex(of: "}"),
                let scalar = hexadecimal(offset + 2..<end).flatMap(Unicode.Scalar.init)
            else { return nil }
            offset = end
            return scalar
        }
        guard let first = hexadecimal(offset + 1..<offset + 5) else { return nil }
        if let scalar = Unicode.Scalar(first) {
            offset += 4
            return scalar
        }
        guard (0xd800..<0xdc00).contains(first), offset + 6 < text.count, text[offset + 5] == "\\",
            text[offset + 6] == "u",
            let second = hexadecimal(offset + 7..<offset + 11), (0xdc00..<0xe000).contains(second)
        else { return nil }
        offset += 10
        return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    }

    /// The number that all scalars of a range form; `nil` if one is no digit.
    private func hexadecimal(_ range: Range<Int>) -> UInt32? {
        guard !range.isEmpty, range.upperBound <= text.count, range.allSatisfy({ text[$0].properties.isASCIIHexDigit })
        else { return nil }
        return UInt32(string(range), radix: 16)
    }

    /// Throws if a placeholder is at the offset.
    private func requireText(_ place: String) throws {
        if source.bound[offset] != nil { throw source.fault("a bound value stands inside \(place)", at: offset) }
    }
}
