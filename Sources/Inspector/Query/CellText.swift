internal import DocIndex

/// A value for people, cut to the size of a cell.
struct CellText: Sendable {
    /// The largest number of characters of a cell.
    static let limit = 200

    let text: String
    /// Whether the value is a number, which is aligned to the right.
    let isNumber: Bool

    /// The deepest level that is shown. Values may be nested hundreds of levels deep.
    private static let depthLimit = 4

    init(_ value: DocumentValue?, limit: Int = Self.limit) { self.init(value, limit, depth: 0) }

    private init(_ value: DocumentValue?, _ limit: Int, depth: Int) {
        switch value {
        case nil, .null: text = ""
        case .string(let string): text = Self.cut(string, limit)
        case .date(let date): text = date.iso8601
        case .bytes(let bytes): text = "\(HumanNumber.byteCount(bytes.count)) of bytes"
        case .attachment(let attachment): text = Self.cut(Self.text(of: attachment), limit)
        case .array where depth >= Self.depthLimit, .object where depth >= Self.depthLimit: text = "…"
        case .array(let elements): text = Self.cut(Self.text(of: elements, limit, depth + 1), limit)
        case .object(let object): text = Self.cut(Self.text(of: object, limit, depth + 1), limit)
        case .some(let value): text = value.json
        }
        isNumber =
            switch value {
            case .int, .double: true
            default: false
            }
    }

    /// Cuts a text. Counts scalars, because a single character may have a million of them.
    static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    private static func text(of attachment: Attachment) -> String {
        let content = attachment.type + ", " + HumanNumber.byteCount(Int(clamping: attachment.byteCount))
        return attachment.name.map { "\($0) (\(content))" } ?? content
    }

    /// The elements, separated by commas. Elements after the limit are not converted.
    private static func text(of elements: [DocumentValue], _ limit: Int, _ depth: Int) -> String {
        var text = ""
        for element in elements {
            guard text.utf8.count <= limit else { break }
            if !text.isEmpty { text += ", " }
            text += CellText(element, limit, depth: depth).text
        }
        return text
    }

    private static func text(of object: DocumentObject, _ limit: Int, _ depth: Int) -> String {
        var text = ""
        for member in object {
            guard text.utf8.count <= limit else { break }
            if !text.isEmpty { text += ", " }
            text += "\(cut(member.name, limit)): \(CellText(member.value, limit, depth: depth).text)"
        }
        return text
    }
}
