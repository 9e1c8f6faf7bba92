import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex
@testable import DocumentModel

/// Versions of documents.
@Suite struct HistoryTests {
    static func schema(
        _ history: CollectionDefinition.History? = .init(versions: 100), indexes: [IndexDefinition] = []
    ) -> Schema {
        Schema(collections: [
            CollectionDefinition("photos", history: history, indexes: indexes), CollectionDefinition("notes"),
        ])
    }

    /// Runs `body` at a number of seconds since 1970, according to the clock of the history.
    @discardableResult
    static func at<R>(_ seconds: Int, _ body: () throws -> R) rethrows -> R {
        try StoreClock.$fixed.withValue(UInt64(seconds) * 1000, operation: body)
    }

    /// A version in one line, such as `2 at 60: 7`.
    static func lines(_ versions: [DocumentCollection.Version]) -> [String] {
        versions.map { version in
            let time = version.time.map { " at \(Int($0.timeIntervalSince1970))" } ?? ""
            return "\(version.sequence)\(time): \(version.document?["v"]?.json ?? "deleted")"
        }
    }

    @Test func `Every version of a document is kept, with its commit and its time`() throws {
        try withTemporaryStore(schema: Self.schema()) { store in
            let photos = try store.collection("photos")
            try Self.at(10) { try photos.put(["id": "a", "v": 1]) }
            try Self.at(20) { try photos.put(["id": "b", "v": 1]) }
            try Self.at(30) { try photos.update("a") { $0["v"] = 2 } }
            try Self.at(40) { try photos.delete("a") }
            try Self.at(50) { try photos.put(["id": "a", "v": 3]) }
            try Self.at(60) { try photos.put(["id": "a", "v": 3]) }
            #expect(
                Self.lines(try photos.history(of: "a")) == [
                    "5 at 50: 3", "4 at 40: deleted", "3 at 30: 2", "1 at 10: 1",
                ])
            #expect(Self.lines(try photos.history(of: "b")) == ["2 at 20: 1"])
            #expect(try photos.history(of: "c").isEmpty)
            #expect(Self.lines(try photos.history(of: "a", limit: 2)) == ["5 at 50: 3", "4 at 40: deleted"])
            #expect(Self.lines(try photos.history(of: "a", before: 4)) == ["3 at 30: 2", "1 at 10: 1"])
            #expect(try photos.history(of: "a", limit: 0).isEmpty)
            #expect(try photos.history(of: "a").first?.document == photos.document("a"))
        }
    }

    @Test func `A document can be read as of any commit`() throws {
        try withTemporaryStore(schema: Self.schema()) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "b"])
            try photos.put(["id": "a", "v": 1])
            try photos.update("a") { $0["v"] = 2 }
            try photos.delete("a")
            try photos.put(["id": "a", "v": 3])
            let values = try (0...5).map { try photos.document("a", at: $0)?["v"]?.json ?? "-" }
            #expect(values == ["-", "-", "1", "2", "-", "3"])
            #expect(try photos.document("a", at: 3)?.sequence == 3)
            #expect(try photos.document("unknown", at: 3) == nil)
            expectFailure(.notInHistory, containing: "6", "5") { try photos.document("a", at: 6) }
        }
    }

    @Test func `A snapshot has the history up to its moment`() throws {
        try withTemporaryStore(schema: Self.schema(.init(versions: 2))) { store in
            let photos = try store.collection("photos")
            for v in 1...3 { try photos.put(["id": "a", "v": .int(Int64(v))]) }
            let pinned = try #require(try store.snapshot().collections.first)
            for v in 4...40 { try photos.put(["id": "a", "v": .int(Int64(v))]) }
            #expect(try pinned.history(of: "a").map(\.sequence) == [3, 2, 1])
            #expect(try photos.history(of: "a").map(\.sequence) == [40, 39, 38])
        }
    }

    @Test func `A history that is switched on later begins with the existing documents`() throws {
        try withTemporaryStore(schema: Self.schema(nil)) { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            try photos.put(["id": "a", "v": 2])
            expectFailure(.notInHistory, containing: "photos", "schema") { try photos.history(of: "a") }
            expectFailure(.notInHistory) { try photos.document("a", at: 1) }
            expectFailure(.notInHistory) { try store.undo() }
            try store.apply(Self.schema())
            #expect(Self.lines(try photos.history(of: "a")) == ["2: 2"])
            try Self.at(30) { try photos.put(["id": "a", "v": 3]) }
            #expect(Self.lines(try photos.history(of: "a")) == ["3 at 30: 3", "2: 2"])
            #expect(try photos.document("a", at: 2)?["v"] == 2)
            expectFailure(.notInHistory, containing: "commit 1") { try photos.document("a", at: 1) }
        }
    }

    @Test func `A history that is switched off is deleted, and the store has its former format again`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/s")
            let store = try DocumentStore.open(on: database, schema: Self.schema(nil))
            let photos = try store.collection("photos")
            try photos.put(["id": "a", "v": 1])
            let plain = try #require(try database.value(forKey: StoreKey.catalogKey))
            try store.apply(Self.schema())
            let kept = try #require(try database.value(forKey: StoreKey.catalogKey))
            #expect(kept.starts(with: Array("{\"docindex\":5,".utf8)))
            try store.write { transaction in
                for id in 0..<9000 { try transaction.put(["id": .int(Int64(id))], in: "photos") }
            }
            try photos.put(["id": "a", "v": 2])
            struct Stop: Error {}
            // Interrupted before anything is deleted.
            try store.close()
            let again = try DocumentStore.open(
                at: directory + "/s", schema: Self.schema(nil), options: .init(finishesSchemaChange: false))
            #expect(again.hasPendingSchemaChange)
            try expectSound(again)
            // A new history does not contain the former one.
            try again.apply(Self.schema())
            #expect(!again.hasPendingSchemaChange)
            try expectSound(again)
            #expect(Self.lines(try again.collection("photos").history(of: "a")) == ["3: 2"])
            try again.apply(Self.schema(nil))
            try expectSound(again)
            try again.close()
            let raw = try Database.open(at: directory + "/s")
            #expect(try raw.value(forKey: StoreKey.catalogKey) == plain)
            var cursor = try raw.cursor(in: .prefix([StoreKey.history.rawValue]))
            #expect(try !cursor.advance())
            try raw.close()
        }
    }

    @Test func `Documents that change while the history is off have no versions from before`() throws {
        try withTemporaryStore(schema: Self.schema(), options: .init(finishesSchemaChange: false)) { store in
            let photos = try store.collection("photos")
            for v in 1...3 {
                for id in ["a", "b"] { try photos.put(["id": .string(id), "v": .int(Int64(v))]) }
            }
            try store.adopt(Self.schema(nil))
            try photos.put(["id": "a", "v": 4])
            try store.adopt(Self.schema())
            try photos.put(["id": "a", "v": 5])
            #expect(Self.lines(try photos.history(of: "a")).map { $0.suffix(1) } == ["5", "4"])
            #expect(Self.lines(try photos.history(of: "b")).map { $0.suffix(1) } == ["3"])
            try expectSound(store)
            try store.finishSchemaChange()
            #expect(Self.lines(try photos.history(of: "a")).map { $0.suffix(1) } == ["5", "4"])
        }
    }

    // MARK: - Bounds

    @Test func `The newest changes of each document are kept, and the others are deleted after a while`() throws {
        try withTemporaryStore(schema: Self.schema(.init(versions: 3))) { store in
            let photos = try store.collection("photos")
            for v in 1...400 {
                try photos.put(["id": "a", "v": .int(Int64(v))])
                if v % 100 == 0 { try photos.put(["id": "b", "v": .int(Int64(v))]) }
            }
            #expect(Self.lines(try photos.history(of: "a")).map { $0.suffix(3) } == ["400", "399", "398", "397"])
            #expect(try photos.history(of: "b").count == 4)
            // Three for each document, and a few more.
            let count = try Self.recordCount(of: store)
            #expect((6...40).contains(count))
            let deleted = try store.trimHistory()
            #expect(try Self.recordCount(of: store) == 6)
            #expect(deleted == count - 6)
            #expect(try store.trimHistory() == 0)
        }
    }

    @Test func `Changes up to an age are kept, and the others are deleted in later commits`() throws {
        try withTemporaryStore(schema: Self.schema(.init(age: .minutes(1)))) { store in
            let photos = try store.collection("photos")
            for second in 1...300 {
                try Self.at(1000 + second) { try photos.put(["id": "a", "v": .int(Int64(second))]) }
            }
            try Self.at(1300) {
                let versions = try photos.history(of: "a")
                #expect(versions.count == 62)
                #expect(versions.last?.time == nil && versions.last?.document?["v"] == 239)
                #expect(try photos.document("a", at: 239)?["v"] == 239)
                expectFailure(.notInHistory) { try photos.document("a", at: 238) }
                #expect(try store.commits(limit: 1000).count == 61)
                expectFailure(.notInHistory, containing: "bounds") { try store.undo(239, overwriting: true) }
                #expect(try Self.recordCount(of: store) <= 61 + 64)
                try store.trimHistory()
                #expect(try Self.recordCount(of: store) == 61)
            }
            // A version from before is still readable as the oldest one.
            try Self.at(5000) {
                #expect(Self.lines(try photos.history(of: "a")) == ["300: 300"])
                try store.trimHistory()
                #expect(try Self.recordCount(of: store) == 0)
            }
        }
    }

    @Test func `A commit deletes only a bounded number of old changes`() throws {
        try withTemporaryStore(schema: Self.schema(.init(age: .minutes(1)))) { store in
            let photos = try store.collection("photos")
            try Self.at(1000) {
                try store.write { transaction in
                    for id in 0..<5000 { try transaction.put(["id": .int(Int64(id))], in: "photos") }
                }
            }
            try Self.at(2000) {
                var before = try Self.recordCount(of: store)
                for v in 0..<200 {
                    try photos.put(["id": "a", "v": .int(Int64(v))])
                    let count = try Self.recordCount(of: store)
                    #expect(before - count <= 200)
                    before = count
                }
                #expect(before < 5000)
            }
        }
    }

    @Test func `Narrower bounds take effect at once`() throws {
        try withTemporaryStore(schema: Self.schema(.init(versions: 100))) { store in
            let photos = try store.collection("photos")
            for v in 1...50 { try photos.put(["id": "a", "v": .int(Int64(v))]) }
            let changes = try store.apply(Self.schema(.init(versions: 5)))
            #expect(changes.map(\.kind) == [.changed])
            #expect(changes.first?.description.contains("history of photos") == true)
            #expect(try photos.history(of: "a").count == 6)
            #expect(try store.trimHistory() == 45)
            // Wider bounds do not bring deleted versions back.
            try store.apply(Self.schema(.init(versions: 10)))
            #expect(try photos.history(of: "a").count == 6)
            try expectSound(store)
        }
    }

    static func recordCount(of store: DocumentStore) throws -> Int {
        var cursor = try store.database.cursor(in: .prefix([StoreKey.history.rawValue]))
        var count = 0
        while try cursor.advance() { count += 1 }
        return count
    }

    // MARK: - Commits

    @Test func `Commits are listed from the newest to the oldest, with the number of documents`() throws {
        try withTemporaryStore(schema: Self.schema()) { store in
            let photos = try store.collection("photos")
            #expect(try store.commits().isEmpty)
            try Self.at(10) { try photos.put(["id": "a"]) }
            try store.collection("notes").put(["id": "n"])
            try Self.at(30) {
                try store.write { transaction in
                    for id in 0..<500 { try transaction.put(["id": .int(Int64(id))], in: "photos") }
                    try transaction.put(["id": "m"], in: "notes")
                }
            }
            let commits = try store.commits()
            #expect(commits.map(\.sequence) == [3, 1])
            #expect(commits.map(\.changeCount) == [500, 1])
            #expect(commits.map { Int($0.time.timeIntervalSince1970) } == [30, 10])
            #expect(try store.commits(limit: 1).map(\.sequence) == [3])
            #expect(try store.commits(before: 3).map(\.sequence) == [1])
            #expect(try store.commits(before: 1).isEmpty)
        }
    }

    // MARK: - Other writers

    @Test func `Bulk loads, migrations and schema changes keep the history`() throws {
        try withTemporaryStore(schema: Self.schema()) { store in
            let photos = try store.collection("photos")
            try store.load(into: "photos") { writer in
                for id in 0..<10 { try writer.put(["id": .int(Int64(id)), "v": 1]) }
            }
            let migration = Migration("w", of: "photos") { photo in
                var photo = photo
                photo["v"] = 2
                return photo
            }
            try store.migrate([migration])
            #expect(Self.lines(try photos.history(of: 3)).map { $0.suffix(1) } == ["2", "1"])
            try store.apply(Self.schema(indexes: [.value("v", on: "v")]))
            try store.rebuildIndex("v", of: "photos")
            #expect(try photos.history(of: 3).count == 2)
            #expect(try store.rebuild().repairCount == 0)
            #expect(try photos.history(of: 3).count == 2)
        }
    }

    @Test func `A checkpoint has the history, and continues it`() throws {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema())
            let photos = try store.collection("photos")
            for v in 1...3 { try photos.put(["id": "a", "v": .int(Int64(v))]) }
            try store.checkpoint(to: directory + "/copy")
            try store.close()
            let copy = try DocumentStore.open(at: directory + "/copy")
            try copy.undo()
            #expect(try copy.collection("photos").history(of: "a").compactMap { $0.document?["v"] } == [2, 3, 2, 1])
            try expectSound(copy)
            try copy.close()
        }
    }

    @Test func `A store without a history has no record of it, and reads none`() throws {
        try withTemporaryStore(schema: Self.schema(nil)) { store in
            try store.collection("photos").put(["id": "a"])
            let catalog = try #require(try store.database.value(forKey: StoreKey.catalogKey))
            #expect(catalog.starts(with: Array("{\"docindex\":4,".utf8)))
            #expect(!String(decoding: catalog, as: UTF8.self).contains("istory"))
            #expect(try Self.recordCount(of: store) == 0)
        }
    }

    @Test func `The asynchronous and the typed forms return the same`() async throws {
        struct Photo: Codable, Identifiable, Sendable {
            var id: String
            var v: Int
        }
        try await within {
            try await withTemporaryPath { path in
                let store = try await AsyncDocumentStore.open(at: path + "/s", schema: Self.schema())
                let photos = try store.collection("photos", of: Photo.self)
                for v in 1...3 { try await photos.put(Photo(id: "a", v: v)) }
                try await photos.delete("a")
                #expect(try await photos.history(of: "a").map { $0.value?.v } == [nil, 3, 2, 1])
                #expect(try await photos.history(of: "a", before: 3, limit: 1).map { $0.value?.v } == [2])
                #expect(try await photos.get("a", at: 2)?.v == 2)
                #expect(try await photos.get("a", at: 4) == nil)
                let documents = try store.collection("photos")
                #expect(try await documents.history(of: "a").map(\.sequence) == [4, 3, 2, 1])
                #expect(try await documents.document("a", at: 1)?["v"] == 1)
                #expect(try await store.previewUndo().changes.map(\.kind) == [.restore])
                #expect(try await store.undo().sequence == 5)
                #expect(try await photos.get("a")?.v == 3)
                #expect(try await store.commits(limit: 2).map(\.sequence) == [5, 4])
                try await store.close()
            }
        }
    }

    @Test func `An age is read and written in whole units`() {
        for (text, seconds, written) in [
            ("90 days", 7_776_000, "90 days"), ("1 day", 86_400, "1 day"), ("2 weeks", 1_209_600, "14 days"),
            ("36 hours", 129_600, "36 hours"), ("90 minutes", 5400, "90 minutes"), ("61 seconds", 61, "61 seconds"),
            ("1 seconds", 1, "1 second"),
        ] {
            let age = CollectionDefinition.History.Age(text)
            #expect(age?.seconds == seconds && age?.description == written, "\(text)")
        }
        for text in ["", "90", "days", "90  days", " 90 days", "9e1 days", "+9 days", "90 Days", "90 days "] {
            #expect(CollectionDefinition.History.Age(text) == nil, "\(text)")
        }
        #expect(CollectionDefinition.History.Age("9223372036854775807 weeks")?.seconds == .max)
        #expect(CollectionDefinition.History.Age.days(.min).seconds == .min)
        for history in [CollectionDefinition.History(age: .days(.max)), .init(age: .seconds(0)), .init(versions: -1)] {
            expectFailure(.invalidSchema, containing: "/collections/photos/history") {
                try Self.schema(history).validate()
            }
        }
    }
}
