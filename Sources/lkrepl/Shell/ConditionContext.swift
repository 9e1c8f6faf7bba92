import DocIndex

/// The kinds of text that may follow at the end of an incomplete condition; a pure function of its text.
struct ConditionContext: Hashable {
    /// The kind of what is being typed.
    enum Expectation: Hashable {
        /// The path of a field, or `not`.
        case field
        /// A comparison.
        case comparison
        /// A value of a field, or an element of a list.
        case value(FieldPath, isElement: Bool)
        /// `and` or `or`.
        case connective
    }

    var expectation = Expectation.field
    /// The word being typed, without an opening quote.
    var typed = ""
    /// The number of characters of `typed`, and of its quote, at the end of the text.
    var typedCount = 0

    /// The words that compare a field.
    static let comparisons = [
        "=", "!=", "<", "<=", ">", ">=", "^=", "*=", "in", "between", "has", "exists", "missing", "matches", "any",
        "near", "within", "is",
    ]
    private static let signs = Set("=!<>^*")

    private enum Token: Hashable {
        case word(String)
        case quoted(String)
        case sign(String)
        case open, close, comma
    }

    /// Reads the end of a condition.
    init(endOf text: String) {
        var tokens: [Token] = []
        let characters = Array(text)
        var index = 0
        /// The start of the last token if it touches the end, so that it may be incomplete.
        var incomplete: Int?
        while index < characters.count {
            let start = index
            let character = characters[index]
            switch character {
            case _ where character.isWhitespace:
                index += 1
                continue
            case "(", ")", ",":
                tokens.append(character == "(" ? .open : character == ")" ? .close : .comma)
                index += 1
                incomplete = nil
            case "\"", "'":
                let (content, isClosed) = Self.quoted(characters, from: &index)
                tokens.append(.quoted(content))
                incomplete = isClosed ? nil : start
            case _ where Self.signs.contains(character):
                while index < characters.count, Self.signs.contains(characters[index]) { index += 1 }
                tokens.append(.sign(String(characters[start..<index])))
                incomplete = nil
            default:
                while index < characters.count, !characters[index].isWhitespace,
                    !Self.signs.contains(characters[index]) || characters[index] == "*",
                    !"(),\"'".contains(characters[index])
                { index += 1 }
                tokens.append(.word(String(characters[start..<index])))
                incomplete = index == characters.count ? start : nil
            }
        }
        if let incomplete, let last = tokens.popLast() {
            typedCount = characters.count - incomplete
            switch last {
            case .word(let text), .quoted(let text): typed = text
            default: break
            }
        }
        expectation = Self.expectation(after: tokens)
    }

    private static func quoted(_ characters: [Character], from index: inout Int) -> (String, isClosed: Bool) {
        let quote = characters[index]
        var content = ""
        index += 1
        while index < characters.count {
            let character = characters[index]
            index += 1
            if character == quote { return (content, true) }
            if character == "\\", quote == "\"", index < characters.count {
                content.append(characters[index])
                index += 1
            } else {
                content.append(character)
            }
        }
        return (content, false)
    }

    private static func expectation(after tokens: [Token]) -> Expectation {
        guard let last = tokens.last else { return .field }
        let rest = tokens.dropLast()
        switch last {
        case .sign(let sign):
            guard ["=", "!=", "<", "<=", ">", ">="].contains(sign), let path = path(rest.last) else {
                return .connective
            }
            return .value(path, isElement: false)
        case .word(let word) where word.lowercased() == "has":
            return path(rest.last).map { .value($0, isElement: true) } ?? .field
        case .open, .comma:
            if let path = listedPath(tokens) { return .value(path, isElement: false) }
            return last == .open ? .field : .connective
        case .word(let word) where ["and", "or", "not"].contains(word.lowercased()): return .field
        case .word(let word) where ["exists", "missing"].contains(word.lowercased()): return .connective
        case .word, .quoted:
            // After a comparison it was a value, otherwise a path.
            switch rest.last {
            case nil, .open: return .comparison
            case .word(let word)? where ["and", "or", "not"].contains(word.lowercased()): return .comparison
            default: return .connective
            }
        case .close: return .connective
        }
    }

    /// The path before `in (` whose list is open at the end.
    private static func listedPath(_ tokens: [Token]) -> FieldPath? {
        guard let open = tokens.lastIndex(of: .open), open >= 2, !tokens[open...].contains(.close),
            case .word(let word) = tokens[open - 1], word.lowercased() == "in"
        else { return nil }
        if case .word(let negation) = tokens[open - 2], negation.lowercased() == "not" {
            return open >= 3 ? path(tokens[open - 3]) : nil
        }
        return path(tokens[open - 2])
    }

    private static func path(_ token: Token?) -> FieldPath? {
        switch token {
        case .word(let text)?: try? FieldPath(parsing: text)
        case .quoted(let text)?: FieldPath(names: text)
        default: nil
        }
    }
}
