import DocumentModel
import Foundation
import Testing

@Suite struct DocumentDecoderTests {
    private func decode<T: Decodable>(_ type: T.Type, _ value: DocumentValue) throws -> T {
        try DocumentDecoder().decode(type, from: value)
    }

    @Test func `Numbers of a different type are decoded if no information is lost`() throws {
        #expect(try decode(Int.self, 3.0) == 3)
        #expect(try decode(UInt8.self, 255.0) == 255)
        #expect(try decode(Double.self, 3) == 3.0)
        #expect(try decode(Double.self, .int(1 << 53)) == 0x1p53)
        #expect(try decode(Float.self, 0.1) == 0.1)
        #expect(try decode(Float.self, .double(.infinity)) == .infinity)
        #expect(try decode([Int].self, [1, 2.0]) == [1, 2])
        for (value, type) in [
            (2.5, Int.self), (.double(.nan), Int.self), (256, UInt8.self), (-1, UInt.self), (256.0, UInt8.self),
            (.double(0x1p63), Int64.self), (.int(1 << 53 + 1), Double.self), (.double(1e300), Float.self),
        ] as [(DocumentValue, any Decodable.Type)] {
            let error = #expect(throws: DecodingError.self) { try decode(type, value) }
            guard case .dataCorrupted = error else {
                Issue.record("\(value) as \(type): \(String(describing: error))")
                continue
            }
        }
    }

    @Test func `Dates are also decoded from strings, as UTC if they have no time zone`() throws {
        let date = Date(timeIntervalSince1970: 1.5)
        #expect(try decode(Date.self, .date(DocumentDate(milliseconds: 1500))) == date)
        #expect(try decode(Date.self, "1970-01-01T01:00:01.500+01:00") == date)
        #expect(try decode(DocumentDate.self, "1970-01-01T01:00:01.500+01:00").offsetMinutes == 60)
        #expect(throws: DecodingError.self) { try decode(Date.self, "yesterday") }
        #expect(throws: DecodingError.self) { try decode(Date.self, 1500) }
    }

    struct Photo: Codable, Equatable {
        struct Place: Codable, Equatable {
            var lat: Double
            var name: String?
        }

        var id: String
        var rating: Int?
        var places: [Place]
        var tags: [String: URL]?
    }

    static let failures: [(DocumentValue, String, String)] = [
        ([:], "keyNotFound", ""), (["id": 1, "places": []], "typeMismatch", "id"),
        (["id": nil, "places": []], "valueNotFound", "id"), (["id": "a", "places": 1], "typeMismatch", "places"),
        (["id": "a", "places": [["lat": 1], ["lat": "x"]]], "typeMismatch", "places.1.lat"),
        (["id": "a", "places": [["lat": 1], [:]]], "keyNotFound", "places.1"),
        (["id": "a", "places": [3]], "typeMismatch", "places.0"),
        (["id": "a", "rating": 2.5, "places": []], "dataCorrupted", "rating"),
        (["id": "a", "places": [], "tags": ["x": 1]], "typeMismatch", "tags.x"),
        ([1], "typeMismatch", ""), (nil, "valueNotFound", ""),
    ]

    @Test(arguments: failures) func `A decoding error has its kind and its coding path`(
        value: DocumentValue, kind: String, path: String
    ) {
        let error = #expect(throws: DecodingError.self) { try decode(Photo.self, value) }
        let found: (String, DecodingError.Context)? =
            switch error {
            case .keyNotFound(_, let context): ("keyNotFound", context)
            case .valueNotFound(_, let context): ("valueNotFound", context)
            case .typeMismatch(_, let context): ("typeMismatch", context)
            case .dataCorrupted(let context): ("dataCorrupted", context)
            default: nil
            }
        #expect(found?.0 == kind)
        let names = found?.1.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        #expect(names?.joined(separator: ".") == path)
        #expect(found?.1.debugDescription.isEmpty == false)
    }

    @Test func `Missing and null members decode as nil, and unknown members are ignored`() throws {
        let photo = Photo(id: "a", rating: nil, places: [], tags: nil)
        #expect(try decode(Photo.self, ["id": "a", "places": [], "unknown": .bytes([1])]) == photo)
        #expect(try decode(Photo.self, ["id": "a", "rating": nil, "places": [], "tags": nil]) == photo)
    }

    @Test func `Only their string forms decode as UUID and URL`() {
        #expect(throws: DecodingError.self) { try decode(UUID.self, "00010203") }
        #expect(throws: DecodingError.self) { try decode(UUID.self, 1) }
        #expect(throws: DecodingError.self) { try decode(URL.self, "") }
        #expect(throws: DecodingError.self) { try decode(Data.self, "AA==") }
        #expect(throws: DecodingError.self) { try decode(DocumentID.self, true) }
        #expect(throws: DecodingError.self) { try decode(DocumentObject.self, []) }
    }

    /// Reads an array by hand, in irregular ways.
    struct ByHand: Decodable {
        var found: [String] = []

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                if try container.decodeNil() {
                    found.append("nil")
                } else if let number = try? container.decode(Int.self) {
                    found.append("\(number)")
                } else if let nested = try? container.nestedContainer(keyedBy: Key.self) {
                    found.append(nested.allKeys.map(\.stringValue).joined(separator: "+"))
                } else {
                    var inner = try container.nestedUnkeyedContainer()
                    found.append("\(inner.count ?? -1): \(try inner.decode(String.self))")
                }
            }
            #expect(throws: DecodingError.self) { try container.decode(Int.self) }
            #expect(throws: DecodingError.self) { try container.decodeNil() }
        }

        enum Key: String, CodingKey { case a, b }
    }

    @Test func `An element that failed to decode can be decoded as another type`() throws {
        let value: DocumentValue = [1, nil, ["a": 1, "x": 2, "b": 3], ["text"], 5]
        #expect(try decode(ByHand.self, value).found == ["1", "nil", "a+b", "1: text", "5"])
    }

    @Test func `userInfo reaches the encoded and decoded types`() throws {
        struct Asking: Codable {
            init() {}
            init(from decoder: any Decoder) throws { try #require(decoder.userInfo.values.first as? Int == 5) }
            func encode(to encoder: any Encoder) throws { try #require(encoder.userInfo.values.first as? Int == 5) }
        }
        let key = try #require(CodingUserInfoKey(rawValue: "k"))
        var encoder = DocumentEncoder()
        encoder.userInfo[key] = 5
        #expect(try encoder.encode([Asking()]) == [[:]])
        var decoder = DocumentDecoder()
        decoder.userInfo[key] = 5
        _ = try decoder.decode([Asking].self, from: [[:]])
    }
}
