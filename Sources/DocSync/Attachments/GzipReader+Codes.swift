extension GzipReader {
    /// A canonical Huffman code of at most 15 bits: the number of codes of each length, and the symbols in their order.
    struct HuffmanCode: Sendable {
        private(set) var counts = [Int](repeating: 0, count: 16)
        private(set) var symbols: [UInt16] = []
        /// Whether some bit sequences are not assigned to a code.
        private(set) var isIncomplete = false

        init() {}

        /// Creates a code from the length of each symbol's code, 0 for symbols that do not occur.
        ///
        /// - Returns: `nil` if there are more codes than their lengths permit.
        init?(_ lengths: [UInt8]) {
            for length in lengths where length > 0 { counts[Int(length)] += 1 }
            var left = 1
            for length in 1..<16 {
                left = left << 1 - counts[length]
                if left < 0 { return nil }
            }
            isIncomplete = left > 0
            for length in 1..<16 where counts[length] > 0 {
                for (symbol, other) in lengths.enumerated() where other == length { symbols.append(UInt16(symbol)) }
            }
        }

        var symbolCount: Int { symbols.count }

        static let fixedLiterals: HuffmanCode =
            HuffmanCode((0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }) ?? HuffmanCode()
        static let fixedDistances: HuffmanCode =
            HuffmanCode([UInt8](repeating: 5, count: 30)) ?? HuffmanCode()
    }

    /// Reads bytes bit by bit, lowest bit first.
    struct BitReader: Sendable {
        /// A place that a reader can return to.
        struct Mark {
            fileprivate let offset: Int
            fileprivate let bitOffset: Int
        }

        private var buffer: [UInt8] = []
        private var offset = 0
        /// The number of bits of the next byte that were read.
        private var bitOffset = 0

        var mark: Mark { Mark(offset: offset, bitOffset: bitOffset) }

        mutating func reset(to mark: Mark) {
            offset = mark.offset
            bitOffset = mark.bitOffset
        }

        mutating func append(_ chunk: [UInt8]) {
            buffer.removeSubrange(..<offset)
            offset = 0
            buffer += chunk
        }

        /// The number of bytes that were not read to their end.
        var byteCount: Int { buffer.count - offset }

        var isEmpty: Bool { offset == buffer.count }

        /// Reads bits; `nil` if there are not as many.
        mutating func bits(_ count: Int) -> Int? {
            var value = 0
            var read = 0
            while read < count {
                guard offset < buffer.count else { return nil }
                let taken = min(count - read, 8 - bitOffset)
                value |= (Int(buffer[offset]) >> bitOffset & (1 << taken - 1)) << read
                read += taken
                bitOffset += taken
                if bitOffset == 8 {
                    bitOffset = 0
                    offset += 1
                }
            }
            return value
        }

        mutating func skipToByte() {
            guard bitOffset > 0 else { return }
            bitOffset = 0
            offset += 1
        }

        /// Reads bytes; `nil` if there are not as many. The reader must be at the beginning of a byte.
        mutating func bytes(_ count: Int) -> [UInt8]? {
            guard buffer.count - offset >= count else { return nil }
            return availableBytes(count)
        }

        /// Reads at most `count` bytes.
        mutating func availableBytes(_ count: Int) -> [UInt8] {
            let bytes = buffer[offset...].prefix(count)
            offset += bytes.count
            return Array(bytes)
        }
    }

    /// The checksum of gzip (RFC 1952, section 8).
    struct CRC32: Sendable {
        private var state: UInt32 = 0xffff_ffff

        var value: UInt32 { ~state }

        mutating func update(_ bytes: [UInt8]) {
            for byte in bytes { state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8 }
        }

        private static let table: [UInt32] = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
        }
    }
}
