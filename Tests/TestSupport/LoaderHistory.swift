public import DocIndex
public import LevelKit

/// A row of commits to a store of photos and albums, each of which follows from its number alone, so that what the store
/// holds after any number of them can be told.
///
/// Each commit puts its number into an album, and puts or deletes some photos. Schemas and migrations have numbers as
/// well; they may come at any time between the commits, or while they are made.
public enum LoaderHistory {
    /// What a store holds for its users: how many commits were made, and the photos without the member that migrations
    /// set.
    public struct State: Hashable, Sendable {
        /// Commits that were made.
        public private(set) var commitCount = 0
        /// The photos.
        public private(set) var photos: [DocumentID: DocumentObject] = [:]

        /// The state of a store that is empty.
        public init() {}

        /// Reads a store.
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

        /// Does what the next commit does.
        public mutating func advance() {
            commitCount += 1
            for (id, content) in LoaderHistory.edits(commitCount) { photos[id] = content }
        }
    }

    private static let words = ["fog", "rain", "sea", "harbour", "bridge", "night", "snow"]
    private static let photoCount = 1200

    /// A schema; they come in turn, and each changes some indexes of the one before, and keeps others.
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
        return Schema(
            version: number + 1,
            collections: [CollectionDefinition("photos", indexes: indexes), CollectionDefinition("albums")])
    }

    /// The first migrations, each of which writes its number into every photo.
    public static func migrations(_ count: Int) -> [Migration] {
        (0..<count).map { number in
            Migration("form \(number + 1)", of: "photos") { photo in
                var photo = photo
                if (photo["form"]?.intValue ?? 0) <= Int64(number) { photo["form"] = .int(Int64(number + 1)) }
                return photo
            }
        }
    }

    /// Makes a commit.
    ///
    /// - Parameter number: the first is 1.
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

    /// What a commit makes of photos, each once; `nil` deletes one.
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
