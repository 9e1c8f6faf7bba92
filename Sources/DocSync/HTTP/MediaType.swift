/// A media type with its parameters, such as `multipart/related; boundary="abc"` (RFC 9110, section 8.3.1).
///
/// A `Content-Disposition` has the same form.
package struct MediaType: Sendable, Hashable {
    /// The part before the first parameter, in lowercase, such as `multipart/related`.
    package let name: String
    private let parameters: [HeaderFields.Field]

    /// Reads a field value. Parameters that are malformed are ignored, and of two with one name the first one counts.
    package init(_ text: String) {
        var reader = ParameterReader(bytes: Array(text.utf8))
        name = reader.readName()
        parameters = reader.readParameters()
    }

    /// The value of a parameter; `nil` if there is none.
    package subscript(parameter: String) -> String? {
        parameters.first { HeaderFields.isSame($0.name, parameter) }?.value
    }

    /// Whether the type is `multipart/` of any kind.
    package var isMultipart: Bool { name.hasPrefix("multipart/") }
}

private struct ParameterReader {
    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func readName() -> String {
        let name = read { $0 != UInt8(ascii: ";") }
        return String(decoding: trimmed(name).map(\.lowercased), as: UTF8.self)
    }

    mutating func readParameters() -> [HeaderFields.Field] {
        var fields: [HeaderFields.Field] = []
        while offset < bytes.count {
            // At a semicolon.
            offset += 1
            let name = String(
                decoding: trimmed(read { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }), as: UTF8.self)
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "=") else { continue }
            offset += 1
            _ = read { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let value = readValue()
            _ = read { $0 != UInt8(ascii: ";") }
            if !name.isEmpty { fields.append(HeaderFields.Field(name: name, value: value)) }
        }
        return fields
    }

    private mutating func readValue() -> String {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
            return String(decoding: trimmed(read { $0 != UInt8(ascii: ";") }), as: UTF8.self)
        }
        offset += 1
        var value: [UInt8] = []
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count { offset += 1 }
            value.append(bytes[offset])
            offset += 1
        }
        offset += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func read(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = min(offset, bytes.count)
        while offset < bytes.count, isPart(bytes[offset]) { offset += 1 }
        return bytes[start..<max(start, min(offset, bytes.count))]
    }

    private func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return text[first...last]
    }
}

extension MediaType {
    /// Returns a value in quotes, as a parameter is written, with control characters as spaces.
    static func quoted(_ value: String) -> String {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0..<0x20, 0x7f: text.append(UInt8(ascii: " "))
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
        return String(decoding: text, as: UTF8.self)
    }
}
