/// Splits a condition into tokens: words, quoted strings, operators, parentheses and commas, each with its position.
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
    }

    struct Token: Equatable {
        let kind: Kind
        /// The offset in Unicode scalars.
        let position: Int
    }

    /// Returns the tokens of a condition.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of an unclosed quote or pattern.
    static func tokens(of text: String) throws -> [Token] {
        var lexer = QueryLexer(text)
        return try lexer.run()
    }

    // Scalars, because a combining mark at the beginning of a quoted string would merge with the quote into one
    // character.
    private let text: [Unicode.Scalar]
    private var offset = 0

    private init(_ text: String) { self.text = Array(text.unicodeScalars) }

    private mutating func run() throws -> [Token] {
        var tokens: [Token] = []
        while offset < text.count {
            let start = offset
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

    private mutating func single(_ kind: Kind) -> Token {
        offset += 1
        return Token(kind: kind, position: offset - 1)
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
        while offset < text.count {
            let scalar = text[offset]
            if scalar == "\"", offset > start, text[offset - 1] == "." {
                offset += 1
                while offset < text.count, text[offset] != "\"" { offset += text[offset] == "\\" ? 2 : 1 }
                offset = min(offset + 1, text.count)
                continue
            }
            if scalar.properties.isWhitespace || "(),=<>!^\"".unicodeScalars.contains(scalar) { break }
            if scalar == "*", offset + 1 < text.count, text[offset + 1] == "=" { break }
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
            if text[offset] == "\\", quote == "\"", offset + 1 < text.count {
                offset += 1
                value.append(Self.escaped(text[offset]))
            } else {
                value.append(text[offset])
            }
            offset += 1
        }
        guard offset < text.count else {
            throw Self.fault("this quote is not closed", at: start, in: string(0..<text.count))
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
        var source = String.UnicodeScalarView()
        offset += 1
        while offset < text.count, text[offset] != "/" {
            if text[offset] == "\\", offset + 1 < text.count {
                // Only an escaped slash belongs to this notation. Other escapes are left for the pattern.
                if text[offset + 1] != "/" { source.append(text[offset]) }
                offset += 1
            }
            source.append(text[offset])
            offset += 1
        }
        guard offset < text.count else {
            throw Self.fault("this pattern has no closing /", at: start, in: string(0..<text.count))
        }
        offset += 1
        let flags = offset
        while offset < text.count, text[offset].properties.isAlphabetic { offset += 1 }
        return .pattern(String(source), flags: string(flags..<offset))
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "n": "\n"
        case "t": "\t"
        case "r": "\r"
        default: scalar
        }
    }

    /// Returns an error for a position in a condition.
    static func fault(_ reason: String, at position: Int, in text: String) -> DocIndexError {
        // Positions in messages count characters, not scalars.
        let character = String(String.UnicodeScalarView(text.unicodeScalars.prefix(position))).count
        return DocIndexError(
            .invalidQuery, "the condition cannot be read at character \(character + 1): \(reason)",
            position: character)
    }
}
