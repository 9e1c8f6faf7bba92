import DocIndex

/// An XMP packet (ISO 16684-1) with the metadata of one picture.
enum XMPSidecar {
    /// The namespaces of the tags, by the prefix in exiftool's name of the group.
    private static let namespaces: [(prefix: String, group: String, uri: String)] = [
        ("dc", "XMP-dc", "http://purl.org/dc/elements/1.1/"),
        ("xmp", "XMP-xmp", "http://ns.adobe.com/xap/1.0/"),
        ("photoshop", "XMP-photoshop", "http://ns.adobe.com/photoshop/1.0/"),
        ("exif", "XMP-exif", "http://ns.adobe.com/exif/1.0/"),
        ("lr", "XMP-lr", "http://ns.adobe.com/lightroom/1.0/"),
        ("Iptc4xmpCore", "XMP-iptcCore", "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"),
        ("Iptc4xmpExt", "XMP-iptcExt", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"),
    ]

    /// Whether a tag can be written.
    static func knows(_ tag: String) -> Bool { name(of: tag) != nil }

    /// The packet as XML.
    static func text(_ entries: [PictureMetadata.Entry]) -> String {
        let known = entries.compactMap { entry in name(of: entry.tag).map { (name: $0, entry: entry) } }
        let used = namespaces.filter { space in known.contains { $0.name.hasPrefix(space.prefix + ":") } }
        var lines = [
            #"<?xpacket begin="\#u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>"#,
            #"<x:xmpmeta xmlns:x="adobe:ns:meta/">"#,
            #" <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#,
            #"  <rdf:Description rdf:about="""# + used.map { "\n    xmlns:\($0.prefix)=\"\($0.uri)\"" }.joined() + ">",
        ]
        for (name, entry) in known { lines += element(name, entry) }
        lines += ["  </rdf:Description>", " </rdf:RDF>", "</x:xmpmeta>", #"<?xpacket end="w"?>"#]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The name in XML: `dc:title` for `XMP-dc:Title`; `nil` for another standard.
    private static func name(of tag: String) -> String? {
        guard let colon = tag.lastIndex(of: ":"),
            let space = namespaces.first(where: { $0.group == tag[..<colon] })
        else { return nil }
        let name = tag[tag.index(after: colon)...]
        // These begin with a lowercase letter; all others are written as exiftool does.
        let isLowercase = ["dc", "lr"].contains(space.prefix)
        return space.prefix + ":" + (isLowercase ? name.prefix(1).lowercased() + name.dropFirst() : String(name))
    }

    private static func element(_ name: String, _ entry: PictureMetadata.Entry) -> [String] {
        func item(_ value: DocumentValue, _ attributes: String = "") -> String {
            "     <rdf:li\(attributes)>\(escaped(value.stringValue ?? value.json))</rdf:li>"
        }
        func container(_ kind: String, _ items: [String]) -> [String] {
            ["   <\(name)>", "    <rdf:\(kind)>"] + items + ["    </rdf:\(kind)>", "   </\(name)>"]
        }
        let elements = entry.value.arrayValue ?? [entry.value]
        switch entry.form {
        case .alternative: return container("Alt", elements.prefix(1).map { item($0, #" xml:lang="x-default""#) })
        case .bag: return container("Bag", elements.map { item($0) })
        case .sequence: return container("Seq", elements.map { item($0) })
        case .text, .date, .number:
            var text = entry.value.stringValue ?? entry.value.json
            if let degrees = entry.value.numberValue, name.hasPrefix("exif:GPS") {
                text = coordinate(degrees, isLatitude: name.hasSuffix("Latitude"))
            }
            return ["   <\(name)>\(escaped(text))</\(name)>"]
        }
    }

    /// A coordinate in the notation of XMP: `53,43.3500000N`.
    private static func coordinate(_ degrees: Double, isLatitude: Bool) -> String {
        let letter = degrees < 0 ? (isLatitude ? "S" : "W") : (isLatitude ? "N" : "E")
        // In units of 10⁻⁷ minutes, about a fifth of a millimeter, so that rounding never gives 60 minutes.
        let units = Int64((abs(degrees) * 600_000_000).rounded())
        let (whole, rest) = units.quotientAndRemainder(dividingBy: 600_000_000)
        let (minutes, fraction) = rest.quotientAndRemainder(dividingBy: 10_000_000)
        let digits = String(fraction)
        return "\(whole),\(minutes).\(String(repeating: "0", count: 7 - digits.count))\(digits)\(letter)"
    }

    /// Text in XML 1.0, which has no notation for most control characters.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            // A parser would turn it into a line feed.
            case "\r": result.append(contentsOf: "&#13;".unicodeScalars)
            case "\t", "\n": result.append(scalar)
            case "\u{fffe}", "\u{ffff}": result.append("\u{fffd}")
            default: result.append(scalar.value < 0x20 ? "\u{fffd}" : scalar)
            }
        }
        return String(result)
    }
}
