internal import Foundation

/// A point on the earth, in WGS 84 degrees.
public struct GeoPoint: Sendable, Hashable {
    /// The latitude, from -90 to 90; north is positive.
    public let latitude: Double
    /// The longitude, from -180 to 180, which are the same meridian; east is positive.
    public let longitude: Double

    /// Creates a point; `nil` if a coordinate is not a number or out of range.
    public init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The mean radius of the earth in meters (IUGG). Distances are measured on a sphere of this radius; true distances
    /// differ by up to half a percent.
    public static let earthRadius = 6_371_008.8

    /// Returns the distance on the sphere in meters, by the haversine formula.
    public func distance(to other: GeoPoint) -> Double {
        let latitudes = Self.radians(other.latitude - latitude)
        let longitudes = Self.radians(other.longitude - longitude)
        let a = sin(latitudes / 2)
        let b = sin(longitudes / 2)
        let h = a * a + cos(Self.radians(latitude)) * cos(Self.radians(other.latitude)) * b * b
        return 2 * Self.earthRadius * asin(min(1, h.squareRoot()))
    }

    static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}

extension GeoPoint {
    /// Creates a point from a value; `nil` if it does not describe one.
    ///
    /// Accepts an object with the numbers `lat` and `lon`, or `latitude` and `longitude`; a GeoJSON point (RFC 7946);
    /// and an array of two or three numbers in GeoJSON order: longitude, latitude, and an optional height, which is
    /// ignored.
    public init?(_ value: DocumentValue) {
        switch value {
        case .array(let numbers):
            guard numbers.count == 2 || numbers.count == 3 else { return nil }
            self.init(latitude: numbers[1], longitude: numbers[0])
        case .object(let object):
            if case .string("Point") = object["type"], case .array(let numbers) = object["coordinates"] {
                self.init(.array(numbers))
            } else if let latitude = object["lat"] {
                self.init(latitude: latitude, longitude: object["lon"])
            } else {
                self.init(latitude: object["latitude"], longitude: object["longitude"])
            }
        default: return nil
        }
    }

    /// Creates a point from two values; `nil` if one of them is not a number or out of range.
    init?(latitude: DocumentValue?, longitude: DocumentValue?) {
        guard let latitude = latitude?.numberValue, let longitude = longitude?.numberValue else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}
