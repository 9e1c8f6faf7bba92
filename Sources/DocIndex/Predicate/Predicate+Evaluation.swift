/// Whether a condition holds, for a document in memory.
extension Predicate {
    /// Whether the condition holds for a document.
    ///
    /// Of a search, which belongs to the text index of a collection, it is asked whether the words are in any text of the
    /// document. A condition that is nested deeper than ``maximumDepth`` holds for none.
    public func matches(_ document: DocumentObject) -> Bool {
        isTooDeep ? false : isSatisfied(by: document)
    }

    /// As ``matches(_:)-(DocumentObject)``, of a condition that was validated.
    func isSatisfied(by document: DocumentObject) -> Bool {
        matches(.object(document)) { (pattern, text) throws(Never) in pattern.hasMatch(in: text) }
    }

    /// As ``matches(_:)-(DocumentObject)``, for queries: patterns end when the task is cancelled, or take too long.
    ///
    /// - Throws: as ``TextPattern/hasBoundedMatch(in:)``.
    func matchesBounded(_ document: DocumentObject) throws -> Bool {
        try matches(.object(document)) { (pattern, text) throws in try pattern.hasBoundedMatch(in: text) }
    }

    /// Whether the condition holds for a document, or for an element of an array.
    ///
    /// - Parameter patterns: whether a text has the form of a pattern.
    func matches<Failure: Error>(
        _ value: DocumentValue, _ patterns: (TextPattern, String) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        switch self {
        case .all: return true
        case .and(let parts):
            for part in parts where try !part.matches(value, patterns) { return false }
            return true
        case .or(let parts):
            for part in parts where try part.matches(value, patterns) { return true }
            return false
        case .not(let part): return try !part.matches(value, patterns)
        default: return try matchesSingly(value, patterns)
        }
    }

    // Recursive functions do little more than recurse: without optimization, a frame has room for the temporaries of all
    // its branches, and `maximumDepth` frames must fit the stack.
    private func matchesSingly<Failure: Error>(
        _ value: DocumentValue, _ patterns: (TextPattern, String) throws(Failure) -> Bool
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
    /// The element itself, in the condition of ``Predicate/anyElement(_:_:)``.
    public static let element = FieldPath(checked: [])

    /// The path to the elements of what this path leads to; itself where it ends with `[]` already.
    var eachElement: FieldPath {
        if case .eachElement = steps.last { return self }
        return FieldPath(checked: steps + [.eachElement])
    }

    /// Whether a value that the path leads to satisfies a condition; from an element on as well as from a document.
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
        guard case .object(let object) = value else { return false }
        return try anyElement(in: object, where: condition)
    }
}
