import DocSync
import TestSupport
import Testing

@Suite struct EnvelopeReaderTests {
    private static let text = Array(
        """
        \n\n{"results":[\n{"seq":"1-a","id":"x]\\"","changes":[{"rev":"1-b"}]},\r\n\n["y",{"z":[1]}],\r\n12\n],
        "last_seq":"2-c","pending":0}\n\n
        """.utf8)

    private static func parts(_ chunks: [[UInt8]], limit: Int = 1000) throws -> [EnvelopeReader.Part] {
        var reader = EnvelopeReader(elementsOf: "results", of: "the answer", byteLimit: limit)
        var parts: [EnvelopeReader.Part] = []
        for chunk in chunks {
            reader.append(chunk)
            while let part = try reader.next() { parts.append(part) }
            #expect(reader.bufferedByteCount <= limit + chunk.count)
        }
        reader.finish()
        while let part = try reader.next() { parts.append(part) }
        return parts
    }

    @Test func `A message that is cut anywhere has the same parts as the whole message`() throws {
        let whole = try Self.parts([Self.text])
        #expect(whole.count == 5)
        #expect(whole.last == .member(name: "pending", text: [UInt8(ascii: "0")]))
        for cut in 0...Self.text.count {
            #expect(try Self.parts([Array(Self.text[..<cut]), Array(Self.text[cut...])]) == whole)
        }
        #expect(try Self.parts(Self.text.map { [$0] }) == whole)
    }

    @Test func `Every message that ends too early gives a typed error`() throws {
        let end = try #require(Self.text.lastIndex(of: UInt8(ascii: "}")))
        for count in 0..<end {
            let error = #expect(throws: MessageError.self) { try Self.parts([Array(Self.text[..<count])]) }
            #expect(error?.code == .truncated, "after \(count) bytes")
        }
    }

    @Test func `An element above the limit is reported with its beginning, and the others are returned`() throws {
        let long = "\"" + String(repeating: "x", count: 5000) + "\""
        let text = Array("{\"results\":[1,\(long),2]}".utf8)
        for chunks in [[text], text.map { [$0] }] {
            let parts = try Self.parts(chunks, limit: 100)
            try #require(parts.count == 3)
            #expect(parts[0] == .element([UInt8(ascii: "1")]))
            guard case .oversized(let beginning) = parts[1] else {
                Issue.record("\(parts[1])")
                return
            }
            #expect(beginning.starts(with: "\"xxx".utf8))
            #expect(parts[2] == .element([UInt8(ascii: "2")]))
        }
    }

    @Test func `Random bytes produce parts or a typed error within the memory limit`() throws {
        var random = TestRun.random()
        let alphabet = Array("{}[]\",:\\ \n1a".utf8)
        for _ in 0..<TestRun.rounds(2000, long: 100_000) {
            let chunks = (0..<5).map { _ in (0..<20).map { _ in random.pick(alphabet) } }
            do {
                _ = try Self.parts([Array("{\"results\":[".utf8)] + chunks, limit: 30)
            } catch is MessageError {}
        }
    }
}
