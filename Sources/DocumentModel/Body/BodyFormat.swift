/// The layout of a stored document body, version 2. It is stored on disk, so never change it; add a version instead.
///
/// A body consists of the version byte and one value. A value consists of a tag byte and its content:
///
/// | tag | kind | content |
/// |---|---|---|
/// | 00 | null | – |
/// | 01, 02 | false, true | – |
/// | 03 | int below 0 or above 63 | zigzag varint |
/// | 04 | double | 8 bytes, IEEE 754 binary64, little-endian; NaN is `7ff8000000000000` |
/// | 05 | string of more than 127 bytes | varint length, UTF-8 |
/// | 06 | bytes | varint length, bytes |
/// | 07 | array | varint length of the rest, varint count, that many values |
/// | 08 | date without a zone | zigzag varint: milliseconds |
/// | 09 | date with a zone | zigzag varint: milliseconds; zigzag varint: minutes east of UTC |
/// | 0a | attachment | varint length of the rest, digest, size (int), type (string), name (string or null) |
/// | 0b | digest, only within an attachment | 32 bytes |
/// | 10 to 15 | object | varint length of the rest, varint count, numbers, offsets, values |
/// | 40 to 7f | int 0 to 63 | – |
/// | 80 to ff | string of 0 to 127 bytes | UTF-8 |
///
/// A varint is an unsigned integer in groups of 7 bits, lowest first, with the high bit set on all bytes except the
/// last, in as few bytes as possible (LEB128). Zigzag maps 0, -1, 1, -2 … to 0, 1, 2, 3 … Other integers are
/// little-endian.
///
/// An object starts with a table. It contains the numbers of the members' names in ``FieldNames``, in ascending order,
/// with one byte each, or two if any number is above 255. Then follow, in the same order, the offsets of the values,
/// counted from the first value, with one byte each, or two or four if the largest offset requires it. The values
/// follow without gaps in document order. A member is therefore found by its number without reading the others, and
/// document order is the order of the offsets. The tag is 10, plus 1 for two-byte numbers, plus 2 or 4 for two-byte or
/// four-byte offsets.
///
/// A name that is not in the table of names is inlined, as varint length and UTF-8, before its value; the offset refers
/// to the name. Its number is ``inlineName``, the only number that may occur more than once. Such members are listed in
/// document order.
///
/// Each value has exactly one encoding, so with the same table of names, equal values have equal bodies.
package enum BodyFormat {
    /// The first byte of every body.
    static let version: UInt8 = 2

    /// The number of an inlined name.
    static let inlineName = 0x7fff

    /// The tag byte of each kind of value.
    package enum Tag {
        static let null: UInt8 = 0x00
        static let `false`: UInt8 = 0x01
        static let `true`: UInt8 = 0x02
        static let int: UInt8 = 0x03
        static let double: UInt8 = 0x04
        static let string: UInt8 = 0x05
        static let bytes: UInt8 = 0x06
        package static let array: UInt8 = 0x07
        static let date: UInt8 = 0x08
        static let zonedDate: UInt8 = 0x09
        static let attachment: UInt8 = 0x0a
        /// The digest within an attachment. It occurs nowhere else.
        static let digest: UInt8 = 0x0b
        /// The first tag of an object.
        static let object: UInt8 = 0x10
        /// The last tag of an object.
        static let lastObject: UInt8 = 0x15
        /// The first tag that contains a small int.
        static let smallInt: UInt8 = 0x40
        /// The first tag that contains the length of a string.
        static let shortString: UInt8 = 0x80
    }

    /// The largest int that its tag contains.
    static let smallIntLimit: Int64 = 63
    /// The length of the longest string whose tag contains its length.
    static let shortStringLimit = 127

    /// Returns whether a value with this tag is a string.
    package static func isText(_ tag: UInt8) -> Bool { tag >= Tag.shortString || tag == Tag.string }

    /// Returns whether a value with this tag is an array or an object.
    package static func isContainer(_ tag: UInt8) -> Bool { tag == Tag.array || Tag.object...Tag.lastObject ~= tag }

    /// Returns the kind of a value with this tag; `nil` for an unused tag and that of a digest, which must be decoded.
    package static func kind(ofTag tag: UInt8) -> DocumentValue.Kind? {
        switch tag {
        case Tag.null: .null
        case Tag.false, Tag.true: .bool
        case Tag.int, Tag.smallInt..<Tag.shortString: .int
        case Tag.double: .double
        case Tag.string, Tag.shortString...: .string
        case Tag.bytes: .bytes
        case Tag.array: .array
        case Tag.date, Tag.zonedDate: .date
        case Tag.object...Tag.lastObject: .object
        case Tag.attachment: .attachment
        default: nil
        }
    }

    /// Returns the tag of an object with these largest values in its table.
    static func objectTag(largestNumber: Int, largestOffset: Int) -> UInt8 {
        let offsets: UInt8 = largestOffset <= 0xff ? 0 : largestOffset <= 0xffff ? 2 : 4
        return Tag.object + (largestNumber <= 0xff ? 0 : 1) + offsets
    }

    /// Returns the size in bytes of each name number in an object with this tag.
    static func numberByteCount(ofTag tag: UInt8) -> Int { tag & 1 == 0 ? 1 : 2 }

    /// Returns the size in bytes of each offset in an object with this tag.
    static func offsetByteCount(ofTag tag: UInt8) -> Int { 1 << Int((tag - Tag.object) >> 1) }

    /// Returns an integer with its sign in the lowest bit, so that small magnitudes have short varints.
    static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value << 1) ^ (value >> 63))
    }

    /// Returns the integer that ``zigzag(_:)`` encodes as `value`.
    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
    }
}
