import DocIndex

/// Dates in EXIF notation: `2012:06:08 18:02:11`, optionally with a fraction and a time zone.
enum ExifToolDate {
    /// Parses a date. Returns null for the zeros of a camera whose clock was never set, and `nil` if the string is not
    /// a date or would not round-trip.
    ///
    /// - Parameter object: The object with the tag for the time zone, if the date itself has none.
    static func value(of text: String, _ tag: String, in object: DocumentObject) -> DocumentValue? {
        let bytes = Array(text.utf8)
        if bytes.starts(with: Array("0000:00:00".utf8)) || text == "    :  :     :  :  " { return .null }
        guard bytes.count >= 19, bytes[4] == UInt8(ascii: ":"), bytes[7] == UInt8(ascii: ":"), bytes[10] == 0x20 else {
            return nil
        }
        var iso = bytes
        iso[4] = UInt8(ascii: "-")
        iso[7] = UInt8(ascii: "-")
        iso[10] = UInt8(ascii: "T")
        if !hasZone(bytes), let zone = zone(of: tag, in: object) { iso += zone.utf8 }
        return DocumentDate(iso8601: iso.span).map(DocumentValue.date)
    }

    private static func hasZone(_ bytes: [UInt8]) -> Bool {
        bytes.dropFirst(19).contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "Z") }
    }

    /// The time zone in another tag of the file, in any group.
    private static func zone(of tag: String, in object: DocumentObject) -> String? {
        for name in ExifToolTags.zones(of: tag) {
            for member in object where ExifToolTags.name(of: member.name) == name {
                if let text = member.value.stringValue, text.utf8.count == 6 || text == "Z" { return text }
            }
        }
        return nil
    }
}
