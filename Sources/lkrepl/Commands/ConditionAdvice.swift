import DocIndex

/// Advice on conditions that cannot be read, or that find nothing.
enum ConditionAdvice {
    /// Spellings of other query languages, as words of a condition, and their equivalents here.
    private static let elsewhere: [(words: [String], advice: String)] = [
        (["where"], "omit where: a condition begins with a field"),
        (["like", "contains", "includes"], "*= means contains, ^= begins with, and MATCHES /…/ a regular expression"),
        (["&&", "&"], "use and"), (["||", "|"], "use or"), (["=>"], "use >="), (["=<"], "use <="), (["<>"], "use !="),
        (["order"], "--sort sorts: --sort -taken"), (["sort"], "--sort sorts: --sort -taken"),
        (["desc", "asc", "descending"], "--sort -FIELD sorts in descending order"),
        (["limit"], "--limit 10 limits the result"), (["skip", "offset"], "--skip 10 skips the first ten"),
        (["count"], "--count counts the documents"), (["is"], "use MISSING, EXISTS, = null, or IS number"),
        (["!"], "use not (…)"), (["not"], "write not before the condition: not rating = 5"),
    ]

    /// What to do about a condition that cannot be read.
    ///
    /// - Parameter message: The message of the parser.
    static func hint(for text: String, _ message: String) -> String? {
        if text.hasPrefix("{") { return "a condition as JSON is given with --filter-json" }
        let words = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        for (spellings, advice) in elsewhere where words.contains(where: spellings.contains) { return advice }
        if message.contains("IN needs a list") { return "write the list in parentheses: rating in (4, 5)" }
        if text.contains(","), !text.contains("("), !words.contains("near"), !words.contains("within") {
            return "join conditions with and or or, not with a comma"
        }
        if words.count == 1, !text.contains(where: "=<>".contains) {
            let field = text.utf8.count <= 60 ? text : "rating"
            return "write a comparison such as \(field) = …, in quotes: the system's shell takes < and > for itself; "
                + "help conditions shows more"
        }
        if words.last == "=" || words.last.map({ ["<", ">", "<=", ">=", "!="].contains($0) }) ?? false {
            return "put the whole condition in quotes if the value was one of the system's shell"
        }
        let operators = Set(["in", "between", "has", "exists", "missing", "matches", "any", "near", "within", "below"])
        if words.count > 1, message.contains("an operator is expected after \(text.split(separator: " ")[0])"),
            !operators.contains(words[1]), words[1].contains(where: \.isLetter) || Double(words[1]) != nil
        {
            return "put the condition in quotes if it contains < or >, which the system's shell takes for itself"
        }
        // A value of several words.
        if message.contains("an operator is expected"), words.count > 3, !text.contains("\""), !text.contains("'") {
            return "put values that contain spaces or signs in double quotes; help conditions shows more"
        }
        return "help conditions shows examples"
    }

    /// Warnings about values of a condition that look like dates but are compared as text.
    static func warnings(about filter: Filter) -> [String] {
        var warnings: [String] = []
        for conjunct in conjuncts(of: filter) {
            guard case .compare(let path, _, .string(let text)) = conjunct, isForeignDate(text) else { continue }
            warnings.append(
                "\(path) is compared with the text \"\(text)\", which is not a date; write year-month-day, such as 2025-05-01"
            )
        }
        return warnings
    }

    /// The conditions that AND joins.
    private static func conjuncts(of filter: Filter) -> [Filter] {
        if case .and(let parts) = filter { parts.content.flatMap(conjuncts) } else { [filter] }
    }

    /// Whether a string has the form 1.5.2025 or 5/1/2025.
    private static func isForeignDate(_ text: String) -> Bool {
        for separator: Character in [".", "/"] {
            let parts = text.split(separator: separator, omittingEmptySubsequences: false)
            guard parts.count == 3,
                parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
            else { continue }
            return parts[0].count <= 2 && parts[1].count <= 2 && [2, 4].contains(parts[2].count)
        }
        return false
    }

    /// The largest collection in which the reason of an empty result is looked for.
    private static let largestCount = 200_000

    /// Why a condition finds nothing: its text is stored as a number.
    static func reasons(for filter: Filter, in collection: DocumentCollection) -> [String] {
        guard let total = try? collection.count(), total <= largestCount else { return [] }
        return conjuncts(of: filter).prefix(4).compactMap { conjunct in
            guard case .compare(let path, .equal, .string(let text)) = conjunct,
                let number = try? JSONParser().parse(text), [.int, .double].contains(number.kind),
                (try? collection.count(where: conjunct)) == 0
            else { return nil }
            let other = Filter.compare(path, .equal, number)
            guard let count = try? collection.count(where: other), count > 0 else { return nil }
            let documents = count == 1 ? "1 document has" : "\(HumanNumber.grouped(count)) documents have"
            return "\(documents) the number \(text) in \(path), not the text; write \(other)"
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
