#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The types that ``DocumentEncoder`` stores in their own document representation instead of letting them encode
/// themselves.
enum EncodableLeaf {
    /// Returns the document representation of a value; `nil` for all other types, which encode themselves.
    ///
    /// - Throws: `EncodingError.invalidValue` for a value that cannot be represented.
    static func value<T: Encodable>(of value: T, path: () -> [any CodingKey]) throws -> DocumentValue? {
        // Comparing types is fast, but casting is not.
        if T.self == String.self, let value = value as? String { return .string(value) }
        if T.self == Double.self, let value = value as? Double { return .double(value) }
        if T.self == Int.self, let value = value as? Int { return .int(Int64(value)) }
        if T.self == Bool.self, let value = value as? Bool { return .bool(value) }
        // The most common arrays, without a container for each element.
        if T.self == [String].self, let value = value as? [String] { return .array(value.map(DocumentValue.string)) }
        if T.self == [Double].self, let value = value as? [Double] { return .array(value.map(DocumentValue.double)) }
        if T.self == Date.self, let value = value as? Date { return .date(try date(value, path)) }
        if T.self == Data.self, let value = value as? Data { return .bytes(Array(value)) }
        if T.self == UUID.self, let value = value as? UUID { return DocumentID(value).value }
        if T.self == URL.self, let value = value as? URL { return .string(value.absoluteString) }
        if T.self == DocumentValue.self, let value = value as? DocumentValue { return value }
        if T.self == DocumentObject.self, let value = value as? DocumentObject { return .object(value) }
        if T.self == DocumentDate.self, let value = value as? DocumentDate { return .date(value) }
        if T.self == DocumentID.self, let value = value as? DocumentID { return value.value }
        if T.self == Float.self, let value = value as? Float { return .double(Double(value)) }
        if T.self == Attachment.self, let value = value as? Attachment { return .attachment(value) }
        return nil
    }

    private static func date(_ date: Date, _ path: () -> [any CodingKey]) throws -> DocumentDate {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard let milliseconds = Int64(exactly: milliseconds) else {
            throw EncodingError.invalidValue(
                date,
                EncodingError.Context(
                    codingPath: path(),
                    debugDescription: "The date does not fit 64 bits of milliseconds."))
        }
        return DocumentDate(utcMilliseconds: milliseconds)
    }

    /// Returns the error for an integer that a document cannot represent.
    static func outOfRange(_ value: some FixedWidthInteger, at path: [any CodingKey]) -> EncodingError {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: path,
                debugDescription: "The integer exceeds the range of Int64; store it as a string.")
        )
    }
}

/// The same types for ``DocumentDecoder``.
enum DecodableLeaf {
    /// Decodes a value of such a type; `nil` for all other types, which decode themselves.
    ///
    /// - Throws: `DecodingError` if the value is not a valid representation of the type.
    static func value<T: Decodable>(_ type: T.Type, of item: DecodingNode.Item) throws -> T? {
        if type == String.self { return try item.string() as? T }
        if type == Double.self { return try item.double() as? T }
        if type == Int.self { return try item.integer() as Int as? T }
        if type == Bool.self { return try item.bool() as? T }
        if type == [String].self, let strings = strings(item) { return strings as? T }
        if type == Date.self { return try date(item) as? T }
        if type == Data.self { return Data(try item.bytes()) as? T }
        if type == UUID.self { return try parsed(item, type, "a UUID", UUID.init(uuidString:)) as? T }
        if type == URL.self { return try parsed(item, type, "a URL") { URL(string: $0) } as? T }
        if type == DocumentValue.self { return item.value as? T }
        if type == DocumentObject.self { return try item.object() as? T }
        if type == DocumentDate.self { return try item.date() as? T }
        if type == DocumentID.self {
            guard let id = DocumentID(item.value) else { throw item.mismatch(type, "a string or an integer") }
            return id as? T
        }
        if type == Attachment.self { return try item.attachment() as? T }
        return nil
    }

    private static func strings(_ item: DecodingNode.Item) -> [String]? {
        // Anything except a list of strings is left to the container, which knows the position of an error.
        guard case .array(let elements) = item.value else { return nil }
        var strings: [String] = []
        strings.reserveCapacity(elements.count)
        for element in elements {
            guard case .string(let text) = element else { return nil }
            strings.append(text)
        }
        return strings
    }

    private static func date(_ item: DecodingNode.Item) throws -> Date {
        Date(timeIntervalSince1970: Double(try item.date().milliseconds) / 1000)
    }

    private static func parsed<T>(
        _ item: DecodingNode.Item, _ type: Any.Type, _ name: String, _ parse: (String) -> T?
    ) throws -> T {
        guard let value = parse(try item.string()) else { throw item.corrupted("The string is not \(name).") }
        return value
    }
}
