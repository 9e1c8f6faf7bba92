/// The checksum of zip files: CRC-32 with the polynomial of ISO 3309, reflected.
///
/// Reads sixteen bytes at a time from sixteen tables, so that a checksum costs less than the SHA-256 beside it.
struct CRC32: Sendable {
    private var state = UInt32.max

    /// The checksum of everything added so far.
    var value: UInt32 { ~state }

    /// Adds bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        unsafe Self.tables.withUnsafeBufferPointer { tables in
            let wholeCount = bytes.count & ~15
            var offset = 0
            while offset < wholeCount {
                let first = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                let second = unsafe bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
                let low = UInt64(littleEndian: first) ^ UInt64(state)
                let high = UInt64(littleEndian: second)
                state = 0
                for byte in 0..<8 {
                    let shift = UInt64(8 &* byte)
                    state ^= unsafe tables[(15 &- byte) &* 256 &+ Int(low >> shift & 0xff)]
                    state ^= unsafe tables[(7 &- byte) &* 256 &+ Int(high >> shift & 0xff)]
                }
                offset += 16
            }
            for index in offset..<bytes.count {
                state = unsafe tables[Int((state ^ UInt32(bytes[index])) & 0xff)] ^ state >> 8
            }
        }
        self.state = state
    }

    /// Adds bytes.
    mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Sixteen tables of 256 numbers: table *k* advances a byte by *k* more bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 4096)
        for byte in 0..<256 {
            var state = UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xedb8_8320 : state >> 1 }
            tables[byte] = state
        }
        for index in 256..<4096 {
            let before = tables[index - 256]
            tables[index] = tables[Int(before & 0xff)] ^ before >> 8
        }
        return tables
    }()
}
