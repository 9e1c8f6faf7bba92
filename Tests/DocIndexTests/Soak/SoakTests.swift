import DocIndex
import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

/// Readers that overlap so that there is always a snapshot, while writers and compactions run.
///
/// One minute, or ten with `LEVELKIT_TEST_LONG=1`. Files of one MiB cause many compactions in a short test.
@Suite struct SoakTests {
    private static let documentCount = 4000
    private static let words = (0..<120).map { "word\($0 * 7919 % 1009)" }
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "docs",
            indexes: [
                .value("a", on: "a", counts: true), .value("words", on: "words[]"), .text("text", on: "text"),
            ]),
        CollectionDefinition("accounts", indexes: [.value("balance", on: "balance")]),
    ])

    private static func document(_ number: Int, _ revision: Int, _ random: inout SplitMix64) -> DocumentObject {
        let words = (0..<(4 + random.number(below: 8))).map { _ in random.pick(Self.words) }
        return [
            "id": .int(Int64(number)), "revision": .int(Int64(revision)), "a": .int(Int64(random.number(below: 50))),
            "words": .array(words.map { .string($0) }), "text": .string(words.joined(separator: " ")),
        ]
    }

    /// Threads that run until the deadline, and the state that the writers know.
    private final class Run: Sendable {
        let store: DocumentStore
        let database: Database
        let end: ContinuousClock.Instant
        let revisions: Mutex<[Int: Int]>
        let checkCount = Atomic(0)
        private let group = DispatchGroup()

        init(_ store: DocumentStore, _ database: Database, _ revisions: [Int: Int], lasting duration: Duration) {
            self.store = store
            self.database = database
            self.revisions = Mutex(revisions)
            end = .now + duration
        }

        func start(_ body: @escaping @Sendable (inout SplitMix64) throws -> Void, stream: UInt64) {
            group.enter()
            Thread.detachNewThread { [self] in
                defer { group.leave() }
                var random = TestRun.random(stream: stream)
                do {
                    while ContinuousClock.now < end { try body(&random) }
                } catch {
                    Issue.record("a thread ended: \(error), \(TestRun.repetition)")
                }
            }
        }

        func wait() { group.wait() }

        func expect(_ holds: Bool, _ law: @autoclosure () -> String) {
            checkCount.add(1, ordering: .relaxed)
            if !holds { Issue.record("\(law()), \(TestRun.repetition)") }
        }
    }

    @Test func `Results and indexes stay correct while overlapping readers never pause`() throws {
        try Self.soak(holding: false)
    }

    @Test func `Results and indexes stay correct while one snapshot is held throughout`() throws {
        try Self.soak(holding: true)
    }

    private static func soak(holding: Bool) throws {
        try withTemporaryDirectory { directory in
            var options = DocumentStore.Options().database
            options.writeBufferByteCount = 256 << 10
            options.maxFileByteCount = 1 << 20
            let database = try Database.open(at: directory + "/soak.store", options: options)
            let store = try DocumentStore.open(on: database, schema: schema)
            let run = Run(store, database, try fill(store), lasting: .seconds(TestRun.rounds(30, long: 300)))
            let first = try StoreContent(of: store.snapshot())
            let held = holding ? try store.snapshot() : nil
            for writer in 0..<2 { run.start({ try write(writer, run, &$0) }, stream: UInt64(writer)) }
            for reader in 0..<4 { run.start({ try read(run, &$0) }, stream: UInt64(10 + reader)) }
            run.start({ try maintain(run, &$0) }, stream: 20)
            run.wait()
            #expect(run.checkCount.load(ordering: .relaxed) > 20)
            let revisions = run.revisions.withLock { $0 }
            var stored: [Int: Int] = [:]
            try store.collection("docs").forEach { document in
                if case .int(let id)? = document["id"], case .int(let revision)? = document["revision"] {
                    stored[Int(id)] = Int(revision)
                }
            }
            #expect(stored == revisions)
            if let held { #expect(try StoreContent(of: held) == first) }
            try expectSound(store)
            try store.close()
            let again = try DocumentStore.open(at: directory + "/soak.store")
            try expectSound(again)
            try again.close()
        }
    }

    /// Returns the revisions of the documents.
    private static func fill(_ store: DocumentStore) throws -> [Int: Int] {
        var random = TestRun.random(stream: 99)
        try store.load(into: "docs") { batch in
            for number in 0..<documentCount { try batch.put(document(number, 0, &random)) }
        }
        try store.load(into: "accounts") { batch in
            for number in 0..<100 { try batch.put(["id": .int(Int64(number)), "balance": 1000]) }
        }
        return Dictionary(uniqueKeysWithValues: (0..<documentCount).map { ($0, 0) })
    }

    /// Each writer has its own documents, and all of them transfer money between the same accounts.
    private static func write(_ writer: Int, _ run: Run, _ random: inout SplitMix64) throws {
        var changed: [Int: Int?] = [:]
        let known = run.revisions.withLock { $0 }
        for _ in 0..<(1 + random.number(below: 20)) {
            let number = 2 * random.number(below: documentCount / 2) + writer
            changed[number] = random.once(in: 4) ? .some(nil) : (known[number] ?? 0) + 1
        }
        let documents = changed.compactMap { number, revision in
            revision.map { document(number, $0, &random) }
        }
        let (from, to) = (random.number(below: 100), random.number(below: 100))
        try run.store.write { transaction in
            for document in documents { try transaction.put(document, in: "docs") }
            for (number, revision) in changed where revision == nil {
                try transaction.delete(.int(Int64(number)), in: "docs")
            }
            if from != to {
                try transaction.update(.int(Int64(from)), in: "accounts") {
                    $0["balance"] = moved($0["balance"], by: -1)
                }
                try transaction.update(.int(Int64(to)), in: "accounts") { $0["balance"] = moved($0["balance"], by: 1) }
            }
        }
        run.revisions.withLock { revisions in
            for (number, revision) in changed { revisions[number] = revision }
        }
    }

    private static func moved(_ balance: DocumentValue?, by amount: Int64) -> DocumentValue {
        if case .int(let number)? = balance { .int(number + amount) } else { .int(amount) }
    }

    /// Runs the same query on one snapshot in two ways, and again after a while.
    private static func read(_ run: Run, _ random: inout SplitMix64) throws {
        let snapshot = try run.store.snapshot()
        let docs = snapshot.collections[0]
        let word = random.pick(words)
        let number = random.number(below: 50)
        func counts() throws -> [Int] {
            [
                try docs.searchCount(TextQuery(parsing: word)),
                try docs.count(
                    where: Filter(parsing: "words has \(word)"), options: Query.Options(hint: .index("words"))),
                try docs.count(where: Filter(parsing: "words has \(word)"), options: Query.Options(hint: .scan)),
            ]
        }
        let before = try counts()
        run.expect(Set(before).count == 1, "\(word): search, index and scan of one snapshot find \(before)")
        let condition = try Filter(parsing: "a = \(number)")
        let byIndex = try docs.find(Query(condition), options: Query.Options(hint: .index("a"))).map { "\($0.id)" }
        let byScan = try docs.find(Query(condition), options: Query.Options(hint: .scan)).map { "\($0.id)" }
        run.expect(Set(byIndex) == Set(byScan) && byIndex.count == byScan.count, "\(condition): index and scan differ")
        var sum: Int64 = 0
        try snapshot.collections[1].forEach { if case .int(let balance)? = $0["balance"] { sum += balance } }
        run.expect(sum == 100_000, "the accounts of one snapshot hold \(sum)")
        usleep(UInt32(random.number(below: 100_000)))
        run.expect(try counts() == before, "\(word): a snapshot changed")
    }

    private static func maintain(_ run: Run, _ random: inout SplitMix64) throws {
        usleep(2_000_000)
        switch random.number(below: 4) {
        case 0: try run.store.optimizeTextIndexes()
        case 1: try run.database.compact(includingDeepestLevel: true)
        default: try run.database.compact()
        }
    }
}

extension StoreContent {
    fileprivate init(of snapshot: StoreSnapshot) throws {
        self.init(
            schema: Schema(collections: []),
            documents: try snapshot.collections.map { collection in
                var documents: [Document] = []
                try collection.forEach { documents.append($0) }
                return documents
            })
    }
}
