import DocIndex

/// Advice on conditions that cannot be read, or that find nothing.
enum ConditionAdvice {
    /// Spellings of other query languages, as words of a condition, and their equivalents here.
    private static let elsewhere: [(words: [String], advice: String)] = [
        (["where"], "omit \"where\": a condition begins with a field"),
        (["startswith", "beginswith", "starts"], "^= means begins with: title ^= Fog"),
        (["ilike"], "ci(title) *= fog means contains, whatever the case"),
        (
            ["=~", "~", "~=", "regexp", "glob", "rlike"],
            "MATCHES /…/ tests a regular expression, and *= means contains"
        ),
        (["like", "contains", "includes"], "*= means contains, ^= begins with, and MATCHES /…/ a regular expression"),
        (["&&", "&"], "use \"and\""), (["||", "|"], "use \"or\""),
        (["=>"], "use >="), (["=<"], "use <="), (["<>"], "use !="),
        (["order"], "--sort sorts: --sort -taken"), (["sort"], "--sort sorts: --sort -taken"),
        (["desc", "asc", "descending"], "--sort -FIELD sorts in descending order"),
        (["limit"], "--limit 10 limits the result"), (["skip", "offset"], "--skip 10 skips the first ten"),
        (["count"], "--count counts the documents"), (["is"], "use MISSING, EXISTS, = null, or IS number"),
        (["!"], "use not (…)"), (["not"], "put \"not\" before the condition: not rating = 5"),
    ]

    /// Advice about a condition that cannot be read.
    ///
    /// - Parameter message: The message of the parser.
    static func hint(for text: String, _ message: String) -> String? {
        if text.hasPrefix("!(") { return "use not (…)" }
        if text.hasPrefix("{") { return "pass a JSON condition with --filter-json" }
        if text.hasPrefix("@") { return "name the album in place of the collection: find STORE @NAME" }
        if text.hasPrefix(".") { return "omit the dot: \(text.dropFirst().prefix(60))" }
        let typed = text.split(whereSeparator: \.isWhitespace)
        let words = typed.map { $0.lowercased() }
        if message.contains("expected after -0,") { return "-0 separates the IDs that --ids prints: add --ids" }
        if words.count == 1, text.hasPrefix("!") { return "use \"not\": not \(text.dropFirst().prefix(60)) = …" }
        // As Lucene and web sites write it. Tags such as ExifIFD:ISO begin with a capital.
        if let first = typed.first, let colon = first.firstIndex(of: ":"), text.first?.isLowercase ?? false,
            words.count == 1 || ["and", "or"].contains(words[1]),
            case let word = first[colon...].dropFirst().prefix(60), !word.isEmpty
        {
            let field = first[..<colon].prefix(60)
            return "write \(field) = \(word), or \(field) has \(word) for a list; search finds words"
        }
        if words.count == 3, words[1] == "in", message.contains("IN needs a list"),
            words[2].allSatisfy({ $0.isLetter || $0 == "." })
        {
            return "write \(words[2]) has \(words[0]), or a list in parentheses: rating in (4, 5)"
        }
        if text.firstMatch(of: /\d,\d{3}\b/) != nil, !text.contains("("), !words.contains("in") {
            return "write numbers without separators: 5000000"
        }
        if text.firstMatch(of: /\d,\d/) != nil, !text.contains("("), !words.contains("in"), !words.contains("near"),
            !words.contains("within")
        {
            return "write a decimal point: 2.8"
        }
        if let list = text.wholeMatch(of: /(\S+) +(=|has|HAS) +(\S+) +(or|and|OR|AND) +([^\s=<>()]+)/) {
            let (_, field, sign, first, join, second) = list.output
            return "repeat the field: \(field) \(sign) \(first) \(join) \(field) \(sign) \(second)"
        }
        if words.count == 2, words[0] == "not" {
            return "write \(typed[1]) MISSING for documents without the field, or a comparison: not \(typed[1]) = …"
        }
        if let test = text.prefixMatch(of: /(exists|missing)(?: +| *\()([\p{L}_][^\s()]*)/.ignoresCase()) {
            return "write \(test.2.prefix(60)) \(test.1.uppercased())"
        }
        if words.count > 1, words[0] == "search" {
            return "put the words to search for in quotes: SEARCH \(words[1] == "box" ? "BOX " : "")'red car'"
        }
        if words.count > 1, words[0].hasPrefix("ci(") || words[0].hasPrefix("ci-ai(") {
            switch words[1] {
            case "exists", "missing": return "omit ci(…): case does not matter to \(words[1].uppercased())"
            case "matches": return "write FIELD MATCHES /(?i)…/, without ci(…)"
            case "has": return "write ci(FIELD[]) = …, which compares each element"
            default: break
            }
        }
        if words.count > 1, words[1] == "all" { return "write not FIELD any (not …): every element must match" }
        if let advice = functions(message, text) { return advice }
        for (spellings, advice) in elsewhere where words.contains(where: spellings.contains) { return advice }
        if message.contains("IN needs a list") { return "write the list in parentheses: rating in (4, 5)" }
        if text.contains(","), !text.contains("("), !words.contains("near"), !words.contains("within") {
            return "join conditions with \"and\" or \"or\", not with a comma"
        }
        if words.count == 1, !text.contains(where: "=<>".contains) {
            let field = text.utf8.count <= 60 ? text : "rating"
            return
                "write a comparison such as \(field) = …, in quotes, because the shell treats < and > as redirections; "
                + "help conditions shows more"
        }
        if words.last == "=" || words.last.map({ ["<", ">", "<=", ">=", "!="].contains($0) }) ?? false {
            return
                "the value is missing; if it was a variable of the shell such as $x, put the whole condition in double quotes"
        }
        let operators = Set(["in", "between", "has", "exists", "missing", "matches", "any", "near", "within", "below"])
        if words.count > 1, message.contains("an operator is expected after \(text.split(separator: " ")[0])"),
            !operators.contains(words[1]), words[1].contains(where: \.isLetter) || Double(words[1]) != nil
        {
            return "put the condition in quotes if it contains < or >, which the shell treats as redirections"
        }
        // A value of several words.
        if message.contains("an operator is expected"), words.count > 3, !text.contains("\""), !text.contains("'") {
            return "put values that contain spaces or special characters in double quotes; help conditions shows more"
        }
        return "help conditions shows examples"
    }

    /// Advice on a function that does not exist, such as `mnth(taken)`.
    private static func functions(_ message: String, _ text: String) -> String? {
        guard let name = message.firstMatch(of: /operator is expected after ([A-Za-z_]+)/)?.1.lowercased(),
            text.lowercased().contains("\(name)(")
        else { return nil }
        if ["lower", "upper", "lcase", "ucase"].contains(name) { return "ci(title) = fog ignores case" }
        let parts = DocumentDate.Part.allCases.map(\.rawValue)
        if let near = NearestName.find(near: name, of: parts) { return "did you mean \(near)(…)?" }
        return "functions of dates: \(parts.joined(separator: ", ")); of strings: ci, ci-ai"
    }

    /// Comparisons with the name of another field, such as `width > height`.
    ///
    /// - Complexity: O(*n*) in the documents for each comparison.
    static func fieldNames(in filter: Filter, of collection: DocumentCollection) -> [String] {
        guard let total = try? collection.count(), total <= largestCount else { return [] }
        return comparisons(of: filter).prefix(4).compactMap { comparison in
            guard case .compare(_, _, .string(let text)) = comparison, let path = try? FieldPath(parsing: text),
                (try? collection.exists(matching: .exists(path))) ?? false
            else { return nil }
            return "\(text) is a string here, not the field: a condition compares a field with a value"
        }
    }

    /// Warnings about values of a condition that look like dates but are compared as text, and about ranges that hold
    /// nothing.
    static func warnings(about filter: Filter) -> [String] {
        comparisons(of: filter).flatMap { comparison -> [String] in
            guard case .compare(let path, let sign, .string(let text)) = comparison else { return [] }
            if isInTypographicQuotes(text) {
                return ["the quotation marks belong to the value \(text); write \"\(text.dropFirst().dropLast())\""]
            }
            if sign != .equal, text.wholeMatch(of: /\d+\/\d+/) != nil {
                return [
                    "\(path) is compared with the string \"\(text)\", not with a fraction; compare a field with numbers"
                ]
            }
            let date = DateLikeText(text)
            // A string may well equal another one of this form.
            guard date.isForeign || (sign != .equal && date.isNoDate) else { return [] }
            let better = date.corrected ?? "year-month-day, such as 2025-05-01"
            return ["\(path) is compared with the string \"\(text)\", which is not a date; write \(better)"]
        } + emptyRanges(of: conjuncts(of: filter)) + impossibleParts(in: filter)
    }

    /// Whether a text begins and ends with quotation marks that conditions do not use, as a program for texts makes them.
    private static func isInTypographicQuotes(_ text: String) -> Bool {
        guard text.count > 2, let first = text.first, let last = text.last else { return false }
        return "“”„‘’‚«»".contains(first) && "“”‘’«»".contains(last)
    }

    /// The comparisons anywhere in a condition.
    private static func comparisons(of filter: Filter) -> [Filter] {
        switch filter {
        case .and(let parts), .or(let parts): parts.content.flatMap(comparisons)
        case .not(let part): comparisons(of: part.content)
        case .compare: [filter]
        default: []
        }
    }

    /// Pairs of bounds on one value that exclude each other. Different elements of an array may satisfy both.
    private static func emptyRanges(of conjuncts: [Filter]) -> [String] {
        conjuncts.indices.dropLast().compactMap { place in
            guard case .compare(let path, .greaterOrEqual, let lower) = conjuncts[place],
                case .compare(path, .lessOrEqual, let upper) = conjuncts[place + 1]
            else { return nil }
            if let low = lower.numberValue, let high = upper.numberValue {
                guard low > high else { return nil }
            } else {
                guard let low = lower.stringValue, let high = upper.stringValue, !low.hasPrefix(high),
                    [low, high].allSatisfy({ $0.prefixMatch(of: /\d{4}[-:]\d{2}/) != nil }),
                    high.utf8.lexicographicallyPrecedes(low.utf8)
                else { return nil }
            }
            return "\(path) cannot be at least \(lower) and at most \(upper); write the smaller value first"
        }
            + conjuncts.compactMap { conjunct in
                guard case .isDated(let path, let span) = conjunct, let lower = span.lower, let upper = span.upper,
                    lower >= upper
                else { return nil }
                return "\(path) cannot be in a time that ends before it begins; write the earlier date first"
            }
    }

    /// The conditions that AND joins.
    private static func conjuncts(of filter: Filter) -> [Filter] {
        if case .and(let parts) = filter { parts.content.flatMap(conjuncts) } else { [filter] }
    }

    /// The largest collection in which the reason of an empty result is looked for.
    private static let largestCount = 200_000

    /// Why a condition finds nothing: its text is stored as a number, or is part of a date, or has a wildcard.
    static func reasons(for filter: Filter, in collection: DocumentCollection) -> [String] {
        guard let total = try? collection.count(), total <= largestCount else { return [] }
        return conjuncts(of: filter).prefix(4).compactMap { conjunct in
            switch conjunct {
            case .hasKind(let path, [.null]):
                return "IS null finds the value null; \(path) MISSING finds documents without the field"
            case .hasPrefix(let path, let text), .contains(let path, let text),
                .compare(let path, .equal, .string(let text)):
                if let advice = wildcard(path, text) { return advice }
            case .isNear(let field, let center, let meters):
                return swapped(field, center, meters, in: collection)
            case .hasMatch(let path, let pattern) where !pattern.ignoresCase:
                if let other = try? Filter.TextPattern(pattern.source, ignoresCase: true),
                    (try? collection.count(where: conjunct)) == 0,
                    let count = try? collection.count(where: .hasMatch(path, other)), count > 0
                {
                    let documents = HumanNumber.counted(count, "document matches", "documents match")
                    return "\(documents) in another case; write \(Filter.hasMatch(path, other))"
                }
            default: break
            }
            if let reason = partialDate(conjunct, in: collection) { return reason }
            guard case .compare(let path, .equal, .string(let text)) = conjunct, !text.isEmpty,
                (try? collection.count(where: conjunct)) == 0
            else { return nil }
            if let number = try? JSONParser().parse(text), [.int, .double].contains(number.kind) {
                let other = Filter.compare(path, .equal, number)
                guard let count = try? collection.count(where: other), count > 0 else { return nil }
                let documents = HumanNumber.counted(count, "document has", "documents have")
                return "\(documents) the number \(text) in \(path), not the text; write \(other)"
            }
            let part = Filter.contains(path, text)
            guard let count = try? collection.count(where: part), count > 0 else { return nil }
            let documents = HumanNumber.counted(count, "document contains", "documents contain")
            return "\(documents) \(DocumentValue.string(text).json) within \(path); write \(part)"
        }
    }

    /// Advice on a string with an asterisk at an end, a wildcard in other programs.
    private static func wildcard(_ path: FieldPath, _ text: String) -> String? {
        let isPrefix = !text.hasPrefix("*")
        let part = text.split(separator: "*").joined(separator: "*")
        guard !part.isEmpty, !text.hasPrefix(part) || !text.hasSuffix(part) else { return nil }
        return
            "* is an ordinary character here; write \(isPrefix ? Filter.hasPrefix(path, part) : .contains(path, part))"
    }

    /// Tells of documents near the point whose latitude is the longitude of another.
    private static func swapped(
        _ field: GeoField, _ center: GeoPoint, _ meters: Double, in collection: DocumentCollection
    ) -> String? {
        guard let other = GeoPoint(latitude: center.longitude, longitude: center.latitude),
            let count = try? collection.count(where: .isNear(field, other, meters: meters)), count > 0
        else { return nil }
        let documents = HumanNumber.counted(count, "document is", "documents are")
        return "\(documents) near \(other.latitude),\(other.longitude): the latitude comes first"
    }

    /// Parts of dates that no date has, such as `month(taken) = 13`.
    private static func impossibleParts(in filter: Filter) -> [String] {
        switch filter {
        case .and(let parts), .or(let parts): return parts.content.flatMap(impossibleParts)
        case .not(let part): return impossibleParts(in: part.content)
        case .hasDatePart(let path, let part, let ranges):
            guard let known = part.bounds, !ranges.isEmpty, !ranges.contains(where: known.overlaps) else { return [] }
            return ["\(part.rawValue)(\(path)) is from \(known.lowerBound) to \(known.upperBound)"]
        default: return []
        }
    }

    /// Why comparisons find nothing: a month, or a day that is not written with ten characters, equals no whole date.
    static func partialDates(in filter: Filter, of collection: DocumentCollection) -> [String] {
        conjuncts(of: filter).prefix(4).compactMap { partialDate($0, in: collection) }
    }

    /// Comparisons with a month, which is compared as text: `taken > 2019-07` includes July.
    static func months(in filter: Filter, of collection: DocumentCollection) -> [String] {
        comparisons(of: filter).prefix(8).compactMap { comparison in
            guard case .compare(let path, let sign, .string(let text)) = comparison, sign != .equal,
                text.utf8.count == 7, Filter.DateSpan(text) != nil,
                (try? collection.exists(matching: .isDated(path, Filter.DateSpan()))) ?? false
            else { return nil }
            return "\(path) \(sign.rawValue) \"\(text)\" compares with a string; "
                + "write \(path) \(sign.rawValue) date \(text)"
        }
    }

    /// Comparisons with a date in a notation that the field has in no document, such as `taken < 2025:05:01`: as a text,
    /// it is after every day of that year.
    static func notations(in filter: Filter, of collection: DocumentCollection) -> [String] {
        comparisons(of: filter).prefix(8).compactMap { comparison in
            guard case .compare(let path, let sign, .string(let text)) = comparison, sign != .equal,
                let date = date(for: text, of: path, in: collection)
            else { return nil }
            return "\(path) holds no dates of the form \"\(text)\"; write \(path) \(sign.rawValue) \(date)"
        }
    }

    /// A date as year-month-day, if the text has a notation that no date of the field has.
    static func date(for text: String, of path: FieldPath, in collection: DocumentCollection) -> String? {
        guard let separator = DateLikeText(text).notation, let date = DateLikeText(text).corrected,
            let pattern = try? Filter.TextPattern(#"^\d{4}["# + String(separator) + "]"),
            let isWritten = try? collection.exists(matching: .hasMatch(path, pattern)), !isWritten,
            (try? collection.exists(matching: .isDated(path, Filter.DateSpan()))) ?? false
        else { return nil }
        return date
    }

    private static func partialDate(_ conjunct: Filter, in collection: DocumentCollection) -> String? {
        if case .isIn(let path, let values) = conjunct, let text = values.first?.stringValue, text.utf8.count == 7,
            let span = Filter.DateSpan(text), (try? collection.count(where: conjunct)) == 0,
            (try? collection.exists(matching: .isDated(path, span))) ?? false
        {
            return "\(conjunct) compares with strings; write \(path) = date \(text) or …"
        }
        guard case .compare(let path, .equal, .string(let text)) = conjunct else { return nil }
        let written = text.utf8.count == 7 ? text : DateLikeText(text).corrected
        if written == nil, DateLikeText(text).isNoDate, (try? collection.count(where: conjunct)) == 0,
            (try? collection.exists(matching: .isDated(path, Filter.DateSpan()))) ?? false
        {
            return "\(path) = \"\(text)\" compares with a string that is not a date; write \(path) = date 2025-05-01"
        }
        guard let written, !(written == text && text.utf8.count != 7), let span = Filter.DateSpan(written),
            (try? collection.count(where: conjunct)) == 0,
            let count = try? collection.count(where: .isDated(path, span)), count > 0
        else { return nil }
        let documents = HumanNumber.counted(count, "document is", "documents are")
        return "\(path) = \"\(text)\" compares with a string; "
            + "\(documents) of that time: write \(path) = date \(written)"
    }
}

extension DocumentDate.Part {
    /// The values that the part can have; `nil` for those of any year.
    fileprivate var bounds: ClosedRange<Int64>? {
        switch self {
        case .year, .yearMonth, .yearMonthDay: nil
        case .month: 1...12
        case .day: 1...31
        case .monthDay: 101...1231
        case .weekday: 1...7
        case .hour: 0...23
        case .minute: 0...59
        }
    }
}

extension FieldPath {
    /// The path that an argument denotes.
    ///
    /// - Throws: ``CommandError`` that names the argument.
    static func argument(_ text: String) throws -> FieldPath {
        do {
            return try FieldPath(parsing: text)
        } catch {
            throw CommandError(.usage, "\(text) is not a field: \(error)", hint: "describe lists the fields")
        }
    }
}
