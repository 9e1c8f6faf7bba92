import DocIndex
import Foundation
import LevelKit
import Synchronization
import TestSupport
import Testing

/// Indexes that are built while other threads read and write.
@Suite struct ConcurrentBuildTests {
    /// Work that threads repeat until they are told to stop.
    private final class Work: Sendable {
        private let isStopped = Atomic(false)
        private let group = DispatchGroup()
        private let rounds = Atomic(0)

        /// The number of rounds that all threads together have completed.
        var roundCount: Int { rounds.load(ordering: .relaxed) }

        func start(_ body: @escaping @Sendable (Int) throws -> Void) {
            group.enter()
            Thread.detachNewThread { [self] in
                defer { group.leave() }
                do {
                    for number in 0... where !isStopped.load(ordering: .relaxed) {
                        try body(number)
                        rounds.add(1, ordering: .relaxed)
                        if isStopped.load(ordering: .relaxed) { return }
                    }
                } catch {
                    Issue.record("a thread ended: \(error)")
                }
            }
        }

        func stop() {
            isStopped.store(true, ordering: .relaxed)
            group.wait()
        }
    }

    private static func write(_ number: Int, to photos: DocumentCollection) throws {
        var random = SplitMix64(seed: UInt64(number + 1))
        let id = random.number(below: 1400)
        switch random.number(below: 4) {
        case 0: try photos.delete(.int(Int64(id)))
        case 1:
            do {
                try photos.update(.int(Int64(id))) { $0["year"] = .int(Int64(1900 + random.number(below: 20))) }
            } catch let error as DocIndexError where error.code == .documentMissing {}
        default: try photos.put(OnlineBuildTests.photo(id, &random))
        }
        usleep(200)
    }

    @Test func `Every result matches a full scan while indexes are built and documents written`() throws {
        try withTemporaryStore(schema: OnlineBuildTests.old) { store in
            try OnlineBuildTests.fill(store)
            let photos = try store.collection("photos")
            let work = Work()
            for _ in 0..<2 {
                work.start { _ in
                    let snapshot = try store.snapshot()
                    try OnlineBuildTests.expectRightAnswers(snapshot.collections[0])
                    // There is always an index on the year that can answer.
                    let plan = try snapshot.collections[0].plan(Query(Filter(parsing: "year = 1907")))
                    if plan.access == .scan { Issue.record("no index answers") }
                }
            }
            work.start { number in try Self.write(number, to: photos) }
            for schema in [OnlineBuildTests.new, OnlineBuildTests.other, OnlineBuildTests.old] {
                try store.apply(schema) { _ in
                    let problems = try store.verify().problems
                    #expect(problems.isEmpty)
                    let before = work.roundCount
                    let deadline = ContinuousClock.now + .seconds(10)
                    while work.roundCount < before + 5, ContinuousClock.now < deadline { usleep(500) }
                }
                #expect(store.schema == schema)
                try expectSound(store)
            }
            work.stop()
            try OnlineBuildTests.expectRightAnswers(photos)
        }
    }

    @Test func `Threads that apply schemas concurrently leave one of the schemas, completely applied`() throws {
        try withTemporaryStore(schema: OnlineBuildTests.old) { store in
            try OnlineBuildTests.fill(store)
            let schemas = [OnlineBuildTests.new, OnlineBuildTests.other, OnlineBuildTests.old]
            for round in 0..<TestRun.rounds(3, long: 50) {
                let group = DispatchGroup()
                for number in 0..<2 {
                    group.enter()
                    Thread.detachNewThread {
                        defer { group.leave() }
                        do { try store.apply(schemas[(round + number) % 3]) } catch { Issue.record("\(error)") }
                    }
                }
                group.wait()
                try expectSound(store)
                #expect(schemas.contains(store.schema))
                try OnlineBuildTests.expectRightAnswers(store.collection("photos"))
                #expect(try OnlineBuildTests.finish(store) == nil)
            }
        }
    }

    /// The longest single reads.
    private struct LongestReads {
        var before = Duration.zero
        var during = Duration.zero
        var end = ContinuousClock.now
        var slowCount = 0
    }

    /// Prints the longest single read while indexes are built; asserts no duration.
    @Test(.enabled(if: TestRun.isLong, "measured in the long form"))
    func `Readers continue while a large store is indexed`()
        throws
    {
        try withTemporaryDirectory { directory in
            let store = try DocumentStore.open(at: directory + "/s", schema: OnlineBuildTests.old)
            var random = SplitMix64(seed: 3)
            for first in stride(from: 0, to: 100_000, by: 1000) {
                try store.write { transaction in
                    for id in first..<first + 1000 {
                        try transaction.put(OnlineBuildTests.photo(id, &random), in: "photos")
                    }
                }
            }
            let photos = try store.collection("photos")
            let longest = Mutex(LongestReads())
            let isBuilding = Atomic(false)
            let work = Work()
            for thread in 0..<2 {
                work.start { number in
                    let duringBuild = isBuilding.load(ordering: .relaxed)
                    let id = DocumentID.int(Int64((number * 7919 + thread) % 100_000))
                    let duration = try ContinuousClock().measure { _ = try photos.document(id) }
                    longest.withLock { longest in
                        guard duringBuild else {
                            longest.before = max(longest.before, duration)
                            return
                        }
                        if duration > .milliseconds(50) { longest.slowCount += 1 }
                        if duration < longest.during { return }
                        longest.during = duration
                        longest.end = ContinuousClock.now
                    }
                }
            }
            usleep(2_000_000)
            isBuilding.store(true, ordering: .relaxed)
            let start = ContinuousClock.now
            var lastSlice = start
            try store.apply(OnlineBuildTests.new) { progress in
                if progress.row < progress.lastRow { lastSlice = ContinuousClock.now }
            }
            let duration = ContinuousClock.now - start
            work.stop()
            let found = longest.withLock { $0 }
            print(
                "three indexes over 100,000 documents in \(duration); \(work.roundCount) reads, the longest "
                    + "\(found.during), which ended after \(found.end - start) (the last slice but one after "
                    + "\(lastSlice - start)), \(found.slowCount) longer than 50 ms; before the build \(found.before)")
            #expect(work.roundCount > 0)
            try store.close()
        }
    }
}
