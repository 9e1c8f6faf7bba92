import DocIndex

/// Dates as EXIF writes them: `2012:06:08 18:02:11`, with a fraction and a zone at times.
enum ExifToolDate {
    /// The date in a text; null for the zeros of a camera whose clock was never set; `nil` if it is no date, or one that
    /// would not come out again as it is.
    ///
    /// - Parameter object: where the zone stands, if the date itself has none.
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

    /// The zone that another tag of the file holds, in any group.
    private static func zone(of tag: String, in object: DocumentObject) -> String? {
        for name in ExifToolTags.zones(of: tag) {
            for member in object where ExifToolTags.name(of: member.name) == name {
                if let text = member.value.stringValue, text.utf8.count == 6 || text == "Z" { return text }
            }
        }
        return nil
    }
}
