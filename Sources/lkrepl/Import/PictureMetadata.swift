import DocIndex

/// What people say about a picture: the members of a document that other programs for pictures read, as XMP tags.
///
/// A document has them under plain names, such as `caption`, or under the names of exiftool's tags, such as
/// `XMP-dc:Description` and `IPTC:Caption-Abstract`. A plain name takes precedence.
struct PictureMetadata {
    /// How XMP writes a value.
    enum Form: Hashable {
        case text, number, date
        /// A text with a language; only the default language is written.
        case alternative
        /// A list without an order.
        case bag
        /// A list with an order.
        case sequence

        var isList: Bool { self == .bag || self == .sequence }
    }

    /// A property of pictures.
    struct Property {
        /// The tag, as exiftool names it: `XMP-`, the prefix of the namespace, and the name.
        let tag: String
        let form: Form
        /// The plain names, preferred first.
        let fields: [FieldPath]
        /// The tags of EXIF and IPTC with the same meaning.
        let others: [String]

        init(_ tag: String, _ form: Form, _ fields: [FieldPath], _ others: [String] = []) {
            self.tag = tag
            self.form = form
            self.fields = fields
            self.others = others
        }
    }

    /// A tag to write.
    struct Entry {
        let tag: String
        let form: Form
        let value: DocumentValue
    }

    static let properties: [Property] = [
        Property("XMP-dc:Title", .alternative, ["title"], ["IPTC:ObjectName"]),
        Property(
            "XMP-dc:Description", .alternative, ["caption", "description"],
            ["IPTC:Caption-Abstract", "IFD0:ImageDescription"]),
        Property("XMP-dc:Subject", .bag, ["keywords", "tags"], ["IPTC:Keywords"]),
        Property("XMP-lr:HierarchicalSubject", .bag, []),
        Property("XMP-xmp:Rating", .number, ["rating"]),
        Property("XMP-xmp:Label", .text, ["label"]),
        Property("XMP-photoshop:DateCreated", .date, ["taken"]),
        Property("XMP-photoshop:Headline", .text, ["headline"], ["IPTC:Headline"]),
        Property("XMP-dc:Creator", .sequence, ["creator"], ["IPTC:By-line", "IFD0:Artist"]),
        Property("XMP-dc:Rights", .alternative, ["copyright"], ["IPTC:CopyrightNotice", "IFD0:Copyright"]),
        Property("XMP-iptcCore:Location", .text, ["place.sublocation"], ["IPTC:Sub-location"]),
        Property("XMP-photoshop:City", .text, ["place.city", "city"], ["IPTC:City"]),
        Property("XMP-photoshop:State", .text, ["place.state", "state"], ["IPTC:Province-State"]),
        Property("XMP-photoshop:Country", .text, ["place.country", "country"], ["IPTC:Country-PrimaryLocationName"]),
        Property("XMP-iptcExt:PersonInImage", .bag, ["people"]),
    ]

    /// Plain names that the user maps to tags, in place of the usual ones.
    private let mapping: [(field: FieldPath, property: Property)]
    /// The properties that are not mapped.
    private let usual: [Property]

    /// - Parameter mapping: Fields and tags of XMP, IPTC or EXIF.
    init(mapping: [(field: FieldPath, tag: String)] = []) {
        self.mapping = mapping.map { field, tag in
            let known = Self.properties.first { $0.tag == tag || $0.others.contains(tag) }
            return (field, Property(tag, known?.form ?? .text, [field]))
        }
        let tags = Set(mapping.map(\.tag))
        usual = Self.properties.filter { !tags.contains($0.tag) }
    }

    // MARK: - Entries

    /// The tags to write into the file of a picture.
    ///
    /// A plain field is written to its XMP tag, and also to each tag of EXIF and IPTC with the same meaning that the
    /// document has, so that all of them agree. Without one, the tags of the document are written as they are.
    func entries(of document: DocumentObject) -> [Entry] {
        var entries: [Entry] = []
        for (field, property) in mapping {
            guard let value = Self.value(field.value(in: document), property.form) else { continue }
            entries.append(Entry(tag: property.tag, form: property.form, value: value))
        }
        for property in usual {
            if let value = Self.plainValue(of: property, in: document) {
                entries.append(Entry(tag: property.tag, form: property.form, value: value))
                for tag in property.others where document[tag] != nil {
                    entries.append(Entry(tag: tag, form: property.form, value: value))
                }
                continue
            }
            for tag in [property.tag] + property.others {
                guard let value = Self.value(document[tag], property.form) else { continue }
                entries.append(Entry(tag: tag, form: property.form, value: value))
            }
        }
        if let point = Self.plainLocation(of: document) { entries += Self.entries(of: point) }
        return entries
    }

    /// The XMP tags for a sidecar file, each of them once.
    func sidecarEntries(of document: DocumentObject) -> [Entry] {
        var entries: [Entry] = []
        for (field, property) in mapping where XMPSidecar.knows(property.tag) {
            guard let value = Self.value(field.value(in: document), property.form) else { continue }
            entries.append(Entry(tag: property.tag, form: property.form, value: value))
        }
        for property in usual {
            var value = Self.plainValue(of: property, in: document)
            let dates = property.form == .date ? ["ExifIFD:DateTimeOriginal"] : []
            for tag in [property.tag] + property.others + dates where value == nil {
                value = Self.value(document[tag], property.form)
            }
            if let value { entries.append(Entry(tag: property.tag, form: property.form, value: value)) }
        }
        if let point = Self.plainLocation(of: document) ?? Self.location(of: document) {
            entries += Self.entries(of: point)
        }
        return entries
    }

    private static func plainValue(of property: Property, in document: DocumentObject) -> DocumentValue? {
        for field in property.fields {
            if let value = value(field.value(in: document), property.form) { return value }
        }
        return nil
    }

    /// A value in the form of its tag; `nil` for one that does not fit.
    private static func value(_ value: DocumentValue?, _ form: Form) -> DocumentValue? {
        switch (form, value) {
        case (_, nil), (_, .null?), (_, .object?), (_, .bytes?), (_, .bool?): return nil
        case (.bag, .array(let elements)?), (.sequence, .array(let elements)?):
            return .array(elements.compactMap { self.value($0, .text) })
        case (.bag, let value?), (.sequence, let value?): return self.value(value, .text).map { .array([$0]) }
        case (_, .array?): return nil
        case (.number, let value?): return value.numberValue == nil ? nil : value
        case (.date, let value?): return date(value).map { .string($0) }
        case (.text, .date(let date)?), (.alternative, .date(let date)?): return .string(date.iso8601)
        case (.text, let value?), (.alternative, let value?): return .string(value.stringValue ?? value.json)
        }
    }

    /// A date as in ISO 8601; `nil` for other values.
    private static func date(_ value: DocumentValue) -> String? {
        if case .date(let date) = value { return date.iso8601.replacing(".000", with: "") }
        guard case .string(let text) = value else { return nil }
        var bytes = Array(text.utf8)
        guard bytes.count >= 10 else { return nil }
        for place in [4, 7] where bytes[place] == UInt8(ascii: ":") { bytes[place] = UInt8(ascii: "-") }
        if bytes.count > 10, bytes[10] == 0x20 { bytes[10] = UInt8(ascii: "T") }
        let day = String(decoding: bytes.prefix(10), as: UTF8.self)
        if bytes.count == 10 { bytes += "T00:00:00".utf8 }
        if text.utf8.count == 10 { return DocumentDate(iso8601: bytes.span) == nil ? nil : day }
        return DocumentDate(iso8601: bytes.span) == nil ? nil : String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Locations

    private static func plainLocation(of document: DocumentObject) -> GeoPoint? {
        for field in [GeoField.location("gps"), .location("location")] {
            if let point = field.point(in: document) { return point }
        }
        return nil
    }

    private static func location(of document: DocumentObject) -> GeoPoint? {
        for field in GeoField.usual {
            if let point = field.point(in: document) { return point }
        }
        return nil
    }

    private static func entries(of point: GeoPoint) -> [Entry] {
        [
            Entry(tag: "XMP-exif:GPSLatitude", form: .number, value: .double(point.latitude)),
            Entry(tag: "XMP-exif:GPSLongitude", form: .number, value: .double(point.longitude)),
        ]
    }

    // MARK: - Files

    /// The name of a picture's file; `nil` if the document has none.
    static func file(of document: DocumentObject) -> String? {
        document[PictureSource.pathTag]?.stringValue ?? document["file"]?.stringValue
    }

    /// The object of a picture in the JSON that `exiftool -json=FILE` reads.
    func exifToolObject(file: String, _ document: DocumentObject) -> DocumentObject? {
        let entries = entries(of: document)
        guard !entries.isEmpty else { return nil }
        var object: DocumentObject = [PictureSource.pathTag: .string(file)]
        // IPTC is Latin-1 unless it says otherwise.
        if entries.contains(where: { $0.tag.hasPrefix("IPTC:") }) {
            object["IPTC:CodedCharacterSet"] = "UTF8"
        }
        for entry in entries {
            guard entry.form == .date, case .string(let text) = entry.value else {
                object[entry.tag] = entry.value
                continue
            }
            // exiftool's notation of dates.
            var bytes = Array(text.utf8)
            for place in [4, 7] where bytes.indices.contains(place) { bytes[place] = UInt8(ascii: ":") }
            if bytes.count > 10 { bytes[10] = 0x20 }
            object[entry.tag] = .string(String(decoding: bytes, as: UTF8.self))
        }
        return object
    }
}
