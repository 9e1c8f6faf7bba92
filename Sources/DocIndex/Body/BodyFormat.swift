/// The layout of a stored document body, version 2. Stored on disk: never change, add a version.
///
/// A body is the version byte and one value. A value is a tag byte and its content:
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
/// | 0a | reserved: attachment reference | |
/// | 10 to 15 | object | varint length of the rest, varint count, numbers, offsets, values |
/// | 40 to 7f | int 0 to 63 | – |
/// | 80 to ff | string of 0 to 127 bytes | UTF-8 |
///
/// A varint is an unsigned integer in groups of 7 bits, lowest first, the high bit set on all bytes but the last, in
/// the fewest bytes possible (LEB128). Zigzag maps 0, -1, 1, -2 … to 0, 1, 2, 3 … Other integers are little-endian.
///
/// An object has the numbers of its members' names in ``FieldNames`` in ascending order, one byte each, or two if one
/// is above 255; then, in the same order, where the value of each begins, counted from the first value, in one byte
/// each, or two or four if the largest asks for it; then the values, without gaps, in the order of the document. So
/// a member is found by its number without a look at the others, and the order of the document is the order of the
/// offsets. The tag is 10, plus 1 for numbers of two bytes, plus 2 or 4 for offsets of two or four.
///
/// A name that is not in the table stands, as varint length and UTF-8, before its value, where the offset leads. Its
/// number is ``inlineName``, the only one that may occur more than once, then in the order of the document.
///
/// Equal values have equal bodies under the same table: there is one way to write each.
enum BodyFormat {
    /// The first byte of every body.
    static let version: UInt8 = 2

    /// The number of a name that is written out.
    static let inlineName = 0x7fff

    /// The tag byte of each kind of value.
    enum Tag {
        static let null: UInt8 = 0x00
        static let `false`: UInt8 = 0x01
        static let `true`: UInt8 = 0x02
        static let int: UInt8 = 0x03
        static let double: UInt8 = 0x04
        static let string: UInt8 = 0x05
        static let bytes: UInt8 = 0x06
        static let array: UInt8 = 0x07
        static let date: UInt8 = 0x08
        static let zonedDate: UInt8 = 0x09
        static let attachment: UInt8 = 0x0a
        /// The first of the tags of objects.
        static let object: UInt8 = 0x10
        /// The last of the tags of objects.
        static let lastObject: UInt8 = 0x15
        /// The first of the tags that are an int of their own.
        static let smallInt: UInt8 = 0x40
        /// The first of the tags that hold the length of a string.
        static let shortString: UInt8 = 0x80
    }

    /// The largest int that is part of its tag.
    static let smallIntLimit: Int64 = 63
    /// The length of the longest string whose length is part of its tag.
    static let shortStringLimit = 127

    /// Whether a value with this tag is a string.
    static func isText(_ tag: UInt8) -> Bool { tag >= Tag.shortString || tag == Tag.string }

    /// Whether a value with this tag is an array or an object.
    static func isContainer(_ tag: UInt8) -> Bool { tag == Tag.array || Tag.object...Tag.lastObject ~= tag }

    /// The kind of a value with this tag; `nil` if no value has it.
    static func kind(ofTag tag: UInt8) -> DocumentValue.Kind? {
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
        default: nil
        }
    }

    /// The tag of an object whose largest number and offset are these.
    static func objectTag(largestNumber: Int, largestOffset: Int) -> UInt8 {
        let offsets: UInt8 = largestOffset <= 0xff ? 0 : largestOffset <= 0xffff ? 2 : 4
        return Tag.object + (largestNumber <= 0xff ? 0 : 1) + offsets
    }

    /// The bytes of each number of a name in an object of this tag.
    static func numberByteCount(ofTag tag: UInt8) -> Int { tag & 1 == 0 ? 1 : 2 }

    /// The bytes of each offset in an object of this tag.
    static func offsetByteCount(ofTag tag: UInt8) -> Int { 1 << Int((tag - Tag.object) >> 1) }

    /// An integer with its sign in the lowest bit, so that small magnitudes have short varints.
    static func zigzag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value << 1) ^ (value >> 63))
    }

    /// The integer that ``zigzag(_:)`` turned into `value`.
    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
    }
}
