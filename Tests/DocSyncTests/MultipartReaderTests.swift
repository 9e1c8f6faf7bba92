import DocSync
import TestSupport
import Testing

@Suite struct MultipartReaderTests {
    /// A part as a test compares it. Parts of a document are inside its part.
    private struct Part: Hashable {
        var fields: HeaderFields
        var content: [UInt8] = []
        var parts: [Part] = []
    }

    private static func reader(_ kind: String, boundary: String = "b1") throws(MessageError) -> MultipartReader {
        try MultipartReader(MediaType("multipart/\(kind); boundary=\"\(boundary)\""), of: "the answer")
    }

    private static func parts(_ chunks: [[UInt8]], kind: String = "related") throws -> [Part] {
        var reader = try reader(kind)
        var open: [Part] = []
        var parts: [Part] = []
        func read() throws {
            while let step = try reader.next() {
                switch step {
                case .head(let fields): open.append(Part(fields: fields))
                case .body(let piece):
                    #expect(!piece.isEmpty)
                    try #require(!open.isEmpty)
                    open[open.count - 1].content += piece
                case .end:
                    try #require(!open.isEmpty)
                    let part = open.removeLast()
                    if open.isEmpty { parts.append(part) } else { open[open.count - 1].parts.append(part) }
                }
            }
        }
        for chunk in chunks {
            reader.append(chunk)
            try read()
            #expect(reader.bufferedByteCount <= 20_000)
        }
        reader.finish()
        try read()
        #expect(open.isEmpty)
        return parts
    }

    private static func expectSameParts(_ text: [UInt8], kind: String = "related", _ expected: [Part]) throws {
        #expect(try parts([text], kind: kind) == expected)
        for cut in 0...text.count {
            #expect(try parts([Array(text[..<cut]), Array(text[cut...])], kind: kind) == expected, "cut at \(cut)")
        }
        for size in 1...7 {
            let chunks = stride(from: 0, to: text.count, by: size).map { Array(text[$0..<min($0 + size, text.count)]) }
            #expect(try parts(chunks, kind: kind) == expected, "in chunks of \(size)")
        }
    }

    private static let json = Array(#"{"_id":"a","_attachments":{"x.jpg":{"follows":true,"length":3}}}"#.utf8)

    @Test func `A document with attachments is the same however it is cut`() throws {
        let text =
            Array("--b1\r\nContent-Type: application/json\r\n\r\n".utf8) + Self.json
            + Array(
                """
                \r\n--b1\r\nContent-Disposition: attachment; filename="x.jpg"\r\nContent-Type: image/jpeg\r\n\
                Content-Length: 3\r\n\r\n\u{0}\r\n\r\n--b1\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\
                Content-Encoding: gzip\r\n\r\n\u{1f}!\r\n--b1\r\nContent-Length: 0\r\n\r\n\r\n--b1--
                """.utf8)
        try Self.expectSameParts(
            text,
            [
                Part(fields: ["Content-Type": "application/json"], content: Self.json),
                Part(
                    fields: [
                        "Content-Disposition": "attachment; filename=\"x.jpg\"", "Content-Type": "image/jpeg",
                        "Content-Length": "3",
                    ], content: [0, 13, 10]),
                Part(
                    fields: ["Content-Type": "text/plain", "Content-Length": "2", "Content-Encoding": "gzip"],
                    content: [0x1f, 0x21]),
                Part(fields: ["Content-Length": "0"]),
            ])
    }

    @Test func `Documents in a mixed message have parts, even after a revision that is missing`() throws {
        let text = Array(
            """
            --b1\r\nContent-Type: application/json; error="true"\r\n\r\n{"missing":"3-a"}\r\n--b1\r\n\
            Content-Type: multipart/related; boundary="b2"\r\n\r\n--b2\r\nContent-Type: application/json\r\n\r\n{}\
            \r\n--b2\r\nContent-Type: multipart/related; boundary=b1\r\n\r\n--b3\r\n--b2--\r\n--b1\r\n\
            Content-Type: multipart/related; boundary="b2"\r\n\r\n--b2--\r\n--b1--
            """.utf8)
        let inner: HeaderFields = ["Content-Type": "multipart/related; boundary=\"b2\""]
        try Self.expectSameParts(
            text, kind: "mixed",
            [
                Part(
                    fields: ["Content-Type": "application/json; error=\"true\""],
                    content: Array(#"{"missing":"3-a"}"#.utf8)),
                Part(
                    fields: inner,
                    parts: [
                        Part(fields: ["Content-Type": "application/json"], content: Array("{}".utf8)),
                        // An attachment of a multipart type is content.
                        Part(
                            fields: ["Content-Type": "multipart/related; boundary=b1"], content: Array("--b3".utf8)),
                    ]),
                Part(fields: inner),
            ])
    }

    @Test func `Text around the parts, folded fields and padding are read as RFC 2046 says`() throws {
        let text = Array(
            """
            This is a preamble.\r\n--b1x\r\n--b1 \t\r\nA: 1\r\n  2\r\nb:3\r\n\r\n--b1\r\n\r\nno head\r\n--b1\r\n\r\n\
            --b1--\r\nepilogue\r\n--b1\r\n\r\n
            """.utf8)
        try Self.expectSameParts(
            text,
            [
                Part(fields: ["A": "1 2", "b": "3"]), Part(fields: [:], content: Array("no head".utf8)),
                Part(fields: [:]),
            ])
        #expect(try Self.parts([Array("--b1--".utf8)]) == [])
    }

    @Test func `Text that is almost a boundary is content`() throws {
        let almost = [
            "\r", "\r\n", "\r\n-", "\r\n--", "\r\n--b", "\r\n--b2\r\n", "\r\n--b1x\r\n", "\r\n--b1-x", "\r\n--b1\r",
            "\r\n--b1\r\r\n", "\n--b1\r\n", "\r\r\n--b1-\r\n", "--b1\r",
            "\r\n--b1" + String(repeating: " ", count: 65) + "\r\n", "\r\n--B1--",
        ]
        for body in almost {
            let text = Array("--b1\r\nA: 1\r\n\r\n\(body)\r\n--b1--".utf8)
            try Self.expectSameParts(text, [Part(fields: ["A": "1"], content: Array(body.utf8))])
            let twice = Array("--b1\r\nA: 1\r\n\r\nx\(body)\(body)\r\n--b1--\r\n".utf8)
            try Self.expectSameParts(twice, [Part(fields: ["A": "1"], content: Array("x\(body)\(body)".utf8))])
        }
    }

    @Test func `Every message that ends too early gives a typed error`() throws {
        let text = Array(
            """
            --b1\r\nContent-Type: multipart/related; boundary="b2"\r\n\r\n--b2\r\nA: 1\r\n\r\nx\r\n--b2--\r\n--b1\r\n\
            Content-Length: 1\r\n\r\ny\r\n--b1--
            """.utf8)
        #expect(try Self.parts([text], kind: "mixed").count == 2)
        for count in 0..<text.count {
            let error = #expect(throws: MessageError.self) {
                try Self.parts([Array(text[..<count])], kind: "mixed")
            }
            #expect(error?.code == .truncated, "after \(count) bytes")
        }
        // The outer boundary ends a document, whether it is complete or not.
        let cut = Array("--b1\r\nContent-Type: multipart/related; boundary=b2\r\n\r\n--b2\r\n\r\nx\r\n--b1--".utf8)
        #expect(throws: MessageError.self) { try Self.parts([cut], kind: "mixed") }
    }

    private static let malformedParts: [(String, MessageError.Code)] = [
        ("--b1\r\nno field\r\n\r\n\r\n--b1--", .malformed),
        ("--b1\r\n: empty\r\n\r\n\r\n--b1--", .malformed),
        ("--b1\r\nA: 1\r\n--b1--\r\n", .malformed),
        ("--b1\r\nContent-Length: -1\r\n\r\n\r\n--b1--", .malformed),
        ("--b1\r\nContent-Length: 2\r\n\r\nabc\r\n--b1--", .malformed),
        ("--b1\r\nContent-Length: 4\r\n\r\nabc\r\n--b1--", .malformed),
        ("--b1\nA: 1\n\nabc\n--b1--\n", .truncated),
        ("--b1\r\nA: " + String(repeating: "x", count: 17_000) + "\r\n\r\n\r\n--b1--", .tooLarge),
        ("--b1\r\n" + String(repeating: "A: 1\r\n", count: 4000) + "\r\n\r\n--b1--", .tooLarge),
    ]

    @Test(arguments: malformedParts) func `A malformed part gives a typed error, even when it arrives byte by byte`(
        text: String, code: MessageError.Code
    ) throws {
        for chunks in [[Array(text.utf8)], text.utf8.map { [$0] }] {
            let error = #expect(throws: MessageError.self) { try Self.parts(chunks) }
            #expect(error?.code == code)
        }
    }

    @Test func `A type that is not multipart or has no usable boundary is refused`() {
        let long = String(repeating: "x", count: 201)
        for type in [
            "application/json", "multipart/related", "multipart/related; boundary=\"\"",
            "multipart/mixed; boundary=\(long)",
        ] {
            #expect(throws: MessageError.self) { try MultipartReader(MediaType(type), of: "the answer") }
        }
    }

    @Test func `Random bytes give parts or a typed error`() throws {
        var random = TestRun.random()
        let pieces = [
            "--b1", "--b2", "\r\n", "\r", "\n", "--", "A: 1", ":", "x", "Content-Type: multipart/related; boundary=b2",
        ]
        for _ in 0..<TestRun.rounds(2000, long: 100_000) {
            let chunks = (0..<12).map { _ in Array(random.pick(pieces).utf8) }
            let isMixed = random.once(in: 2)
            do {
                _ = try Self.parts([Array("--b1\r\n".utf8)] + chunks, kind: isMixed ? "mixed" : "related")
            } catch is MessageError {}
        }
    }
}
