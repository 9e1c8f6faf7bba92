import DocIndex

/// Normalizes exiftool's metadata into documents whose members have consistent types.
enum ExifToolDocument {
    /// The document to store: single elements of list tags become lists, dates, coordinates and fractions are parsed,
    /// and placeholders for binary data are removed.
    ///
    /// - Parameter listSeparator: The separator between list elements, in CSV; `nil` in JSON.
    static func normalized(_ object: DocumentObject, listSeparator: String? = nil) -> DocumentObject {
        var result = DocumentObject()
        for member in object {
            let value = listSeparator.flatMap { split(member.name, member.value, at: $0) } ?? member.value
            guard let new = self.value(of: member.name, value, in: object) else { continue }
            result[member.name] = new
        }
        return result
    }

    private static func split(_ tag: String, _ value: DocumentValue, at separator: String) -> DocumentValue? {
        guard ExifToolTags.isList(tag), case .string(let text) = value, !separator.isEmpty else { return nil }
        return .array(text.split(separator: separator, omittingEmptySubsequences: false).map { .string(String($0)) })
    }

    /// The value of a tag; `nil` for a placeholder.
    private static func value(of tag: String, _ value: DocumentValue, in object: DocumentObject) -> DocumentValue? {
        switch value {
        case .array(let elements):
            return .array(elements.compactMap { self.value(ofElement: tag, $0) })
        case .object(let inner):
            let new = DocumentValue.object(normalized(inner))
            return ExifToolTags.isList(tag) ? .array([new]) : new
        default:
            guard let new = scalar(tag, value, in: object) else { return nil }
            return ExifToolTags.isList(tag) && !new.isNull ? .array([new]) : new
        }
    }

    private static func value(ofElement tag: String, _ value: DocumentValue) -> DocumentValue? {
        switch value {
        case .object(let inner): .object(normalized(inner))
        case .array(let elements): .array(elements.compactMap { self.value(ofElement: tag, $0) })
        default: scalar(tag, value, in: [:])
        }
    }

    private static func scalar(_ tag: String, _ value: DocumentValue, in object: DocumentObject) -> DocumentValue? {
        guard case .string(let text) = value else { return value }
        if text.hasPrefix("(Binary data "), text.hasSuffix("use -b option to extract)") { return nil }
        if text.hasPrefix("base64:"), let bytes = try? Base64.decode(Array(text.utf8.dropFirst(7)).span) {
            return .bytes(bytes)
        }
        if ExifToolTags.isDate(tag) { return ExifToolDate.value(of: text, tag, in: object) ?? value }
        if ExifToolTags.isMeasure(tag), let number = ExifToolNumber.measure(text) { return .double(number) }
        if ExifToolTags.isCoordinate(tag), let number = ExifToolNumber.coordinate(text) { return .double(number) }
        return value
    }
}
