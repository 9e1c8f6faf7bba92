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

    /// Reads 128 numbers of at most 32 bits, and adds the same to each.
    ///
    /// - Precondition: `16 * width + 8` bytes can be read from `bytes` on, and 128 numbers written to `values`.
    @inline(__always)
    static func read(
        _ bytes: UnsafeRawPointer, width: Int, adding addend: UInt32, into values: UnsafeMutablePointer<UInt32>
    ) {
        let mask = (UInt64(1) << UInt64(width)) &- 1
        var bit = 0
        for position in 0..<128 {
            let word = unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
            unsafe values[position] = UInt32(truncatingIfNeeded: (word &>> UInt64(bit & 7)) & mask) &+ addend
            bit &+= width
        }
    }

    /// Reads 128 numbers that rise, each stored as its distance to the one behind the number before it.
    ///
    /// - Returns: the number behind the last; above 2³² if they lead out of the numbers there are.
    /// - Precondition: as of ``read(_:width:adding:into:)``.
    @inline(__always)
    static func readGaps(
        _ bytes: UnsafeRawPointer, width: Int, base: UInt32, into values: UnsafeMutablePointer<UInt32>
    ) -> UInt64 {
        let mask = (UInt64(1) << UInt64(width)) &- 1
        var bit = 0
        var next = UInt64(base)
        for position in 0..<128 {
            let word = unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self))
            next &+= (word &>> UInt64(bit & 7)) & mask
            unsafe values[position] = UInt32(truncatingIfNeeded: next)
            next &+= 1
            bit &+= width
        }
        return next
    }
}
