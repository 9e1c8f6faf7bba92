/// The type codes of the tuple encoding: the first byte of every element.
///
/// Stored on disk, never change. The codes are FoundationDB's (apple/foundationdb, `design/tuple.md`), except
/// ``descending``, which LevelKit takes from the block `40` to `4f` that the specification reserves for user types.
enum TupleCode {
    static let null: UInt8 = 0x00
    static let bytes: UInt8 = 0x01
    static let string: UInt8 = 0x02
    static let nested: UInt8 = 0x05
    static let negativeBigInteger: UInt8 = 0x0b
    /// Zero. An integer of `n` bytes, 1 to 8, has the code `zero + n`, or `zero - n` if it is negative.
    static let zero: UInt8 = 0x14
    /// The codes of integers whose magnitude takes at most eight bytes.
    static let integers: ClosedRange<UInt8> = 0x0c...0x1c
    static let positiveBigInteger: UInt8 = 0x1d
    static let float: UInt8 = 0x20
    static let double: UInt8 = 0x21
    static let boolFalse: UInt8 = 0x26
    static let boolTrue: UInt8 = 0x27
    static let uuid: UInt8 = 0x30
    static let versionstamp: UInt8 = 0x33
    static let descending: UInt8 = 0x40

    /// Ends byte strings, strings and nested tuples, unless ``escape`` follows.
    static let terminator: UInt8 = 0x00
    /// Follows a `00` that is data (in byte strings and strings) or a null (in nested tuples).
    ///
    /// No type code may ever be `ff`, because it would turn the preceding terminator into data.
    static let escape: UInt8 = 0xff

    /// Returns whether elements with `code` end at a terminator. Such an element may be a prefix of another one: `02
    /// 00` (the empty string) is a prefix of `02 00 ff 00` (the string of one NUL).
    static func endsAtTerminator(_ code: UInt8) -> Bool {
        code == bytes || code == string || code == nested
    }
}
