import DocIndex
import Testing

@Suite struct BodyReaderTests {
    @Test(arguments: FieldPathEvaluationTests.visits)
    func `A path visits the same in a body as in its value`(path: FieldPath, expected: [DocumentValue]) throws {
        let body = try BodyEncoder.encode(.object(FieldPathEvaluationTests.document))
        let reader = try BodyReader(body.span)
        var visited: [DocumentValue] = []
        try reader.forEachElement(at: path) { visited.append($0) }
        #expect(visited == expected)
        let first = try reader.value(at: path)
        #expect(first == expected.first)
        let hasAny = try reader.anyElement(at: path) { _ in true }
        #expect(hasAny == !expected.isEmpty)
        let hasNone = try reader.anyElement(at: path) { _ in false }
        #expect(!hasNone)
    }

    @Test func `Random bodies answer like their values`() throws {
        let names = ["id", "gps", "lat", "keywords", "people", "name", "ExifIFD:ISO", "\u{e9}", "e\u{301}", "\"\""]
        var generator = DocumentGenerator()
        var foundCount = 0
        for _ in 0..<(DocumentGenerator.isLong ? 500_000 : 20_000) {
            let value = DocumentValue.object(generator.object())
            let body = try BodyEncoder.encode(value)
            let reader = try BodyReader(body.span)
            var text = ""
            for _ in 0...generator.number(below: 3) {
                text += (text.isEmpty ? "" : ".") + names[generator.number(below: names.count)]
                text += String(repeating: "[]", count: generator.number(below: 3))
            }
            let path = try FieldPath(parsing: text)
            var (expected, visited): ([DocumentValue], [DocumentValue]) = ([], [])
            path.forEachElement(in: value) { expected.append($0) }
            try reader.forEachElement(at: path) { visited.append($0) }
            #expect(visited == expected, "seed \(generator.seed): \(text)")
            let first = try reader.value(at: path)
            #expect(first == path.value(in: value), "seed \(generator.seed): \(text)")
            if !expected.isEmpty { foundCount += 1 }
        }
        #expect(foundCount > 500)
    }

    @Test func `A visit ends at the first element that satisfies`() throws {
        let body = try BodyEncoder.encode(["k": ["a", "b", "c"]])
        var count = 0
        let isFound = try BodyReader(body.span).anyElement(at: "k[]") {
            count += 1
            return $0 == "b"
        }
        #expect(isFound)
        #expect(count == 2)
    }

    @Test func `Damage off the path goes unnoticed and damage on it throws`() throws {
        // {"a": reserved date, "b": 1}: the tag cannot be passed over.
        let behind: [UInt8] = [1, 8, 8, 2, 1, 0x61, 3, 2, 1, 0x62, 9]
        #expect(try value(at: "a", in: behind) == 1)
        let error = #expect(throws: BodyError.self) { try value(at: "b", in: behind) }
        #expect(error?.code == .unsupportedTag)
        #expect(error?.offset == 10)
        // Invalid UTF-8 in a string is passed over by its length.
        let before: [UInt8] = [1, 8, 9, 2, 1, 0x61, 5, 1, 0xff, 1, 0x62, 2]
        #expect(try value(at: "b", in: before) == true)
        #expect(throws: BodyError.self) { try value(at: "a", in: before) }
    }

    @Test func `A body of another version is refused at once`() {
        #expect(throws: BodyError.self) { try value(at: "a", in: [2, 0]) }
        #expect(throws: BodyError.self) { try value(at: "a", in: []) }
    }

    /// Apart from the macros, which cannot hold a span.
    private func value(at path: FieldPath, in body: [UInt8]) throws -> DocumentValue? {
        try BodyReader(body.span).value(at: path)
    }
}
