#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ValueCodec where Value: Codable & SendableMetatype {
    /// Returns a codec that stores `Codable` values as JSON, with the members of objects sorted by name. The key schema of
    /// a database records it as `json`.
    ///
    /// Dates are stored as their `Codable` numbers, data as base64. Infinities and NaNs cannot be represented in JSON
    /// and throw. Unknown members in the JSON are ignored, as usual with `Codable`.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - version: the version of the type. Increase it when old values can no longer be read.
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

    /// Returns a codec that stores `Codable` values as a binary property list. The key schema of a database records it as
    /// `plist`.
    ///
    /// Dates and data have native representations, and infinities can be stored. A value must be an object or an array.
    /// A single number or string throws.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - version: the version of the type. Increase it when old values can no longer be read.
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
    /// A copy of the bytes.
    fileprivate var data: Data {
        unsafe withUnsafeBufferPointer { unsafe Data(buffer: $0) }
    }
}

/// Describes errors of encoders and decoders without including parts of the value.
///
/// Foundation's descriptions include some, such as the digits of an unparsable number or the keys of a dictionary.
enum CodingErrorText {
    static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "no value for \(name(of: key)) at \(path(context.codingPath))"
        case DecodingError.valueNotFound(let type, let context):
            "null instead of \(type) at \(path(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context):
            "not a value of type \(type) at \(path(context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            "invalid data at \(path(context.codingPath))"
        case EncodingError.invalidValue(_, let context):
            "a value that this format cannot represent at \(path(context.codingPath))"
        default:
            "an error of type \(type(of: error))"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the top" : keys.map(name(of:)).joined(separator: ".")
    }

    /// Returns the name of a property or the index in an array. Keys of dictionaries are user data and are omitted.
    private static func name(of key: any CodingKey) -> String {
        // The compiler generates enumerations with plain cases. The keys of dictionaries are structures, or cases with
        // associated values.
        let mirror = Mirror(reflecting: key)
        if mirror.displayStyle == .enum && mirror.children.isEmpty { return key.stringValue }
        // Foundation's coding keys for array elements. A dictionary key with the same text has no integer value.
        if let index = key.intValue, key.stringValue == "Index \(index)" { return "[\(index)]" }
        return "[…]"
    }
}
