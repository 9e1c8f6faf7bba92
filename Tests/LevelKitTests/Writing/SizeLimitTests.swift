import Testing

@testable import LevelKit

@Suite struct SizeLimitTests {
    @Test func `Sizes up to the limits are accepted, and one byte more is rejected`() {
        let key = SizeLimit.keyByteCount
        let batch = SizeLimit.batchByteCount
        let cases: [(keyByteCount: Int, valueByteCount: Int, isTaken: Bool)] = [
            (0, 0, true), (key, 0, true), (key + 1, 0, false), (0, batch - 23, true), (0, batch - 22, false),
            (key, batch - 23 - key, true), (key, batch - 22 - key, false), (0, 4 << 30, false), (1, 1 << 40, false),
        ]
        for (keyByteCount, valueByteCount, isTaken) in cases {
            let found = code { try SizeLimit.check(keyByteCount: keyByteCount, valueByteCount: valueByteCount) }
            #expect(found == (isTaken ? nil : .tooLarge), "\(keyByteCount) and \(valueByteCount)")
        }
        #expect(throws: Never.self) { try SizeLimit.check(batchByteCount: batch) }
        #expect(code { try SizeLimit.check(batchByteCount: batch + 1) } == .tooLarge)
    }

    @Test func `The size limits fit in 32-bit lengths`() {
        #expect(SizeLimit.batchByteCount < 1 << 31)
        #expect(SizeLimit.keyByteCount < SizeLimit.batchByteCount)
    }

    @Test func `The error names the size and the limit`() {
        let key = thrownError { try SizeLimit.check(keyByteCount: 99_999_999, valueByteCount: 0) }
        #expect(key?.message.contains("99999999") == true)
        #expect(key?.message.contains("\(SizeLimit.keyByteCount)") == true)
        let batch = thrownError { try SizeLimit.check(batchByteCount: 1 << 31) }
        #expect(batch?.message.contains("2147483648") == true)
        #expect(batch?.message.contains("\(SizeLimit.batchByteCount)") == true)
    }

    @Test func `A key over the limit is rejected by every write, and later writes succeed`() throws {
        try withTemporaryDatabase { database in
            let key = [UInt8](repeating: 0, count: SizeLimit.keyByteCount + 1)
            let batch = WriteBatch()
            try batch.put("1", forKey: "a")
            let byteCount = batch.byteCount
            #expect(code { try database.put([], forKey: key) } == .tooLarge)
            #expect(code { try database.delete(key) } == .tooLarge)
            #expect(code { try batch.put([], forKey: key) } == .tooLarge)
            #expect(code { try batch.delete(key) } == .tooLarge)
            #expect(batch.count == 1)
            #expect(batch.byteCount == byteCount)
            try database.write(batch)
            #expect(try keys(of: database) == [utf8("a")])
        }
    }
}
