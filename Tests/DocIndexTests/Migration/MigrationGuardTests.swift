import DocIndex
import LevelKit
import TestSupport
import Testing

/// Migrations that would lose data, and stop before they do.
@Suite struct MigrationGuardTests {
    static let document: DocumentObject = [
        "id": 7, "title": "Fog", "tags": ["a", "b"], "exif": ["model": "M6", "lens": ["name": "f"]],
        "people": [["name": "Ann", "age": 5], ["name": "Bob"]], "note": nil, "empty": .object([:]),
        "one": [["name": "Cid"]],
    ]

    /// Changes made to every document, and what each would lose.
    static let losses: [(name: String, lost: String, change: @Sendable (inout DocumentObject) -> Void)] = [
        ("a member", "title", { $0.removeValue(forName: "title") }),
        ("a text", "title", { $0["title"] = .null }),
        ("a text, for an empty one", "title", { $0["title"] = "" }),
        ("a text, for no elements", "title", { $0["title"] = [] }),
        ("a text, for no members", "title", { $0["title"] = .object([:]) }),
        ("the only element", "one", { $0["one"] = "Cid" }),
        ("a member of the only element", "one.name", { $0["one"] = ["age": 5] }),
        ("a member of a member", "exif.lens.name", { $0["exif"] = ["model": "M6", "lens": .object([:])] }),
        ("an object", "exif.lens", { $0["exif"] = ["model": "M6", "lens": "f"] }),
        ("an element", "tags[]", { $0["tags"] = ["a"] }),
        ("an array", "tags", { $0["tags"] = "a" }),
        ("a member of an element", "people[].age", { $0["people"] = [["name": "Ann"], ["name": "Bob"]] }),
        ("null", "note", { $0.removeValue(forName: "note") }),
    ]

    private static func withStore(_ body: (DocumentStore) throws -> Void) throws {
        let schema = Schema(collections: [
            CollectionDefinition("photos", indexes: [.value("title", on: "title", counts: true)])
        ])
        try withTemporaryStore(schema: schema) { store in
            for id in [1, 7] {
                var document = document
                document["id"] = .int(Int64(id))
                try store.collection("photos").put(document)
            }
            let before = try StoreContent(of: store)
            let sequence = try store.sequence()
            try body(store)
            // Nothing in the slice is changed, not even documents before the one that stopped it.
            #expect(try StoreContent(of: store) == before)
            #expect(try store.sequence() == sequence)
        }
    }

    private static func expectRefusal(
        _ migration: Migration, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withStore { store in
            let error = expectFailure(.migrationFailed, sourceLocation: sourceLocation) {
                try store.migrate([migration])
            }
            #expect(error?.message == message, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: losses.indices) func `An undeclared loss stops the migration`(number: Int) throws {
        let (name, lost, change) = Self.losses[number]
        let migration = Migration("lose \(name)", of: "photos") { photo in
            var photo = photo
            if photo["id"] == 7 { change(&photo) } else { photo["new"] = true }
            return photo
        }
        try Self.expectRefusal(
            migration,
            "the migration lose \(name) stopped at the document 7: it would lose \(lost); keep it, or declare it in "
                + "drops")
    }

    @Test(arguments: losses.indices) func `A migration may drop what it declares`(number: Int) throws {
        let (name, lost, change) = Self.losses[number]
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("photos")])) { store in
            let photos = try store.collection("photos")
            try photos.put(Self.document)
            var expected = Self.document
            change(&expected)
            let drops = [try FieldPath(parsing: lost)]
            try store.migrate([
                Migration("lose \(name)", of: "photos", drops: drops) { photo in
                    var photo = photo
                    change(&photo)
                    return photo
                }
            ])
            #expect(try photos.document(7)?.content == expected)
        }
    }

    @Test func `A migration that does not declare deletions deletes no documents`() throws {
        try Self.expectRefusal(
            Migration("clean", of: "photos") { $0["id"] == 7 ? nil : $0 },
            "the migration clean stopped at the document 7: it would delete the document; return it, or declare "
                + "deletesDocuments")
    }

    @Test func `A migration cannot change a document's ID`() throws {
        try Self.expectRefusal(
            Migration("number", of: "photos") { photo in
                var photo = photo
                if photo["id"] == 7 { photo["id"] = 8 }
                return photo
            }, "the migration number stopped at the document 7: it would change the document's ID; keep the ID")
    }

    @Test func `A migration that would change its own result again is rejected`() throws {
        try Self.expectRefusal(
            Migration("grow", of: "photos") { photo in
                var photo = photo
                photo["tags"] = .array((photo["tags"]?.arrayValue ?? []) + ["more"])
                return photo
            },
            "the migration grow stopped at the document 1: it would change its own result again; make it "
                + "idempotent")
        // Nor may it delete in the second pass what it changed in the first.
        try Self.expectRefusal(
            Migration("hide", of: "photos", deletesDocuments: true) { photo in
                if photo["hidden"] != nil { return nil }
                var photo = photo
                photo["hidden"] = true
                return photo
            },
            "the migration hide stopped at the document 1: it would change its own result again; make it "
                + "idempotent")
    }

    @Test func `Migrations compare values by bytes, including NaN and equivalent Unicode strings`()
        throws
    {
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("photos")])) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": 1, "number": .double(.nan), "title": "e\u{301}"])
            let compose = Migration("compose", of: "photos") { photo in
                var photo = photo
                photo["title"] = "\u{e9}"
                return photo
            }
            #expect(try store.migrate([compose]).changedCount == 1)
            #expect(try photos.document(1)?.content["title"]?.stringValue.map { Array($0.utf8) } == [0xc3, 0xa9])
            #expect(try store.migrate([compose, Migration("nothing", of: "photos") { $0 }]).changedCount == 0)
        }
    }
}
