internal import Foundation

/// A part of the earth between two latitudes and two longitudes, its edges included.
public struct GeoBox: Sendable, Hashable {
    /// The southern edge.
    public let south: Double
    /// The western edge.
    public let west: Double
    /// The northern edge.
    public let north: Double
    /// The eastern edge; smaller than ``west`` where the box reaches over the meridian of 180 degrees.
    public let east: Double

    /// A box; `nil` if an edge is not a number or lies outside, or the southern edge lies north of the northern one.
    public init?(south: Double, west: Double, north: Double, east: Double) {
        guard GeoPoint(latitude: south, longitude: west) != nil, GeoPoint(latitude: north, longitude: east) != nil,
            south <= north
        else { return nil }
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// The smallest box that is sure to hold every point within a distance of a center.
    ///
    /// - Parameter radius: in meters; what is negative or no number counts as 0.
    public init(around center: GeoPoint, radius: Double) {
        // A little more than the angle, so that no rounding leaves out a point on the edge.
        let angle = (radius > 0 ? radius : 0) / GeoPoint.earthRadius * (1 + 1e-9) + 1e-12
        let degrees = angle * 180 / .pi
        south = max(-90, center.latitude - degrees)
        north = min(90, center.latitude + degrees)
        // Around a pole there are all longitudes.
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

    /// Whether a point lies in the box. 180 degrees east and west are the same.
    public func contains(_ point: GeoPoint) -> Bool {
        guard point.latitude >= south, point.latitude <= north else { return false }
        if abs(point.longitude) == 180 { return hasLongitude(180) || hasLongitude(-180) }
        return hasLongitude(point.longitude)
    }

    private func hasLongitude(_ longitude: Double) -> Bool {
        west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
    }

    /// The parts of the box that do not reach over the meridian of 180 degrees, which counts as 180 degrees west.
    var parts: [(west: Double, east: Double)] {
        if west > east { return west == 180 ? [(-180, east)] : [(west, 180), (-180, east)] }
        // What lies at 180 degrees east is kept at 180 degrees west.
        return east == 180 && west > -180 ? [(west, 180), (-180, -180)] : [(west, east)]
    }
}
