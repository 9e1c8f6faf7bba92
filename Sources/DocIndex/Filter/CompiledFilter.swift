/// A condition prepared for evaluation on many encoded bodies: names are resolved to numbers, and only the required
/// values of a body are decoded.
///
/// Gives the same results as ``Filter/matches(_:)-(DocumentObject)`` for the decoded body.
struct CompiledFilter {
    private indirect enum Node {
        case all
        case leaf(Leaf)
        /// A condition on a location that can often be evaluated from its coordinates alone.
        case location(EncodedLocation, otherwise: Node)
        /// A condition evaluated on completely decoded members.
        case decoded(Filter, [ResolvedPath])
        /// A search, evaluated by looking up the row.
        case search(Filter.Search)
        case and([Node])
        case or([Node])
        case not(Node)
    }

    /// A condition on the values at one path. A class, so that evaluating it copies nothing.
    private final class Leaf {
        let path: ResolvedPath
        let condition: ValueCondition

        init(_ path: ResolvedPath, _ condition: ValueCondition) {
            self.path = path
            self.condition = condition
        }

        func holds(_ places: borrowing BodyPlaces, _ names: FieldNames) throws -> Bool {
            try places.anyElement(at: path, satisfies: condition, names: names)
        }
    }

    private let root: Node
    private let names: FieldNames
    /// Whether every document satisfies the condition.
    let isAll: Bool
    private let searches: SearchResults?

    /// - Parameter searches: The rows that match searches; `nil` for a condition without searches.
    init(_ filter: Filter, names: FieldNames, searches: SearchResults? = nil) {
        self.names = names
        self.searches = searches
        root = Self.node(filter, names)
        if case .all = root { isAll = true } else { isAll = false }
    }

    private static func node(_ filter: Filter, _ names: FieldNames) -> Node {
        switch filter {
        case .all: return .all
        case .and(let parts): return .and(parts.content.map { node($0, names) })
        case .or(let parts): return .or(parts.content.map { node($0, names) })
        case .not(let part): return .not(node(part.content, names))
        case .search(let condition): return .search(condition)
        default:
            if let leaf = filter.leaf { return .leaf(Leaf(ResolvedPath(leaf.path, names: names), leaf.condition)) }
            let decoded = Node.decoded(filter, filter.memberPaths.map { ResolvedPath($0, names: names) })
            return EncodedLocation(filter, names: names).map { .location($0, otherwise: decoded) } ?? decoded
        }
    }

    /// Returns whether the body of a row satisfies the condition.
    ///
    /// - Throws: ``BodyError`` if a required value is damaged; the errors of
    ///   ``Filter/TextPattern/hasBoundedMatch(in:)``.
    func matches(_ body: Span<UInt8>, row: UInt64) throws -> Bool {
        if isAll { return true }
        return try matches(root, BodyPlaces(body), row)
    }

    private func matches(_ node: Node, _ places: borrowing BodyPlaces, _ row: UInt64) throws -> Bool {
        switch node {
        case .all: return true
        case .leaf(let leaf): return try leaf.holds(places, names)
        case .location(let location, let otherwise):
            if let answer = try location.holds(places, names) { return answer }
            return try matches(otherwise, places, row)
        case .decoded(let filter, let members):
            var part = DocumentObject()
            for member in members {
                guard case .name(let name)? = member.path.steps.first else { continue }
                if let value = try places.value(at: member, names: names) { part[name] = value }
            }
            return try filter.matchesBounded(part)
        case .and(let parts):
            for part in parts where try !matches(part, places, row) { return false }
            return true
        case .or(let parts):
            for part in parts where try matches(part, places, row) { return true }
            return false
        case .not(let part): return try !matches(part, places, row)
        case .search(let condition): return searches?.contains(row, condition) ?? false
        }
    }
}

extension Filter {
    /// The members of a document that the condition reads.
    fileprivate var memberPaths: [FieldPath] {
        var seen: Set<FieldPath> = []
        return paths.compactMap { path in
            guard let first = path.steps.first else { return nil }
            let member = FieldPath(checked: [first])
            return seen.insert(member).inserted ? member : nil
        }
    }
}

/// A condition on a location stored as an object with `lat` and `lon`, which are read without decoding the object.
private struct EncodedLocation {
    private let type: ResolvedPath
    private let latitude: ResolvedPath
    private let longitude: ResolvedPath
    private let holds: @Sendable (GeoPoint) -> Bool

    /// Creates the condition; `nil` if `filter` is not a condition on a location, or the location is in an array.
    init?(_ filter: Filter, names: FieldNames) {
        let path: FieldPath
        switch filter {
        case .isWithin(.location(let location), let box):
            path = location
            holds = { box.contains($0) }
        case .isNear(.location(let location), let center, let meters):
            path = location
            holds = { center.distance(to: $0) <= meters }
        default: return nil
        }
        guard !path.hasArrayStep, path.steps.count < FieldPath.maximumStepCount else { return nil }
        func member(_ name: String) -> ResolvedPath {
            ResolvedPath(FieldPath(checked: path.steps + [.name(name)]), names: names)
        }
        type = member("type")
        latitude = member("lat")
        longitude = member("lon")
    }

    /// Returns whether the condition holds; `nil` if the location is missing or has a different form.
    func holds(_ places: borrowing BodyPlaces, _ names: FieldNames) throws -> Bool? {
        guard try !places.anyElement(at: type, satisfies: ValueCondition.any, names: names),
            let latitude = try places.value(at: latitude, names: names)
        else { return nil }
        return GeoPoint(latitude: latitude, longitude: try places.value(at: longitude, names: names)).map(holds)
            ?? false
    }
}
