/// How the values of a ``Keyspace`` become bytes, under a name and a version that are recorded in the database.
///
/// ```swift
/// .bytes                       // [UInt8], as they are
/// .text                        // String, as UTF-8
/// .empty                       // Void: what counts is the key
/// .json(Photo.self)            // Codable
/// .propertyList(Photo.self)    // Codable, binary
/// .fixedWidth(Int64.self)      // eight bytes, little-endian
/// .varint(Int.self)            // few bytes for small numbers
/// ```
///
/// A keyspace cannot be opened with a codec of another name or version. Raise the version when the values change so
/// that old ones can no longer be read, such as when a `Codable` type gets a new property that is not optional.
///
/// Bytes that are no value throw ``LevelError`` with `malformedEntry`; its message never contains a part of the value.
public struct ValueCodec<Value>: Sendable {
    /// The name of the format.
    public let name: String
    /// The edition of what is stored in that format.
    public let version: Int

    private let encoding: @Sendable (Value) throws -> [UInt8]
    private let decoding: @Sendable (Span<UInt8>) throws -> Value

    /// A codec of your own.
    ///
    /// - Parameters:
    ///   - name: names the format; not one of the codecs of LevelKit.
    ///   - version: is raised when old values can no longer be read.
    ///   - encode: gives the bytes of a value.
    ///   - decode: gives the value of bytes that are lent. Other bytes than those that `encode` gives must throw, and
    ///     not trap: they come from a disk. Of an error that is not a ``LevelError``, only the type is passed on.
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

    /// The bytes of a value.
    ///
    /// - Throws: ``LevelError`` with `invalidArgument` if the codec has no bytes for the value.
    public func encode(_ value: Value) throws(LevelError) -> [UInt8] {
        do {
            return try encoding(value)
        } catch let error as LevelError {
            throw error
        } catch {
            throw LevelError(
                .invalidArgument,
                "the value codec \(title) cannot encode the value; store one that it can represent",
                cause: CodingFailure.describe(error))
        }
    }

    /// The value of bytes.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry`.
    public func decode(_ bytes: [UInt8]) throws(LevelError) -> Value { try decode(bytes.span) }

    /// The value of bytes that are lent, such as a cursor's.
    ///
    /// - Throws: ``LevelError`` with `malformedEntry`.
    public func decode(_ bytes: Span<UInt8>) throws(LevelError) -> Value {
        do {
            return try decoding(bytes)
        } catch let error as LevelError {
            throw error
        } catch {
            throw malformed(CodingFailure.describe(error))
        }
    }

    /// The error of bytes that are no value.
    func malformed(_ cause: String) -> LevelError {
        .malformedValue(codec: title, cause: cause)
    }
}

extension LevelError {
    /// The error of bytes that are no value of a codec.
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
    /// The bytes as they are. Recorded as `bytes`.
    public static var bytes: ValueCodec {
        ValueCodec("bytes", version: 1, encode: { $0 }, decode: { $0.copied() })
    }
}

extension ValueCodec where Value == String {
    /// Text as UTF-8, in the very scalars it is given in. Recorded as `text`.
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
    /// Nothing: the key says it all, as in an index. Recorded as `empty`.
    public static var empty: ValueCodec {
        ValueCodec(
            "empty", version: 1, encode: { _ in [] },
            decode: { bytes in
                guard bytes.isEmpty else {
                    throw LevelError.malformedValue(codec: "empty v1", cause: "\(bytes.count) bytes where none belong")
                }
            })
    }
}
