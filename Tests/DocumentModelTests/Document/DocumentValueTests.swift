import DocumentModel
import TestSupport
import Testing

@Suite struct DocumentValueTests {
    private static let distinct = plain + Attachments.distinct.map { .attachment($0) }

    private static let plain: [DocumentValue] = [
        nil, false, true, 0, 1, -1, .int(.min), .double(0), .double(-0.0), 1.0, .double(.infinity), .double(-.infinity),
        .double(.nan), "", "1", "e\u{301}", "\u{e9}", "\u{323}\u{302}", "\u{302}\u{323}", .bytes([]), .bytes([0]),
        .bytes([0x31]), [], [nil], [[]], [1, 2], [2, 1], [:], ["a": nil], ["a": 1], ["a": 1.0], ["a": 1, "b": 2],
        ["b": 2, "a": 1], ["e\u{301}": 1], ["\u{e9}": 1], [["a": 1]], ["$lit": [:]],
    ]

    @Test func `A value equals itself and no other`() {
        for (left, value) in Self.distinct.enumerated() {
            for (right, other) in Self.distinct.enumerated() {
                #expect((value == other) == (left == right), "\(value) and \(other)")
            }
        }
    }

    @Test func `A set of different values keeps all of them`() {
        let set = Set(Self.distinct + Self.distinct)
        #expect(set.count == Self.distinct.count)
        for value in Self.distinct { #expect(set.contains(value), "\(value)") }
    }

    @Test func `All NaNs are the same value`() {
        let signalling = DocumentValue.double(Double(bitPattern: 0x7ff4_0000_0000_0001))
        #expect(signalling == .double(.nan))
        #expect(DocumentValue.double(-Double.nan) == .double(.nan))
        #expect(Set([signalling, .double(.nan), .double(-Double.nan)]).count == 1)
    }

    @Test func `Random values are equal if and only if they have the same body`() throws {
        var generator = DocumentGenerator()
        var names = FieldNames()
        for _ in 0..<500 {
            let (left, right) = (generator.value(depth: 1), generator.value(depth: 1))
            let leftBody = try BodyEncoder.encode(left, names: &names)
            let sameBody = try leftBody == BodyEncoder.encode(right, names: &names)
            #expect((left == right) == sameBody, "seed \(generator.seed)")
            if sameBody { #expect(left.hashValue == right.hashValue, "seed \(generator.seed)") }
        }
    }

    @Test func `Literals create values of the kind they are written as`() {
        let value: DocumentValue = [
            "null": nil, "bool": true, "int": 1, "double": 1.0, "string": "x", "array": [1, "x", nil], "object": [:],
        ]
        #expect(
            value.objectValue?.map(\.value.kind) == [.null, .bool, .int, .double, .string, .array, .object])
    }

    @Test func `An accessor returns a value only for its own kind`() {
        let values: [DocumentValue] = [
            nil, true, 7, 1.5, "x", .bytes([1]), .date(DocumentDate(milliseconds: 1)), [1], ["a": 1],
            .attachment(Attachments.image),
        ]
        #expect(values.map(\.kind) == DocumentValue.Kind.allCases)
        #expect(values.map(\.isNull) == [true] + Array(repeating: false, count: 9))
        #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.intValue) == [nil, nil, 7, nil, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.doubleValue) == [nil, nil, nil, 1.5, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.numberValue) == [nil, nil, 7, 1.5, nil, nil, nil, nil, nil, nil])
        #expect(values.map(\.stringValue) == [nil, nil, nil, nil, "x", nil, nil, nil, nil, nil])
        #expect(values.map(\.bytesValue) == [nil, nil, nil, nil, nil, [1], nil, nil, nil, nil])
        #expect(values.compactMap(\.dateValue) == [DocumentDate(milliseconds: 1)])
        #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, nil, nil, nil, [1], nil, nil])
        #expect(values.map(\.objectValue) == [nil, nil, nil, nil, nil, nil, nil, nil, ["a": 1], nil])
        #expect(values.compactMap(\.attachmentValue) == [Attachments.image])
    }

    @Test func `Parts are accessed by name and index, and are nil if missing`() {
        let value: DocumentValue = ["gps": ["lat": 40.5], "keywords": ["a", "b"], "none": nil]
        #expect(value["gps"]?["lat"] == 40.5)
        #expect(value["keywords"]?[1] == "b")
        #expect(value["keywords"]?[2] == .none)
        #expect(value["keywords"]?[-1] == .none)
        #expect(value["none"] == .some(.null))
        #expect(value["absent"] == .none)
        #expect(value["keywords"]?["a"] == .none)
        #expect(value[0] == .none)
    }

    @Test func `Setting a part changes it in place, adds it or removes it`() {
        var value: DocumentValue = ["gps": ["lat": 40.5], "rating": 1]
        value["gps"]?["lon"] = -73.5
        value["rating"] = 5
        value["title"] = "x"
        #expect(value == ["gps": ["lat": 40.5, "lon": -73.5], "rating": 5, "title": "x"])
        value["gps"] = .none
        value["absent"] = .none
        #expect(value == ["rating": 5, "title": "x"])
        value["rating"] = .some(.null)
        #expect(value == ["rating": nil, "title": "x"])
    }

    @Test func `Setting a member of a value that is not an object is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            var value: DocumentValue = 1
            value["a"] = 2
        }
    }

    @Test func `The deepest value is compared, hashed, written and freed on a small stack`() throws {
        var nested: DocumentValue = [:]
        for level in 1..<DocumentValue.maximumDepth { nested = level % 2 == 0 ? ["$lit": nested] : [nested] }
        let value = nested
        let isSound = withSmallStack {
            // A separate copy of all parts, so that nothing is equal by sharing memory, and everything is freed here.
            var names = FieldNames()
            guard let body = try? BodyEncoder.encode(value, names: &names),
                let copy = try? BodyDecoder.decode(body, names: names)
            else { return false }
            let writer = JSONWriter(layout: .pretty, notation: .dump)
            guard let parsed = try? DocumentValue(json: copy.json(writer), notation: .dump) else { return false }
            return parsed == copy && Set([parsed]).contains(value)
        }
        #expect(isSound == true)
    }
}
