extension GeoField {
    /// Fields in which the locations of pictures are usual, preferred first.
    package static let usual: [GeoField] = [
        .location("gps"), .location("location"), .location("Composite:GPSPosition"),
        .coordinates(latitude: "Composite:GPSLatitude", longitude: "Composite:GPSLongitude"),
        .coordinates(latitude: "GPS:GPSLatitude", longitude: "GPS:GPSLongitude"),
        .location("GPSPosition"), .coordinates(latitude: "GPSLatitude", longitude: "GPSLongitude"),
    ]
}
