/// The pieces of a condition: words, quoted texts, operators, parentheses and commas, each with its place.
struct QueryLexer {
    enum Kind: Equatable {
        /// A path, a number, a keyword or a bare text.
        case word(String)
        /// A text in double or single quotes.
        case quoted(String)
        case comparison(String)
        case open, close, comma
    }

    struct Token: Equatable {
        let kind: Kind
        /// In characters from 0.
        let position: Int
    }

    /// The tokens of a text.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of a quote that is not closed.
    static func tokens(of text: String) throws -> [Token] {
        var lexer = QueryLexer(text)
        return try lexer.run()
    }

    private let text: [Character]
    private var offset = 0

    private init(_ text: String) { self.text = Array(text) }

    private mutating func run() throws -> [Token] {
        var tokens: [Token] = []
        while offset < text.count {
            let start = offset
            switch text[offset] {
            case let space where space.isWhitespace: offset += 1
            case "(": tokens.append(single(.open))
            case ")": tokens.append(single(.close))
            case ",": tokens.append(single(.comma))
            case "\"", "'": tokens.append(Token(kind: try quotedOrPath(), position: start))
            case "=", "<", ">", "!", "^", "*":
                let operation = comparison()
                tokens.append(Token(kind: .comparison(operation), position: start))
            default: tokens.append(Token(kind: .word(word()), position: start))
            }
        }
        return tokens
    }

    private mutating func single(_ kind: Kind) -> Token {
        offset += 1
        return Token(kind: kind, position: offset - 1)
    }

    private mutating func comparison() -> String {
        let two = String(text[offset..<min(offset + 2, text.count)])
        let known = ["!=", "<=", ">=", "^=", "*=", "=="]
        let operation = known.contains(two) ? two : String(text[offset])
        offset += operation.count
        return operation
    }

    /// A bare word ends at a space, a bracket, a comma or an operator. Double quotes may stand within a path:
    /// `exif."strange.name"`.
    private mutating func word() -> String {
        let start = offset
        while offset < text.count {
            let character = text[offset]
            if character == "\"", offset > start, text[offset - 1] == "." {
                offset += 1
                while offset < text.count, text[offset] != "\"" { offset += text[offset] == "\\" ? 2 : 1 }
                offset = min(offset + 1, text.count)
                continue
            }
            if character.isWhitespace || "(),=<>!^\"".contains(character) { break }
            if character == "*", offset + 1 < text.count, text[offset + 1] == "=" { break }
            offset += 1
        }
        return String(text[start..<offset])
    }

    private mutating func quotedOrPath() throws -> Kind {
        let start = offset
        let quote = text[offset]
        var value = ""
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
            throw DocIndexError(
                .invalidQuery, "the condition cannot be read at character \(start + 1): this quote is not closed",
                position: start)
        }
        offset += 1
        // A quoted step that is followed by more steps is the beginning of a path.
        if quote == "\"", offset < text.count, text[offset] == "." || text[offset] == "[" {
            return .word(String(text[start..<offset]) + word())
        }
        return .quoted(value)
    }

    private static func escaped(_ character: Character) -> Character {
        switch character {
        case "n": "\n"
        case "t": "\t"
        case "r": "\r"
        default: character
        }
    }
}
