/// LevelDB's integers of variable length: seven bits per byte, least significant first. The highest bit of a byte marks
/// that more bytes follow.
package enum Varint {
    /// The reason that bytes do not start with an integer.
    package enum Problem: Error {
        /// The bytes end within the integer. None are left.
        case truncated
        /// The integer takes more bytes than its type can.
        case tooLong
    }

    /// Removes an integer from the front of bytes.
    ///
    /// - Parameter byteLimit: the maximum number of bytes: 5 for integers of 32 bits, 10 for those of 64 bits.
    package static func read(
        from bytes: inout ArraySlice<UInt8>, byteLimit: Int
    ) throws(Problem) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: UInt64(7 * byteLimit), by: 7) {
            guard let byte = bytes.popFirst() else { throw .truncated }
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
        }
        throw .tooLong
    }

    /// Appends an integer.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
