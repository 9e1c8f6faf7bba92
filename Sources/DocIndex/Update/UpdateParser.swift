extension DocumentUpdate {
    /// Parses assignments in the notation of the shell, separated by commas.
    ///
    /// ```
    /// rating = 5, keywords += "river", draft ?= false, REMOVE exif.lens
    /// caption -> title, keywords "river" -> "stream", people[].role -= author
    /// subject BELOW "Places|Italy" -> "Places|Italia" BY "|"
    /// caption += TEXT " (cropped)", caption TEXT "teh" -> "the"
    /// ```
    ///
    /// ``Assignment`` says what each of them does. Paths and values are written as in conditions
    /// (``Filter/init(parsing:)``): a bare word that is a number, `true`, `false` or `null` is that value, any other
    /// word or quoted text is a string, `json '…'` is any value in extended JSON, and `date 2019-06-08T18:02:11` is a
    /// date. A list in parentheses is an array: `keywords += ("river", "fog")`. Keywords are not case-sensitive; a
    /// member named `remove` is quoted where it could be read as one.
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate` and the position of the error.
    public init(parsing text: String) throws { try self.init(parsing: text, parameters: [:]) }

    /// Parses assignments in which `:name` stands for a value, so that user input is never parsed as notation.
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate`, including for a name without a value.
    public init(parsing text: String, parameters: [String: DocumentValue]) throws {
        try self.init(QuerySource(text, subject: .update), parameters: parameters)
    }

    /// Reads assignments with bound values, which are never read as notation.
    ///
    /// ```swift
    /// let update = try DocumentUpdate("rating = \(stars), keywords += \(words)")
    /// ```
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate` and the position of the error in ``FilterText/description``.
    public init(_ text: FilterText) throws { try self.init(try text.source(of: .update), parameters: [:]) }

    private init(_ source: QuerySource, parameters: [String: DocumentValue]) throws {
        var parser = UpdateParser(values: try FilterParser(source, parameters: parameters))
        self.init(try parser.parse())
    }
}

/// A parser for the notation of ``DocumentUpdate/init(parsing:)``.
private struct UpdateParser {
    typealias Assignment = DocumentUpdate.Assignment

    /// The tokens, and the parser of paths and values.
    var values: FilterParser

    mutating func parse() throws -> [Assignment] {
        var assignments: [Assignment] = []
        repeat {
            guard assignments.count < DocumentUpdate.maximumAssignmentCount else {
                throw values.fault("at most \(DocumentUpdate.maximumAssignmentCount) assignments are allowed")
            }
            let start = values.offset
            let assignment = try assignment()
            if let problem = assignment.problem {
                values.offset = start
                throw values.fault(problem)
            }
            assignments.append(assignment)
        } while values.take(.comma)
        guard values.isAtEnd else { throw values.fault("a comma or the end is expected here") }
        return assignments
    }

    private mutating func assignment() throws -> Assignment {
        guard !values.isAtEnd else { throw values.fault("an assignment such as rating = 5 is expected here") }
        if values.isKeywordNext("REMOVE"), startsPath(values.offset + 1) {
            values.offset += 1
            return .remove(try values.path())
        }
        let path = try values.path()
        if isKeyword("BELOW") { return try renaming(below: path) }
        if isKeyword("TEXT") {
            values.offset += 1
            let old = try values.string()
            try takeArrow()
            return .replaceText(path, old, with: try values.string())
        }
        guard let operation = takeOperator() else {
            if values.isAtEnd || values.tokens[values.offset].kind == .comma {
                throw values.fault("an operator is expected here: =, ?=, +=, -= or ->")
            }
            let old = try value()
            try takeArrow()
            return .replace(path, old, with: try value())
        }
        switch operation {
        case "=": return .set(path, try value())
        case "?=": return .setIfAbsent(path, try value())
        case "+=":
            if isKeyword("TEXT") {
                values.offset += 1
                return .appendText(path, try values.string())
            }
            return .add(path, try value())
        case "-=":
            if isKeyword("TEXT") {
                values.offset += 1
                return .replaceText(path, try values.string(), with: "")
            }
            return .subtract(path, try value())
        case "->": return .move(path, to: try values.path())
        default:
            values.offset -= 1
            throw values.fault("unknown operator \(operation); use =, ?=, +=, -= or ->")
        }
    }

    private mutating func renaming(below path: FieldPath) throws -> Assignment {
        values.offset += 1
        let old = try values.string()
        try takeArrow()
        let new = try values.string()
        let separator = values.takeKeyword("BY") ? try values.string() : "|"
        return .replaceBelow(path, old, with: new, separator: separator)
    }

    // MARK: - Values

    private mutating func value() throws -> DocumentValue {
        if values.take(.open) {
            var elements: [DocumentValue] = []
            if values.take(.close) { return .array([]) }
            repeat { elements.append(try scalar()) } while values.take(.comma)
            guard values.take(.close) else { throw values.fault("a , or ) is expected here") }
            return .array(elements)
        }
        return try scalar()
    }

    private mutating func scalar() throws -> DocumentValue {
        guard values.isKeywordNext("DATE"), let text = text(at: values.offset + 1) else { return try values.value() }
        values.offset += 1
        guard let date = DocumentDate(iso8601: text) else {
            throw values.fault(
                "\(text) is not a complete date, or its day does not exist; write it as 2019-06-08T18:02:11, with or "
                    + "without a zone")
        }
        values.offset += 1
        return .date(date)
    }

    // MARK: - Tokens

    /// Whether a keyword and a value follow. Otherwise the word is itself a value.
    private func isKeyword(_ keyword: String) -> Bool {
        guard values.isKeywordNext(keyword), values.offset + 1 < values.tokens.count else { return false }
        switch values.tokens[values.offset + 1].kind {
        case .word, .quoted, .bound: return true
        default: return false
        }
    }

    private func startsPath(_ position: Int) -> Bool {
        guard position < values.tokens.count else { return false }
        switch values.tokens[position].kind {
        case .word, .quoted, .bound(.path): return true
        default: return false
        }
    }

    private func text(at position: Int) -> String? {
        guard position < values.tokens.count else { return nil }
        switch values.tokens[position].kind {
        case .word(let text), .quoted(let text): return text
        default: return nil
        }
    }

    private mutating func takeOperator() -> String? {
        guard !values.isAtEnd, case .comparison(let operation) = values.tokens[values.offset].kind else { return nil }
        values.offset += 1
        return operation
    }

    private mutating func takeArrow() throws {
        guard values.take(.comparison("->")) else {
            throw values.fault("-> and a new value are expected here, or an operator before: =, ?=, +=, -= or ->")
        }
    }
}

// MARK: - Notation

extension DocumentUpdate: CustomStringConvertible {
    /// The assignments in a notation that ``init(parsing:)`` can parse.
    public var description: String { assignments.map(\.description).joined(separator: ", ") }
}

extension DocumentUpdate.Assignment: CustomStringConvertible {
    /// The assignment in the notation of ``DocumentUpdate/init(parsing:)``.
    public var description: String {
        let path = Self.notation(of: path)
        return switch self {
        case .set(_, let value): "\(path) = \(value.notation)"
        case .setIfAbsent(_, let value): "\(path) ?= \(value.notation)"
        case .remove: "REMOVE \(path)"
        case .move(_, let destination): "\(path) -> \(Self.notation(of: destination))"
        case .add(_, let value): "\(path) += \(value.notation)"
        case .subtract(_, let value): "\(path) -= \(value.notation)"
        case .replace(_, let old, let new): "\(path) \(old.notation) -> \(new.notation)"
        case .replaceBelow(_, let old, let new, let separator):
            "\(path) BELOW \(old.quotedNotation) -> \(new.quotedNotation) BY \(separator.quotedNotation)"
        case .appendText(_, let text): "\(path) += TEXT \(text.quotedNotation)"
        case .replaceText(_, let old, let new): "\(path) TEXT \(old.quotedNotation) -> \(new.quotedNotation)"
        }
    }

    /// Returns a path in the notation, with quotes around a name that could be read as a keyword.
    private static func notation(of path: FieldPath) -> String {
        let text = path.notation
        return text.lowercased() == "remove" ? text.quotedNotation : text
    }
}

// MARK: - Codable

extension DocumentUpdate: Codable {
    /// Decodes an update from its notation; see ``init(parsing:)``.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        if text.isEmpty { self.init([]) } else { try self.init(parsing: text) }
    }

    /// Encodes the notation of the update.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
