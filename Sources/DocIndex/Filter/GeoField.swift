/// The place of a location in a document: one path, or separate paths for latitude and longitude.
public enum GeoField: Sendable, Hashable {
    /// A location in one of the forms that ``GeoPoint/init(_:)`` reads.
    case location(FieldPath)
    /// Two numbers.
    case coordinates(latitude: FieldPath, longitude: FieldPath)

    /// The paths, as declared by an index of kind `geo`.
    public var paths: [FieldPath] {
        switch self {
        case .location(let path): [path]
        case .coordinates(let latitude, let longitude): [latitude, longitude]
        }
    }

    /// Returns whether a location in a document or an array element satisfies a condition.
    func hasPoint(in value: DocumentValue, where condition: (GeoPoint) -> Bool) -> Bool {
        switch self {
        case .location(let path): return path.anyElement(from: value) { GeoPoint($0).map(condition) ?? false }
        case .coordinates(let latitude, let longitude):
            guard case .object(let object) = value else { return false }
            // Pair coordinates as the index does: if both paths lead through one array, within the same element.
            let pairs = (try? IndexTuples([latitude, longitude]).combinations(in: object)) ?? []
            return pairs.contains { GeoPoint(latitude: $0[0], longitude: $0[1]).map(condition) ?? false }
        }
    }

    /// Returns the distance in meters to the location nearest to a point; infinity without a location.
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
    /// The paths, separated by a comma.
    public var description: String { paths.map(\.description).joined(separator: ",") }
}
