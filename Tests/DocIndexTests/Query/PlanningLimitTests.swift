import DocIndex
import TestSupport
import Testing

/// Planning time is proportional to the condition, and planning ends when its task is canceled.
@Suite struct PlanningLimitTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .value("v", on: "v"), .value("pair", on: "k", "v"), .value("part", on: "v", where: "v > 0"),
                .value("tags", on: "tags[]"), .geo("place", on: "gps"), .text("words", on: "title"),
            ])
    ])

    /// A condition, and how many documents it finds among sixty.
    private static let conditions: [(String, Int)] = [
        ((0..<9999).map { "v = \($0)" }.joined(separator: " OR "), 60),
        ("v IN (" + (0..<10_000).map { "\($0 * 2)" }.joined(separator: ", ") + ")", 30),
        ("v IN (" + (0..<99_000).map { "\($0)" }.joined(separator: ", ") + ")", 60),
        ("k IN (0, 1, 2) AND v IN (" + (0..<3000).map { "\($0)" }.joined(separator: ", ") + ")", 18),
        ((0..<9999).map { "v != \($0 + 5000)" }.joined(separator: " AND "), 60),
        ((0..<5000).map { "v >= -\($0) AND v < \($0 + 5000)" }.joined(separator: " AND "), 60),
        ((0..<5000).map { "(v = \($0) AND k = \($0 % 10))" }.joined(separator: " OR "), 60),
        ((0..<600).map { "(v >= \($0 % 16) OR k = 1 OR tags[] = 5)" }.joined(separator: " AND "), 47),
        ((0..<5000).map { "gps WITHIN 0, 0, \(1 + $0 % 80), 50" }.joined(separator: " AND "), 0),
        ((0..<5000).map { "tags[] = \($0 % 7)" }.joined(separator: " AND "), 0),
        (
            "v IN (" + (0..<20_000).map { "\($0)" }.joined(separator: ",") + ") AND v IN ("
                + (0..<20_000).map { "\($0 + 55)" }.joined(separator: ",") + ")", 5
        ),
    ]

    private static func withDocuments(_ count: Int, _ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: schema) { store in
            try store.write { transaction in
                for id in 0..<count {
                    try transaction.put(
                        ["id": .int(Int64(id)), "v": .int(Int64(id)), "k": .int(Int64(id % 10))], in: "c")
                }
            }
            try body(try store.collection("c"))
        }
    }

    @Test func `Conditions with thousands of parts are planned in about a second`() throws {
        try Self.withDocuments(60) { collection in
            for (text, count) in Self.conditions {
                var filter = Filter.all
                let read = try processorTime { filter = try Filter(parsing: text) }
                let planned = try processorTime { _ = try collection.plan(Query(filter)) }
                let counted = try processorTime {
                    let found = try collection.count(where: filter)
                    #expect(found == count, "\(text.prefix(60))")
                }
                print("\(text.prefix(40)): read \(read), planned \(planned), counted \(counted)")
                // Without optimization.
                #expect(read + planned < .seconds(10), "\(text.prefix(60))")
            }
        }
    }

    @Test func `A list of ten thousand values is looked up in its index`() throws {
        try Self.withDocuments(3000) { collection in
            let values = (0..<10_000).map { DocumentValue.int(Int64($0 * 3)) }
            let plan = try collection.plan(Query(.isIn("v", values)))
            #expect(plan.identity == "index(v)" || plan.identity == "scan")
            #expect(try collection.count(where: .isIn("v", values)) == 1000)
            #expect(
                try collection.find(Query(.isIn("v", values)), options: Query.Options(hint: .index("v"))).count == 1000)
        }
    }

    @Test func `Planning ends when its task is canceled, before it begins or while it runs`() async throws {
        try await withTemporaryPath { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: Self.schema)
            let collection = try store.collection("c")
            try collection.put(["id": 1, "v": 1])
            let query = Query(try Filter(parsing: "v > 1 or k = 2"))
            let task = Task.detached {
                while !Task.isCancelled { await Task.yield() }
                return try collection.plan(query)
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            // Calls follow one another until one is canceled. It is the one that was running, unless the cancellation
            // came between two of them.
            let long = Query(try Filter(parsing: Self.conditions[0].0))
            var endedWithin = false
            for _ in 0..<10 where !endedWithin {
                let (signal, hasBegun) = AsyncStream<Void>.makeStream()
                let task = Task.detached {
                    hasBegun.yield()
                    while true {
                        let wasCancelled = Task.isCancelled
                        do { _ = try collection.plan(long) } catch { return (wasCancelled, error) }
                    }
                }
                for await _ in signal { break }
                try await Task.sleep(for: .milliseconds(10))
                task.cancel()
                let (wasCancelled, error) = await task.value
                #expect(error is CancellationError)
                endedWithin = !wasCancelled
            }
            #expect(endedWithin)
            try store.close()
        }
    }
}
