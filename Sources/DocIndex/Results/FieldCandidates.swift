/// The known fields of a collection, from its indexes and a sample of its documents, for suggesting corrections of
/// misspelled fields.
struct FieldCandidates {
    /// The maximum number of documents sampled, and of values of one field.
    private static let sampleCount = 200
    /// The maximum number of fields suggested.
    private static let suggestionCount = 3

    private let collection: DocumentCollection
    private var known: [FieldPath]?

    init(_ collection: DocumentCollection) { self.collection = collection }

    /// Returns the fields with a name similar to that of a path, nearest first; empty if there are none.
    mutating func near(_ path: FieldPath) throws -> [String] {
        let wanted = path.comparableNames
        guard let last = wanted.last, !last.isEmpty else { return [] }
        let ranked = try paths().compactMap { candidate -> (path: FieldPath, distance: Int)? in
            candidate.distance(to: wanted, last: last).map { (candidate, $0) }
        }
        let order = ranked.enumerated().sorted {
            $0.element.distance != $1.element.distance
                ? $0.element.distance < $1.element.distance : $0.offset < $1.offset
        }
        return order.prefix(Self.suggestionCount).map(\.element.path.notation)
    }

    /// Returns the paths of the indexes, followed by the paths of documents in the order found.
    private mutating func paths() throws -> [FieldPath] {
        if let known { return known }
        var paths: [FieldPath] = []
        var seen: Set<FieldPath> = []
        func add(_ path: FieldPath) { if seen.insert(path).inserted { paths.append(path) } }
        for index in collection.definition.indexes { for path in index.fields + index.covered { add(path) } }
        try collection.forEach(matching: Query(limit: Self.sampleCount)) { document in
            Self.forEachPath(in: .object(document.content), below: [], add)
            return true
        }
        known = paths
        return paths
    }

    private static func forEachPath(
        in value: DocumentValue, below steps: [FieldPath.Step], _ body: (FieldPath) -> Void
    ) {
        // Deeper fields are unlikely to be queried.
        guard steps.count < 8 else { return }
        switch value {
        case .object(let object):
            for member in object {
                let steps = steps + [.name(member.name)]
                body(FieldPath(checked: steps))
                forEachPath(in: member.value, below: steps, body)
            }
        case .attachment(let attachment): forEachPath(in: .object(attachment.object), below: steps, body)
        case .array(let elements):
            let steps = steps + [.eachElement]
            for element in elements.prefix(16) {
                if element.objectValue == nil { body(FieldPath(checked: steps)) }
                forEachPath(in: element, below: steps, body)
            }
        default: break
        }
    }

    // MARK: - Values

    /// Returns the kinds of some values at a path; empty if it has none.
    static func kinds(of path: FieldPath, in collection: DocumentCollection) throws -> Set<DocumentValue.Kind> {
        var kinds: Set<DocumentValue.Kind> = []
        try collection.forEach(matching: Query(.exists(path), limit: sampleCount)) { document in
            path.forEachElement(in: document.content) { kinds.insert($0.kind) }
            return true
        }
        return kinds
    }

    /// Returns whether all sampled values at a path are dates or date strings.
    static func holdsDatesAlone(_ path: FieldPath, in collection: DocumentCollection) throws -> Bool {
        var holdsDates = true
        try collection.forEach(matching: Query(.exists(path), limit: sampleCount)) { document in
            path.forEachElement(in: document.content) { value in
                if !value.isNull, IndexedDate(reading: value) == nil { holdsDates = false }
            }
            return holdsDates
        }
        return holdsDates
    }
}

extension FieldPath {
    /// The names in lowercase.
    fileprivate var comparableNames: [String] {
        steps.compactMap { step in
            guard case .name(let name) = step else { return nil }
            return name.lowercased()
        }
    }

    /// Returns how many characters differ between this path and a requested one; `nil` if they are not similar.
    fileprivate func distance(to wanted: [String], last: String) -> Int? {
        let own = comparableNames
        guard let ownLast = own.last else { return nil }
        // The same field within another object or with a group prefix: `ExifIFD:ISO` is also known as `ISO`.
        let tail = ownLast.split(separator: ":").last.map { String($0) } ?? ownLast
        if ownLast == last || tail == last || ownLast == last.split(separator: ":").last.map({ String($0) }) {
            return own == wanted ? 0 : 1
        }
        let limit = max(1, min(2, last.count / 3))
        let distances = [(ownLast, last), (tail, last), (own.joined(separator: "."), wanted.joined(separator: "."))]
            .map { NameDistance.between($0.0, $0.1) }
        if let nearest = distances.min(), nearest <= limit { return 1 + nearest }
        // One name contains the other, such as "title" and "title of work".
        if min(last.count, tail.count) >= 4, tail.contains(last) || last.contains(tail) { return 10 }
        return nil
    }
}
