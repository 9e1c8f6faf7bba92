/// Packing of integers with few bits each, lowest bits first. Part of the on-disk format; must not change.
enum BitPacking {
    /// Returns the number of bits that a number needs.
    static func width(_ value: UInt32) -> Int { UInt32.bitWidth - value.leadingZeroBitCount }

    /// Appends 128 numbers of `width` bits, which take 16 bytes per bit of width.
    static func append(_ values: ArraySlice<UInt32>, width: Int, to bytes: inout [UInt8]) {
        precondition(values.count == 128 && width <= 32)
        var offset = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: 16 * width))
        if width == 0 { return }
        unsafe bytes.withUnsafeMutableBytes { bytes in
            var pending: UInt64 = 0
            var bitCount = 0
            // 128 numbers of any width fill 64-bit words without remainder.
            for value in values {
                pending |= UInt64(value) << UInt64(bitCount)
                bitCount += width
                if bitCount >= 64 {
                    unsafe bytes.storeBytes(of: pending.littleEndian, toByteOffset: offset, as: UInt64.self)
                    offset += 8
                    bitCount -= 64
                    pending = UInt64(value) >> UInt64(width - bitCount)
                }
            }
        }
    }

    /// Reads one of 128 numbers.
    ///
    /// - Precondition: that of ``read(_:width:adding:into:)``; `index` is below 128.
    @inline(__always)
    static func number(at index: Int, of bytes: UnsafeRawPointer, width: Int) -> UInt32 {
        let bit = index &* width
        let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
        return UInt32(truncatingIfNeeded: (word &>> UInt64(bit & 7)) & ((UInt64(1) << UInt64(width)) &- 1))
    }

    /// Reads 128 numbers of at most 32 bits and adds the same number to each.
    ///
    /// - Precondition: `bytes` has at least `16 * width + 8` readable bytes, and `values` has room for 128 numbers.
    static func read(
        _ bytes: UnsafeRawPointer, width: Int, adding addend: UInt32, into values: UnsafeMutablePointer<UInt32>
    ) {
        withKnown(width) { width in
            unsafe forEach(bytes, width: width) { index, value in
                unsafe values[index] = UInt32(truncatingIfNeeded: value) &+ addend
            }
        }
    }

    /// Reads 128 ascending numbers, each stored as its distance from the previous number plus one.
    ///
    /// - Returns: the last number plus one; above 2³² if the numbers overflow.
    /// - Precondition: that of ``read(_:width:adding:into:)``.
    static func readGaps(
        _ bytes: UnsafeRawPointer, width: Int, base: UInt32, into values: UnsafeMutablePointer<UInt32>
    ) -> UInt64 {
        var next = UInt64(base)
        withKnown(width) { width in
            unsafe forEach(bytes, width: width) { index, gap in
                // This addition is the only dependency of a number on the previous one.
                next &+= gap &+ 1
                unsafe values[index] = UInt32(truncatingIfNeeded: next &- 1)
            }
        }
        return next
    }

    /// Calls `body` with each of 128 numbers and its index.
    ///
    /// Eight numbers take `width` bytes. If the compiler knows the width, it knows the offsets of the numbers in these
    /// bytes, which halves the time.
    @inline(__always)
    private static func forEach(_ bytes: UnsafeRawPointer, width: Int, _ body: (_ index: Int, _ value: UInt64) -> Void)
    {
        for run in 0..<16 {
            for index in 0..<8 {
                unsafe body(8 &* run &+ index, UInt64(number(at: index, of: bytes + run &* width, width: width)))
            }
        }
    }

    /// Calls `body` with the width as a compile-time constant.
    @inline(__always)
    private static func withKnown(_ width: Int, _ body: (Int) -> Void) {
        switch width {
        case 0: body(0)
        case 1: body(1)
        case 2: body(2)
        case 3: body(3)
        case 4: body(4)
        case 5: body(5)
        case 6: body(6)
        case 7: body(7)
        case 8: body(8)
        case 9: body(9)
        case 10: body(10)
        case 11: body(11)
        case 12: body(12)
        case 13: body(13)
        case 14: body(14)
        case 15: body(15)
        case 16: body(16)
        case 17: body(17)
        case 18: body(18)
        case 19: body(19)
        case 20: body(20)
        case 21: body(21)
        case 22: body(22)
        case 23: body(23)
        case 24: body(24)
        case 25: body(25)
        case 26: body(26)
        case 27: body(27)
        case 28: body(28)
        case 29: body(29)
        case 30: body(30)
        case 31: body(31)
        default: body(32)
        }
    }
}
