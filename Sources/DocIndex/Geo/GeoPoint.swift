#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

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
    /// an array of two or three numbers in GeoJSON order: longitude, latitude, and an optional height, which is ignored;
    /// and a string with a position as exiftool prints it, such as `48 deg 51' 28.20" N, 2 deg 17' 49.20" E` or
    /// `48.8578 2.297`, the latitude first.
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
        case .string(let text):
            guard let point = GeoText.position(text) else { return nil }
            self = point
        default: return nil
        }
    }

    /// Creates a point from two values; `nil` if one of them is neither a number nor a coordinate in exiftool's
    /// notation, or if it is out of range.
    ///
    /// - Parameter references: The values of the tags for the hemisphere, such as `N` and `W`, if there are any.
    init?(
        latitude: DocumentValue?, longitude: DocumentValue?,
        references: (latitude: DocumentValue?, longitude: DocumentValue?) = (nil, nil)
    ) {
        guard let latitude = Self.degrees(latitude), let longitude = Self.degrees(longitude) else { return nil }
        self.init(
            latitude: GeoText.signed(latitude, reference: references.latitude),
            longitude: GeoText.signed(longitude, reference: references.longitude))
    }

    private static func degrees(_ value: DocumentValue?) -> Double? {
        if case .string(let text)? = value { return GeoText.degrees(text) }
        return value?.numberValue
    }
}
