import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Migrations that are run, interrupted and resumed.
@Suite struct MigrationTests {
    struct Stop: Error {}

    static let schema = Schema(collections: [
        CollectionDefinition(
            "photos",
            indexes: [
                .value("rating", on: "rating", counts: true), .value("stars", on: "stars", counts: true),
                .text("text", on: "title"),
            ]),
        CollectionDefinition("albums"),
    ])

    static let starsBecomeRating = Migration("stars become rating", of: "photos", drops: ["stars"]) { photo in
        var photo = photo
        guard let stars = photo.removeValue(forName: "stars") else { return photo }
        photo["rating"] = stars
        return photo
    }

    static let titlesGrow = Migration("titles grow", of: "photos") { photo in
        guard let title = photo["title"]?.stringValue, !title.hasSuffix(" picture") else { return photo }
        var photo = photo
        photo["title"] = .string(title + " picture")
        return photo
    }

    static let unratedGo = Migration("unrated go", of: "photos", deletesDocuments: true) { photo in
        photo["rating"] == 0 ? nil : photo
    }

    static let all = [starsBecomeRating, titlesGrow, unratedGo]

    static func fill(_ store: DocumentStore, count: Int = 1000) throws {
        try store.write { transaction in
            for id in 0..<count {
                try transaction.put(
                    ["id": .int(Int64(id)), "stars": .int(Int64(id % 6)), "title": .string("number \(id % 9)")],
                    in: "photos")
            }
        }
    }

    static func documents(_ store: DocumentStore) throws -> [DocumentObject] {
        var contents: [DocumentObject] = []
        try store.collection("photos").forEach { contents.append($0.content) }
        return contents
    }

    /// Migrates and stops after a number of slices.
    static func begin(
        _ migrations: [Migration], of store: DocumentStore, slices: Int, checkpoint: String? = nil
    ) throws {
        var count = 0
        #expect(throws: Stop.self) {
            try store.migrate(migrations, checkpoint: checkpoint) { _ in
                count += 1
                if count == slices { throw Stop() }
            }
        }
        try expectSound(store)
    }

    // MARK: - Running to completion

    @Test func `Migrations run in order, once each`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try Self.fill(store)
            var steps: [String] = []
            var report = try store.migrate(Self.all) { progress in
                steps.append("\(progress.name) \(progress.row)/\(progress.lastRow)")
                try expectSound(store)
            }
            #expect(report.names == ["stars become rating", "titles grow", "unrated go"])
            #expect(report.changedCount == 2000 && report.deletedCount == 167 && report.checkpointPath == nil)
            #expect(
                steps
                    == Self.all.flatMap { migration in
                        [256, 512, 768, 1000].map { "\(migration.name) \($0)/1000" }
                    })
            #expect(try store.collection("photos").count() == 833)
            #expect(
                try store.collection("photos").document(8)?.content
                    == ["id": 8, "title": "number 8 picture", "rating": 2])
            report = try store.migrate(Self.all)
            #expect(report == Migration.Report())
        }
    }

    @Test func `Indexes are updated in the same commits as migrated documents`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try Self.fill(store)
            let photos = try store.collection("photos")
            try store.migrate(Self.all) { _ in
                try expectSound(store)
                for value in [1, 4] {
                    let rated = try photos.find("rating = \(value)").count
                    #expect(try rated + photos.find("stars = \(value)").count == (value == 1 ? 167 : 166))
                }
            }
            #expect(try photos.find("stars exists").isEmpty)
            #expect(try photos.search("picture", limit: nil).count == 833)
        }
    }

    @Test func `The result of a migration is the same wherever and however often it is interrupted`() throws {
        var whole: [DocumentObject] = []
        try withTemporaryStore(schema: Self.schema) { store in
            try Self.fill(store)
            try store.migrate(Self.all)
            whole = try Self.documents(store)
        }
        // Interrupted after each slice, in one process and in many.
        for reopens in [false, true] {
            try withTemporaryDirectory { directory in
                var store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
                try Self.fill(store)
                var (names, count) = ([String](), 0)
                while count < 100 {
                    do {
                        names += try store.migrate(Self.all) { _ in throw Stop() }.names
                        break
                    } catch is Stop {}
                    try expectSound(store)
                    count += 1
                    guard reopens else { continue }
                    try store.close()
                    store = try DocumentStore.open(at: directory + "/s")
                }
                // Only the last migration was not interrupted.
                #expect(count == 12)
                #expect(try Self.documents(store) == whole)
                #expect(try store.migrate(Self.all) == Migration.Report())
                try expectSound(store)
                try store.close()
            }
        }
    }

    @Test func `Documents stored during a migration are not migrated, and edited ones keep their edits`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try Self.fill(store)
            let photos = try store.collection("photos")
            var isFirst = true
            try store.migrate([Self.starsBecomeRating]) { progress in
                #expect(progress.lastRow == 1000)
                guard isFirst else { return }
                isFirst = false
                try photos.put(["id": 5000, "stars": 3])
                // Before and after the position of the migration.
                try photos.put(["id": 10, "stars": 5, "title": "again"])
                try photos.put(["id": 900, "stars": 5, "title": "later"])
                try photos.delete(11)
                try photos.delete(901)
            }
            #expect(try photos.document(5000)?.content == ["id": 5000, "stars": 3])
            #expect(try photos.document(10)?.content == ["id": 10, "stars": 5, "title": "again"])
            #expect(try photos.document(900)?.content == ["id": 900, "title": "later", "rating": 5])
            #expect(try photos.count() == 999)
        }
    }

    @Test func `A migration and an unfinished index build do not interfere with each other`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try Self.fill(store)
            var more = Self.schema
            more.collections[0].indexes.append(.value("title", on: "title", "rating", counts: true))
            try OnlineBuildTests.begin(more, of: store, slices: 2)
            try Self.begin(Self.all, of: store, slices: 3)
            try store.finishSchemaChange { _ in try expectSound(store) }
            try expectSound(store)
            try store.migrate(Self.all)
            #expect(try store.collection("photos").find("title ^= number and rating = 4").count == 166)
        }
    }

    @Test func `A migration of an empty collection completes immediately`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let report = try store.migrate([Migration("albums", of: "albums") { $0 }, Self.titlesGrow])
            #expect(report.names == ["albums", "titles grow"] && report.changedCount == 0)
        }
    }

    @Test func `An error thrown by a migration rolls back its slice, and the migration can resume`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try Self.fill(store)
            let failing = Migration("stars become rating", of: "photos", drops: ["stars"]) { photo in
                if photo["id"] == 600 { throw Stop() }
                return try Self.starsBecomeRating.transform(photo)
            }
            #expect(throws: Stop.self) { try store.migrate([failing]) }
            try expectSound(store)
            #expect(try store.collection("photos").find("rating exists").count == 512)
            try store.migrate([Self.starsBecomeRating])
            #expect(try store.collection("photos").find("rating exists").count == 1000)
        }
    }
}
