import ArgumentParser

/// The clauses of `update` and `delete` that are typed as words: `WHERE condition SET assignments`, in any order.
struct ChangeClauses {
    /// The words after WHERE; `nil` without WHERE.
    var condition: [String]?
    /// The words after SET; `nil` without SET.
    var assignments: [String]?

    /// Splits words at WHERE and SET. The same words may be values within a clause, so several splits are possible.
    ///
    /// - Parameter command: the name of the command, for messages.
    /// - Returns: the possible splits, at least one. The first split that can be parsed is used.
    /// - Throws: ``CommandError`` if the words do not begin with WHERE or SET.
    static func splits(of arguments: [String], in command: String, hasAssignments: Bool) throws -> [ChangeClauses] {
        guard !arguments.isEmpty else { return [ChangeClauses()] }
        // Arguments that another shell has split, and keywords within an argument, as in `WHERE 'a = 1 SET b = 2'`.
        let within = try splits(ofWords: try words(of: arguments), in: command, hasAssignments)
        if arguments.count == 1 { return within }
        return try splits(ofWords: arguments.map(ProtectedArgument.plain), in: command, hasAssignments) + within
    }

    private static func splits(
        ofWords words: [String], in command: String, _ hasAssignments: Bool
    ) throws -> [ChangeClauses] {
        guard let first = words.first else { return [ChangeClauses()] }
        let keyword = first.uppercased()
        guard keyword == "WHERE" || (hasAssignments && keyword == "SET") else {
            throw CommandError(
                .usage, "\(command): WHERE\(hasAssignments ? " or SET" : "") is expected before \(first)",
                hint: hasAssignments
                    ? "for example: update photos WHERE keywords has snow SET rating = 5"
                    : "for example: delete photos WHERE rating = 1")
        }
        let rest = Array(words.dropFirst())
        func clauses(_ head: [String], _ tail: [String]?) -> ChangeClauses {
            keyword == "WHERE"
                ? ChangeClauses(condition: head, assignments: tail) : ChangeClauses(condition: tail, assignments: head)
        }
        guard hasAssignments else { return [clauses(rest, nil)] }
        let other = keyword == "WHERE" ? "SET" : "WHERE"
        let places = rest.indices.filter { rest[$0].uppercased() == other }
        return places.map { clauses(Array(rest[..<$0]), Array(rest[($0 + 1)...])) } + [clauses(rest, nil)]
    }

    /// The words within the arguments. Quoted text is a part of one word.
    private static func words(of arguments: [String]) throws -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in try ArgumentOrigin.current.expression(of: arguments).unicodeScalars {
            if quote == nil, scalar.properties.isWhitespace {
                if !word.isEmpty { words.append(String(word)) }
                word = String.UnicodeScalarView()
                continue
            }
            word.append(scalar)
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\", quote == "\"" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "\"" || scalar == "'" {
                quote = scalar
            }
        }
        return words + (word.isEmpty ? [] : [String(word)])
    }
}
