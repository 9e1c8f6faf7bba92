internal import DocIndex

/// Removes the places from documents: the fields of geo indexes, the place fields of EXIF, IPTC and XMP under the names
/// that exiftool gives them, and values that describe a point, at any depth.
///
/// Rather removes too much: a field that only looks like a place goes as well. Free text, such as a caption that names a
/// town, stays.
struct PlaceRemoval: Sendable {
    /// The fields of geo indexes, as the names of members.
    private let declared: [[String]]
    private let idField: String

    /// - Parameter definition: the collection of the documents.
    init(_ definition: CollectionDefinition) {
        idField = definition.idField
        declared = definition.indexes.filter { $0.kind == .geo }.flatMap(\.fields).map { path in
            path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
        }
    }

    /// A container that is being copied, and the path of names to it.
    private struct Frame {
        let source: DocumentValue
        let path: [String]
        var next = 0
        var members = DocumentObject()
        var elements: [DocumentValue] = []

        var result: DocumentValue {
            if case .array = source { .array(elements) } else { .object(members) }
        }
    }

    /// Returns the document without places. Stack use does not depend on the nesting depth.
    func document(_ document: DocumentObject) -> DocumentObject {
        var frames = [Frame(source: .object(document), path: [])]
        while let frame = frames.last {
            let top = frames.count - 1
            guard let (name, value) = Self.item(of: frame) else {
                frames.removeLast()
                guard let parent = frames.last else { return frame.members }
                Self.add(frame.result, Self.item(of: parent)?.name, to: &frames[frames.count - 1])
                continue
            }
            let path = name.map { frame.path + [$0] } ?? frame.path
            let isKept = name.map { top == 0 && $0.hasSameBytes(as: idField) } ?? false
            if !isKept, isPlace(name, value, path) {
                frames[top].next += 1
            } else if value.kind == .array || value.kind == .object {
                frames.append(Frame(source: value, path: path))
            } else {
                Self.add(value, name, to: &frames[top])
            }
        }
        return DocumentObject()
    }

    /// The member or element that comes next; `nil` after the last one.
    private static func item(of frame: Frame) -> (name: String?, value: DocumentValue)? {
        switch frame.source {
        case .array(let elements): frame.next < elements.count ? (nil, elements[frame.next]) : nil
        case .object(let object):
            frame.next < object.count ? (object[frame.next].name, object[frame.next].value) : nil
        default: nil
        }
    }

    private static func add(_ value: DocumentValue, _ name: String?, to frame: inout Frame) {
        if let name { frame.members[name] = value } else { frame.elements.append(value) }
        frame.next += 1
    }

    private func isPlace(_ name: String?, _ value: DocumentValue, _ path: [String]) -> Bool {
        if let name, Self.isPlaceName(name) { return true }
        if declared.contains(where: { $0 == path }) { return true }
        switch value {
        case .object: return GeoPoint(value) != nil
        case .string(let text):
            return text.utf8.count <= 200 && (text.contains("deg") || text.contains("°")) && GeoPoint(value) != nil
        default: return false
        }
    }

    /// Whether the name of a member is that of a place: lower case letters and digits are compared, after the group of
    /// exiftool, as in `XMP-iptcExt:LocationShownCity`.
    static func isPlaceName(_ name: String) -> Bool {
        let last = name.utf8.split(separator: UInt8(ascii: ":")).last.map { Substring($0) } ?? ""
        let plain = last.lowercased().filter { $0.isLetter || $0.isNumber }
        return names.contains(plain) || prefixes.contains { plain.hasPrefix($0) }
    }

    private static let prefixes = [
        "gps", "geo", "location", "sublocation", "contentlocation", "country", "latitude", "longitude", "provincestate",
        "stateprovince", "address", "postal", "destgps",
    ]

    private static let names: Set<String> = [
        "city", "state", "province", "region", "county", "district", "suburb", "town", "village", "municipality",
        "neighborhood", "neighbourhood", "street", "zip", "zipcode", "worldregion", "place", "places", "placename",
        "placeid", "lat", "lon", "lng", "coordinate", "coordinates", "coord", "coords", "position", "altitude",
        "elevation", "venue", "what3words", "pluscode", "mapdatum", "countrycode",
    ]
}
