import TestSupport
import Testing

@testable import LevelFiles

@Suite struct CRC32CTests {
    @Test func `CRC32C matches the checksums in section 4 of Appendix B of RFC 3720`() {
        let rising = (0..<32).map { UInt8($0) }
        #expect(CRC32C.checksum(of: ArraySlice(repeating: 0, count: 32)) == 0x8a91_36aa)
        #expect(CRC32C.checksum(of: ArraySlice(repeating: 0xff, count: 32)) == 0x62a8_ab43)
        #expect(CRC32C.checksum(of: rising[...]) == 0x46dd_794e)
        #expect(CRC32C.checksum(of: ArraySlice(rising.reversed())) == 0x113f_db5c)
        #expect(CRC32C.checksum(of: Array("123456789".utf8)[...]) == 0xe306_9283)
    }

    @Test func `CRC32C matches a bitwise implementation for every length and offset`() {
        var random = SplitMix64(seed: 7)
        let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
        for lower in 0..<16 {
            for upper in lower...bytes.count {
                let slice = bytes[lower..<upper]
                var expected = UInt32.max
                for byte in slice {
                    expected ^= UInt32(byte)
                    for _ in 0..<8 { expected = expected & 1 == 1 ? expected >> 1 ^ 0x82f6_3b78 : expected >> 1 }
                }
                #expect(CRC32C.checksum(of: slice) == ~expected)
            }
        }
    }

    @Test func `The CRC32C mask is the one LevelDB uses`() {
        let crc = CRC32C.checksum(of: Array("foo".utf8)[...])
        let rotated = crc >> 15 | crc << 17
        #expect(CRC32C.masked(crc) == rotated &+ 0xa282_ead8)
        #expect(CRC32C.masked(crc) != crc)
    }
}
