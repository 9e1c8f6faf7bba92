#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// An area of the earth between two latitudes and two longitudes, including its edges.
public struct GeoBox: Sendable, Hashable {
    /// The southern edge.
    public let south: Double
    /// The western edge.
    public let west: Double
    /// The northern edge.
    public let north: Double
    /// The eastern edge; less than ``west`` if the box crosses the 180-degree meridian.
    public let east: Double

    /// Creates a box; `nil` if an edge is not a number or out of range, or if the southern edge is north of the
    /// northern one.
    public init?(south: Double, west: Double, north: Double, east: Double) {
        guard GeoPoint(latitude: south, longitude: west) != nil, GeoPoint(latitude: north, longitude: east) != nil,
            south <= north
        else { return nil }
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// Creates a box, as small as possible, that contains every point within a distance of a center.
    ///
    /// - Parameters:
    ///   - center: the center.
    ///   - radius: the distance in meters; negative values and NaN count as 0.
    public init(around center: GeoPoint, radius: Double) {
        // Slightly more than the angle, so that rounding never excludes a point on the edge.
        let angle = (radius > 0 ? radius : 0) / GeoPoint.earthRadius * (1 + 1e-9) + 1e-12
        let degrees = angle * 180 / .pi
        south = max(-90, center.latitude - degrees)
        north = min(90, center.latitude + degrees)
        // A circle that contains a pole spans all longitudes.
        let ratio = sin(min(angle, .pi / 2)) / cos(GeoPoint.radians(center.latitude))
        guard south > -90, north < 90, ratio < 1 else {
            west = -180
            east = 180
            return
        }
        let width = asin(ratio) * 180 / .pi * (1 + 1e-9) + 1e-9
        guard width < 180 else {
            west = -180
            east = 180
            return
        }
        west = center.longitude - width < -180 ? center.longitude - width + 360 : center.longitude - width
        east = center.longitude + width > 180 ? center.longitude + width - 360 : center.longitude + width
    }

    /// Creates a box that contains every point within a distance, in meters, of a point of another box.
    init(around box: GeoBox, radius: Double) {
        // A circle is widest in longitude around the points farthest from the equator.
        let edges = [box.south, box.north].compactMap { GeoPoint(latitude: $0, longitude: 0) }
            .map { GeoBox(around: $0, radius: radius) }
        south = edges.map(\.south).min() ?? -90
        north = edges.map(\.north).max() ?? 90
        let margin = edges.map(\.east).max() ?? 180
        let width = box.west <= box.east ? box.east - box.west : box.east - box.west + 360
        guard width + 2 * margin < 360 else {
            west = -180
            east = 180
            return
        }
        west = box.west - margin < -180 ? box.west - margin + 360 : box.west - margin
        east = box.east + margin > 180 ? box.east + margin - 360 : box.east + margin
    }

    /// Returns whether the box contains a point. 180 degrees east and west are the same meridian.
    public func contains(_ point: GeoPoint) -> Bool {
        guard point.latitude >= south, point.latitude <= north else { return false }
        if abs(point.longitude) == 180 { return hasLongitude(180) || hasLongitude(-180) }
        return hasLongitude(point.longitude)
    }

    private func hasLongitude(_ longitude: Double) -> Bool {
        west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
    }

    /// The parts of the box on each side of the 180-degree meridian, which counts as 180 degrees west.
    var parts: [(west: Double, east: Double)] {
        if west > east { return west == 180 ? [(-180, east)] : [(west, 180), (-180, east)] }
        // Points at 180 degrees east are stored at 180 degrees west.
        return east == 180 && west > -180 ? [(west, 180), (-180, -180)] : [(west, east)]
    }
}
