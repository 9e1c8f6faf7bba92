extension Predicate {
    /// Reads a condition in the notation of the shell.
    ///
    /// ```
    /// rating >= 4 and keywords has sea
    /// year between 1920 and 1929 (source = oldnyc or not creator exists)
    /// exif.model in ("X100V", "NIKON D90")
    /// ```
    ///
    /// Operators: `=` `!=` `<` `<=` `>` `>=` `^=` (begins with) `*=` (contains) `IN (…)` `BETWEEN a AND b` `HAS`
    /// (an element is) `EXISTS` `MISSING`; `AND` (or nothing) binds stronger than `OR`; `NOT`; parentheses. Keywords
    /// may be written in either case. A bare word that is a number, `true`, `false` or `null` is that value; in quotes
    /// it is a text. An empty text is the condition that always holds.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of what could not be read.
    public init(parsing text: String) throws {
        var parser = try PredicateParser(text)
        self = try parser.parse()
    }
}

/// Reads the notation of ``Predicate/init(parsing:)`` by recursive descent.
private struct PredicateParser {
    private let tokens: [QueryLexer.Token]
    private let end: Int
    private var offset = 0
    private var depth = 0

    init(_ text: String) throws {
        tokens = try QueryLexer.tokens(of: text)
        end = text.count
    }

    mutating func parse() throws -> Predicate {
        if tokens.isEmpty { return .all }
        let predicate = try alternatives()
        guard offset == tokens.count else { throw fault("a condition, AND or OR is expected here") }
        return predicate
    }

    private mutating func alternatives() throws -> Predicate {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 64 else { throw fault("conditions are nested more than 64 deep; simplify the query") }
        var parts = [try all()]
        while takeKeyword("OR") { parts.append(try all()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func all() throws -> Predicate {
        var parts = [try negated()]
        while takeKeyword("AND") || startsCondition { parts.append(try negated()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negated() throws -> Predicate {
        var isNegated = false
        while takeKeyword("NOT") { isNegated.toggle() }
        let part = try single()
        return isNegated ? .not(part) : part
    }

    private mutating func single() throws -> Predicate {
        if take(.open) {
            let group = try alternatives()
            guard take(.close) else { throw fault("a ) is expected here") }
            return group
        }
        return try condition(on: path())
    }

    private mutating func condition(on path: FieldPath) throws -> Predicate {
        if takeKeyword("EXISTS") { return .exists(path) }
        if takeKeyword("MISSING") { return .not(.exists(path)) }
        if takeKeyword("HAS") { return .compare(try path.eachElement(), .equal, try value()) }
        if takeKeyword("IN") { return .isIn(path, try values()) }
        if takeKeyword("BETWEEN") {
            let lower = try value()
            guard takeKeyword("AND") else { throw fault("BETWEEN needs AND and a second value here") }
            return .between(path, lower, try value())
        }
        guard offset < tokens.count, case .comparison(let operation) = tokens[offset].kind else {
            throw fault("an operator is expected after \(path), such as =, <, >=, ^=, *=, IN, BETWEEN, HAS, EXISTS")
        }
        let place = offset
        offset += 1
        switch operation {
        case "=", "==": return .compare(path, .equal, try value())
        case "!=": return .not(.compare(path, .equal, try value()))
        case "^=": return .hasPrefix(path, try text())
        case "*=": return .contains(path, try text())
        default:
            guard let comparison = Predicate.Comparison(rawValue: operation) else {
                offset = place
                throw fault("there is no operator \(operation)")
            }
            return .compare(path, comparison, try value())
        }
    }

    // MARK: - Parts

    private mutating func path() throws -> FieldPath {
        guard offset < tokens.count else { throw fault("a condition is expected here") }
        let written: String
        switch tokens[offset].kind {
        case .word(let text) where !isKeyword(text): written = text
        // A name that needs quotes in a path.
        case .quoted(let text): written = FieldPath(names: text).description
        default: throw fault("the path of a field is expected here")
        }
        do {
            let path = try FieldPath(parsing: written)
            offset += 1
            return path
        } catch {
            throw fault("\(written) is no path: \(error)")
        }
    }

    private mutating func value() throws -> DocumentValue {
        guard offset < tokens.count else { throw fault("a value is expected here") }
        switch tokens[offset].kind {
        case .word(let word) where !isKeyword(word):
            offset += 1
            return Self.value(ofWord: word)
        case .quoted(let text):
            offset += 1
            return .string(text)
        default: throw fault("a value is expected here; put it in quotes if it has signs in it")
        }
    }

    /// What a bare word means: the value that JSON gives it, or else a text.
    private static func value(ofWord word: String) -> DocumentValue {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            if let parsed = try? JSONParser().parse(Array(word.utf8)), parsed.numberValue != nil { return parsed }
            return .string(word)
        }
    }

    private mutating func text() throws -> String {
        guard offset < tokens.count else { throw fault("a text is expected here") }
        switch tokens[offset].kind {
        case .word(let text) where !isKeyword(text), .quoted(let text):
            offset += 1
            return text
        default: throw fault("a text is expected here; put it in quotes if it has signs in it")
        }
    }

    private mutating func values() throws -> [DocumentValue] {
        guard take(.open) else { throw fault("IN needs a list in parentheses here") }
        var values = [try value()]
        while take(.comma) { values.append(try value()) }
        guard take(.close) else { throw fault("a , or ) is expected here") }
        return values
    }

    // MARK: - Tokens

    private static let keywords: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "HAS", "EXISTS", "MISSING",
    ]

    private func isKeyword(_ word: String) -> Bool { Self.keywords.contains(word.uppercased()) }

    /// Whether a condition may begin here, so that the AND before it is left out.
    private var startsCondition: Bool {
        guard offset < tokens.count else { return false }
        switch tokens[offset].kind {
        case .open, .quoted: return true
        case .word(let word): return !isKeyword(word) || word.uppercased() == "NOT"
        default: return false
        }
    }

    private mutating func takeKeyword(_ keyword: String) -> Bool {
        guard offset < tokens.count, case .word(let word) = tokens[offset].kind, word.uppercased() == keyword else {
            return false
        }
        offset += 1
        return true
    }

    private mutating func take(_ kind: QueryLexer.Kind) -> Bool {
        guard offset < tokens.count, tokens[offset].kind == kind else { return false }
        offset += 1
        return true
    }

    private func fault(_ reason: String) -> DocIndexError {
        let position = offset < tokens.count ? tokens[offset].position : end
        return DocIndexError(
            .invalidQuery, "the condition cannot be read at character \(position + 1): \(reason)", position: position)
    }
}

extension FieldPath {
    /// The path to the elements of what this path leads to; itself where it ends with `[]` already.
    func eachElement() throws -> FieldPath {
        if case .eachElement = steps.last { return self }
        return try FieldPath(parsing: description + "[]")
    }
}
