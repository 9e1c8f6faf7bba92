/// A type whose values can be components of a key.
///
/// Each value is written as an element of a ``Tuple``, so keys of a ``KeySchema`` can also be read as tuples, here and
/// by other implementations of the encoding:
///
/// | type | in the definition | element | order |
/// |---|---|---|---|
/// | `Int`, `Int8` … `Int128` and unsigned | `int64`, `int8` … `uint128` | integer | by value |
/// | `String` | `string` | string | by UTF-8 bytes, which is Unicode scalar order |
/// | `[UInt8]`, `Data` | `bytes` | bytes | bytewise; a prefix sorts first |
/// | `Bool` | `bool` | Boolean | false first |
/// | `Double`, `Float` | `float64`, `float32` | the same | IEEE 754 total order: `-0.0` before `0.0`, NaNs at the ends |
/// | `Date` | `date` | double: seconds since 2001-01-01 UTC | by time |
/// | `UUID` | `uuid` | UUID | bytewise |
/// | an optional of these | with a `?` | null for `nil` | `nil` first |
/// | a raw-representable type of these | as its raw value | as its raw value | as its raw values |
///
/// A custom type needs only a raw value and the conformance:
///
/// ```swift
/// enum Rating: Int, KeyComponentValue { case poor = 1, good, excellent }
/// ```
///
/// Any other conforming type must append exactly one complete element per value, distinct elements for distinct values,
/// and never a null, because null is the `nil` of an optional. An optional of an optional would have two nulls and
/// cannot be a key.
public protocol KeyComponentValue: KeyElementCodable {}

extension KeyComponentValue where Self: RawRepresentable, RawValue: KeyComponentValue {
    /// The name of the raw value's type.
    public static var keyTypeName: String { RawValue.keyTypeName }

    /// Appends the raw value.
    public func appendKeyElement(to key: inout [UInt8]) { rawValue.appendKeyElement(to: &key) }

    /// Reads a raw value. Returns `nil` if the type has no case for it.
    public static func decodeKeyElement(from decoder: inout TupleDecoder) throws(TupleError) -> Self? {
        try RawValue.decodeKeyElement(from: &decoder).flatMap(Self.init(rawValue:))
    }
}
