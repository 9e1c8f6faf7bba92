extension Predicate {
    /// Reads a condition in the notation of the shell.
    ///
    /// ```
    /// rating >= 4 and keywords has sea
    /// year between 1920 and 1929 (source = oldnyc or not creator exists)
    /// exif.model in ("X100V", "NIKON D90") and taken >= date 2019-06 and hour(taken) >= 18
    /// people any (name = Ada and role = author) and place near 40.70,-73.99,5
    /// ```
    ///
    /// Operators: `=` `!=` `<` `<=` `>` `>=` `^=` (begins with) `*=` (contains) `IN (…)` `BETWEEN a AND b` `HAS`
    /// (an element is) `EXISTS` `MISSING` `MATCHES /pattern/i` `IS number` `SIZE n` `MOD d, r` `BELOW keyword [BY '|']`
    /// `ANY (…)` (an element satisfies; `@` is the element) `NEAR lat,lon,km` `WITHIN south,west,north,east`; before the
    /// last two, `lat,lon` are two paths. `AND` (or nothing) binds stronger than `OR`; `NOT`; parentheses. Keywords may
    /// be written in either case. A bare word that is a number, `true`, `false` or `null` is that value; in quotes it is
    /// a text. `date 2019`, `date 2019-06`, `date 2019-06-08T18:02` are spans of time: `=` is within them, `<` before,
    /// `>` behind; `year(path)`, `month(path)` and the other parts of ``DatePart`` are compared as numbers. `json '…'` is
    /// any value in extended JSON. An empty text, and `()`, is the condition that always holds.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of what could not be read.
    public init(parsing text: String) throws { try self.init(parsing: text, parameters: [:]) }

    /// Reads a condition in which `:name` stands for a value, so that no text of a user is read as notation.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`, also for a name without a value.
    public init(parsing text: String, parameters: [String: DocumentValue]) throws {
        var parser = try PredicateParser(text, parameters: parameters)
        self = try parser.parse()
        try validate()
    }
}

/// Reads the notation of ``Predicate/init(parsing:)`` by recursive descent.
struct PredicateParser {
    /// A value, or a span of time.
    private enum Literal {
        case value(DocumentValue)
        case span(DateSpan)
    }

    private let text: String
    private let tokens: [QueryLexer.Token]
    private let parameters: [String: DocumentValue]
    private var offset = 0
    private var depth = 0

    init(_ text: String, parameters: [String: DocumentValue]) throws {
        self.text = text
        self.parameters = parameters
        tokens = try QueryLexer.tokens(of: text)
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
            if take(.close) { return .all }
            let group = try alternatives()
            guard take(.close) else { throw fault("a ) is expected here") }
            return group
        }
        if let part = takeDatePart() { return try condition(on: part) }
        let path = try path()
        if take(.comma) { return try geoCondition(on: .coordinates(latitude: path, longitude: try self.path())) }
        return try condition(on: path)
    }

    // MARK: - Conditions

    private mutating func condition(on path: FieldPath) throws -> Predicate {
        if takeKeyword("EXISTS") { return .exists(path) }
        if takeKeyword("MISSING") { return .not(.exists(path)) }
        if takeKeyword("HAS") { return Self.comparison(path.eachElement, .equal, try literal()) }
        if takeKeyword("IN") { return try list(of: path) }
        if takeKeyword("BETWEEN") { return try between(path) }
        if takeKeyword("MATCHES") { return .hasMatch(path, try pattern()) }
        if takeKeyword("IS") { return .hasKind(path, try kinds()) }
        if takeKeyword("SIZE") { return .hasCount(path, Int(clamping: try integer())) }
        if takeKeyword("MOD") {
            let divisor = try integer()
            guard take(.comma) else { throw fault("MOD needs a comma and a remainder here") }
            return .isCongruent(path, divisor: divisor, remainder: try integer())
        }
        if takeKeyword("BELOW") {
            let keyword = try string()
            return .isBelow(path, keyword, separator: takeKeyword("BY") ? try string() : "|")
        }
        if takeKeyword("DURING") {
            guard let span = DateSpan(notation: try string()) else {
                offset -= 1
                throw fault("two dates with .. between them are expected here")
            }
            return .isDated(path, span)
        }
        if takeKeyword("ANY") {
            guard take(.open) else { throw fault("ANY needs a condition in parentheses here") }
            let part = take(.close) ? Predicate.all : try alternatives()
            if part != .all, !take(.close) { throw fault("a ) is expected here") }
            return .anyElement(path, part)
        }
        if isKeywordNext("NEAR") || isKeywordNext("WITHIN") { return try geoCondition(on: .location(path)) }
        if takeKeyword("COLLATES") {
            guard let comparison = Predicate.Comparison(rawValue: try operation(behind: path)) else {
                offset -= 1
                throw fault("one of = < <= > >= is expected here")
            }
            return .collates(path, comparison, try value())
        }
        let operation = try operation(behind: path)
        let place = offset - 1
        switch operation {
        case "=", "==": return Self.comparison(path, .equal, try literal())
        case "!=": return .not(Self.comparison(path, .equal, try literal()))
        case "^=": return .hasPrefix(path, try string())
        case "*=": return .contains(path, try string())
        default:
            guard let comparison = Predicate.Comparison(rawValue: operation) else {
                offset = place
                throw fault("there is no operator \(operation)")
            }
            return Self.comparison(path, comparison, try literal())
        }
    }

    private mutating func operation(behind path: FieldPath) throws -> String {
        guard offset < tokens.count, case .comparison(let operation) = tokens[offset].kind else {
            throw fault(
                "an operator is expected after \(path.notation), such as =, <, >=, ^=, *=, IN, BETWEEN, HAS, EXISTS")
        }
        offset += 1
        return operation
    }

    private static func comparison(
        _ path: FieldPath, _ comparison: Predicate.Comparison, _ literal: Literal
    ) -> Predicate {
        switch literal {
        case .value(let value): .compare(path, comparison, value)
        case .span(let span):
            switch comparison {
            case .equal: .isDated(path, span)
            case .less: .isDated(path, DateSpan(to: span.lower))
            case .lessOrEqual: .isDated(path, DateSpan(to: span.upper))
            case .greater: .isDated(path, DateSpan(from: span.upper))
            case .greaterOrEqual: .isDated(path, DateSpan(from: span.lower))
            }
        }
    }

    private mutating func list(of path: FieldPath) throws -> Predicate {
        var values: [DocumentValue] = []
        var spans: [DateSpan] = []
        try forEachInList { parser in
            switch try parser.literal() {
            case .value(let value): values.append(value)
            case .span(let span): spans.append(span)
            }
        }
        if spans.isEmpty { return .isIn(path, values) }
        let dated = spans.map { Predicate.isDated(path, $0) }
        return .or(values.isEmpty ? dated : dated + [.isIn(path, values)])
    }

    private mutating func between(_ path: FieldPath) throws -> Predicate {
        let lower = try literal()
        guard takeKeyword("AND") else { throw fault("BETWEEN needs AND and a second value here") }
        let place = offset
        switch (lower, try literal()) {
        case (.value(let lower), .value(let upper)): return .between(path, lower, upper)
        case (.span(let lower), .span(let upper)):
            return .isDated(path, DateSpan(from: lower.lower, to: upper.upper))
        default:
            offset = place
            throw fault("both ends of BETWEEN must be dates, or neither")
        }
    }

    private mutating func condition(on part: (part: DatePart, path: FieldPath)) throws -> Predicate {
        if takeKeyword("IN") {
            var ranges: [ClosedRange<Int64>] = []
            try forEachInList { ranges.append(try $0.integerRange()) }
            return .hasDatePart(part.path, part.part, ranges)
        }
        if takeKeyword("BETWEEN") {
            let lower = try integer()
            guard takeKeyword("AND") else { throw fault("BETWEEN needs AND and a second number here") }
            let upper = try integer()
            return .hasDatePart(part.path, part.part, lower <= upper ? [lower...upper] : [])
        }
        let operation = try operation(behind: part.path)
        let number = try integer()
        switch operation {
        case "=", "==": return .hasDatePart(part.path, part.part, [number...number])
        case "!=": return .not(.hasDatePart(part.path, part.part, [number...number]))
        case "<": return .hasDatePart(part.path, part.part, number == .min ? [] : [.min...number - 1])
        case "<=": return .hasDatePart(part.path, part.part, [.min...number])
        case ">": return .hasDatePart(part.path, part.part, number == .max ? [] : [number + 1 ... .max])
        case ">=": return .hasDatePart(part.path, part.part, [number ... .max])
        default:
            offset -= 2
            throw fault("a part of a date is a number; use = != < <= > >=, IN or BETWEEN")
        }
    }

    private mutating func geoCondition(on field: GeoField) throws -> Predicate {
        let isNear = takeKeyword("NEAR")
        guard isNear || takeKeyword("WITHIN") else {
            throw fault("NEAR or WITHIN is expected behind two paths with a comma between them")
        }
        let place = offset
        var numbers: [Double] = []
        var factor = 1000.0
        for position in 0..<(isNear ? 3 : 4) {
            if position > 0, !take(.comma) {
                throw fault(isNear ? "NEAR needs lat,lon,km" : "WITHIN needs south,west,north,east")
            }
            var word = try string()
            if isNear, position == 2 {
                if word.hasSuffix("km") {
                    word.removeLast(2)
                } else if word.hasSuffix("m") {
                    word.removeLast()
                    factor = 1
                }
            }
            guard let number = Self.value(ofWord: word).numberValue else {
                offset -= 1
                throw fault("a number is expected here")
            }
            numbers.append(number)
        }
        if isNear, let center = GeoPoint(latitude: numbers[0], longitude: numbers[1]), numbers[2] >= 0 {
            return .isNear(field, center, meters: numbers[2] * factor)
        }
        if !isNear, let box = GeoBox(south: numbers[0], west: numbers[1], north: numbers[2], east: numbers[3]) {
            return .isWithin(field, box)
        }
        offset = place
        throw fault(
            isNear
                ? "these are no latitude from -90 to 90, longitude from -180 to 180, and distance"
                : "these are no box: latitudes are from -90 to 90, south not above north, longitudes from -180 to 180")
    }

    // MARK: - Parts

    /// The part of a date and its path, in `month(taken)`.
    private mutating func takeDatePart() -> (part: DatePart, path: FieldPath)? {
        guard offset + 3 < tokens.count, case .word(let word) = tokens[offset].kind,
            tokens[offset + 1].kind == .open, tokens[offset + 3].kind == .close,
            let part = DatePart.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() })
        else { return nil }
        let start = offset
        offset += 2
        guard let path = try? path() else {
            offset = start
            return nil
        }
        offset += 1
        return (part, path)
    }

    private mutating func path() throws -> FieldPath {
        guard offset < tokens.count else { throw fault("a condition is expected here") }
        let written: String
        switch tokens[offset].kind {
        // The element itself, and elements of it.
        case .word("@"):
            offset += 1
            return .element
        case .word(let text) where text.hasPrefix("@["):
            guard let path = try? FieldPath(parsing: "element" + text.dropFirst()) else {
                throw fault("\(text) is no path")
            }
            offset += 1
            return FieldPath(checked: Array(path.steps.dropFirst()))
        case .word(let text) where !Self.isKeyword(text): written = text
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

    private mutating func literal() throws -> Literal {
        guard offset + 1 < tokens.count, case .word(let word) = tokens[offset].kind, word.lowercased() == "date" else {
            return .value(try value())
        }
        guard case .word(let text) = tokens[offset + 1].kind else {
            guard case .quoted(let text) = tokens[offset + 1].kind, let span = DateSpan(text) else {
                return .value(try value())
            }
            offset += 2
            return .span(span)
        }
        if let span = DateSpan(text) {
            offset += 2
            return .span(span)
        }
        // `kind = date and …` asks for the text.
        if Self.isKeyword(text) || text.unicodeScalars.first?.properties.isAlphabetic == true {
            return .value(try value())
        }
        offset += 1
        throw fault("\(text) is no date; write 2019, 2019-06, 2019-06-08 or 2019-06-08T18:02:11")
    }

    private mutating func value() throws -> DocumentValue {
        guard offset < tokens.count else { throw fault("a value is expected here") }
        switch tokens[offset].kind {
        case .word(let word) where word.hasPrefix(":"):
            guard let value = parameters[String(word.dropFirst())] else {
                throw fault("there is no value for \(word); bind one, or put the text in quotes")
            }
            offset += 1
            return value
        case .word(let word) where word.lowercased() == "json":
            if offset + 1 < tokens.count, case .quoted(let text) = tokens[offset + 1].kind {
                offset += 1
                do throws(JSONError) {
                    let value = try DocumentValue(json: text, isExtended: true)
                    offset += 1
                    return value
                } catch {
                    throw fault("this is no JSON: \(error)")
                }
            }
            offset += 1
            return .string(word)
        case .word(let word) where !Self.isKeyword(word):
            offset += 1
            return Self.value(ofWord: word)
        case .quoted(let text):
            offset += 1
            return .string(text)
        default: throw fault("a value is expected here; put it in quotes if it has signs in it")
        }
    }

    /// What a bare word means: the value that JSON gives it, or else a text. A number may begin with its point.
    private static func value(ofWord word: String) -> DocumentValue {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default:
            var number = word
            if word.hasPrefix(".") { number = "0" + word }
            if word.hasPrefix("-.") { number = "-0" + word.dropFirst() }
            if let parsed = try? JSONParser().parse(Array(number.utf8)), parsed.numberValue != nil { return parsed }
            return .string(word)
        }
    }

    private mutating func integer() throws -> Int64 {
        let place = offset
        guard case .int(let number) = try value() else {
            offset = place
            throw fault("a whole number is expected here")
        }
        return number
    }

    /// `5`, or `5..8`.
    private mutating func integerRange() throws -> ClosedRange<Int64> {
        guard offset < tokens.count, case .word(let word) = tokens[offset].kind, word.contains("..") else {
            let number = try integer()
            return number...number
        }
        let ends = word.split(separator: ".", omittingEmptySubsequences: true).compactMap { Int64($0) }
        guard ends.count == 2, ends[0] <= ends[1] else { throw fault("a range such as 6..8 is expected here") }
        offset += 1
        return ends[0]...ends[1]
    }

    private mutating func string() throws -> String {
        guard offset < tokens.count else { throw fault("a text is expected here") }
        switch tokens[offset].kind {
        case .word(let word) where word.hasPrefix(":") && parameters[String(word.dropFirst())] != nil:
            guard case .string(let text) = parameters[String(word.dropFirst())] else {
                throw fault("the value of \(word) is no text")
            }
            offset += 1
            return text
        case .word(let text) where !Self.isKeyword(text), .quoted(let text):
            offset += 1
            return text
        default: throw fault("a text is expected here; put it in quotes if it has signs in it")
        }
    }

    private mutating func pattern() throws -> TextPattern {
        let source: String
        var ignoresCase = false
        if offset < tokens.count, case .pattern(let text, let flags) = tokens[offset].kind {
            guard flags.isEmpty || flags == "i" else {
                throw fault("behind a pattern there may be an i and nothing else")
            }
            source = text
            ignoresCase = !flags.isEmpty
            offset += 1
        } else {
            source = try string()
        }
        do {
            return try TextPattern(source, ignoresCase: ignoresCase)
        } catch let error as DocIndexError {
            offset -= 1
            throw fault(error.message)
        }
    }

    private mutating func kinds() throws -> Set<DocumentValue.Kind> {
        var kinds: Set<DocumentValue.Kind> = []
        if offset < tokens.count, tokens[offset].kind == .open {
            try forEachInList { kinds.formUnion(try $0.kind()) }
        } else {
            kinds = try kind()
        }
        return kinds
    }

    private mutating func kind() throws -> Set<DocumentValue.Kind> {
        guard let kinds = DocumentValue.Kind.named(try string()) else {
            offset -= 1
            throw fault("one of null, boolean, number, string, date, bytes, array, object is expected here")
        }
        return kinds
    }

    private mutating func forEachInList(_ body: (inout PredicateParser) throws -> Void) throws {
        guard take(.open) else { throw fault("IN needs a list in parentheses here") }
        if take(.close) { return }
        try body(&self)
        while take(.comma) { try body(&self) }
        guard take(.close) else { throw fault("a , or ) is expected here") }
    }

    // MARK: - Tokens

    /// Words that begin no path and are no value. The others, such as `NEAR`, are keywords behind a path alone.
    private static let keywords: Set<String> = [
        "AND", "OR", "NOT", "IN", "BETWEEN", "HAS", "EXISTS", "MISSING",
    ]

    static func isKeyword(_ word: String) -> Bool { keywords.contains(word.uppercased()) }

    /// Whether a condition may begin here, so that the AND before it is left out.
    private var startsCondition: Bool {
        guard offset < tokens.count else { return false }
        switch tokens[offset].kind {
        case .open, .quoted: return true
        case .word(let word): return !Self.isKeyword(word) || word.uppercased() == "NOT"
        default: return false
        }
    }

    private func isKeywordNext(_ keyword: String) -> Bool {
        guard offset < tokens.count, case .word(let word) = tokens[offset].kind else { return false }
        return word.uppercased() == keyword
    }

    private mutating func takeKeyword(_ keyword: String) -> Bool {
        guard isKeywordNext(keyword) else { return false }
        offset += 1
        return true
    }

    private mutating func take(_ kind: QueryLexer.Kind) -> Bool {
        guard offset < tokens.count, tokens[offset].kind == kind else { return false }
        offset += 1
        return true
    }

    private func fault(_ reason: String) -> DocIndexError {
        let position = offset < tokens.count ? tokens[offset].position : text.unicodeScalars.count
        return QueryLexer.fault(reason, at: position, in: text)
    }
}
