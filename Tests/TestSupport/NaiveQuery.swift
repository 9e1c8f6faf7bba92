public import DocIndex

/// The answer to a query by looking at every document: written to be read, without indexes, plans and the code that
/// they share.
public enum NaiveQuery {
    /// The documents of the answer, in order.
    public static func answer(_ query: Query, among documents: [DocumentID: DocumentObject]) -> [DocumentID] {
        var found: [(id: DocumentID, keys: [DocumentValue?])] = []
        for (id, document) in documents where holds(query.predicate, for: document) {
            found.append((id, query.sort.map { values(at: $0.path, in: document).first }))
        }
        found.sort { a, b in
            for (position, key) in query.sort.enumerated() {
                let order = ReferenceOrder.compare(a.keys[position], b.keys[position])
                if order != 0 { return (order < 0) != key.isDescending }
            }
            return idPrecedes(a.id, b.id)
        }
        let rest = found.map(\.id).dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    /// Whether a condition holds for a document.
    public static func holds(_ predicate: Predicate, for document: DocumentObject) -> Bool {
        switch predicate {
        case .all: true
        case .compare(let path, let comparison, let constant):
            values(at: path, in: document).contains { compare($0, comparison, constant) }
        case .isIn(let path, let constants):
            values(at: path, in: document).contains { value in constants.contains { compare(value, .equal, $0) } }
        case .hasPrefix(let path, let prefix):
            values(at: path, in: document).contains { utf8($0).map { $0.starts(with: Array(prefix.utf8)) } ?? false }
        case .contains(let path, let part):
            values(at: path, in: document).contains { utf8($0).map { occurs(Array(part.utf8), in: $0) } ?? false }
        case .exists(let path): !values(at: path, in: document).isEmpty
        case .and(let parts): parts.reduce(true) { $0 && holds($1, for: document) }
        case .or(let parts): parts.reduce(false) { $0 || holds($1, for: document) }
        case .not(let part): !holds(part, for: document)
        }
    }

    // MARK: - Parts

    /// Every value that a path leads to.
    private static func values(at path: FieldPath, in document: DocumentObject) -> [DocumentValue] {
        var values: [DocumentValue] = [.object(document)]
        for step in path.steps {
            values = values.flatMap { value -> [DocumentValue] in
                switch (step, value) {
                case (.name(let name), .object(let object)): object[name].map { [$0] } ?? []
                case (.name, _): []
                case (.eachElement, .array(let elements)): elements
                case (.eachElement, .null): []
                case (.eachElement, _): [value]
                }
            }
        }
        return values
    }

    private static func compare(
        _ value: DocumentValue, _ comparison: Predicate.Comparison, _ constant: DocumentValue
    ) -> Bool {
        guard isComparable(value, constant) else { return false }
        let order = ReferenceOrder.compare(value, constant)
        return switch comparison {
        case .equal: order == 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// Whether two values are of one kind, and of one that has an order between them.
    private static func isComparable(_ a: DocumentValue, _ b: DocumentValue) -> Bool {
        switch (a, b) {
        case (.date, .date): true
        case (.int, .int), (.bool, .bool), (.string, .string), (.bytes, .bytes), (.null, .null): true
        // Not-a-number is comparable with itself alone.
        case (.int, .double(let number)), (.double(let number), .int): !number.isNaN
        case (.double(let a), .double(let b)): a.isNaN == b.isNaN
        // Arrays and objects can be equal and no more; the order calls all of them equal.
        case (.array, .array), (.object, .object): a == b
        default: false
        }
    }

    private static func utf8(_ value: DocumentValue) -> [UInt8]? { value.stringValue.map { Array($0.utf8) } }

    private static func occurs(_ part: [UInt8], in text: [UInt8]) -> Bool {
        (0...text.count).contains { text[$0...].starts(with: part) }
    }

    private static func idPrecedes(_ a: DocumentID, _ b: DocumentID) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): Array(a.utf8).lexicographicallyPrecedes(Array(b.utf8))
        case (.int(let a), .int(let b)): a < b
        case (.string, .int): true
        case (.int, .string): false
        }
    }
}
