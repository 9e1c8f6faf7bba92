/// The layout of a stored document body, version 1. Stored on disk: never change, add a version.
///
/// A body is the version byte and one value. A value is a tag byte and its content:
///
/// | tag | kind | content |
/// |---|---|---|
/// | 0 | null | – |
/// | 1, 2 | false, true | – |
/// | 3 | int | zigzag varint |
/// | 4 | double | 8 bytes, IEEE 754 binary64, little-endian; NaN is `7ff8000000000000` |
/// | 5 | string | varint length, UTF-8 |
/// | 6 | bytes | varint length, bytes |
/// | 7 | array | varint length of the rest, varint count, that many values |
/// | 8 | object | varint length of the rest, varint count, that many members: varint length, UTF-8 name, value |
/// | 9 | reserved: date | |
/// | 10 | reserved: attachment reference | |
///
/// A varint is an unsigned integer in groups of 7 bits, lowest first, the high bit set on all bytes but the last, in
/// the fewest bytes possible (LEB128). Zigzag maps 0, -1, 1, -2 … to 0, 1, 2, 3 …
///
/// The length of an array or object counts from behind itself to its end, so that a reader can pass over it. Equal
/// values have equal bodies: there is one way to write each.
///
/// Example: `{"iso":400,"k":["a"]}` is
///
///     01                          version
///     08 10 02                    object, 16 bytes follow, 2 members
///        03 69 73 6f  03 a0 06    "iso": int 400 (zigzag 800)
///        01 6b  07 04 01          "k": array, 4 bytes follow, 1 element
///           05 01 61              string "a"
enum BodyFormat {
    /// The first byte of every body.
    static let version: UInt8 = 1

    /// The tag byte of each kind of value.
    enum Tag {
        static let null: UInt8 = 0
        static let `false`: UInt8 = 1
        static let `true`: UInt8 = 2
        static let int: UInt8 = 3
        static let double: UInt8 = 4
        static let string: UInt8 = 5
        static let bytes: UInt8 = 6
        static let array: UInt8 = 7
        static let object: UInt8 = 8
        static let date: UInt8 = 9
        static let attachment: UInt8 = 10
    }

    /// An integer with its sign in the lowest bit, so that small magnitudes have short varints.
    static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value << 1) ^ (value >> 63))
    }

    /// The integer that ``zigzag(_:)`` turned into `value`.
    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
    }

    /// The number of bytes of a varint, 1 to 10.
    static func varintByteCount(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }
}
