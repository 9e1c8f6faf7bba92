/// The place of a location in a document: one path, or separate paths for latitude and longitude.
public enum GeoField: Sendable, Hashable {
    /// A location in one of the forms that ``GeoPoint/init(_:)`` reads.
    case location(FieldPath)
    /// Two numbers, or two strings such as `48 deg 51' 28.20" N`. If the names end in `GPSLatitude` and `GPSLongitude`,
    /// as exiftool's tags do, the members `GPSLatitudeRef` and `GPSLongitudeRef` beside them tell the hemisphere.
    case coordinates(latitude: FieldPath, longitude: FieldPath)

    /// The paths, as declared by an index of kind `geo`.
    public var paths: [FieldPath] {
        switch self {
        case .location(let path): [path]
        case .coordinates(let latitude, let longitude): [latitude, longitude]
        }
    }

    /// Every path that affects the location: ``paths``, and the paths of the hemisphere tags.
    var inputPaths: [FieldPath] { paths + references.compactMap { $0 } }

    /// The paths of the tags for the hemisphere; `nil` for names that have none.
    private var references: [FieldPath?] {
        guard case .coordinates(let latitude, let longitude) = self else { return [] }
        return [latitude.reference(of: "GPSLatitude"), longitude.reference(of: "GPSLongitude")]
    }

    /// Returns the locations of a document, with `nil` for each combination of values that is not one, and whether its
    /// values are missing or `null`.
    ///
    /// - Throws: ``IndexTuples/LimitError`` if separate arrays have too many combinations.
    func points(in object: DocumentObject) throws(IndexTuples.LimitError) -> [(values: [DocumentValue?], GeoPoint?)] {
        let count = paths.count
        let places = references.filter { $0 != nil }.isEmpty ? nil : references
        return try IndexTuples(inputPaths).combinations(in: object).map { values in
            guard count == 2 else { return (values, values[0].flatMap { GeoPoint($0) }) }
            var next = count
            func reference(_ position: Int) -> DocumentValue? {
                guard places?[position] != nil else { return nil }
                defer { next += 1 }
                return values[next]
            }
            let references = (reference(0), reference(1))
            let point = GeoPoint(latitude: values[0], longitude: values[1], references: references)
            return (Array(values[..<count]), point)
        }
    }

    /// Returns the first location in a document; `nil` if there is none.
    public func point(in document: DocumentObject) -> GeoPoint? {
        var found: GeoPoint?
        _ = hasPoint(in: .object(document)) { point in
            found = point
            return true
        }
        return found
    }

    /// Returns whether a location in a document or an array element satisfies a condition.
    func hasPoint(in value: DocumentValue, where condition: (GeoPoint) -> Bool) -> Bool {
        switch self {
        case .location(let path): return path.anyElement(from: value) { GeoPoint($0).map(condition) ?? false }
        case .coordinates:
            guard case .object(let object) = value else { return false }
            // Pair coordinates as the index does: if both paths lead through one array, within the same element.
            return ((try? points(in: object)) ?? []).contains { $0.1.map(condition) ?? false }
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

extension FieldPath {
    /// The path of exiftool's tag for the hemisphere, such as `GPS:GPSLatitudeRef` for `GPS:GPSLatitude`; `nil` if the
    /// last name does not end in that of the tag.
    fileprivate func reference(of tag: String) -> FieldPath? {
        guard case .name(let name)? = steps.last, name.hasSuffix(tag) else { return nil }
        return FieldPath(checked: steps.dropLast() + [.name(name + "Ref")])
    }
}
