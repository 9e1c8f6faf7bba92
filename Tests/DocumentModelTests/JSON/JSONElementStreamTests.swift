import DocumentModel
import TestSupport
import Testing

@Suite struct JSONElementStreamTests {
    /// Returns all elements of `bytes`, appended in pieces of `size`, and the error at the end, if any.
    private func elements(
        of bytes: [UInt8], inPiecesOf size: Int, limit: Int = 1 << 20
    ) -> ([JSONParser.ElementStream.Element], JSONError?) {
        var stream = JSONParser.ElementStream(elementByteLimit: limit)
        var found: [JSONParser.ElementStream.Element] = []
        do throws(JSONError) {
            for start in stride(from: 0, to: bytes.count, by: size) {
                stream.append(Array(bytes[start..<min(start + size, bytes.count)]))
                while let element = try stream.next() { found.append(element) }
            }
            stream.finish()
            while let element = try stream.next() { found.append(element) }
            return (found, nil)
        } catch {
            // The error persists.
            do throws(JSONError) {
                _ = try stream.next()
                Issue.record("The error did not stay.")
            } catch let second {
                #expect(second == error)
            }
            return (found, error)
        }
    }

    static let pieces = [1, 2, 3, 7, 4096]

    @Test(
        .enabled(if: SharedData.exiftool != nil, "../shared/data/exiftool-500.json is missing"),
        arguments: [1, 7, 4096])
    func `The output of exiftool is split into 500 elements`(size: Int) throws {
        let bytes = try #require(SharedData.exiftool)
        let (elements, error) = elements(of: bytes, inPiecesOf: size)
        #expect(error == nil)
        #expect(elements.map(\.index) == Array(0..<500))
        let expected = try #require(try JSONParser().parse(bytes).arrayValue)
        #expect(try elements.map { element in try element.value() } == expected)
        var (line, end) = (1, 0)
        for element in elements {
            let range = element.start.offset..<element.start.offset + element.bytes.count
            #expect(element.bytes == Array(bytes[range]))
            line += bytes[end..<range.lowerBound].count { $0 == 10 }
            #expect(element.start.line == line)
            line += element.bytes.count { $0 == 10 }
            end = range.upperBound
        }
    }

    @Test(arguments: pieces) func `Elements of every kind are found whatever the piece size`(size: Int) throws {
        let text = " [ {\"a\":\"]}\\\"\"} ,\n[1,[2,{\"b\":[]}]],\"x\\\\\" , -1.5e3,true\t,null,\"é\",[],{},12\r\n] \n"
        let (elements, error) = elements(of: Array(text.utf8), inPiecesOf: size)
        #expect(error == nil)
        #expect(
            elements.map { String(decoding: $0.bytes, as: UTF8.self) } == [
                "{\"a\":\"]}\\\"\"}", "[1,[2,{\"b\":[]}]]", "\"x\\\\\"", "-1.5e3", "true", "null", "\"é\"", "[]", "{}",
                "12",
            ])
        #expect(try .array(elements.map { element in try element.value() }) == DocumentValue(json: text))
        #expect(elements[0].start == JSONError.Position(offset: 3, line: 1, column: 4))
        #expect(elements[1].start == JSONError.Position(offset: 18, line: 2, column: 1))
        #expect(elements[2].start == JSONError.Position(offset: 35, line: 2, column: 18))
    }

    @Test(arguments: pieces) func `An empty array has no elements`(size: Int) {
        for text in ["[]", " [\n] "] {
            let (elements, error) = elements(of: Array(text.utf8), inPiecesOf: size)
            #expect(elements.isEmpty)
            #expect(error == nil)
        }
    }

    static let refused: [(String, Int, JSONError.Code, JSONError.Position)] = [
        ("", 0, .unexpectedEnd, JSONError.Position()),
        (" \n", 0, .unexpectedEnd, JSONError.Position(offset: 2, line: 2, column: 1)),
        ("{\"a\":1}", 0, .unexpectedByte, JSONError.Position()),
        ("\u{feff}[]", 0, .byteOrderMark, JSONError.Position()),
        ("[", 0, .unexpectedEnd, JSONError.Position(offset: 1, line: 1, column: 2)),
        ("[1", 0, .unexpectedEnd, JSONError.Position(offset: 2, line: 1, column: 3)),
        ("[1,", 1, .unexpectedEnd, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[1,\n{\"a\":", 1, .unexpectedEnd, JSONError.Position(offset: 9, line: 2, column: 6)),
        ("[{}", 1, .unexpectedEnd, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[1,\"x", 1, .unexpectedEnd, JSONError.Position(offset: 5, line: 1, column: 6)),
        ("[1,]", 1, .unexpectedByte, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[,1]", 0, .unexpectedByte, JSONError.Position(offset: 1, line: 1, column: 2)),
        ("[1,,2]", 1, .unexpectedByte, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[1 2]", 1, .unexpectedByte, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[{}{}]", 1, .unexpectedByte, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[1]\n]", 1, .trailingContent, JSONError.Position(offset: 4, line: 2, column: 1)),
        ("[1][2]", 1, .trailingContent, JSONError.Position(offset: 3, line: 1, column: 4)),
        ("[{\"a\":[1}, {}]", 0, .unexpectedByte, JSONError.Position(offset: 8, line: 1, column: 9)),
        ("[1,}]", 1, .unexpectedByte, JSONError.Position(offset: 3, line: 1, column: 4)),
    ]

    @Test(arguments: refused, pieces) func `A malformed array is rejected after its valid elements`(
        refused: (String, Int, JSONError.Code, JSONError.Position), size: Int
    ) {
        let (elements, error) = elements(of: Array(refused.0.utf8), inPiecesOf: size)
        #expect(elements.count == refused.1)
        #expect(error?.code == refused.2)
        #expect(error?.position == refused.3)
    }

    @Test func `The error for truncated input names the unfinished element`() {
        let (_, error) = elements(of: Array("[1,\n  {\"a\":".utf8), inPiecesOf: 4)
        #expect(
            error?.message == "Expected the end of the element that begins at line 2, column 3 but the text ends here; "
                + "check that the text is complete.")
    }

    @Test func `An error inside an element has its position in the whole input`() throws {
        let (elements, error) = elements(of: Array("[{},\n {\"a\":\n01}]".utf8), inPiecesOf: 3)
        #expect(error == nil)
        let inner = #expect(throws: JSONError.self) { try elements[1].value() }
        #expect(inner?.code == .invalidNumber)
        #expect(inner?.position == JSONError.Position(offset: 12, line: 3, column: 1))
    }

    @Test func `Elements are read in extended notation on request`() throws {
        let (elements, _) = elements(of: Array(#"[{"$bytes":"AA=="}]"#.utf8), inPiecesOf: 100)
        #expect(try elements[0].value(notation: .dump) == .bytes([0]))
        #expect(try elements[0].value() == ["$bytes": "AA=="])
    }

    @Test(arguments: pieces) func `An element that exceeds the limit is rejected`(size: Int) {
        let (elements, error) = elements(of: Array("[1234567890,12345678901]".utf8), inPiecesOf: size, limit: 10)
        #expect(elements.count == 1)
        #expect(error?.code == .elementTooLong)
        #expect(error?.position == JSONError.Position(offset: 12, line: 1, column: 13))
        #expect(
            error?.message
                == "An element of the array is longer than 10 bytes; raise the limit or check for a missing quote.")
    }

    @Test func `Appending input after the end is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            var stream = JSONParser.ElementStream()
            stream.finish()
            stream.append([0x5b])
        }
    }

    @Test func `Random arrays are split into their elements whatever the piece size`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<300 {
            let values = (0..<generator.number(below: 6)).map { _ in generator.value() }
            let writer = JSONWriter(layout: generator.next() & 1 == 0 ? .compact : .pretty, notation: .dump)
            let text = Array(DocumentValue.array(values).json(writer).utf8)
            let (elements, error) = elements(of: text, inPiecesOf: 1 + generator.number(below: 20))
            #expect(error == nil, "seed \(generator.seed)")
            #expect(
                try elements.map { element in try element.value(notation: .dump) } == values, "seed \(generator.seed)")
        }
    }
}
