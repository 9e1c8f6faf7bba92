/// Numbers in exiftool's formatted output, without `-n`.
enum ExifToolNumber {
    /// Parses `1/250`, `50.0 mm` or `12.3 m Above Sea Level`; negative below sea level. `nil` for anything else.
    static func measure(_ text: String) -> Double? {
        var words = text.split(separator: " ")
        guard let first = words.first else { return nil }
        words.removeFirst()
        let parts = first.split(separator: "/", omittingEmptySubsequences: false)
        let number: Double
        switch parts.count {
        case 1:
            guard let value = plain(parts[0]) else { return nil }
            number = value
        case 2:
            guard let numerator = plain(parts[0]), let denominator = plain(parts[1]), denominator != 0 else {
                return nil
            }
            number = numerator / denominator
        default: return nil
        }
        let unit = words.joined(separator: " ")
        guard ["", "mm", "m", "s", "m Above Sea Level", "m Below Sea Level"].contains(unit) else { return nil }
        return unit == "m Below Sea Level" ? -number : number
    }

    /// Parses `48 deg 51' 0.00" N` to degrees, negative for south and west. `nil` for anything else.
    static func coordinate(_ text: String) -> Double? {
        let words = text.split(separator: " ")
        guard words.count == 4 || words.count == 5, words[1] == "deg", words[2].hasSuffix("'"),
            words[3].hasSuffix("\""), let degrees = plain(words[0]), let minutes = plain(words[2].dropLast()),
            let seconds = plain(words[3].dropLast())
        else { return nil }
        let value = degrees + minutes / 60 + seconds / 3600
        guard words.count == 5 else { return value }
        switch words[4] {
        case "N", "E", "North", "East": return value
        case "S", "W", "South", "West": return -value
        default: return nil
        }
    }

    private static func plain(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Double(String(text))
    }
}
