import DocIndex

/// Advice on assignments that look like a mistake: a misspelt field, or the name of a field in place of a value.
struct AssignmentAdvice {
    private let assignments: [DocumentUpdate.Assignment]
    private let collection: DocumentCollection

    init(_ update: DocumentUpdate, _ collection: DocumentCollection) {
        assignments = update.assignments
        self.collection = collection
    }

    /// Advice about assignments that cannot be read; `nil` if there is none.
    static func hint(for text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        if words.count > 1, ["unset", "delete", "drop"].contains(words[0].lowercased()) {
            return "write REMOVE \(words[1])"
        }
        guard let sign = words.firstIndex(where: { $0 == "=" || $0 == "+=" }), sign > 0, sign + 1 < words.count else {
            return nil
        }
        let (field, value) = (words[sign - 1], words[sign + 1])
        if value.hasPrefix("[") { return "a list is written in parentheses: \(field) \(words[sign]) (\"a\", \"b\")" }
        if value.hasPrefix("{") { return "an object is written as json '{…}', or given with --set-json" }
        guard sign + 2 < words.count else { return nil }
        if value == field, ["+", "-"].contains(words[sign + 2]) {
            let amount = sign + 3 < words.count ? words[sign + 3] : "1"
            return "write \(field) \(words[sign + 2])= \(amount)"
        }
        // Up to a comma or the end. An assignment within it lacks a comma before it, and other values are no texts.
        var text: [Substring] = []
        for word in words[(sign + 1)...] {
            text.append(word.hasSuffix(",") ? word.dropLast() : word)
            if word.hasSuffix(",") { break }
        }
        let isText =
            text.count > 1 && value.first?.isLetter ?? false
            && !["true", "false", "null", "date", "json", "text"].contains(value.lowercased())
            && text.allSatisfy { !$0.contains { "=\"'()\\".contains($0) } }
        guard isText else { return nil }
        return "put a text of several words in quotes: \(field) \(words[sign]) \"\(text.joined(separator: " "))\""
    }

    /// Warns on standard error before the update runs; with `--strict`, fails instead.
    func give(isStrict: Bool, _ options: GlobalOptions) throws {
        for assignment in assignments.prefix(32) { try refuseList(assignment) }
        let warnings = try assignments.prefix(32).flatMap(warnings)
        if isStrict, let first = warnings.first {
            throw CommandError(
                .usage, first,
                hint: warnings.count > 1
                    ? warnings.dropFirst().joined(separator: "; ") : "without --strict this is a warning")
        }
        for warning in warnings { options.note("warning: \(warning)") }
    }

    private func warnings(about assignment: DocumentUpdate.Assignment) throws -> [String] {
        switch assignment {
        case .set(let path, .string(let text)), .setIfAbsent(let path, .string(let text)):
            let copied = try copied(text, to: path)
            return try near(path) + (copied.isEmpty ? otherKind(.string(text), at: path) : copied)
        case .set(let path, let value), .setIfAbsent(let path, let value):
            return try near(path) + otherKind(value, at: path)
        // Nothing can come of it.
        case .remove(let path) where assignments.count == 1: return try unknown(path).map { "\($0)" }
        case .remove(let path), .add(let path, _), .subtract(let path, _), .appendText(let path, _),
            .replaceText(let path, _, with: _),
            .replace(let path, _, with: _), .replaceBelow(let path, _, with: _, separator: _), .move(let path, to: _):
            return try near(path)
        }
    }

    /// Throws if a string is added to a field that holds strings and no lists: each would become a list of two strings.
    private func refuseList(_ assignment: DocumentUpdate.Assignment) throws {
        guard case .add(let path, .string(let text)) = assignment,
            try !collection.exists(matching: .hasKind(path, [.array])),
            try collection.exists(matching: .hasKind(path, [.string]))
        else { return }
        let value = DocumentValue.string(text).json
        throw CommandError(
            .usage, "\(path) holds strings, and += \(value) would turn them into lists",
            hint: "\(path) += TEXT \(value) appends to the text; \(path) += (\(value)) makes lists")
    }

    /// The value is of a kind that the field has in no document.
    private func otherKind(_ value: DocumentValue, at path: FieldPath) throws -> [String] {
        guard ![.null, .array, .object, .attachment].contains(value.kind) else { return [] }
        // A string may have to be a date.
        if value.kind != .string, try collection.exists(matching: .hasKind(path, value.kind)) { return [] }
        let query = Query(.compare(path, .less, value))
        return try collection.diagnostics(of: query).compactMap { diagnostic in
            switch diagnostic.problem {
            case .otherKinds: "\(diagnostic.held), and gets \(value.kind.article)"
            case .notADate: "\(diagnostic.held), and gets \(value.json), which is none"
            default: nil
            }
        }
    }

    /// A field that no document has is new, or need not be there, unless it resembles a known one.
    private func near(_ path: FieldPath) throws -> [String] {
        try unknown(path).filter { !$0.suggestions.isEmpty }.map { "\($0)" }
    }

    private func unknown(_ path: FieldPath) throws -> [Query.Diagnostic] {
        // An earlier assignment may create the field.
        let isCreated = assignments.contains {
            if case .move(_, to: let destination) = $0 { destination == path } else { false }
        }
        return isCreated ? [] : try collection.diagnostics(of: Query(.all, limit: 1), fields: [path])
    }

    /// The value is the name of another field: it is stored as a word, and nothing is copied.
    private func copied(_ text: String, to path: FieldPath) throws -> [String] {
        guard let source = try? FieldPath(parsing: text), source != path, "\(source)" == text,
            text.first?.isLetter ?? false, try collection.exists(matching: .exists(source))
        else { return [] }
        return ["\(path) gets the word \(text), not the value of the field \(text); field -> field renames a field"]
    }
}

extension DocumentCollection {
    /// Whether a document satisfies a condition.
    func exists(matching filter: Filter, options: Query.Options = Query.Options()) throws -> Bool {
        var found = false
        try forEach(matching: Query(filter, limit: 1), options: options) { _ in
            found = true
            return false
        }
        return found
    }
}
