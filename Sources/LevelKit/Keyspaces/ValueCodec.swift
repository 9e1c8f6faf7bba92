#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Converts the values of a ``Keyspace`` to and from bytes, under a name and a version that are recorded in the
/// database.
///
/// ```swift
/// .bytes                       // [UInt8], as they are
/// .data                        // Data, as it is
/// .text                        // String, as UTF-8
/// .empty                       // Void: what counts is the key
/// .json(Photo.self)            // Codable
/// .propertyList(Photo.self)    // Codable, binary
/// .fixedWidth(Int64.self)      // eight bytes, little-endian
/// .varint(Int.self)            // few bytes for small numbers
/// ```
///
/// A keyspace cannot be opened with a codec of a different name or version. Increase the version when old values can no
/// longer be read, for example when a `Codable` type gets a new property that is not optional.
///
/// Invalid bytes throw ``LevelError`` with `malformedEntry`. Its message never contains a part of the value.
public struct ValueCodec<Value>: Sendable {
    /// The name of the format.
    public let name: String
    /// The version of the values stored in that format.
    public let version: Int

    private let encoding: @Sendable (Value) throws -> [UInt8]
    private let decoding: @Sendable (Span<UInt8>) throws -> Value

    /// Creates a custom codec.
    ///
    /// - Parameters:
    ///   - name: the name of the format. It must differ from the names of LevelKit's codecs.
    ///   - version: the version of the values. Increase it when old values can no longer be read.
    ///   - encode: returns the bytes of a value.
    ///   - decode: returns the value of borrowed bytes. The bytes come from a disk: for bytes that `encode` does not
    ///     produce, it must throw and not trap. For any other error than ``LevelError``, only the type is
    ///     reported.
    /// - Precondition: the name consists of ASCII letters, digits, `_`, `-` and `.`, and the version is not negative.
    public init(
        _ name: String, version: Int, encode: @escaping @Sendable (Value) throws -> [UInt8],
        decode: @escaping @Sendable (Span<UInt8>) throws -> Value
    ) {
        SchemaName.require(name, of: "value codec")
        precondition(version >= 0, "The version of the value codec \(name) is negative.")
        self.name = name
        self.version = version
        encoding = encode
        decoding = decode
    }

    /// The name and the version, such as `json v1`.
    var title: String { "\(name) v\(version)" }

    /// Returns the bytes of a value.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` if the codec cannot encode the value.
    public func encode(_ value: Value) throws(LevelError) -> [UInt8] {
        do {
            return try encoding(value)
        } catch let error as LevelError {
            throw error
        } catch {
            throw LevelError(
                .invalidArgument,
                "the value codec \(title) cannot encode the value; store one that it can represent",
                cause: CodingErrorText.describe(error))
        }
    }

    /// Decodes a value.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry`.
    public func decode(_ bytes: [UInt8]) throws(LevelError) -> Value { try decode(bytes.span) }

    /// Decodes a value from borrowed bytes, such as those from a cursor.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry`.
    public func decode(_ bytes: Span<UInt8>) throws(LevelError) -> Value {
        do {
            return try decoding(bytes)
        } catch let error as LevelError {
            throw error
        } catch {
            throw malformed(CodingErrorText.describe(error))
        }
    }

    /// Returns the error for invalid bytes.
    func malformed(_ cause: String) -> LevelError {
        .malformedValue(codec: title, cause: cause)
    }
}

extension LevelError {
    /// Returns the error for bytes that a codec cannot decode.
    @usableFromInline
    static func malformedValue(codec: String, cause: String) -> LevelError {
        LevelError(
            .malformedEntry,
            "the value codec \(codec) cannot read the bytes of a value; they were written with another one, or are "
                + "damaged",
            cause: cause)
    }
}

// MARK: - Plain values

extension ValueCodec where Value == [UInt8] {
    /// Stores bytes unchanged. Recorded as `bytes`.
    public static var bytes: ValueCodec {
        ValueCodec("bytes", version: 1, encode: { $0 }, decode: { $0.copied() })
    }
}

extension ValueCodec where Value == Data {
    /// Stores data unchanged. Recorded as `bytes`, so the values can also be read with the codec ``bytes``.
    public static var data: ValueCodec {
        ValueCodec("bytes", version: 1, encode: { Array($0) }, decode: { Data(copying: $0) })
    }
}

extension ValueCodec where Value == String {
    /// Stores strings as UTF-8, without Unicode normalization. Recorded as `text`.
    public static var text: ValueCodec {
        ValueCodec(
            "text", version: 1, encode: { Array($0.utf8) },
            decode: { bytes in
                do throws(UTF8.ValidationError) {
                    return String(copying: try UTF8Span(validating: bytes))
                } catch {
                    throw LevelError.malformedValue(
                        codec: "text v1", cause: "the bytes from position \(error.byteOffsets.lowerBound) are not UTF-8"
                    )
                }
            })
    }
}

extension ValueCodec where Value == Void {
    /// Stores no value, for keyspaces in which only the keys matter, such as an index. Recorded as `empty`.
    public static var empty: ValueCodec {
        ValueCodec(
            "empty", version: 1, encode: { _ in [] },
            decode: { bytes in
                guard bytes.isEmpty else {
                    throw LevelError.malformedValue(codec: "empty v1", cause: "\(bytes.count) bytes instead of none")
                }
            })
    }
}
