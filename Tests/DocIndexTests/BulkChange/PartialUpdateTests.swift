import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Updates of many documents that decode only some of their members, compared with updates of whole documents.
@Suite struct PartialUpdateTests {
    /// Everything in a store except the catalog, which contains a random epoch.
    private static func pairs(of store: DocumentStore) throws -> [[UInt8]: [UInt8]] {
        var pairs: [[UInt8]: [UInt8]] = [:]
        let catalogs = [StoreKey.catalogKey, StoreKey.copy(of: StoreKey.catalogKey)]
        for (key, value) in try allPairs(in: store.database) where !catalogs.contains(key) { pairs[key] = value }
        return pairs
    }

    /// Runs `body` with two new stores, one for updates of many documents and one for updates of single ones.
    private static func withStores(
        _ schema: Schema, _ body: (_ many: DocumentStore, _ single: DocumentStore) throws -> Void
    ) throws {
        try withTemporaryStore(schema: schema) { many in
            try withTemporaryStore(schema: schema) { single in try body(many, single) }
        }
    }

    /// Updates documents by one condition, and one after the other in a commit. Expects equal results.
    ///
    /// - Returns: the number of changed documents; `nil` if both updates failed.
    private static func check(
        _ update: DocumentUpdate, where filter: Filter, _ many: DocumentStore, _ single: DocumentStore,
        _ comment: Comment
    ) throws -> Int? {
        let ids = try single.collection("c").find(Query(filter)).map(\.id)
        let expected = Result {
            try single.write { transaction in
                for id in ids { try transaction.update(id, in: "c") { $0 = try update.applied(to: $0) } }
            }
        }
        let result = Result { try many.collection("c").update(where: filter, update) }
        #expect(try pairs(of: many) == pairs(of: single), "\(filter), \(update), \(comment)")
        switch (result, expected) {
        case (.success(let summary), .success):
            #expect(summary.matchedCount == ids.count, comment)
            return summary.changedCount
        case (.failure(let error as DocIndexError), .failure(let other as DocIndexError)):
            #expect(error.code == other.code, "\(error) \(other) \(comment)")
            #expect(error.uniqueViolation == other.uniqueViolation, comment)
            return nil
        default:
            Issue.record("one update failed and the other did not: \(result) \(expected), \(comment)")
            return nil
        }
    }

    @Test
    func `An update of many documents gives the same documents, index entries and feed as single updates`() throws {
        var updates = RandomUpdates(queries: RandomQueries(TestRun.random(stream: 911)))
        updates.queries.documents.hasAttachments = true
        var (changedCount, failureCount, partialCount, wholeCount) = (0, 0, 0, 0)
        let rounds = TestRun.rounds(8, long: 300)
        var round = -1
        // More rounds if the random ones had too few of a kind.
        while round + 1 < rounds || round < 4 * rounds && min(failureCount, wholeCount) <= 3 {
            round += 1
            let comment: Comment = "round \(round); \(TestRun.repetition)"
            let indexes =
                updates.queries.indexes() + [
                    .value("u", on: "u", unique: true), .value("counted", on: "a", counts: true),
                    .text("text", on: "b", "tags[]", "u"),
                ]
            let history: CollectionDefinition.History? = round % 2 == 0 ? nil : .init(versions: 3)
            let schema = Schema(collections: [CollectionDefinition("c", history: history, indexes: indexes)])
            try Self.withStores(schema) { many, single in
                var documents: [DocumentObject] = []
                for number in 0..<50 {
                    var content = updates.queries.documents.document(id: updates.queries.documents.id())
                    content["u"] = .int(Int64(number))
                    documents.append(content)
                }
                for store in [many, single] {
                    try HistoryTests.at(1000) {
                        try RandomDocuments.addAttachmentContents(to: store)
                        for content in documents { try store.collection("c").put(content) }
                    }
                }
                for step in 0..<25 {
                    var update = updates.update()
                    if step % 3 == 0 { update.assignments = Array(update.assignments.prefix(1)) }
                    if step % 5 == 0 { update.assignments.append(updates.unique()) }
                    let filter = step % 4 == 0 ? Filter.all : updates.queries.query().filter
                    let entry = try #require(many.loadedCatalog.collection(named: "c"))
                    let isPartial = PartialUpdate(update, in: entry) != nil
                    let count = try HistoryTests.at(2000 + step) {
                        try Self.check(update, where: filter, many, single, comment)
                    }
                    changedCount += count ?? 0
                    if count == nil { failureCount += 1 }
                    if count ?? 0 > 0 { isPartial ? (partialCount += 1) : (wholeCount += 1) }
                }
            }
        }
        #expect(
            changedCount > 200 && failureCount > 3 && partialCount > 20 && wholeCount > 3,
            "\(changedCount) \(failureCount) \(partialCount) \(wholeCount)")
    }

    @Test func `References to attachments are counted for the members that change`() throws {
        let (a, b) = (RandomDocuments.attachments[6], RandomDocuments.attachments[12])
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("n", on: "n")])])
        try Self.withStores(schema) { many, single in
            for store in [many, single] {
                try HistoryTests.at(1000) {
                    try RandomDocuments.addAttachmentContents(to: store)
                    for number in 0..<20 {
                        try store.collection("c").put([
                            "id": .int(Int64(number)), "n": .int(Int64(number) + 100), "kept": .attachment(a),
                            "list": [.attachment(a), ["deep": .attachment(b)]],
                        ])
                    }
                }
            }
            let before = try many.attachments.list().map(\.referenceCount)
            for update: DocumentUpdate in [
                .init([.set("n", 1)]), .init([.set("n", .attachment(b))]), .init([.remove("list")]),
                .init([.set("list", [.attachment(b), .attachment(b)]), .set("more", .attachment(a))]),
                .init([.set("list[]", 1), .remove("n"), .remove("more")]),
            ] {
                let count = try HistoryTests.at(2000) { try Self.check(update, where: .all, many, single, "\(update)") }
                #expect(count == 20)
            }
            #expect(try many.attachments.list().map(\.referenceCount) != before)
            let missing = DocIndex.Attachment(digest: Attachments.digest, byteCount: 400, type: "a")
            let update = DocumentUpdate([.set("x", .attachment(try #require(missing)))])
            #expect(try Self.check(update, where: .all, many, single, "missing") == nil)
        }
    }

    @Test func `A document is updated if and only if it can be decoded; damage in any member is reported`() throws {
        let schema = Schema(collections: [CollectionDefinition("c", indexes: [.value("n", on: "n")])])
        let key = StoreKey.document(1, row: 2)
        var (byteCount, failureCount, successCount) = (1, 0, 0)
        var position = 0
        while position < byteCount {
            for mask: UInt8 in [1, 0x80] {
                try withTemporaryDirectory { directory in
                    let store = try DocumentStore.open(at: directory + "/s", schema: schema)
                    let documents = try store.collection("c")
                    try RandomDocuments.addAttachmentContents(to: store)
                    try store.write { transaction in
                        for number in 0..<3 {
                            try transaction.put(
                                [
                                    "id": .int(Int64(number)), "n": 1, "text": "abc",
                                    "list": ["x", ["y": 1.5, "n": []]],
                                    "picture": .attachment(RandomDocuments.attachments[6]),
                                ], in: "c")
                        }
                    }
                    var record = try #require(try store.database.value(forKey: key))
                    byteCount = record.count
                    record[position] ^= mask
                    try store.database.put(record, forKey: key)
                    let before = try Self.pairs(of: store)
                    let update = try DocumentUpdate(parsing: "n = 2, new = 3")
                    let entry = try #require(store.loadedCatalog.collection(named: "c"))
                    let old = try? RowReader.document(record: record.span, row: 2, collection: entry)
                    do {
                        let summary = try documents.update(where: .all, update)
                        successCount += 1
                        #expect(summary.changedCount == 3 && summary.commitCount == 1)
                        let new = try RowReader.document(
                            2, collection: documents.newestReader().collection, in: store.database)
                        #expect(try new?.content == update.applied(to: try #require(old).content))
                    } catch let error as DocIndexError {
                        failureCount += 1
                        #expect(old == nil && error.code == .corruption, "\(error)")
                        #expect(try Self.pairs(of: store) == before)
                    }
                    try store.close()
                }
            }
            position += 1
        }
        #expect(failureCount > 50 && successCount > 50, "\(failureCount) \(successCount)")
    }

    @Test func `An update needs whole documents if it can change the order of members`() throws {
        let indexes: [IndexDefinition] = [.value("n", on: "n"), .value("ab", on: "a", "b")]
        let schema = Schema(collections: [CollectionDefinition("c", indexes: indexes)])
        try withTemporaryStore(schema: schema) { store in
            let entry = try #require(store.loadedCatalog.collection(named: "c"))
            for (text, isPartial) in [
                ("n = 1", true), ("n += 1, a.b.c = 2, x ?= 1", true), ("REMOVE n, tags += x", true),
                ("a TEXT \"a\" -> \"b\"", true), ("a -> z", false), ("REMOVE n, n = 1", false),
                ("a.x = 1, a.y = 2", false),
            ] {
                let update = try DocumentUpdate(parsing: text)
                #expect((PartialUpdate(update, in: entry) != nil) == isPartial, "\(text)")
            }
            let long = DocumentUpdate((0..<17).map { .set(FieldPath(names: "n\($0)"), 1) })
            #expect(PartialUpdate(long, in: entry) == nil)
        }
    }
}
