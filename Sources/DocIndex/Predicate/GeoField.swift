/// Where in a document a location is: at one path, or its latitude and its longitude at two.
public enum GeoField: Sendable, Hashable {
    /// A location in one of the forms that ``GeoPoint/init(_:)`` reads.
    case location(FieldPath)
    /// Two numbers.
    case coordinates(latitude: FieldPath, longitude: FieldPath)

    /// The paths, as an index of kind `geo` declares them.
    public var paths: [FieldPath] {
        switch self {
        case .location(let path): [path]
        case .coordinates(let latitude, let longitude): [latitude, longitude]
        }
    }

    /// Whether a location in a document or an element satisfies a condition.
    func hasPoint(in value: DocumentValue, where condition: (GeoPoint) -> Bool) -> Bool {
        switch self {
        case .location(let path): return path.anyElement(from: value) { GeoPoint($0).map(condition) ?? false }
        case .coordinates(let latitude, let longitude):
            guard case .object(let object) = value else { return false }
            // As the index pairs them: of one element, where both go through one array.
            let pairs = (try? IndexTuples([latitude, longitude]).combinations(in: object)) ?? []
            return pairs.contains { GeoPoint(latitude: $0[0], longitude: $0[1]).map(condition) ?? false }
        }
    }

    /// The distance in meters of the location that is nearest to a point; infinite where there is none.
    func distance(in document: DocumentObject, to center: GeoPoint) -> Double {
        var nearest = Double.infinity
        _ = hasPoint(in: .object(document)) { point in
            nearest = min(nearest, center.distance(to: point))
            return false
        }
        return nearest
    }
}

extension GeoField: CustomStringConvertible {
    /// The paths, with a comma between them.
    public var description: String { paths.map(\.description).joined(separator: ",") }
}
