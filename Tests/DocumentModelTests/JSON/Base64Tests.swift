import DocumentModel
import Foundation
import TestSupport
import Testing

@Suite struct Base64Tests {
    @Test(arguments: Array(0...20) + [3071, 3072, 3073, 3075, 100_000])
    func `Base64 is that of Foundation, and is decoded to the same bytes`(byteCount: Int) throws {
        var random = TestRun.random(stream: 64)
        let bytes = (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let text = Data(bytes).base64EncodedString()
        #expect(Base64.text(of: bytes) == text)
        #expect(try Base64.decode(Array(text.utf8).span) == bytes)
        var appended: [UInt8] = [0x20]
        Base64.append(bytes.span, to: &appended)
        #expect(appended == [0x20] + Array(text.utf8))
    }

    @Test func `A string is decoded only if encoding its bytes gives the same string`() throws {
        let bytes: [UInt8] = [0, 1, 2, 250, 251, 252, 253, 254]
        for count in 4...8 {
            let text = Array(Base64.text(of: Array(bytes.prefix(count))).utf8)
            for position in text.indices {
                for byte in UInt8.min...UInt8.max {
                    var changed = text
                    changed[position] = byte
                    guard let decoded = try? Base64.decode(changed.span) else { continue }
                    #expect(Array(Base64.text(of: decoded).utf8) == changed)
                }
            }
        }
    }

    @Test func `The error names the first character that is not a digit`() {
        for (text, offset) in [("AAAA-AAA", 4), ("AAAAAA=A", 6), ("AAAAAAAAA A=", 9), ("A\u{e9}AA", 1)] {
            let error = #expect(throws: Base64.DecodingError.self) { try Base64.decode(Array(text.utf8).span) }
            #expect(error?.offset == offset, "\(text)")
        }
    }
}
