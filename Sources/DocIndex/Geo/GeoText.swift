/// Coordinates as exiftool prints them.
///
/// Accepted are `48 deg 51' 28.20" N`, also without the seconds or the letter; the XMP form `48,51.47N` or
/// `48,51,28.2N`; and for a position, two such coordinates, or two decimal numbers separated by a space, as in
/// `Composite:GPSPosition`. A single decimal number in a string is a string. A change in what is accepted changes index
/// keys, so it must raise the version in ``IndexDefinition/fingerprintText``.
enum GeoText {
    /// The maximum length of a position in bytes.
    private static let maximumByteCount = 96

    /// Returns the degrees of a coordinate, negative to the south and the west; `nil` if the string is not one.
    static func degrees(_ text: String) -> Double? {
        guard text.utf8.count <= maximumByteCount else { return nil }
        return degrees(text[...])
    }

    /// Returns a position, the latitude first; `nil` if the string is not one.
    static func position(_ text: String) -> GeoPoint? {
        guard text.utf8.count <= maximumByteCount else { return nil }
        // `48,51.47N 2,17.8E` has commas within the coordinates.
        let parts = text.contains("deg") ? text.split(separator: ",") : text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        if let latitude = degrees(parts[0]), let longitude = degrees(parts[1]) {
            return GeoPoint(latitude: latitude, longitude: longitude)
        }
        guard let latitude = number(parts[0], isSigned: true), let longitude = number(parts[1], isSigned: true) else {
            return nil
        }
        return GeoPoint(latitude: latitude, longitude: longitude)
    }

    /// Returns a coordinate with the sign that the reference beside it demands, such as `S` or `South`.
    static func signed(_ degrees: Double, reference: DocumentValue?) -> Double {
        guard case .string(let text)? = reference else { return degrees }
        return ["S", "W", "South", "West"].contains(text) ? -abs(degrees) : degrees
    }

    private static func degrees(_ text: Substring) -> Double? {
        let words = text.split(separator: " ")
        guard words.count > 1 else { return words.first.flatMap(xmpDegrees) }
        guard words.count >= 3, words.count <= 5, words[1] == "deg", let whole = number(words[0]),
            words[2].hasSuffix("'"), let minutes = number(words[2].dropLast()), minutes < 60
        else { return nil }
        var value = whole + minutes / 60
        var rest = words.dropFirst(3)
        if let seconds = rest.first, seconds.hasSuffix("\"") {
            guard let seconds = number(seconds.dropLast()), seconds < 60 else { return nil }
            value += seconds / 3600
            rest.removeFirst()
        }
        guard let letter = rest.popFirst() else { return value }
        return rest.isEmpty ? sign(String(letter)).map { $0 * value } : nil
    }

    /// Reads `48,51.47N` or `48,51,28.2N`.
    private static func xmpDegrees(_ word: Substring) -> Double? {
        guard let letter = word.last, let sign = sign(String(letter)) else { return nil }
        let parts = word.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { number($0) }
        guard parts.count == 2 || parts.count == 3, let whole = parts[0], let minutes = parts[1], minutes < 60 else {
            return nil
        }
        guard parts.count == 3 else { return sign * (whole + minutes / 60) }
        guard let seconds = parts[2], seconds < 60 else { return nil }
        return sign * (whole + minutes / 60 + seconds / 3600)
    }

    private static func sign(_ letter: String) -> Double? {
        switch letter {
        case "N", "E", "North", "East": 1
        case "S", "W", "South", "West": -1
        default: nil
        }
    }

    private static func number(_ text: Substring, isSigned: Bool = false) -> Double? {
        let digits = isSigned && text.hasPrefix("-") ? text.dropFirst() : text
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Double(String(text))
    }
}
