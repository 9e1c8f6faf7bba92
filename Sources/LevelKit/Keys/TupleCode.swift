/// The type codes of the tuple encoding: the first byte of every element.
///
/// Stored on disk, never change. The codes are those of FoundationDB (apple/foundationdb, `design/tuple.md`);
/// ``descending`` alone is LevelKit's own, from the block `40` to `4f` that the standard leaves to its users.
enum TupleCode {
    static let null: UInt8 = 0x00
    static let bytes: UInt8 = 0x01
    static let string: UInt8 = 0x02
    static let nested: UInt8 = 0x05
    static let negativeBigInteger: UInt8 = 0x0b
    /// Zero. An integer of `n` bytes, 1 to 8, has the code `zero + n`, or `zero - n` if it is negative.
    static let zero: UInt8 = 0x14
    /// The codes of the integers whose magnitude takes at most eight bytes.
    static let integers: ClosedRange<UInt8> = 0x0c...0x1c
    static let positiveBigInteger: UInt8 = 0x1d
    static let float: UInt8 = 0x20
    static let double: UInt8 = 0x21
    static let boolFalse: UInt8 = 0x26
    static let boolTrue: UInt8 = 0x27
    static let uuid: UInt8 = 0x30
    static let versionstamp: UInt8 = 0x33
    static let descending: UInt8 = 0x40

    /// Ends bytes, strings and nested tuples, unless ``escape`` follows.
    static let terminator: UInt8 = 0x00
    /// After a `00`: that byte is data (in bytes and strings) or a null (in nested tuples).
    ///
    /// For this reason no type code may ever be `ff`: it would turn the terminator before it into data.
    static let escape: UInt8 = 0xff

    /// Whether the element that begins with `code` ends at a terminator, and so may be the beginning of another one:
    /// `02 00` (an empty string) begins `02 00 ff 00` (the string of one NUL).
    static func endsAtTerminator(_ code: UInt8) -> Bool {
        code == bytes || code == string || code == nested
    }
}
