import ArgumentParser

/// The clauses of `update` and `delete` that are typed as words: `WHERE condition SET assignments`, in any order.
struct ChangeClauses {
    /// The words after WHERE; `nil` without WHERE.
    var condition: [String]?
    /// The words after SET; `nil` without SET.
    var assignments: [String]?

    /// Splits words at WHERE and SET. The same words may be values within a clause, so several splits are possible.
    ///
    /// - Parameter first: the name of the command, for messages.
    /// - Returns: the possible splits, of which the first that can be read is meant; at least one.
    /// - Throws: ``CommandError`` if the words do not begin with WHERE or SET.
    static func splits(of arguments: [String], in command: String, hasAssignments: Bool) throws -> [ChangeClauses] {
        let words = try Self.words(of: arguments)
        guard let first = words.first else { return [ChangeClauses()] }
        let keyword = first.uppercased()
        guard keyword == "WHERE" || (hasAssignments && keyword == "SET") else {
            throw CommandError(
                .usage, "\(command): WHERE\(hasAssignments ? " or SET" : "") is expected before \(first)",
                hint: hasAssignments
                    ? "for example: update photos WHERE year < 1950 SET rating = 5"
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

    /// The words of the arguments. A single argument contains all of them, as in `lkrepl delete DB photos 'WHERE …'`.
    private static func words(of arguments: [String]) throws -> [String] {
        guard arguments.count == 1 else { return arguments.map(ProtectedArgument.plain) }
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
