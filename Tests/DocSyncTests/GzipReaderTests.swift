import DocIndex
import DocSync
import TestSupport
import Testing

/// The gzip streams were made by zlib.
@Suite struct GzipReaderTests {
    private static func content(_ base64: String) throws -> [UInt8] { try Base64.decode(base64.utf8Span.span) }

    /// Letters of which some are frequent, so that they are packed with codes of their own.
    private static func letters(_ count: Int) -> [UInt8] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = (state &* 1_103_515_245 &+ 12345) & 0x7fff_ffff
            return 97 + UInt8((state >> 8 & 0xff).nonzeroBitCount)
        }
    }

    private static let dynamic = """
        H4sIAAAAAAAAA+2TiZHjMAwEYzXxOv8Ethu7AVwAJ1fJEgnNB3Cyequ5sqNyhveK6eiJSH5dPZmTU+HiTNfLrqGYSiq4ml3WK4on\
        agrEcIGVWaqDjyl+QLgDD3xRtcN95skAbKFBbMHh3Tkt05sJIYoq+KhQVOrqDTQiA8bbAGHwAUIqpeexuH4BI7RysY1LiNHDU0Ci\
        EcXOAiNw5e12jyqSHfNh9dzWFdTGu88QBcV72NMoshCEXaQRBGmd9wktAvSUUCrjVY1s5zPSTqjYF15tex3pl3aDYBSUSxxZQK9G\
        VcNfGMVXC1TTqzzbLFeuCSFWyO0QE5C2zf0EhIh0UpI0vH1zXNJlvTbiQ/4j9jaa02qcW0MxxbPrBKRz4UR8aUkYI8Uu2jbz08/F\
        aIAA1ubFzOM+QDauIUJkTAoLuo2zJfiJc8+L1Odw8iM014cJYyJgIAnm4vvqY+uuTjm22CFcp61vVhgV524dzJtaw9C1XXJ87Pda\
        Hvk7w2PrbraAWofDx74R5jR4QOov2hYn+p3TfPMs7YvS4dX2/zP4j2fwB+kIECGwBAAA
        """
    private static let fixed = """
        H4sIAAAAAAAAA3PLT1fIL0stUijJSFXIz0lRSCrKTElPVUgsUUhJLM/TU3AbVTCqgL4KAPf+btKUAgAA
        """
    /// A stored block, after a head with an extra field, a file name, a comment and a checksum.
    private static let stored = "H4sIHgAAAAAAAwIAeHlhLnR4dABjABI0AQMA/P9hYmPCQSQ1AwAAAA=="
    private static let empty = "H4sIAAAAAAAAAwMAAAAAAAAAAAA="

    private static func unpacked(_ chunks: [[UInt8]]) throws -> [UInt8] {
        var reader = GzipReader()
        var bytes: [UInt8] = []
        func read() throws {
            while let piece = try reader.next() {
                #expect(!piece.isEmpty && piece.count <= 66_000)
                bytes += piece
            }
        }
        for chunk in chunks {
            reader.append(chunk)
            try read()
        }
        reader.finish()
        try read()
        return bytes
    }

    @Test func `Gzip streams are unpacked however they are cut`() throws {
        let contents = [
            (dynamic: Self.dynamic, Self.letters(900) + Self.letters(300)),
            (Self.fixed, Array(String(repeating: "Fog over the old bridge at dawn. ", count: 20).utf8)),
            (Self.stored, Array("abc".utf8)), (Self.empty, []),
        ]
        for (packed, expected) in contents {
            let packed = try Self.content(packed)
            #expect(try Self.unpacked([packed]) == expected)
            for cut in 0...packed.count {
                #expect(try Self.unpacked([Array(packed[..<cut]), Array(packed[cut...])]) == expected)
            }
            #expect(try Self.unpacked(packed.map { [$0] }) == expected)
        }
    }

    @Test func `A gzip stream that ends too early or continues after its end gives a typed error`() throws {
        for packed in try [Self.fixed, Self.stored, Self.empty].map(Self.content) {
            for count in 0..<packed.count {
                let error = #expect(throws: MessageError.self) { try Self.unpacked([Array(packed[..<count])]) }
                #expect(error?.code == .truncated, "after \(count) bytes")
            }
            let error = #expect(throws: MessageError.self) { try Self.unpacked([packed + [0]]) }
            #expect(error?.code == .malformed)
        }
    }

    @Test func `A flipped bit in gzip data is detected or leaves the content unchanged`() throws {
        for (packed, isHeadFree) in try [(Self.fixed, true), (Self.stored, false), (Self.dynamic, true)].map({
            (try Self.content($0.0), $0.1)
        }) {
            let expected = try Self.unpacked([packed])
            for position in packed.indices {
                var changed = packed
                changed[position] ^= 1 << UInt8(position % 8)
                do {
                    let found = try Self.unpacked([changed])
                    #expect(found == expected, "byte \(position)")
                    // Only times, file names and padding mean nothing.
                    #expect(!isHeadFree || position < 10 || position == packed.count - 9)
                } catch is MessageError {}
            }
        }
    }

    @Test func `Random bytes after a valid header are unpacked or give a typed error`() throws {
        var random = TestRun.random()
        for _ in 0..<TestRun.rounds(500, long: 100_000) {
            let bytes = (0..<200).map { _ in UInt8(random.number(below: 256)) }
            do {
                _ = try Self.unpacked([[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], bytes])
            } catch is MessageError {}
        }
    }
}
