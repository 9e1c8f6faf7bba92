internal import DocIndex

/// The names of members that hold places, in the spellings of exiftool, exiv2, IPTC, XMP, and of programs.
enum PlaceName {
    /// Whether one of the words in a name is that of a place: `XMP-iptcExt:LocationShownCity`, `Exif.GPSInfo.GPSLatitude`,
    /// `home_location`, `CiAdrCity`. Words end at signs, at digits, and where upper and lower case change.
    static func isPlace(_ name: String) -> Bool {
        // Before the last colon is a group of exiftool, such as `XMP-iptcExt`.
        let last = name.split(separator: ":").last.map { String($0) } ?? name
        let words = words(of: last)
        if words.contains(where: { known.contains($0) || endings.contains(where: $0.hasSuffix) }) { return true }
        let plain = last.lowercased().filter(\.isLetter)
        return wholes.contains(plain) || beginnings.contains { plain.hasPrefix($0) }
    }

    /// The words of a name in lowercase: `GPSLatitude` has `gps` and `latitude`.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            guard character.isLetter else {
                words.append(word)
                word = ""
                continue
            }
            let wasLower = index > 0 && characters[index - 1].isLowercase
            let isLastOfCapitals =
                index > 0 && characters[index - 1].isUppercase && index + 1 < characters.count
                && characters[index + 1].isLowercase
            if character.isUppercase, wasLower || isLastOfCapitals {
                words.append(word)
                word = ""
            }
            word += character.lowercased()
        }
        words.append(word)
        return words.filter { !$0.isEmpty }
    }

    /// Words that name a place wherever they stand.
    private static let known: Set<String> = [
        "gps", "geo", "geotag", "location", "locations", "sublocation", "country", "city", "province", "town",
        "village",
        "municipality", "county", "suburb", "neighborhood", "neighbourhood", "street", "latitude", "longitude", "lat",
        "lon", "lng", "coordinate", "coordinates", "coord", "coords", "altitude", "elevation", "venue", "landmark",
        "hometown", "destination", "address", "adr", "extadr", "pcode", "ctry", "postal", "postcode", "zipcode",
        "place",
        "places",
    ]

    /// The ends of words that are written together, such as `photolocation`.
    private static let endings = ["location", "latitude", "longitude", "coordinates", "geotag"]

    /// Names of places, if they stand alone.
    private static let wholes: Set<String> = [
        "state", "region", "district", "zip", "worldregion", "position", "mapdatum", "pluscode", "placename", "placeid",
        "whatwords", "provincestate", "stateprovince", "countrycode",
    ]

    /// The beginnings of names that are written together, such as `geolocation`.
    private static let beginnings = [
        "gps", "geo", "location", "sublocation", "contentlocation", "country", "latitude", "longitude", "destgps",
    ]
}
