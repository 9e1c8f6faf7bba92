public import DocIndex
public import LevelKit

/// A sequence of commits to a store of photos and albums. Each commit is determined by its number alone, so the content
/// of the store after any number of commits is known.
///
/// Each commit writes its number to an album, and puts or deletes some photos. Schemas and migrations are also
/// numbered. They may run between commits or concurrently with them.
public enum LoaderHistory {
    /// The visible content of a store: the number of commits, and the photos without the field that migrations set.
    public struct State: Hashable, Sendable {
        /// The number of commits.
        public private(set) var commitCount = 0
        /// The photos.
        public private(set) var photos: [DocumentID: DocumentObject] = [:]

        /// Creates the state of an empty store.
        public init() {}

        /// Reads the state of a store.
        public init(of store: DocumentStore) throws {
            let snapshot = try store.snapshot()
            for collection in snapshot.collections {
                if collection.name == "albums" {
                    commitCount = try collection.document("last")?.content["commit"]?.intValue.map { Int($0) } ?? 0
                } else {
                    try collection.forEach { document in
                        var content = document.content
                        content.removeValue(forName: "form")
                        photos[document.id] = content
                    }
                }
            }
        }

        /// Applies the next commit.
        public mutating func advance() {
            commitCount += 1
            for (id, content) in LoaderHistory.edits(commitCount) { photos[id] = content }
        }
    }

    private static let words = ["fog", "rain", "sea", "harbour", "bridge", "night", "snow"]
    private static let photoCount = 1200

    /// Returns a schema. Schemas rotate; each changes some indexes of the previous one and keeps the others.
    public static func schema(_ number: Int) -> Schema {
        let counted: IndexDefinition =
            number % 2 == 0
            ? .value("rating", on: "rating", counts: true)
            : .value("rating", on: "rating", "year", counts: true)
        let text: IndexDefinition =
            switch number % 3 {
            case 0: .text("text", on: "caption")
            case 1: .text("text", on: "caption", "title")
            default: .text("text", on: .field("caption", weight: 2, analyzer: .language(.english)), "title")
            }
        var indexes: [IndexDefinition] = [
            .value("checksum", on: "checksum", unique: true), counted, text, .value("year", on: "year"),
        ]
        if number % 2 == 1 { indexes.append(.value("tags", on: "tags[]", counts: true)) }
        // On and off, with other bounds.
        let histories: [CollectionDefinition.History?] = [
            CollectionDefinition.History(versions: 4), CollectionDefinition.History(age: .days(1), versions: 2), nil,
        ]
        return Schema(
            version: number + 1,
            collections: [
                CollectionDefinition("photos", history: histories[number % 3], indexes: indexes),
                CollectionDefinition("albums", history: CollectionDefinition.History(versions: 10)),
            ])
    }

    /// Returns the first `count` migrations, each of which writes its number to every photo.
    public static func migrations(_ count: Int) -> [Migration] {
        (0..<count).map { number in
            Migration("form \(number + 1)", of: "photos") { photo in
                var photo = photo
                if (photo["form"]?.intValue ?? 0) <= Int64(number) { photo["form"] = .int(Int64(number + 1)) }
                return photo
            }
        }
    }

    /// Performs a commit.
    ///
    /// - Parameter number: The number of the commit, counting from 1.
    public static func perform(_ number: Int, on store: DocumentStore, durability: Durability = .buffered) throws {
        try store.write(durability: durability) { transaction in
            try transaction.put(["id": "last", "commit": .int(Int64(number))], in: "albums")
            for (id, content) in edits(number) {
                if let content {
                    try transaction.put(content, in: "photos")
                } else {
                    try transaction.delete(id, in: "photos")
                }
            }
        }
    }

    /// The photos that a commit changes, each at most once; `nil` deletes a photo.
    private static func edits(_ number: Int) -> [(id: DocumentID, content: DocumentObject?)] {
        var random = SplitMix64(seed: UInt64(number))
        var edits: [(id: DocumentID, content: DocumentObject?)] = []
        let count = number % 10 == 1 ? 60 : 1 + random.number(below: 5)
        for position in 0..<count {
            let id = DocumentID.int(Int64((number * 61 + position * 7) % photoCount))
            edits.append((id, random.once(in: 6) ? nil : photo(id, number, &random)))
        }
        return edits
    }

    private static func photo(_ id: DocumentID, _ number: Int, _ random: inout SplitMix64) -> DocumentObject {
        [
            "id": id.value, "checksum": .string("\(number)/\(id)"),
            "year": .int(Int64(1900 + random.number(below: 30))),
            "rating": .int(Int64(random.number(below: 6))),
            "tags": [.string(random.pick(words)), .string(random.pick(words))],
            "caption": .string(random.pick(words) + " " + random.pick(words)), "title": .string(random.pick(words)),
        ]
    }
}
