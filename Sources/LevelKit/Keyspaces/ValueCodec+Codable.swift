#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ValueCodec where Value: Codable & SendableMetatype {
    /// `Codable` values as JSON with the members of objects in the order of their names. Recorded as `json`.
    ///
    /// Dates are the numbers that they are in `Codable`, data is base64. Infinities and NaNs have no JSON and throw.
    /// JSON that has more members than the type is read without them, as `Codable` does.
    ///
    /// - Parameter version: the edition of the type; raise it when old values can no longer be read.
    public static func json(_ type: Value.Type = Value.self, version: Int = 1) -> ValueCodec {
        ValueCodec(
            "json", version: version,
            encode: { value in
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return Array(try encoder.encode(value))
            },
            decode: { bytes in try JSONDecoder().decode(Value.self, from: bytes.data) })
    }

    /// `Codable` values as a binary property list. Recorded as `plist`.
    ///
    /// Dates and data have forms of their own and infinities can be stored. A value must be an object or an array: a
    /// single number or text throws.
    ///
    /// - Parameter version: the edition of the type; raise it when old values can no longer be read.
    public static func propertyList(_ type: Value.Type = Value.self, version: Int = 1) -> ValueCodec {
        ValueCodec(
            "plist", version: version,
            encode: { value in
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .binary
                return Array(try encoder.encode(value))
            },
            decode: { bytes in try PropertyListDecoder().decode(Value.self, from: bytes.data) })
    }
}

extension Span<UInt8> {
    /// The bytes as data of their own.
    fileprivate var data: Data {
        unsafe withUnsafeBufferPointer { unsafe Data(buffer: $0) }
    }
}

/// Errors of encoders and decoders in words that contain nothing of the value.
///
/// Foundation's own descriptions do: the text of a number that cannot be parsed, the keys of a dictionary.
enum CodingFailure {
    static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "no value for \(name(of: key)) at \(path(context.codingPath))"
        case DecodingError.valueNotFound(let type, let context):
            "null in place of \(type) at \(path(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context):
            "something else than \(type) at \(path(context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            "invalid data at \(path(context.codingPath))"
        case EncodingError.invalidValue(_, let context):
            "a value without a form in this format at \(path(context.codingPath))"
        default:
            "an error of type \(type(of: error))"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the top" : keys.map(name(of:)).joined(separator: ".")
    }

    /// The name of a property or the position in an array; the keys of dictionaries are values and stay out.
    private static func name(of key: any CodingKey) -> String {
        // The compiler makes enumerations of plain cases; the keys of dictionaries are structures or cases with a
        // content.
        let mirror = Mirror(reflecting: key)
        if mirror.displayStyle == .enum && mirror.children.isEmpty { return key.stringValue }
        // Foundation names the elements of arrays so. A dictionary's key of these words has no integer.
        if let index = key.intValue, key.stringValue == "Index \(index)" { return "[\(index)]" }
        return "[…]"
    }
}
