import DocumentModel
import Foundation
import Testing

@Suite struct DocumentEncoderTests {
    struct Everything: Codable, Equatable {
        var flag = true
        var text = "é"
        var small: Int8 = -128
        var large: UInt64 = UInt64(Int64.max)
        var whole = 1.0
        var single: Float = 0.1
        var none: Int?
        var some: Int? = 7
        var date = Date(timeIntervalSince1970: 1_339_171_331.25)
        var data = Data([0, 255])
        var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
        var url = URL(string: "https://example.org/a?b=c#d")
        var list: [Int?] = [1, nil, 3]
        var nested = Nested()
        var named = ["x": Nested()]
        var value: DocumentValue = ["order": ["z": 1, "a": 2.0], "bytes": .bytes([1])]
        var object: DocumentObject = ["k": nil]
        var taken = DocumentDate(milliseconds: 5)
        var id: DocumentID = 9
        var choice = Choice.pair(1, second: "b")
        var wrapped = Wrapped(value: 4)
    }

    struct Nested: Codable, Equatable {
        var a = 1
        var b: [[String]] = [[], ["x"]]
    }

    enum Choice: Codable, Equatable {
        case empty
        case pair(Int, second: String)
    }

    struct Wrapped: Codable, Equatable {
        var value: Int

        init(value: Int) { self.value = value }

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    static let everything: DocumentObject = [
        "flag": true, "text": "é", "small": -128, "large": .int(.max), "whole": 1.0,
        "single": .double(Double(Float(0.1))),
        "some": 7, "date": .date(DocumentDate(utcMilliseconds: 1_339_171_331_250)), "data": .bytes([0, 255]),
        "uuid": "00010203-0405-0607-0809-0a0b0c0d0e0f", "url": "https://example.org/a?b=c#d", "list": [1, nil, 3],
        "nested": ["a": 1, "b": [[], ["x"]]], "named": ["x": ["a": 1, "b": [[], ["x"]]]],
        "value": ["order": ["z": 1, "a": 2.0], "bytes": .bytes([1])], "object": ["k": nil],
        "taken": .date(DocumentDate(milliseconds: 5)), "id": 9, "choice": ["pair": ["_0": 1, "second": "b"]],
        "wrapped": 4,
    ]

    @Test func `Each type has its encoding, keeps declaration order, and round-trips`() throws {
        let encoded = try DocumentEncoder().encodeObject(Everything())
        #expect(encoded.description == Self.everything.description)
        #expect(encoded == Self.everything)
        #expect(try DocumentDecoder().decode(Everything.self, from: encoded) == Everything())
    }

    @Test func `Top-level values can be encoded, but are not documents`() throws {
        #expect(try DocumentEncoder().encode(5) == 5)
        #expect(try DocumentEncoder().encode(["a", nil]) == ["a", nil])
        #expect(try DocumentEncoder().encode(Data([1])) == .bytes([1]))
        #expect(try DocumentEncoder().encode(nil as Int?) == nil)
        #expect(try DocumentEncoder().encode(Wrapped(value: 3)) == 3)
        struct Empty: Codable {}
        #expect(try DocumentEncoder().encodeObject(Empty()) == [:])
        #expect(throws: EncodingError.self) { try DocumentEncoder().encodeObject([1, 2]) }
    }

    @Test func `A value without an encoding is rejected with its coding path`() throws {
        struct Inner: Codable { var values: [UInt64] }
        struct Outer: Codable { var inner: [String: Inner] }
        struct When: Codable { var date: Date }
        let tooLarge = Outer(inner: ["k": Inner(values: [1, .max])])
        #expect(path(ofRefused: tooLarge) == "inner.k.values.1")
        let never = When(date: .distantFuture + 1e20)
        #expect(path(ofRefused: never) == "date")
        #expect(path(ofRefused: UInt64.max) == "")
        // An element is encoded on its own; see `Array.encode(to:)`.
        #expect(path(ofRefused: [UInt.max]) == "0")
    }

    private func path(ofRefused value: some Encodable) -> String? {
        let error = #expect(throws: EncodingError.self) { try DocumentEncoder().encode(value) }
        guard case .invalidValue(_, let context) = error else { return nil }
        return context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    class Animal: Codable {
        var legs = 4
    }

    final class Dog: Animal {
        var name = "Rex"

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            name = try container.decode(String.self, forKey: .name)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(name, forKey: .name)
        }

        enum Keys: CodingKey { case name }
    }

    @Test func `A superclass is encoded as a separate object`() throws {
        let dog = Dog()
        dog.legs = 3
        let encoded = try DocumentEncoder().encode(dog)
        #expect(encoded == ["super": ["legs": 3], "name": "Rex"])
        #expect(try DocumentDecoder().decode(Dog.self, from: encoded).legs == 3)
    }

    /// Containers that are created first and filled later, in another order.
    struct ByHand: Encodable {
        enum Keys: CodingKey { case first, list, deep, last }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var deep = container.nestedContainer(keyedBy: Keys.self, forKey: .deep)
            try container.encode(1, forKey: .first)
            try list.encode("a")
            var inner = list.nestedUnkeyedContainer()
            try list.encodeNil()
            try inner.encode(true)
            var object = list.nestedContainer(keyedBy: Keys.self)
            try deep.encodeNil(forKey: .last)
            try object.encode(2.5, forKey: .last)
            try container.encode(2, forKey: .first)
            var again = encoder.container(keyedBy: Keys.self)
            try again.encode("end", forKey: .last)
            #expect(list.count == 4)
        }
    }

    @Test func `Nested containers keep their positions whenever they are filled`() throws {
        let encoded = try DocumentEncoder().encodeObject(ByHand())
        #expect(
            encoded.description
                == #"{"list":["a",[true],null,{"last":2.5}],"deep":{"last":null},"first":2,"last":"end"}"#)
    }

    @Test func `Documents pass through other encoders as far as those support their values`() throws {
        let value: DocumentValue = ["a": [1, nil, true, 2.5, "x"], "d": .date(DocumentDate(milliseconds: 0))]
        let json = try JSONEncoder().encode(value)
        let again = try JSONDecoder().decode(DocumentValue.self, from: json)
        #expect(again["a"] == value["a"])
        #expect(again["d"] == "1970-01-01T00:00:00.000")
        #expect(try JSONDecoder().decode(DocumentID.self, from: Data("7".utf8)) == 7)
        #expect(try JSONDecoder().decode([DocumentObject].self, from: Data("[{}]".utf8)) == [[:]])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DocumentObject.self, from: Data("[1]".utf8)) }
    }
}
