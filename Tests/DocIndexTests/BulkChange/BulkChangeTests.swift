import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Changing and deleting all documents that satisfy a condition.
@Suite struct BulkChangeTests {
    struct Stop: Error {}

    static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("n", on: "n"), .value("u", on: "u", unique: true), .value("tags", on: "tags[]", counts: true),
                .text("text", on: "title"),
            ]), CollectionDefinition("other"),
    ])

    private static func document(_ number: Int) -> DocumentObject {
        [
            "id": .int(Int64(number)), "n": .int(Int64(number)), "u": .int(Int64(number)), "tags": ["a"],
            "title": .string(number % 2 == 0 ? "fog \(number)" : "rain"),
        ]
    }

    /// Runs `body` with a collection of `count` documents.
    private func withDocuments(_ count: Int, _ body: (DocumentStore, DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                for number in 0..<count { try transaction.put(Self.document(number), in: "c") }
            }
            try body(store, try store.collection("c"))
        }
    }

    private static func options(commit byteCount: Int, _ splitting: BulkChange.Splitting = .ifRepeatable)
        -> BulkChange.Options
    {
        var options = BulkChange.Options()
        options.commitByteCount = byteCount
        options.splitting = splitting
        return options
    }

    @Test func `An update changes what matches in one commit, and counts what was changed`() throws {
        try withDocuments(100) { store, documents in
            let summary = try documents.update(where: "n < 50", "tags += fog, n ?= 1")
            #expect(summary.matchedCount == 50 && summary.changedCount == 50 && summary.commitCount == 1)
            #expect(try store.sequence() == 2)
            #expect(try documents.count(where: Filter(parsing: "tags has fog")) == 50)
            let again = try documents.update(where: "n < 60", "tags += fog")
            #expect(again.matchedCount == 60 && again.changedCount == 10 && again.unchangedCount == 50)
            let nothing = try documents.update(where: "tags has fog", "tags += fog")
            #expect(nothing.matchedCount == 60 && nothing.changedCount == 0 && nothing.commitCount == 0)
            #expect(try store.sequence() == 3)
            #expect(try documents.document(5)?.content["tags"] == ["a", "fog"])
            #expect(try documents.delete(where: "tags has fog").changedCount == 60)
            #expect(try documents.count() == 40)
            #expect(try documents.delete(where: .all).changedCount == 40)
            #expect(try documents.count() == 0)
        }
    }

    @Test func `Searches, IDs and scans find the documents to change`() throws {
        try withDocuments(40) { _, documents in
            #expect(try documents.update(where: #"SEARCH "fog""#, #"title = "snow""#).changedCount == 20)
            #expect(try documents.update(where: #"SEARCH "fog""#, #"title = "sleet""#).matchedCount == 0)
            let found = try documents.search("snow", limit: nil)
            #expect(found.count == 20)
            #expect(try documents.update(where: "id in (1, 2, 99)", "seen = true").changedCount == 2)
            #expect(try documents.update(where: "seen = true", "seen = false").changedCount == 2)
            #expect(try documents.update(where: .all, DocumentUpdate([.remove("seen")])).changedCount == 2)
            var refusing = BulkChange.Options()
            refusing.query.refusesScan = true
            expectFailure(.scanRefused) { try documents.update(where: "seen = 1", "seen = 2", options: refusing) }
            expectFailure(.scanRefused) { try documents.delete(where: .all, options: refusing) }
            refusing.query.hint = .index("n")
            #expect(try documents.update(where: "n < 3 and n >= 0", "seen = 2", options: refusing).changedCount == 3)
        }
    }

    @Test(arguments: [1, 3000, 64 << 20])
    func `A document that the update moves within the index being read is updated once`(byteCount: Int) throws {
        try withDocuments(300) { _, documents in
            let summary = try documents.update(
                where: "n >= 0", "n += 1000", options: Self.options(commit: byteCount, .always))
            #expect(summary.matchedCount == 300 && summary.changedCount == 300)
            #expect(summary.commitCount == (byteCount == 1 ? 300 : byteCount == 3000 ? summary.commitCount : 1))
            for number in 0..<300 {
                #expect(try documents.document(.int(Int64(number)))?["n"] == .int(Int64(number + 1000)))
            }
        }
    }

    @Test func `A conflict in a unique index names the index and the documents, and changes nothing`() throws {
        try withDocuments(10) { store, documents in
            for options in [BulkChange.Options(), .dryRun()] {
                let error = expectFailure(.duplicateValue, containing: "unique index u") {
                    try documents.update(where: "n >= 4", "u = 4", options: options)
                }
                #expect(error?.uniqueViolation?.index == "u")
                #expect(error?.uniqueViolation?.collection == "c")
                #expect(error?.uniqueViolation?.ids.count == 2)
            }
            #expect(try store.sequence() == 1)
            // Only the state after the commit counts.
            let summary = try documents.update(where: "u >= 0", "u += 1")
            #expect(summary.changedCount == 10)
            // Earlier commits remain, and the message says so.
            expectFailure(.duplicateValue, containing: "1 document had been changed") {
                try documents.update(where: "n >= 0", "u = 1000", options: Self.options(commit: 1, .always))
            }
        }
    }

    @Test func `An assignment that fails for one document changes none, and names it`() throws {
        try withDocuments(10) { store, documents in
            try documents.put(["id": 7, "n": "seven"])
            expectFailure(.invalidUpdate, containing: "document 7 of c", "n.x = 1", "no member x") {
                try documents.update(where: "n = seven or tags has b", "n.x = 1")
            }
            expectFailure(.invalidUpdate) { try documents.update(where: .all, DocumentUpdate([.remove("a[]")])) }
            expectFailure(.invalidUpdate, containing: "at character 4") { try documents.update(where: "n = 1", "n 5") }
            expectFailure(.invalidQuery) { try documents.update(where: "n", "n = 5") }
            for assignments: FilterText in ["id = 5", "REMOVE id", "id -> x", "n -> id", "id += 1", "id.x = 3"] {
                expectFailure(.invalidID, containing: "id") { try documents.update(where: "n = 99", assignments) }
            }
            expectFailure(.invalidID) { try documents.updateEach(where: .all) { $0["id"] = 5 } }
            #expect(try store.sequence() == 2)
        }
    }

    @Test func `A closure that throws changes nothing`() throws {
        try withDocuments(10) { store, documents in
            var count = 0
            #expect(throws: Stop.self) {
                try documents.updateEach(where: .all) { content in
                    content["x"] = 1
                    count += 1
                    if count == 5 { throw Stop() }
                }
            }
            #expect(count == 5)
            #expect(try store.sequence() == 1)
            try documents.updateEach(where: Filter(parsing: "n < 5")) { $0["x"] = 1 }
            #expect(try documents.count(where: .exists("x")) == 5)
        }
    }

    @Test func `A change that is too large for a commit is split only if a second run would finish it`() throws {
        try withDocuments(100) { store, documents in
            let small = Self.options(commit: 2000)
            expectFailure(.changeTooLarge, containing: "2000 bytes") {
                try documents.update(where: "n >= 0", "n += 1", options: small)
            }
            expectFailure(.changeTooLarge) { try documents.updateEach(where: .all, options: small) { $0["x"] = 1 } }
            expectFailure(.changeTooLarge) {
                try documents.update(where: "n >= 0", "x = 1", options: Self.options(commit: 2000, .never))
            }
            #expect(try store.sequence() == 1)
            // A change of few documents fits.
            #expect(try documents.update(where: "n < 5", "m += 1", options: small).commitCount == 1)
            var counts: [Int] = []
            let summary = try documents.update(
                where: Filter(parsing: "n >= 0"), DocumentUpdate("x = 1"), options: small
            ) {
                counts.append($0.changedCount)
            }
            #expect(summary.commitCount > 3 && summary.commitCount == counts.count && counts.last == 100)
            #expect(counts == counts.sorted())
            // Progress that throws stops the work; a second call finishes it.
            #expect(throws: Stop.self) {
                try documents.update(where: Filter(parsing: "x = 1"), DocumentUpdate("x = 2"), options: small) { _ in
                    throw Stop()
                }
            }
            let left = try documents.update(where: "x = 1", "x = 2", options: small)
            #expect(left.changedCount < 100 && left.changedCount > 0)
            #expect(try documents.count(where: Filter(parsing: "x = 2")) == 100)
        }
    }

    @Test func `A document that changed after the search is updated only if it still matches`() throws {
        for condition in ["n >= 0", #"SEARCH "fog" or SEARCH "rain""#] {
            try withDocuments(60) { store, documents in
                var isFirst = true
                let summary = try documents.update(
                    where: Filter(parsing: condition), DocumentUpdate("x = 1"), options: Self.options(commit: 1)
                ) { _ in
                    guard isFirst else { return }
                    isFirst = false
                    // After the first document, the search is done.
                    try documents.update(50) {
                        $0["n"] = -1
                        $0["title"] = "snow"
                    }
                    try documents.update(51) { $0["m"] = 1 }
                    try documents.delete(52)
                    try documents.delete(53)
                    try documents.put(Self.document(53))
                    try documents.put(Self.document(99))
                }
                #expect(summary.matchedCount == 57, "\(condition)")
                for (id, x) in [(50, nil), (51, 1), (53, nil), (99, nil), (59, 1)] as [(Int64, DocumentValue?)] {
                    #expect(try documents.document(.int(id))?["x"] == x, "\(id)")
                }
                #expect(try documents.document(51)?["m"] == 1)
            }
        }
    }

    @Test func `A dry run yields the first differences and changes nothing`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            var store = try DocumentStore.open(at: path, schema: Self.schema)
            try store.write { transaction in
                for number in 0..<50 { try transaction.put(Self.document(number), in: "c") }
            }
            for mode in [Database.Mode.readWrite, .readOnly] {
                try store.close()
                store = try DocumentStore.open(at: path, mode: mode)
                let documents = try store.collection("c")
                let summary = try documents.update(
                    where: "n >= 10", "n = 10, new = 1", options: .dryRun(differences: 3))
                #expect(summary.matchedCount == 40 && summary.changedCount == 40 && summary.commitCount == 1)
                #expect(summary.differences.map(\.id) == [10, 11, 12])
                #expect(summary.differences[1].old == Self.document(11))
                #expect(summary.differences[1].new?["n"] == 10 && summary.differences[1].new?["new"] == 1)
                let deletion = try documents.delete(where: "n < 2", options: .dryRun())
                #expect(deletion.differences.map(\.new) == [nil, nil] && deletion.changedCount == 2)
                #expect(try store.sequence() == 1)
                #expect(try documents.count(where: Filter(parsing: "new = 1")) == 0)
            }
            expectLevelFailure(.readOnly) { try store.collection("c").delete(where: .all) }
            try store.close()
        }
    }

    @Test func `A canceled change leaves whole commits`() async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try await AsyncDocumentStore.open(at: path + "/s", schema: Self.schema)
                let documents = try store.store.collection("c")
                for number in 0..<50 { try documents.put(Self.document(number)) }
                let task = Task(executorPreference: OwnThreads.shared) {
                    try await documents.asynchronous.update(
                        where: .exists("n"), DocumentUpdate("x = 1"), options: Self.options(commit: 1)
                    ) { if $0.changedCount == 5 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } } }
                }
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(try documents.count(where: .exists("x")) == 5)
                #expect(try store.store.sequence() == 55)
                try await store.close()
            }
        }
    }

    @Test func `A change within a write is refused`() throws {
        try withDocuments(5) { store, documents in
            try store.write { _ in
                expectFailure(.nestedWrite) { try documents.update(where: "n = 1", "x = 1") }
                expectFailure(.nestedWrite) { try documents.delete(where: .all) }
            }
            expectFailure(.nestedWrite) {
                try documents.updateEach(where: .all) { _ in try documents.put(["id": 77]) }
            }
            // A collection of a snapshot finds what the snapshot has, and changes the store.
            let pinned = try store.snapshot().collections[0]
            try documents.put(Self.document(6))
            #expect(try pinned.update(where: "n >= 0", "x = 1").changedCount == 5)
            #expect(try documents.count(where: Filter(parsing: "x = 1")) == 5)
        }
    }

    @Test func `Typed collections change values and keep members that the type does not know`() throws {
        struct Item: Codable, Identifiable {
            var id: Int
            var n: Int
            var tags: [String]
        }
        try withDocuments(20) { store, _ in
            let items = try store.collection("c", of: Item.self)
            #expect(try items.updateEach(where: "n < \(10)") { $0.n += 100 }.changedCount == 10)
            #expect(try items.get(3)?.n == 103)
            #expect(try items.documents.document(3)?["title"] == "rain")
            #expect(try items.update(where: "n >= \(100)", "tags += \("x")").changedCount == 10)
            #expect(try items.find("tags has x").count == 10)
            #expect(try items.delete(where: "tags has \("x")").changedCount == 10)
            try items.update(where: "id = 15", "n = text")
            #expect(throws: DecodingError.self) { try items.updateEach(where: "") { $0.n = 0 } }
            #expect(try items.documents.count(where: Filter(parsing: "n = 0")) == 0)
        }
    }

    @Test func `The asynchronous forms do the same`() async throws {
        struct Item: Codable, Identifiable, Sendable {
            var id: Int
            var n: Int
        }
        try await within {
            try await withTemporaryPath { path in
                let store = try await AsyncDocumentStore.open(at: path + "/s", schema: Self.schema)
                let items = try store.collection("c", of: Item.self)
                let documents = items.values.documents.asynchronous
                try await items.put(contentsOf: (0..<20).map { Item(id: $0, n: $0) })
                #expect(try await documents.update(where: "n < 5", "x = 1").changedCount == 5)
                let update = try DocumentUpdate(parsing: "x = 2")
                #expect(try await documents.update(where: .exists("x"), update).changedCount == 5)
                #expect(try await documents.delete(where: "n >= 15").changedCount == 5)
                #expect(try await documents.delete(where: .compare("n", .equal, 14)).changedCount == 1)
                #expect(try await items.update(where: "n = 1", "n = 50").changedCount == 1)
                #expect(try await items.updateEach(where: "n = 50") { $0.n += 1 }.changedCount == 1)
                #expect(try await items.delete(where: "n = 51").changedCount == 1)
                #expect(try await items.count() == 13)
                try await store.run { try expectSound($0) }
                try await store.close()
            }
        }
    }
}
