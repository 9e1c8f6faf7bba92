import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Selected fields, read from the entries of covering indexes.
@Suite struct SelectTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("year", on: "year", cover: ["title", "year", "tags[]"]),
                .value("plain", on: "year", "title"), .value("tag", on: "tags[]", "year", cover: ["title", "year"]),
                .value("title", on: "title"),
            ])
    ])

    /// A store whose document bodies are deleted, so that all results must come from entries.
    private func withEntriesAlone(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            let whole = try DocumentStore.open(at: path, schema: Self.schema)
            try whole.write { transaction in
                for id in 0..<600 {
                    try transaction.put(
                        [
                            "id": .int(Int64(id)), "year": id % 2 == 0 ? .int(1930) : .double(1931),
                            "title": .string("t\(id % 10)"), "tags": ["fog", .int(Int64(id))],
                        ], in: "c")
                }
            }
            try whole.close()
            let database = try Database.open(at: path)
            for row in 1...600 { try database.delete(StoreKey.document(1, row: UInt64(row))) }
            let store = try DocumentStore.open(on: database)
            try body(try store.collection("c"))
            try store.close()
        }
    }

    @Test(arguments: [
        ("year = 1930", "", 300), ("", "-year", 600),
        ("year >= 1930 and year < 1931", "-year", 300), ("tags[] = fog", "year", 600),
        ("tags[] = fog and year = 1931", "", 300),
    ])
    func `A query that an index covers reads no document`(
        condition: String, sort: String, count: Int
    ) throws {
        try withEntriesAlone { collection in
            let query = Query(
                condition.isEmpty ? .all : try Filter(parsing: condition),
                sort: sort.isEmpty ? [] : try Query.SortKey.parse(sort))
            // With so few documents, scanning all of them is as fast.
            let options = Query.Options(hint: .index(condition.hasPrefix("tags") ? "tag" : "year"))
            let found = try collection.select(["title", "year"], query, options: options)
            #expect(found.count == count)
            #expect(found.allSatisfy { $0.count == 2 })
            // Integers and whole doubles remain distinct.
            #expect(found.allSatisfy { [.int(1930), .double(1931)].contains($0["year"]) })
            var page = query
            (page.offset, page.limit) = (7, 20)
            #expect(try collection.select(["title", "year"], page, options: options) == Array(found[7..<27]))
            expectFailure(.corruption) { _ = try collection.select(["title", "other"], query, options: options) }
            expectFailure(.corruption) { _ = try collection.find(query, options: options) }
        }
    }

    @Test func `Strings are selected from index entries; whole numbers are read from documents`() throws {
        try withEntriesAlone { collection in
            let query = Query(try Filter(parsing: "title >= t3"), sort: [.ascending("title")], limit: 70)
            let titles = try collection.select(["title"], query)
            #expect(titles.map { $0["title"] } == Array(repeating: "t3", count: 60) + Array(repeating: "t4", count: 10))
            let years = Query(sort: [.ascending("year"), .ascending("title")], limit: 5)
            expectFailure(.corruption) {
                _ = try collection.select(["year"], years, options: Query.Options(hint: .index("plain")))
            }
        }
    }

    @Test func `Among indexes in query order, one that covers the selected fields is chosen`() throws {
        try withTemporaryStore(
            schema: Schema(collections: [
                CollectionDefinition(
                    "c",
                    indexes: [
                        .value("a", on: "n"), .value("b", on: "n", cover: ["t"]), .value("c", on: "n", cover: ["u"]),
                    ])
            ])
        ) { store in
            let collection = try store.collection("c")
            for id in 0..<50 { try collection.put(["id": .int(Int64(id)), "n": .int(Int64(id % 7)), "t": "x"]) }
            let query = Query(sort: [.ascending("n")], limit: 5)
            func plan(_ paths: [FieldPath]) throws -> Plan {
                try collection.prepare(query, Query.Options(), for: .fields(paths)).1
            }
            #expect(try plan(["t"]).identity == "ordered(b)" && plan(["t"]).estimate.documentCount == 0)
            #expect(try plan(["u"]).identity == "ordered(c)")
            #expect(try plan(["t", "u"]).identity == "ordered(a)" && plan(["t", "u"]).estimate.documentCount == 5)
            #expect(try collection.plan(query).identity == "ordered(a)")
        }
    }
}
