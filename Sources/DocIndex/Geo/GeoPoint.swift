internal import Foundation

/// A point on the earth, in degrees of WGS 84.
public struct GeoPoint: Sendable, Hashable {
    /// North is positive; from -90 to 90.
    public let latitude: Double
    /// East is positive; from -180 to 180, which are the same meridian.
    public let longitude: Double

    /// A point; `nil` if a coordinate is not a number or lies outside.
    public init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The mean radius of the earth in meters (IUGG), that of the sphere on which distances are measured. The true
    /// distance differs by up to half a percent.
    public static let earthRadius = 6_371_008.8

    /// The distance on the sphere in meters, by the haversine formula.
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
    /// The point that a value describes; `nil` if it is none.
    ///
    /// Forms: an object with the numbers `lat` and `lon`, or `latitude` and `longitude`; a GeoJSON point (RFC 7946);
    /// an array of two or three numbers, which is in the order of GeoJSON: longitude, latitude, and a height that is
    /// passed over.
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

    /// The point of two values; `nil` if one of them is no number or lies outside.
    init?(latitude: DocumentValue?, longitude: DocumentValue?) {
        guard let latitude = latitude?.numberValue, let longitude = longitude?.numberValue else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}
