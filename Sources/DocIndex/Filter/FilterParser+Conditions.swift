/// Parsing of conditions on the value at a path.
extension FilterParser {
    /// Parses `SEARCH` or `SEARCH BOX` and a quoted search; returns `nil` for other conditions, such as one on a field
    /// with that name.
    mutating func takeSearch() throws -> Filter? {
        guard isKeywordNext("SEARCH") else { return nil }
        let isBox = isString(at: offset + 2) && isWord("BOX", at: offset + 1)
        guard isBox || isString(at: offset + 1) else { return nil }
        offset += isBox ? 2 : 1
        let text = try string()
        if isBox { return .search(box: text) }
        do {
            return .search(try Filter.Search(parsing: text))
        } catch let error as DocIndexError where error.code == .invalidQuery {
            offset -= 1
            throw fault(error.message)
        }
    }

    private func isWord(_ keyword: String, at place: Int) -> Bool {
        guard place < tokens.count, case .word(let word) = tokens[place].kind else { return false }
        return word.uppercased() == keyword
    }

    /// Returns whether a token is a quoted string or a parameter.
    private func isString(at place: Int) -> Bool {
        guard place < tokens.count else { return false }
        return switch tokens[place].kind {
        case .quoted, .bound: true
        case .word(let word): word.hasPrefix(":")
        default: false
        }
    }

    mutating func condition(on path: FieldPath) throws -> Filter {
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
            guard let span = Filter.DateSpan(notation: try string()) else {
                offset -= 1
                throw fault("two dates with .. between them are expected here")
            }
            return .isDated(path, span)
        }
        if takeKeyword("ANY") {
            let isOfKeys = takeKeyword("KEY")
            guard take(.open) else { throw fault("ANY needs a condition in parentheses here") }
            let part = take(.close) ? nil : try alternatives()
            if part != nil, !take(.close) { throw fault("a ) is expected here") }
            return isOfKeys ? .anyKey(path, part ?? .all) : .anyElement(path, part ?? .all)
        }
        if isKeywordNext("NEAR") || isKeywordNext("WITHIN") { return try geoCondition(on: .location(path)) }
        if takeKeyword("COLLATES") {
            guard let comparison = Filter.Comparison(rawValue: try operation(behind: path)) else {
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
            guard let comparison = Filter.Comparison(rawValue: operation) else {
                offset = place
                throw fault("unknown operator \(operation)")
            }
            return Self.comparison(path, comparison, try literal())
        }
    }

    /// Parses a condition on strings that are compared by a collation.
    mutating func condition(on path: FieldPath, _ collation: TextCollation) throws -> Filter {
        func folded(_ condition: Filter.StringCondition) -> Filter { .folded(path, collation, condition) }
        if takeKeyword("HAS") { return .folded(path.eachElement, collation, .compare(.equal, try string())) }
        if takeKeyword("IN") {
            var texts: [String] = []
            if let elements = try boundList() {
                texts = elements.compactMap(\.stringValue)
                guard texts.count == elements.count else {
                    offset -= 1
                    throw fault("the array bound here must contain only strings")
                }
            } else {
                try forEachInList { texts.append(try $0.string()) }
            }
            return folded(.isIn(texts))
        }
        if takeKeyword("BETWEEN") {
            let lower = try string()
            guard takeKeyword("AND") else { throw fault("BETWEEN needs AND and a second string here") }
            return .between(path, lower, try string(), collation: collation)
        }
        let operation = try operation(behind: path)
        switch operation {
        case "=", "==": return folded(.compare(.equal, try string()))
        case "!=": return .not(folded(.compare(.equal, try string())))
        case "^=": return folded(.hasPrefix(try string()))
        case "*=": return folded(.contains(try string()))
        default:
            guard let comparison = Filter.Comparison(rawValue: operation) else {
                offset -= 1
                throw fault("unknown operator \(operation)")
            }
            return folded(.compare(comparison, try string()))
        }
    }

    mutating func operation(behind path: FieldPath) throws -> String {
        guard offset < tokens.count, case .comparison(let operation) = tokens[offset].kind else {
            throw fault(
                "an operator is expected after \(path.notation), such as =, <, >=, ^=, *=, IN, BETWEEN, HAS, EXISTS")
        }
        offset += 1
        return operation
    }

    static func comparison(
        _ path: FieldPath, _ comparison: Filter.Comparison, _ literal: Literal
    ) -> Filter {
        switch literal {
        case .value(let value): .compare(path, comparison, value)
        case .span(let span):
            switch comparison {
            case .equal: .isDated(path, span)
            case .less: .isDated(path, Filter.DateSpan(to: span.lower))
            case .lessOrEqual: .isDated(path, Filter.DateSpan(to: span.upper))
            case .greater: .isDated(path, Filter.DateSpan(from: span.upper))
            case .greaterOrEqual: .isDated(path, Filter.DateSpan(from: span.lower))
            }
        }
    }

    mutating func list(of path: FieldPath) throws -> Filter {
        var values: [DocumentValue] = []
        var spans: [Filter.DateSpan] = []
        if let elements = try boundList() {
            for element in elements {
                if case .date = element, let span = Filter.DateSpan(comparing: element) {
                    spans.append(span)
                } else {
                    values.append(element)
                }
            }
        } else {
            try forEachInList { parser in
                switch try parser.literal() {
                case .value(let value): values.append(value)
                case .span(let span): spans.append(span)
                }
            }
        }
        if spans.isEmpty { return .isIn(path, values) }
        let dated = spans.map { Filter.isDated(path, $0) }
        return .or(values.isEmpty ? dated : dated + [.isIn(path, values)])
    }

    mutating func between(_ path: FieldPath) throws -> Filter {
        let lower = try literal()
        guard takeKeyword("AND") else { throw fault("BETWEEN needs AND and a second value here") }
        let place = offset
        switch (lower, try literal()) {
        case (.value(let lower), .value(let upper)): return .between(path, lower, upper)
        case (.span(let lower), .span(let upper)):
            return .isDated(path, Filter.DateSpan(from: lower.lower, to: upper.upper))
        default:
            offset = place
            throw fault("both ends of BETWEEN must be dates, or neither")
        }
    }

    mutating func condition(on part: (part: DocumentDate.Part, path: FieldPath)) throws -> Filter {
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

    mutating func geoCondition(on field: GeoField) throws -> Filter {
        let isNear = takeKeyword("NEAR")
        guard isNear || takeKeyword("WITHIN") else {
            throw fault("NEAR or WITHIN is expected after two paths separated by a comma")
        }
        let isEnclosed = take(.open)
        let place = offset
        var numbers: [Double] = []
        var factor = 1000.0
        for position in 0..<(isNear ? 3 : 4) {
            if position > 0, !take(.comma) {
                throw fault(isNear ? "NEAR needs lat,lon,km" : "WITHIN needs south,west,north,east")
            }
            if let bound = nextBound {
                guard case .value(let value) = bound, let number = value.numberValue else {
                    throw fault("the value bound here must be a number")
                }
                offset += 1
                numbers.append(number)
                continue
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
        if isEnclosed, !take(.close) { throw fault("a ) is expected here") }
        if isNear, let center = GeoPoint(latitude: numbers[0], longitude: numbers[1]), numbers[2] >= 0 {
            return .isNear(field, center, meters: numbers[2] * factor)
        }
        if !isNear, let box = GeoBox(south: numbers[0], west: numbers[1], north: numbers[2], east: numbers[3]) {
            return .isWithin(field, box)
        }
        offset = place
        throw fault(
            isNear
                ? "NEAR needs a latitude from -90 to 90, a longitude from -180 to 180 and a distance"
                : "WITHIN needs latitudes from -90 to 90, south not above north, and longitudes from -180 to 180")
    }
}
