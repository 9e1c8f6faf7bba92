/// The checksum of LevelDB's records and blocks: CRC-32C (Castagnoli, RFC 3720 B.4), with LevelDB's mask.
package enum CRC32C {
    /// Eight tables of 256 entries: `tables[k * 256 + b]` is the remainder of byte `b` followed by `k` zero bytes.
    /// Eight bytes are processed at a time ("slicing-by-8", Kounavis and Berry 2005).
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var remainder = UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82f6_3b78 : remainder >> 1 }
            tables[byte] = remainder
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xff)]
        }
        return tables
    }()

    /// Returns the checksum of bytes.
    ///
    /// - Complexity: O(n), about a gigabyte per second in optimized builds.
    package static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        var crc = UInt32.max
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe tables.withUnsafeBufferPointer { tables in
                var index = 0
                while index + 8 <= bytes.count {
                    let word =
                        unsafe UInt64(
                            littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
                    crc = unsafe tables[7 * 256 + Int(word & 0xff)] ^ tables[6 * 256 + Int(word >> 8 & 0xff)]
                    unsafe crc ^= tables[5 * 256 + Int(word >> 16 & 0xff)] ^ tables[4 * 256 + Int(word >> 24 & 0xff)]
                    unsafe crc ^= tables[3 * 256 + Int(word >> 32 & 0xff)] ^ tables[2 * 256 + Int(word >> 40 & 0xff)]
                    unsafe crc ^= tables[256 + Int(word >> 48 & 0xff)] ^ tables[Int(word >> 56)]
                    index += 8
                }
                while index < bytes.count {
                    crc = unsafe crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[index])) & 0xff)]
                    index += 1
                }
            }
        }
        return ~crc
    }

    /// The checksum of the bytes so far, for a search that needs it after every byte.
    package struct Running {
        private var remainder = UInt32.max

        /// Creates the checksum of no bytes.
        package init() {}

        /// Adds a byte.
        package mutating func add(_ byte: UInt8) {
            remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt32(byte)) & 0xff)]
        }

        /// The checksum.
        package var checksum: UInt32 { ~remainder }
    }

    /// Returns the form in which LevelDB stores a checksum. The mask avoids problems with checksums of data that
    /// contains checksums (`util/crc32c.h`). Stored on disk, never change.
    package static func masked(_ crc: UInt32) -> UInt32 {
        (crc >> 15 | crc << 17) &+ 0xa282_ead8
    }
}
