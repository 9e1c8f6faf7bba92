import DocIndex

/// Completes conditions: fields, comparisons, and values from an index.
extension Completer {
    /// The completions of the last argument of a condition.
    ///
    /// - Parameter words: The words of the condition before it.
    func condition(
        of collectionWord: String?, after words: [String], _ command: CommandCatalog.Command, _ place: Place
    ) -> Completion {
        // Options stand between the words of a condition.
        var earlier: [String] = []
        var isValue = false
        for word in words {
            if isValue || word.hasPrefix("--") {
                isValue = !isValue && command.takesValue(word)
            } else {
                earlier.append(word)
            }
        }
        // A quote that begins the first word encloses the whole condition.
        let enclosing = earlier.isEmpty ? place.word.first.flatMap { "\"'".contains($0) ? $0 : nil } : nil
        let own = enclosing == nil ? place.word : String(place.word.dropFirst())
        let text = (earlier + [own]).joined(separator: " ")
        var context = ConditionContext(endOf: text)
        // The typed text never begins before this word.
        context.typedCount = min(context.typedCount, own.count)
        let start = place.start + place.word.count - context.typedCount
        switch context.expectation {
        case .field:
            return Self.matching(context, start, fields(of: collectionWord))
        case .comparison:
            // A field may be complete, or continue.
            return Self.matching(context, start, Self.words(ConditionContext.comparisons))
        case .connective:
            return Self.matching(context, start, Self.words(["and", "or"]))
        case .value(let path, let isElement):
            let values = values(of: path, isElement: isElement, collectionWord, beginningWith: context.typed)
            let candidates = values.compactMap { value in
                Self.notation(of: value, enclosedIn: enclosing).map { Completion.Candidate(text: $0) }
            }
            return Completion(start: start, candidates: candidates, replacesSpelling: true)
        }
    }

    private static func matching(
        _ context: ConditionContext, _ start: Int, _ candidates: [Completion.Candidate]
    ) -> Completion {
        Completion(
            start: start,
            candidates: candidates.filter { $0.text.lowercased().hasPrefix(context.typed.lowercased()) },
            replacesSpelling: true)
    }

    /// The values of a field that begin with a string: from an index by bounded seeks, or else from the first documents.
    private func values(
        of path: FieldPath, isElement: Bool, _ collectionWord: String?, beginningWith typed: String
    ) -> [DocumentValue] {
        guard let collection = collection(collectionWord) else { return [] }
        var found: [DocumentValue] = []
        let deadline = ContinuousClock.now + timeLimit
        func take(_ value: DocumentValue) -> Bool {
            if Self.text(of: value)?.hasPrefix(typed) ?? false, !found.contains(value) { found.append(value) }
            return found.count < Self.readLimit && ContinuousClock.now < deadline
        }
        let element = (try? FieldPath(parsing: "\(path)[]")) ?? path
        let path = isElement && !path.hasArrayStep ? element : path
        /// The values of an index from a value on; stops after the strings with the typed beginning.
        func read(from first: DocumentValue?) -> Bool {
            let isRead = try? collection.forEachIndexedValue(at: path, from: first) { value in
                guard take(value) else { return false }
                guard first != nil, let text = value.stringValue else { return true }
                return text.hasPrefix(typed)
            }
            return isRead ?? false
        }
        // Strings sort by their text, other values do not.
        let isTextOnly = typed.first?.isLetter ?? false
        if read(from: isTextOnly ? .string(typed) : nil) { return found }
        _ = try? collection.forEach(matching: Query(limit: Self.readLimit * 10)) { document in
            var goesOn = true
            path.forEachElement(in: document.content) { goesOn = take($0) && goesOn }
            return goesOn
        }
        return found.sorted { (Self.text(of: $0) ?? "") < (Self.text(of: $1) ?? "") }
    }

    /// The text of a value as typed; `nil` for a value that cannot be written.
    private static func text(of value: DocumentValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool, .int, .double: value.json
        case .date(let date): date.iso8601
        case .null, .bytes, .array, .object, .attachment: nil
        }
    }

    /// A value in the notation of conditions; `nil` if it cannot be typed.
    ///
    /// - Parameter quote: The quote around the whole condition; `nil` for none.
    static func notation(of value: DocumentValue, enclosedIn quote: Character?) -> String? {
        guard let text = text(of: value), !text.contains(where: \.isNewline), text.utf8.count <= 200 else { return nil }
        let path = FieldPath(names: "x")
        let isBare =
            !text.isEmpty && !text.contains { $0.isWhitespace || "'\"\\;#|{}[](),".contains($0) }
            && (try? Filter(parsing: "x = \(text)")).map { filter in
                switch filter {
                case .compare(_, .equal, let read): read == value
                case .isDated: true
                default: false
                }
            } ?? false
        if isBare { return text }
        let whole = Filter.compare(path, .equal, value).description
        let quoted = String(whole.dropFirst("x = ".count))
        switch quote {
        case nil: return quoted
        case "'": return quoted.replacing("'", with: "''")
        default: return nil
        }
    }
}
