import DocIndex
import Synchronization
import TestSupport
import Testing

/// Explanations, hints, limits and cancellation.
@Suite struct ExplainTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("n", on: "n"), .value("kind", on: "kind"), .value("high", on: "n", where: "kind >= 2"),
                .value("title", on: .field("title", collation: .caseInsensitive)), .geo("place", on: "gps"),
                .text("text", on: "title"),
            ])
    ])

    private func withDocuments(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                for id in 0..<2000 {
                    try transaction.put(
                        [
                            "id": .int(Int64(id)), "n": .int(Int64(id % 500)), "kind": .int(Int64(id % 3)),
                            "title": .string("t\(id)"), "plain": .int(Int64(id % 100)),
                            "gps": ["lat": .double(Double(id % 60)), "lon": .double(Double(id % 100))],
                        ], in: "c")
                }
            }
            try body(try store.collection("c"))
        }
    }

    @Test func `An explanation has the plan, the counts and a reason for each unused index`() throws {
        try withDocuments { collection in
            let query = Query(try Filter(parsing: "n = 7 and title < m"), limit: 10)
            let explanation = try collection.explain(query)
            #expect(explanation.plan.identity == "index(n)")
            #expect(explanation.actual.resultCount == 0 && explanation.actual.keysExamined == 4)
            #expect(explanation.plan.estimate.keyCount == 4)
            let codes = Dictionary(uniqueKeysWithValues: explanation.rejections.map { ($0.index, $0.code) })
            #expect(
                codes == [
                    "kind": "noConditionOnFirstField", "high": "conditionNotImplied", "title": "otherOrder",
                    "place": "noLocationAsked", "text": "needsTextSearch",
                ])
            #expect(explanation.alternatives.contains { $0.identity == "scan" })
            #expect(explanation.description.contains("n = 7") && explanation.description.contains("actual: 4 keys"))
            let json = explanation.json
            #expect(json["identity"] == "index(n)" && json["rejected"]?.arrayValue?.count == 5)
            #expect(json["estimated"]?.objectValue?["keys"] == 4)
        }
    }

    @Test func `Advice names the fields of an index that would help`() throws {
        try withDocuments { collection in
            let query = Query(try Filter(parsing: "plain = 7"), sort: [.descending("title")], limit: 10)
            #expect(try collection.explain(query).advice?.contains("(plain, -title)") == true)
            #expect(try collection.explain(Query(try Filter(parsing: "n = 7"))).advice == nil)
        }
    }

    @Test func `A hint is strict, and a scan can be disallowed`() throws {
        try withDocuments { collection in
            let query = Query(try Filter(parsing: "n = 7"))
            #expect(try collection.plan(query, options: Query.Options(hint: .scan)).identity == "scan")
            #expect(try collection.plan(query, options: Query.Options(hint: .index("n"))).identity == "index(n)")
            expectFailure(.invalidQuery, containing: "index kind") {
                _ = try collection.find(query, options: Query.Options(hint: .index("kind")))
            }
            expectFailure(.scanRefused, containing: "index") {
                _ = try collection.find(
                    Query(try Filter(parsing: "plain = 7")), options: Query.Options(refusesScan: true))
            }
            expectFailure(.queryTooLarge, containing: "limit") {
                _ = try collection.find(
                    Query(sort: [.ascending("plain")]), options: Query.Options(sortByteLimit: 10_000))
            }
            let few = try collection.find(
                Query(sort: [.ascending("plain")], limit: 3), options: Query.Options(sortByteLimit: 1_000_000))
            #expect(few.map { $0["plain"] } == [0, 0, 0])
        }
    }

    @Test func `Counting what an index answers exactly reads no document, and plans are stable`() throws {
        try withDocuments { collection in
            let plan = try collection.plan(Query(try Filter(parsing: "n >= 490")))
            #expect(plan.isExact)
            for _ in 0..<5 { #expect(try collection.plan(Query(try Filter(parsing: "n >= 490"))) == plan) }
            #expect(try collection.count(where: Filter(parsing: "n >= 490")) == 40)
        }
    }

    @Test func `A query is canceled with its task, and reports its progress`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let collection = try store.collection("c")
        try store.write { transaction in
            for id in 0..<20_000 { try transaction.put(["id": .int(Int64(id)), "s": .string("text \(id)")], in: "c") }
        }
        let filter = try Filter(parsing: "s matches /x{3}y/")
        let reports = Mutex<[Query.Options.Progress]>([])
        let options = Query.Options(progress: { progress in reports.withLock { $0.append(progress) } })
        #expect(try collection.find(Query(filter), options: options).isEmpty)
        let seen = reports.withLock { $0 }
        #expect(seen.count >= 5 && zip(seen, seen.dropFirst()).allSatisfy { $0.keysExamined < $1.keysExamined })
        #expect(seen.allSatisfy { $0.fraction > 0 && $0.fraction <= 1 })
        try await within {
            let task = Task(executorPreference: OwnThreads.shared) {
                // It cancels itself while it runs.
                let cancelled = Mutex<Duration?>(nil)
                let options = Query.Options(progress: { _ in
                    cancelled.withLock { $0 = $0 ?? threadTime() }
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                })
                #expect(throws: CancellationError.self) {
                    while true { _ = try collection.find(Query(filter), options: options) }
                }
                return threadTime() - (cancelled.withLock { $0 } ?? .zero)
            }
            // The promise is 50 ms; a debug build gets more.
            #expect(await task.value < .seconds(1))
        }
        try store.close()
    }

    @Test func `A query round-trips through JSON`() throws {
        var queries = RandomQueries(TestRun.random(stream: 90))
        for _ in 0..<200 {
            let query = queries.query()
            let value = try DocumentEncoder().encode(query)
            #expect(try DocumentDecoder().decode(Query.self, from: value) == query, "\(query), \(TestRun.repetition)")
        }
    }
}
