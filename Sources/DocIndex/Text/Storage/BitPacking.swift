/// Numbers of few bits, one behind the other, the lowest bits first. Stored on disk, never change.
enum BitPacking {
    /// How many bits a number needs.
    static func width(_ value: UInt32) -> Int { UInt32.bitWidth - value.leadingZeroBitCount }

    /// Adds 128 numbers of `width` bits: 16 times as many bytes as bits.
    static func append(_ values: ArraySlice<UInt32>, width: Int, to bytes: inout [UInt8]) {
        precondition(values.count == 128 && width <= 32)
        var offset = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: 16 * width))
        if width == 0 { return }
        unsafe bytes.withUnsafeMutableBytes { bytes in
            var pending: UInt64 = 0
            var bitCount = 0
            // 128 numbers of any width fill words of 64 bits to the last one.
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
    /// - Precondition: as of ``read(_:width:adding:into:)``, and `index` is below 128.
    @inline(__always)
    static func number(at index: Int, of bytes: UnsafeRawPointer, width: Int) -> UInt32 {
        let bit = index &* width
        let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
        return UInt32(truncatingIfNeeded: (word &>> UInt64(bit & 7)) & ((UInt64(1) << UInt64(width)) &- 1))
    }

    /// Reads 128 numbers of at most 32 bits, and adds the same to each.
    ///
    /// - Precondition: `16 * width + 8` bytes can be read from `bytes` on, and 128 numbers written to `values`.
    static func read(
        _ bytes: UnsafeRawPointer, width: Int, adding addend: UInt32, into values: UnsafeMutablePointer<UInt32>
    ) {
        withKnown(width) { width in
            unsafe forEach(bytes, width: width) { index, value in
                unsafe values[index] = UInt32(truncatingIfNeeded: value) &+ addend
            }
        }
    }

    /// Reads 128 numbers that rise, each stored as its distance to the one behind the number before it.
    ///
    /// - Returns: the number behind the last; above 2³² if they lead out of the numbers there are.
    /// - Precondition: as of ``read(_:width:adding:into:)``.
    static func readGaps(
        _ bytes: UnsafeRawPointer, width: Int, base: UInt32, into values: UnsafeMutablePointer<UInt32>
    ) -> UInt64 {
        var next = UInt64(base)
        withKnown(width) { width in
            unsafe forEach(bytes, width: width) { index, gap in
                // What each number waits for of the one before it is this one addition.
                next &+= gap &+ 1
                unsafe values[index] = UInt32(truncatingIfNeeded: next &- 1)
            }
        }
        return next
    }

    /// Calls `body` with 128 numbers, each with its index.
    ///
    /// Eight numbers take as many bytes as a number has bits. Where the width is known to the compiler, it knows where in
    /// these bytes each begins, which takes half as long as to find it out each time.
    @inline(__always)
    private static func forEach(_ bytes: UnsafeRawPointer, width: Int, _ body: (_ index: Int, _ value: UInt64) -> Void)
    {
        for run in 0..<16 {
            for index in 0..<8 {
                unsafe body(8 &* run &+ index, UInt64(number(at: index, of: bytes + run &* width, width: width)))
            }
        }
    }

    /// Calls `body` with the width as a number that the compiler knows.
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
