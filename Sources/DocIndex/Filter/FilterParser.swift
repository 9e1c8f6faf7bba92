/// A recursive-descent parser for the notation of ``Filter/init(parsing:)``.
struct FilterParser {
    /// A value or a span of time.
    enum Literal {
        case value(DocumentValue)
        case span(Filter.DateSpan)
    }

    /// The maximum nesting depth of parentheses.
    private static let depthLimit = 64

    private let source: QuerySource
    let tokens: [QueryLexer.Token]
    let parameters: [String: DocumentValue]
    var offset = 0
    private var depth = 0
    private var conditionCount = 0

    init(_ source: QuerySource, parameters: [String: DocumentValue] = [:]) throws {
        self.source = source
        self.parameters = parameters
        tokens = try QueryLexer.tokens(of: source)
    }

    mutating func parse() throws -> Filter {
        if tokens.isEmpty { return .all }
        let filter = try alternatives()
        guard offset == tokens.count else { throw fault("a condition, AND or OR is expected here") }
        return filter
    }

    mutating func alternatives() throws -> Filter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else {
            throw fault("conditions are nested more than \(Self.depthLimit) deep; simplify the query")
        }
        var parts = [try all()]
        while takeKeyword("OR") { parts.append(try all()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func all() throws -> Filter {
        var parts = [try negated()]
        while takeKeyword("AND") || startsCondition { parts.append(try negated()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negated() throws -> Filter {
        var isNegated = false
        while takeKeyword("NOT") { isNegated.toggle() }
        let part = try single()
        return isNegated ? .not(part) : part
    }

    private mutating func single() throws -> Filter {
        conditionCount += 1
        // Count groups too, so that parsing stops early on oversized conditions.
        guard conditionCount <= 2 * Filter.maximumConditionCount else {
            throw Filter.tooManyConditions(Filter.maximumConditionCount + 1)
        }
        if take(.open) {
            if take(.close) { return .all }
            let group = try alternatives()
            guard take(.close) else { throw fault("a ) is expected here") }
            return group
        }
        if let search = try takeSearch() { return search }
        if let part = takeDatePart() { return try condition(on: part) }
        if let (collation, path) = takeCollation() { return try condition(on: path, collation) }
        let path = try path()
        if take(.comma) { return try geoCondition(on: .coordinates(latitude: path, longitude: try self.path())) }
        return try condition(on: path)
    }

    // MARK: - Tokens

    /// Words that cannot begin a path or be a value. Other keywords, such as `NEAR`, are recognized only after a path.
    private static let keywords: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "HAS", "EXISTS", "MISSING",
    ]

    static func isKeyword(_ word: String) -> Bool { keywords.contains(word.uppercased()) }

    /// Whether a condition may begin here, which implies an omitted AND.
    var startsCondition: Bool {
        guard offset < tokens.count else { return false }
        switch tokens[offset].kind {
        case .open, .quoted, .bound(.path): return true
        case .word(let word): return !Self.isKeyword(word) || word.uppercased() == "NOT"
        default: return false
        }
    }

    func isKeywordNext(_ keyword: String) -> Bool {
        guard offset < tokens.count, case .word(let word) = tokens[offset].kind else { return false }
        return word.uppercased() == keyword
    }

    mutating func takeKeyword(_ keyword: String) -> Bool {
        guard isKeywordNext(keyword) else { return false }
        offset += 1
        return true
    }

    mutating func take(_ kind: QueryLexer.Kind) -> Bool {
        guard offset < tokens.count, tokens[offset].kind == kind else { return false }
        offset += 1
        return true
    }

    /// Whether every token has been read.
    var isAtEnd: Bool { offset >= tokens.count }

    /// The value or path that is bound at the next token; `nil` if that is an ordinary token.
    var nextBound: QuerySource.Bound? {
        guard offset < tokens.count, case .bound(let bound) = tokens[offset].kind else { return nil }
        return bound
    }

    func fault(_ reason: String) -> DocIndexError {
        source.fault(reason, at: offset < tokens.count ? tokens[offset].position : source.scalars.count)
    }
}
