/// The header fields of a request, of a response or of a part of a multipart body, in order.
///
/// Names are compared without regard to ASCII case. A field can occur several times.
package struct HeaderFields: Sendable, Hashable {
    /// A name and its value.
    package struct Field: Sendable, Hashable {
        /// The name, in the case in which it was written.
        package let name: String
        /// The value, without surrounding whitespace.
        package let value: String
    }

    /// All fields in order.
    package private(set) var fields: [Field] = []

    /// Creates a list without fields.
    package init() {}

    /// The value of the first field with this name; `nil` if there is none.
    ///
    /// Setting a value replaces all fields with this name. Setting `nil` removes them.
    package subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// Adds a field after all others.
    ///
    /// Control characters in the value become spaces, so that no value can end its line and begin another field.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: Self.line(value)))
    }

    /// Returns the value of a field as a number of bytes or seconds; `nil` unless it consists of digits and is below
    /// 2⁶³.
    package func count(_ name: String) -> Int64? {
        guard let text = self[name], !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }

    private static func line(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return value }
        return String(decoding: value.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }

    static func isSame(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates a list of these fields in order.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII digit.
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// The byte, or the lowercase letter of an ASCII letter.
    var lowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }
}
