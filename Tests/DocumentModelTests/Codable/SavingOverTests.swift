import DocumentModel
import Foundation
import Testing

/// Members of a stored document that a type does not know survive when its values are saved.
@Suite struct SavingOverTests {
    struct Photo: Codable {
        struct Place: Codable {
            var lat: Double
            var name: String?
        }

        var id: String
        var rating: Int?
        var place: Place?
        var people: [Place]?
        var names: [String: String]?
    }

    private func save(_ value: some Encodable, over stored: DocumentObject) throws -> DocumentObject {
        try DocumentEncoder().merge(saving: value, over: stored)
    }

    static let photos: [(DocumentObject, @Sendable (inout Photo) -> Void, DocumentObject)] = [
        // Unknown members keep their positions, at any depth.
        (
            ["x": 1, "id": "a", "place": ["z": [1], "lat": 2.5, "name": "n"], "y": nil],
            { $0.rating = 3 },
            ["x": 1, "id": "a", "place": ["z": [1], "lat": 2.5, "name": "n"], "y": nil, "rating": 3]
        ),
        // A value that is now nil is removed, even if null was stored.
        (
            ["id": "a", "rating": 4, "place": ["z": [1], "lat": 2.5, "name": "n"], "y": true],
            {
                $0.rating = nil
                $0.place?.name = nil
                $0.place?.lat = 3
            },
            ["id": "a", "place": ["z": [1], "lat": 3.0], "y": true]
        ),
        (["id": "a", "rating": nil, "place": nil], { _ in }, ["id": "a"]),
        (["id": "a", "place": ["lat": 1.5, "z": 1], "y": 2], { $0.place = nil }, ["id": "a", "y": 2]),
        // Arrays are replaced.
        (
            ["id": "a", "people": [["lat": 1.5, "name": "n", "z": 1]]],
            { $0.people?.append(Photo.Place(lat: 2.5)) },
            ["id": "a", "people": [["lat": 1.5, "name": "n"], ["lat": 2.5]]]
        ),
        // A dictionary knows every key.
        (
            ["id": "a", "names": ["de": "Hafen", "en": "Harbour"]],
            { $0.names = ["fr": "Port", "en": "Harbor"] }, ["id": "a", "names": ["en": "Harbor", "fr": "Port"]]
        ),
        // If no object is stored, there is nothing to keep.
        (["id": "a"], { $0.place = Photo.Place(lat: 1) }, ["id": "a", "place": ["lat": 1.0]]),
    ]

    @Test(arguments: photos.indices) func `Saving changes known members and keeps the others`(_ number: Int) throws {
        let (stored, change, expected) = Self.photos[number]
        var photo = try DocumentDecoder().decode(Photo.self, from: stored)
        change(&photo)
        let saved = try save(photo, over: stored)
        #expect(saved.description == expected.description)
        #expect(saved == expected)
    }

    @Test func `Saving an unmodified value over its document changes nothing`() throws {
        let stored: DocumentObject = [
            "q": .bytes([1]), "id": "a", "rating": 5, "place": ["u": 1.0, "lat": 7, "name": "n"], "names": ["a": "b"],
        ]
        #expect(try save(DocumentDecoder().decode(Photo.self, from: stored), over: stored) == stored)
    }

    @Test func `A date of the same instant keeps its time zone, and a new one is in UTC`() throws {
        struct Taken: Codable { var taken: Date }
        let zoned = try #require(DocumentDate(milliseconds: 1000, offsetMinutes: 120))
        for date in [DocumentDate(milliseconds: 1000), zoned] {
            let stored: DocumentObject = ["taken": .date(date)]
            var taken = try DocumentDecoder().decode(Taken.self, from: stored)
            #expect(try save(taken, over: stored) == stored)
            taken.taken += 1
            #expect(try save(taken, over: stored) == ["taken": .date(DocumentDate(utcMilliseconds: 2000))])
        }
    }

    enum Choice: Codable {
        case line(length: Int)
        case circle(radius: Double)
    }

    @Test func `Saving an enumeration replaces its previous case`() throws {
        struct Shape: Codable { var choice: Choice }
        let stored: DocumentObject = ["choice": ["line": ["length": 3, "colour": "red"], "note": 1]]
        #expect(
            try save(Shape(choice: .circle(radius: 1.5)), over: stored)
                == ["choice": ["note": 1, "circle": ["radius": 1.5]]])
        #expect(
            try save(Shape(choice: .line(length: 4)), over: stored)
                == ["choice": ["line": ["length": 4, "colour": "red"], "note": 1]])
    }

    /// Keys created from any string, with no more encoded than the caller requests.
    struct Open: Encodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: Key(stringValue: "a"))
        }
    }

    @Test func `A type with open-ended keys knows every key`() throws {
        #expect(try save(Open(), over: ["a": 2, "b": 3]) == ["a": 1])
    }

    @Test func `Member names are compared by their bytes`() throws {
        struct Accent: Codable { var é: Int? }
        let stored: DocumentObject = ["e\u{301}": 1, "\u{e9}": 2]
        #expect(try save(Accent(é: nil), over: stored) == ["e\u{301}": 1])
    }

    @Test func `Nested containers are saved over the stored ones`() throws {
        struct ByHand: Encodable {
            enum Keys: CodingKey { case a, b, c }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .b)
                try nested.encode(1, forKey: .a)
                try container.encodeIfPresent(nil as Int?, forKey: .c)
                try nested.encodeIfPresent(nil as [Int]?, forKey: .c)
            }
        }
        #expect(
            try save(ByHand(), over: ["u": 0, "c": 1, "b": ["v": 2, "c": [3], "a": 4], "a": 5])
                == ["u": 0, "b": ["v": 2, "a": 1]])
    }
}
