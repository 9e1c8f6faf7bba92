import DocIndex
import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

/// Readers that overlap so that there is always a snapshot, while writers and compactions run, and live results and a
/// change stream follow them.
///
/// One minute, or ten with `LEVELKIT_TEST_LONG=1`. Files of one MiB cause many compactions in a short test.
@Suite struct SoakTests {
    private static let documentCount = 4000
    /// The ID of the document that is stored last, which every live result contains.
    private static let lastID = 1_000_000
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
        private let followers = DispatchGroup()

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

        /// Starts a task that ends when it has seen the last document.
        func follow(_ body: @escaping @Sendable (Run) async throws -> Void) {
            followers.enter()
            Task(executorPreference: OwnThreads.shared) { [self] in
                defer { followers.leave() }
                do {
                    try await body(self)
                } catch {
                    Issue.record("a follower ended: \(error), \(TestRun.repetition)")
                }
            }
        }

        /// Returns whether all followers have ended. After ten minutes they count as hung.
        func waitForFollowers() -> Bool { followers.wait(timeout: .now() + 600) == .success }

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
            var held = holding ? try store.snapshot() : nil
            let descriptorCount = try openFileCount(below: database.path)
            for query in try observedQueries() { run.follow { try await follow(query, $0) } }
            run.follow { try await copyChanges($0) }
            for writer in 0..<2 { run.start({ try write(writer, run, &$0) }, stream: UInt64(writer)) }
            for reader in 0..<6 { run.start({ try read(run, &$0) }, stream: UInt64(10 + reader)) }
            run.start({ try maintain(run, &$0) }, stream: 20)
            run.wait()
            try store.collection("docs").put(lastDocument)
            run.revisions.withLock { $0[lastID] = 0 }
            #expect(run.waitForFollowers(), "a live result or the change stream lacks the last document")
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
            held = nil
            try expectClosedFiles(of: database, descriptorCount: descriptorCount)
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
                try docs.count(matching: TextQuery(parsing: word)),
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

    // MARK: - Followers

    private static var lastDocument: DocumentObject {
        [
            "id": .int(Int64(lastID)), "revision": 0, "a": 7, "words": .array([.string(words[0])]),
            "text": .string(words[0]),
        ]
    }

    /// Queries with the last document in their results: by a value index, by elements, by words, and a few by their
    /// order.
    private static func observedQueries() throws -> [Query] {
        [
            Query(try Filter(parsing: "a = 7")), Query(try Filter(parsing: "words has \(words[0])")),
            Query(try Filter.search(words[0])), Query(sort: try Query.SortKey.parse("-id"), limit: 20),
        ]
    }

    /// Keeps a live result until it contains the last document, and compares it with that of a new query.
    private static func follow(_ query: Query, _ run: Run) async throws {
        let docs = try run.store.collection("docs")
        var shown: [Document] = []
        var sequence: UInt64?
        for try await update in try docs.observe(query) {
            update.apply(to: &shown)
            if let sequence, update.sequence <= sequence {
                Issue.record("\(query): an update of commit \(update.sequence) follows one of \(sequence)")
            }
            sequence = update.sequence
            if shown.contains(where: { $0.id == .int(Int64(lastID)) }) { break }
        }
        let result = try docs.find(query)
        #expect(shown == result, "\(query): the live result differs, \(TestRun.repetition)")
    }

    /// Keeps the last change of each document until the last document is stored, and compares them with the documents.
    private static func copyChanges(_ run: Run) async throws {
        var known: [DocumentID: UInt64] = [:]
        var sequence: UInt64 = 0
        for try await changes in run.store.changeStream(since: 0, in: "docs") {
            if let first = changes.first?.sequence, first <= sequence {
                Issue.record("changes of commit \(first) follow those of \(sequence)")
            }
            for change in changes { known[change.id] = change.isDeletion ? nil : change.sequence }
            sequence = changes.last?.sequence ?? sequence
            if known[.int(Int64(lastID))] != nil { break }
        }
        var stored: [DocumentID: UInt64] = [:]
        try run.store.collection("docs").forEach { stored[$0.id] = $0.sequence }
        #expect(known == stored, "the changes give other documents, \(TestRun.repetition)")
    }

    // MARK: - Open files

    /// Expects that the files of former readers are closed.
    private static func expectClosedFiles(of database: Database, descriptorCount: Int) throws {
        // A compaction deletes the tables that the last readers have released.
        try database.compact()
        #expect(try openFileCount(below: database.path) <= descriptorCount + 8)
    }

    /// Returns how many descriptors of this process are for files in a directory; 0 where the system does not tell.
    private static func openFileCount(below directory: String) throws -> Int {
        #if os(Linux)
            let path = URL(filePath: directory).resolvingSymlinksInPath().path + "/"
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            }
            return links.count { $0.hasPrefix(path) }
        #else
            return 0
        #endif
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
