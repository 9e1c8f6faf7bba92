/// Evaluation on documents in memory.
extension Filter {
    /// Returns whether a document satisfies the condition.
    ///
    /// Searches normally use the text index of a collection. Here, a search matches if its words occur in any strings
    /// of the document. A condition nested deeper than ``maximumDepth`` matches nothing.
    public func matches(_ document: DocumentObject) -> Bool {
        isTooDeep ? false : isSatisfied(by: document)
    }

    /// Evaluates a validated condition like ``matches(_:)-(DocumentObject)``.
    func isSatisfied(by document: DocumentObject) -> Bool {
        matches(.object(document)) { (pattern, text) throws(Never) in pattern.hasMatch(in: text) }
    }

    /// Evaluates a condition of a query like ``matches(_:)-(DocumentObject)``, but cancellation and a step limit stop
    /// long pattern searches.
    ///
    /// - Throws: The errors of ``Filter/TextPattern/hasBoundedMatch(in:)``.
    package func matchesBounded(_ document: DocumentObject) throws -> Bool {
        try matches(.object(document)) { (pattern, text) throws in try pattern.hasBoundedMatch(in: text) }
    }

    /// Returns whether a document or an array element satisfies the condition.
    ///
    /// - Parameter patterns: A closure that returns whether a string matches a pattern.
    func matches<Failure: Error>(
        _ value: DocumentValue, _ patterns: (Filter.TextPattern, String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        switch self {
        case .all: return true
        case .and(let parts):
            for part in parts.content where try !part.matches(value, patterns) { return false }
            return true
        case .or(let parts):
            for part in parts.content where try part.matches(value, patterns) { return true }
            return false
        case .not(let part): return try !part.content.matches(value, patterns)
        default: return try matchesSingly(value, patterns)
        }
    }

    // Keep the recursive functions small: without optimization, a stack frame has room for the temporaries of all
    // branches, and `maximumDepth` frames must fit on the stack.
    private func matchesSingly<Failure: Error>(
        _ value: DocumentValue, _ patterns: (Filter.TextPattern, String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        switch self {
        case .isWithin(let field, let box): return field.hasPoint(in: value) { box.contains($0) }
        case .isNear(let field, let center, let meters):
            return field.hasPoint(in: value) { center.distance(to: $0) <= meters }
        case .search(let condition):
            return value.objectValue.map { DocumentText($0).matches(condition.query) } ?? false
        default:
            guard let leaf else { return false }
            return try leaf.path.anyElement(from: value) { (value) throws(Failure) in
                try leaf.condition.holds(value, patterns)
            }
        }
    }
}

extension FieldPath {
    /// The element itself, in the condition of `Filter.anyElement`.
    public static let element = FieldPath(checked: [])

    /// The path to the elements of the array at this path; the path itself if it already ends in `[]`.
    var eachElement: FieldPath {
        if case .eachElement = steps.last { return self }
        return FieldPath(checked: steps + [.eachElement])
    }

    /// Returns whether a value at the path satisfies a condition, starting from a document or an array element.
    func anyElement<Failure: Error>(
        from value: DocumentValue, where condition: (DocumentValue) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        if steps.isEmpty { return try condition(value) }
        if case .eachElement = steps[0] {
            let rest = FieldPath(checked: Array(steps.dropFirst()))
            switch value {
            case .array(let elements):
                for element in elements where try rest.anyElement(from: element, where: condition) { return true }
                return false
            case .null: return false
            default: return try rest.anyElement(from: value, where: condition)
            }
        }
        guard let object = value.memberObject else { return false }
        return try anyElement(in: object, where: condition)
    }
}
