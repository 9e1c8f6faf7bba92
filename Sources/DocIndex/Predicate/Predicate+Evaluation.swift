/// Whether a condition holds, for a document in memory.
extension Predicate {
    /// Whether the condition holds for a document.
    ///
    /// Of a search, which belongs to the text index of a collection, it is asked whether the words are in any text of the
    /// document.
    public func matches(_ document: DocumentObject) -> Bool { matches(.object(document)) }

    /// Whether the condition holds for a document, or for an element of an array.
    func matches(_ value: DocumentValue) -> Bool {
        switch self {
        case .all: true
        case .and(let parts): parts.allSatisfy { $0.matches(value) }
        case .or(let parts): parts.contains { $0.matches(value) }
        case .not(let part): !part.matches(value)
        case .isWithin(let field, let box): field.hasPoint(in: value) { box.contains($0) }
        case .isNear(let field, let center, let meters):
            field.hasPoint(in: value) { center.distance(to: $0) <= meters }
        case .search(let condition): value.objectValue.map { DocumentText($0).matches(condition.query) } ?? false
        default: leaf.map { leaf in leaf.path.anyElement(from: value) { leaf.condition.holds($0) } } ?? false
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
    func anyElement(from value: DocumentValue, where condition: (DocumentValue) -> Bool) -> Bool {
        if steps.isEmpty { return condition(value) }
        if case .eachElement = steps[0] {
            let rest = FieldPath(checked: Array(steps.dropFirst()))
            switch value {
            case .array(let elements): return elements.contains { rest.anyElement(from: $0, where: condition) }
            case .null: return false
            default: return rest.anyElement(from: value, where: condition)
            }
        }
        guard case .object(let object) = value else { return false }
        return anyElement(in: object, where: condition)
    }
}
