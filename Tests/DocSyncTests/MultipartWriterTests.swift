import DocSync
import TestSupport
import Testing

@Suite struct MultipartWriterTests {
    private static func body(of contents: [SyncBody], kind: String = "related") -> MultipartBody {
        MultipartBody(
            kind, contents.enumerated().map { MultipartBody.Part(["Content-Type": "image/x-\($0.offset)"], $0.element) }
        )
    }

    @Test func `A written multipart message reads back unchanged, and its declared length is exact`() async throws {
        try await within {
            let large = AttachedPhotos.bytes(100_000, seed: 1)
            let contents: [SyncBody] = [
                .bytes(Array("{}".utf8)), .none, .bytes([]),
                .stream(ByteStream([Array(large[..<70_000]), [], Array(large[70_000...])])),
                .bytes(Array("\r\n--".utf8)),
            ]
            for count in 0...contents.count {
                let message = Self.body(of: Array(contents[..<count]))
                let bytes = try await message.body.collected(limit: 1 << 20)
                #expect(message.body.byteCount == Int64(bytes.count))
                let stream = try MultipartStream(MediaType(message.contentType), ByteStream([bytes]), of: "the message")
                for position in 0..<count {
                    let fields = try await stream.next()
                    #expect(fields?["content-type"] == "image/x-\(position)")
                    #expect(stream.depth == 1)
                    let content = try await stream.content(limit: 100_000)
                    #expect(try await contents[position].collected(limit: 1 << 20) == content)
                }
                #expect(try await stream.next() == nil)
            }
        }
    }

    @Test func `A message within a message is read as a document with its parts`() async throws {
        try await within {
            let document = Self.body(of: [.bytes([1]), .bytes([2])])
            let missing = MultipartBody.Part(["Content-Type": "application/json; error=\"true\""], .bytes([3]))
            let message = MultipartBody(
                "mixed", [MultipartBody.Part(["Content-Type": document.contentType], document.body), missing])
            #expect(message.body.byteCount != nil)
            let stream = try MultipartStream(MediaType(message.contentType), message.body.chunks, of: "the message")
            var found: [(Int, [UInt8])] = []
            while try await stream.next() != nil { found.append((stream.depth, try await stream.content(limit: 9))) }
            #expect(found.map(\.0) == [1, 2, 2, 1])
            #expect(found.map(\.1) == [[], [1], [2], [3]])
        }
    }

    @Test func `A part that was not read is skipped, and one above the limit is an error`() async throws {
        try await within {
            let message = Self.body(of: [.bytes([1, 2, 3]), .bytes([4, 5])])
            let stream = try MultipartStream(MediaType(message.contentType), message.body.chunks, of: "the message")
            _ = try await stream.next()
            #expect(try await stream.next()?["Content-Type"] == "image/x-1")
            await #expect(throws: MessageError.self) { try await stream.content(limit: 1) }
        }
    }

    @Test func `A message is never completed if a part is not as long as stated`() async throws {
        try await within {
            for count in [2, 4] {
                let chunks = ByteStream([[UInt8](repeating: 0, count: count)])
                let message = Self.body(of: [.stream(ByteStream(chunks, byteCount: 3))])
                await #expect(throws: MessageError.self) { try await message.body.collected(limit: 1 << 20) }
            }
        }
    }

    @Test func `The value of a header field cannot begin another field`() async throws {
        try await within {
            let message = MultipartBody("related", [.init(["A": "1\r\nB: 2\r\n\r\n"], .bytes([1]))])
            let stream = try MultipartStream(MediaType(message.contentType), message.body.chunks, of: "the message")
            let fields = try await stream.next()
            #expect(fields?.fields.count == 1)
            #expect(try await stream.content(limit: 9) == [1])
        }
    }

    @Test func `Boundaries have 32 digits and differ`() {
        var random = TestRun.random()
        let boundaries = (0..<100).map { _ in MultipartWriter(using: &random).boundary }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
