import DocIndex

/// Warnings about queries that look like a mistake.
extension ConditionOptions {
    /// With `--strict`, throws an error before a query runs that looks like a mistake.
    ///
    /// - Parameter fields: The fields that are shown, counted or listed.
    func requireSound(_ query: Query, fields: [FieldPath] = [], in collection: DocumentCollection) throws {
        guard strict else { return }
        let diagnostics = try collection.diagnostics(of: query, fields: fields)
        guard let first = diagnostics.first else {
            let advice =
                SearchAdvice.notes(on: query.filter) + ConditionAdvice.warnings(about: query.filter)
                + ConditionAdvice.partialDates(in: query.filter, of: collection)
                + ConditionAdvice.months(in: query.filter, of: collection)
                + ConditionAdvice.notations(in: query.filter, of: collection)
            guard let advice = advice.first else { return }
            throw CommandError(.usage, advice, hint: "omit --strict to get a warning instead")
        }
        throw CommandError(
            .usage, Self.text(first),
            hint: diagnostics.count > 1
                ? diagnostics.dropFirst().map(Self.text).joined(separator: "; ")
                : "omit --strict to get a warning instead")
    }

    /// Warns on standard error about a query that looks like a mistake, after it ran.
    ///
    /// - Parameter foundSomething: Whether the result has documents.
    func warn(
        of query: Query, fields: [FieldPath] = [], in collection: DocumentCollection, foundSomething: Bool,
        _ options: GlobalOptions
    ) throws {
        guard !strict, !options.quiet, query.limit != 0 else { return }
        for note in SearchAdvice.notes(on: query.filter) { options.note("note: \(note)") }
        let diagnostics = try collection.diagnostics(of: query, fields: fields, foundSomething: foundSomething)
        for diagnostic in diagnostics { options.note("warning: \(Self.text(diagnostic))") }
        guard diagnostics.isEmpty else {
            if !foundSomething, diagnostics.contains(where: \.isOfKinds) {
                for text in ConditionAdvice.fieldNames(in: query.filter, of: collection) {
                    options.note("hint: \(text)")
                }
            }
            return
        }
        for text in ConditionAdvice.warnings(about: query.filter)
            + ConditionAdvice.months(in: query.filter, of: collection)
            + ConditionAdvice.notations(in: query.filter, of: collection)
        { options.note("warning: \(text)") }
        guard !foundSomething else { return }
        for text in ConditionAdvice.reasons(for: query.filter, in: collection) { options.note("hint: \(text)") }
    }

    /// What makes a condition a probable mistake although documents satisfy it, such as `not ratng = 5`; `nil` for
    /// nothing. A field that no document has is not a mistake, unless a similar one exists.
    func mistake(in query: Query, of collection: DocumentCollection) throws -> String? {
        for diagnostic in try collection.diagnostics(of: query, foundSomething: true) {
            switch diagnostic.problem {
            case .unknownField where diagnostic.suggestions.isEmpty, .numbersInStrings, .otherSpelling, .similarStrings:
                continue
            case .unknownField, .otherKinds, .noLocation, .notADate: return Self.text(diagnostic)
            }
        }
        return ConditionAdvice.warnings(about: query.filter).first
            ?? ConditionAdvice.months(in: query.filter, of: collection).first
            ?? ConditionAdvice.notations(in: query.filter, of: collection).first
    }

    private static func text(_ diagnostic: Query.Diagnostic) -> String {
        let isLost = diagnostic.problem == .unknownField && diagnostic.suggestions.isEmpty
        return "\(diagnostic)" + (isLost ? "; describe lists the fields" : "")
    }
}

extension Query.Diagnostic {
    /// Whether the values of the field have other kinds than the condition asks for.
    fileprivate var isOfKinds: Bool {
        if case .otherKinds = problem { true } else { false }
    }
}
