import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// The cost of live results and of canceled queries, counted in documents.
@Suite struct LiveWorkTests {
    private static let schema = Schema(collections: [
        CollectionDefinition("c", indexes: [.value("n", on: "kind", "n")])
    ])

    private static func document(_ id: Int, _ random: inout SplitMix64) -> DocumentObject {
        ["id": .int(Int64(id)), "n": .int(Int64(random.number(below: 100_000))), "kind": .int(Int64(id % 2))]
    }

    /// Returns how many documents a live result of 50 reads while documents change, one per commit.
    private static func documentsRead(among count: Int, commits: Int) throws -> Int {
        var random = TestRun.random(stream: 140)
        var read = 0
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            for start in stride(from: 0, to: count, by: 1000) {
                try store.write { transaction in
                    for id in start..<min(start + 1000, count) {
                        try transaction.put(document(id, &random), in: "c")
                    }
                }
            }
            let query = Query(try Filter(parsing: "kind = 1"), sort: [.ascending("n")], limit: 50)
            var live = LiveResult(collection: collection, query: query, options: Query.Options())
            var shown: [Document] = []
            try #require(try live.update()).apply(to: &shown)
            let first = live.examinedCount
            #expect(first < 60)
            for commit in 0..<commits {
                // Every fifth change affects a visible document.
                let id =
                    commit % 5 == 0 && !shown.isEmpty
                    ? shown[random.number(below: shown.count)].id : .int(Int64(random.number(below: count)))
                guard case .int(let number) = id else { continue }
                try collection.put(document(Int(number), &random))
                try live.update()?.apply(to: &shown)
            }
            #expect(try shown == collection.find(query), "\(TestRun.repetition)")
            read = live.examinedCount - first
        }
        return read
    }

    @Test func `The work of a live result per commit does not grow with the store`() throws {
        let commits = TestRun.rounds(300, long: 10_000)
        let small = try Self.documentsRead(among: 1000, commits: commits)
        let large = try Self.documentsRead(among: 20_000, commits: commits)
        // The changed document, and the replacement of one that left the result.
        #expect(small < 4 * commits && large < 4 * commits, "\(small), \(large)")
    }

    @Test func `A full scan checks for cancellation every few hundred documents`() async throws {
        let path = temporaryPath()
        defer { try? TestFiles.remove(path) }
        let store = try DocumentStore.open(at: path, schema: Self.schema)
        let collection = try store.collection("c")
        var random = TestRun.random(stream: 141)
        try store.write { transaction in
            for id in 0..<6000 { try transaction.put(Self.document(id, &random), in: "c") }
        }
        let task = Task.detached { () throws -> (cancelledAt: Int, endedAt: Int) in
            var cancelledAt = 0
            let query = Query(try Filter(parsing: "note = 1"))
            let (rows, plan) = try collection.prepare(query, Query.Options())
            let progress = { @Sendable (_: Query.Options.Progress) in
                unsafe withUnsafeCurrentTask { task in _ = unsafe task?.cancel() }
            }
            let executor = QueryExecutor(
                rows: rows, query: query, plan: plan, options: Query.Options(progress: progress))
            do {
                try executor.run { _, _ in true }
            } catch is CancellationError {
                // The first report comes after 4,096 steps: a key and a document each.
                cancelledAt = 2048
            }
            return (cancelledAt, executor.work.documentsExamined)
        }
        let (cancelledAt, endedAt) = try await task.value
        #expect(cancelledAt > 0 && endedAt >= cancelledAt && endedAt - cancelledAt <= 256, "\(endedAt)")
        try store.close()
    }
}
