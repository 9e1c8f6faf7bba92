import TestSupport
import Testing

@testable import DocIndex

/// Results computed from the entries and counts of indexes alone.
@Suite struct IndexOnlyTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("n", on: .field("n", order: .descending), counts: true),
                .value("pair", on: "kind", .field("n", order: .descending), cover: ["tags[]", "note"], counts: true),
                .value("name", on: "name", "kind"),
                .value("down", on: .field("name", order: .descending), counts: true),
                .value("tags", on: "tags[]", "n", counts: true),
            ])
    ])

    private static let conditions = [
        "n = 3", "n >= 3", "n > 3", "n <= 3", "n < 3", "n between 2 and 5", "n in (1, 3, 9)", "n exists", "n missing",
        "kind = a", "kind = a and n >= 4", "kind = a and n = 4", "kind in (a, b) and n < 4", "name ^= 'x'",
        // Values that are prefixes of others.
        "n < 5e-324", "n <= 0", "n > 0", "n < 'text\u{0}'", "n <= text", "n > text", "kind = a and n < 'text\u{0}a'",
        "name < 'x\u{0}y'", "name < 'x\u{0}'", "name <= 'x\u{0}'", "name >= 'x\u{0}'", "name ^= 'x\u{0}'",
        "name between 'x' and 'x\u{0}'",
        "name > 'x'", "name = 'x\u{0}'", "tags has p", "tags has p and n = 3", "kind is string",
    ]

    private func withDocuments(_ body: (DocumentCollection, [DocumentObject]) throws -> Void) throws {
        var random = TestRun.random(stream: 150)
        try withTemporaryStore(schema: Self.schema) { store in
            var documents: [DocumentObject] = []
            try store.write { transaction in
                for id in 0..<400 {
                    var document: DocumentObject = ["id": .int(Int64(id))]
                    if !random.once(in: 6) {
                        document["n"] = random.pick([
                            0, .double(.leastNonzeroMagnitude), 1, 2, .double(2.5), 3, .double(3), 4, 5, 9, "text",
                            "text\u{0}",
                            "text\u{0}a",
                            true, .null,
                        ])
                    }
                    if !random.once(in: 5) { document["kind"] = random.pick(["a", "b", "c", 7]) }
                    if !random.once(in: 5) {
                        document["name"] = random.pick(["x", "x\u{0}", "x\u{0}y", "xy", "", "w"])
                    }
                    document["tags"] = .array((0..<random.number(below: 4)).map { _ in random.pick(["p", "q", "r"]) })
                    if random.once(in: 2) { document["note"] = random.pick([1, .double(1), "z"]) }
                    documents.append(document)
                    try transaction.put(document, in: "c")
                }
            }
            try body(try store.collection("c"), documents)
        }
    }

    @Test func `Counts of ranges match a scan, whatever the order of the index`() throws {
        try withDocuments { collection, documents in
            for condition in Self.conditions {
                let filter = try Filter(parsing: condition)
                let expected = documents.count { NaiveQuery.holds(filter, for: $0) }
                for plan in try collection.plans(Query(filter)) {
                    let count = try collection.count(
                        where: filter, options: Query.Options(hint: .plan(plan.identity)))
                    #expect(count == expected, "\(condition), \(plan), \(TestRun.repetition)")
                }
            }
        }
    }

    @Test func `Facets covered by an index match the documents without reading any`() throws {
        try withDocuments { collection, documents in
            var coveredCount = 0
            for condition in Self.conditions {
                let filter = try Filter(parsing: condition)
                for paths: [FieldPath] in [["n"], ["kind"], ["tags[]"], ["kind", "n", "note"], ["n", "tags[]"]] {
                    let found = try collection.facets(paths, where: filter)
                    let scanned = try collection.facets(paths, where: filter, options: Query.Options(hint: .scan))
                    #expect(found == scanned, "\(condition), \(paths), \(TestRun.repetition)")
                    let query = Query(filter)
                    let (rows, plan) = try collection.prepare(query, Query.Options())
                    guard var covered = CoveredFacets(plan, paths, rows: rows) else { continue }
                    let executor = QueryExecutor(rows: rows, query: query, plan: plan)
                    if try covered.counts(executor) != nil {
                        coveredCount += 1
                        #expect(executor.work.documentsExamined == 0)
                    }
                }
            }
            #expect(coveredCount > 15)
            // Over all documents: the first component of an index of two, with and without counts.
            for path: FieldPath in ["n", "kind", "name"] {
                let scanned = try collection.facets(path, options: Query.Options(hint: .scan))
                #expect(try collection.facets(path) == scanned, "\(path)")
            }
            #expect(documents.count == 400)
        }
    }
}
