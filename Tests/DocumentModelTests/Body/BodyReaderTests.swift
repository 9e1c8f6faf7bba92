import DocumentModel
import TestSupport
import Testing

@Suite struct BodyReaderTests {
    @Test(arguments: FieldPathEvaluationTests.visits)
    func `A path visits the same elements in a body as in its value`(path: FieldPath, expected: [DocumentValue]) throws
    {
        var names = FieldNames()
        let body = try BodyEncoder.encode(.object(FieldPathEvaluationTests.document), names: &names)
        let reader = try BodyReader(body.span, names: names)
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

    @Test func `Random bodies return the same values as their documents`() throws {
        let names = [
            "id", "gps", "lat", "keywords", "people", "name", "ExifIFD:ISO", "\u{e9}", "e\u{301}", "\"\"", "type",
        ]
        var generator = DocumentGenerator()
        var foundCount = 0
        var table = FieldNames()
        for _ in 0..<(DocumentGenerator.isLong ? 500_000 : 20_000) {
            let value = DocumentValue.object(generator.object())
            if table.count > 300 { table = FieldNames() }
            let body = try BodyEncoder.encode(value, names: &table)
            let reader = try BodyReader(body.span, names: table)
            var text = ""
            for _ in 0...generator.number(below: 3) {
                text += (text.isEmpty ? "" : ".") + names[generator.number(below: names.count)]
                text += String(repeating: "[]", count: generator.number(below: 3))
            }
            let path = try FieldPath(parsing: text)
            var (expected, visited): ([DocumentValue], [DocumentValue]) = ([], [])
            path.forEachElement(in: value) { expected.append($0) }
            let resolved = ResolvedPath(path, names: table)
            try reader.forEachElement(at: resolved) { visited.append($0) }
            #expect(visited == expected, "seed \(generator.seed): \(text)")
            let first = try reader.value(at: path)
            #expect(first == path.value(in: value), "seed \(generator.seed): \(text)")
            if !expected.isEmpty { foundCount += 1 }
        }
        #expect(foundCount > 500)
    }

    @Test func `Every path returns the same values for a body as for its document`() throws {
        var documents = RandomDocuments(TestRun.random(stream: 22))
        documents.hasAttachments = true
        var table = FieldNames()
        for _ in 0..<TestRun.rounds(1000, long: 50_000) {
            let document = documents.document(id: documents.id())
            let body = try BodyEncoder.encode(.object(document), names: &table)
            let reader = try BodyReader(body.span, names: table)
            let paths = RandomDocuments.scalarPaths + RandomDocuments.arrayPaths + RandomDocuments.attachmentPaths
            for path in paths {
                let found = try reader.value(at: ResolvedPath(path, names: table))
                #expect(found == path.value(in: document), "\(path), \(TestRun.repetition)")
                var (expected, visited): ([DocumentValue], [DocumentValue]) = ([], [])
                path.forEachElement(in: document) { expected.append($0) }
                try reader.forEachElement(at: path) { visited.append($0) }
                #expect(visited == expected, "\(path), \(TestRun.repetition)")
            }
        }
    }

    @Test func `A visit to a body ends at the first element that satisfies the condition`() throws {
        var names = FieldNames()
        let body = try BodyEncoder.encode(["k": ["a", "b", "c"]], names: &names)
        var count = 0
        let isFound = try BodyReader(body.span, names: names).anyElement(at: "k[]") {
            count += 1
            return $0 == "b"
        }
        #expect(isFound)
        #expect(count == 2)
    }

    @Test func `Damage outside the path is ignored, and damage on it throws`() throws {
        // {"a": 1, "b": a reserved tag}
        let behind: [UInt8] = [2, 0x10, 7, 2, 0, 1, 0, 1, 0x41, 0x0c]
        #expect(try value(at: "a", in: behind) == 1)
        let error = #expect(throws: BodyError.self) { try value(at: "b", in: behind) }
        #expect(error?.code == .unsupportedTag)
        #expect(error?.offset == 9)
        let before: [UInt8] = [2, 0x10, 8, 2, 0, 1, 0, 2, 0x81, 0xff, 2]
        #expect(try value(at: "b", in: before) == true)
        #expect(throws: BodyError.self) { try value(at: "a", in: before) }
        // An offset beyond the object.
        let beyond: [UInt8] = [2, 0x10, 4, 1, 0, 9, 0x41]
        let table = #expect(throws: BodyError.self) { try value(at: "a", in: beyond) }
        #expect(table?.code == .invalidObjectTable)
        #expect(try value(at: "b", in: beyond) == nil)
    }

    @Test func `A body of another version is rejected immediately`() {
        #expect(throws: BodyError.self) { try value(at: "a", in: [1, 0]) }
        #expect(throws: BodyError.self) { try value(at: "a", in: []) }
    }

    /// Separate from the macros, which cannot hold a span.
    private func value(at path: FieldPath, in body: [UInt8]) throws -> DocumentValue? {
        try BodyReader(body.span, names: BodyTests.table(["a", "b"])).value(at: path)
    }
}
