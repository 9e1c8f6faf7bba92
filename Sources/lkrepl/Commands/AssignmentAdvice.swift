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
        if words.count > 2, words.contains("=>") { return "-> renames: keywords snow -> winter" }
        if words.count > 1, words[0].hasSuffix(":") { return "write \(words[0].dropLast()) = \(words[1])" }
        if let arrow = words.firstIndex(of: "->"), arrow > 2, !["TEXT", "BELOW"].contains(words[1].uppercased()),
            !words[..<arrow].contains(where: { $0.contains(where: "\"',=".contains) })
        {
            return "quote the old value: "
                + "\(words[0]) \"\(words[1..<arrow].joined(separator: " "))\" -> …"
        }
        if words.count > 1, ["unset", "delete", "drop"].contains(words[0].lowercased()) {
            return "write REMOVE \(words[1])"
        }
        guard let sign = words.firstIndex(where: { $0 == "=" || $0 == "+=" }), sign > 0, sign + 1 < words.count else {
            return nil
        }
        let (field, value) = (words[sign - 1], words[sign + 1])
        if value.hasPrefix("[") { return "write a list in parentheses: \(field) \(words[sign]) (\"a\", \"b\")" }
        if value.hasPrefix("{") { return "write an object as json '{…}', or pass it with --set-json" }
        if let list = list(words[(sign + 1)...]) {
            return
                "write a list in parentheses: \(field) \(words[sign]) (\(list)); quote a string that contains a comma"
        }
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
        return "put a string of several words in quotes: \(field) \(words[sign]) \"\(text.joined(separator: " "))\""
    }

    /// The elements of a list that was written without parentheses; `nil` if the words are none, or end with another
    /// assignment.
    private static func list(_ words: ArraySlice<Substring>) -> String? {
        let parts = words.joined(separator: " ").split(separator: ",").map { $0.trimmingPrefix(" ") }
        guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty }),
            !parts.contains(where: { $0.contains(where: "=()[]{}".contains) || $0.contains("->") }),
            !parts.contains(where: { $0.lowercased().hasPrefix("remove ") })
        else { return nil }
        return parts.map { part in
            part.contains(" ") && !part.contains(where: "\"'".contains) ? "\"\(part)\"" : String(part)
        }.joined(separator: ", ")
    }

    /// What is probably a mistake.
    struct Doubts {
        /// Assignments that would store something else than was meant.
        var wrongValues: [String] = []
        /// Assignments that change nothing.
        var noEffects: [String] = []
        var all: [String] { wrongValues + noEffects }
    }

    /// Returns what is probably a mistake in a JSON Merge Patch.
    static func doubts(about patch: DocumentObject, in collection: DocumentCollection) throws -> [String] {
        var doubts: [String] = []
        var assignments: [DocumentUpdate.Assignment] = []
        func collect(_ object: DocumentObject, _ names: [String]) throws {
            for member in object.prefix(32) where assignments.count < 32 {
                let name = member.name.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
                let names = names + ["\"\(name)\""]
                guard let path = try? FieldPath(parsing: names.joined(separator: ".")) else { continue }
                if member.name.contains("."), let other = try? FieldPath(parsing: member.name),
                    try !collection.exists(matching: .exists(path)), try collection.exists(matching: .exists(other))
                {
                    doubts.append(
                        "a member with the name \"\(member.name)\" is not the field \(other); write objects: "
                            + #"{"exif": {"iso": 100}}"#)
                } else if case .object(let inner) = member.value, names.count < 16 {
                    try collect(inner, names)
                } else {
                    assignments.append(member.value == .null ? .remove(path) : .set(path, member.value))
                }
            }
        }
        try collect(patch, [])
        return try doubts + AssignmentAdvice(DocumentUpdate(assignments), collection).doubts(isStrict: false).all
    }

    /// Returns what is probably a mistake, to be told before the update runs; with `--strict`, throws it instead.
    func doubts(isStrict: Bool) throws -> Doubts {
        var doubts = Doubts()
        for assignment in assignments.prefix(32) {
            try refuseList(assignment)
            doubts.wrongValues += try wrongValues(of: assignment)
            doubts.noEffects += try noEffects(of: assignment)
        }
        let all = doubts.all
        if isStrict, let first = all.first {
            throw CommandError(
                .usage, first,
                hint: all.count > 1 ? all.dropFirst().joined(separator: "; ") : "omit --strict to get a warning instead"
            )
        }
        return doubts
    }

    private func wrongValues(of assignment: DocumentUpdate.Assignment) throws -> [String] {
        switch assignment {
        // An ID cannot be changed, which is an error of its own.
        case .set(let path, _) where path.description == collection.definition.idField: return []
        case .set(let path, .string(let text)), .setIfAbsent(let path, .string(let text)):
            let copied = try copied(text, to: path)
            return try near(path) + (copied.isEmpty ? otherKind(.string(text), at: path) : copied)
        case .set(let path, let value), .setIfAbsent(let path, let value):
            return try near(path) + otherKind(value, at: path)
        case .add(let path, _), .appendText(let path, _):
            // An element cannot be added to each element.
            return try unknown(path).compactMap { diagnostic in
                let whole = diagnostic.suggestions.filter { !$0.hasSuffix("[]") }
                if diagnostic.suggestions.isEmpty { return nil }
                let question = whole.isEmpty ? "" : "; did you mean \(whole.joined(separator: " or "))?"
                return "no document has a field \(path)\(question)"
            }
        case .remove, .subtract, .replaceText, .replace, .replaceBelow, .move: return []
        }
    }

    private func noEffects(of assignment: DocumentUpdate.Assignment) throws -> [String] {
        switch assignment {
        case .set, .setIfAbsent, .add, .appendText: []
        case .remove(let path), .subtract(let path, _), .replaceText(let path, _, with: _),
            .replace(let path, _, with: _), .replaceBelow(let path, _, with: _, separator: _), .move(let path, to: _):
            // A single one has no effect at all.
            assignments.count == 1 ? try unknown(path).map { "\($0)" } : try near(path)
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
        if let text = value.stringValue, let date = ConditionAdvice.date(for: text, of: path, in: collection) {
            return ["\(path) holds no dates of the form \(value.json); write \(date)"]
        }
        let query = Query(.compare(path, .less, value))
        return try collection.diagnostics(of: query).compactMap { diagnostic in
            switch diagnostic.problem {
            case .otherKinds(let kinds) where kinds.contains(.array):
                "\(diagnostic.held), and gets \(value.kind.article); \(path) += \(value.json) adds an element"
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
