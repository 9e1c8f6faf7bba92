import DocIndex
import Foundation
import LevelKit
import TestSupport
import Testing

/// A process is repeatedly killed while it changes all documents of a collection.
@Suite struct KilledBulkChangeTests {
    @Test func `After a kill, each commit of a bulk change is complete, and a second run finishes it`() throws {
        var random = TestRun.random(stream: 911)
        var partialCount = 0
        try withTemporaryDirectory { directory in
            let path = directory + "/s"
            for round in 0..<TestRun.rounds(10, long: 200) {
                let delay = random.number(below: 400_000)
                let comment: Comment = "round \(round), after \(delay) microseconds; \(TestRun.repetition)"
                let process = try LoaderProcess([path, "bulk"], printingTo: directory + "/printed")
                let deadline = ContinuousClock.now + .seconds(60)
                while try !process.hasPrinted("ready"), ContinuousClock.now < deadline { usleep(1000) }
                usleep(UInt32(delay))
                process.kill()
                _ = process.wait()
                let printed = try process.printed()
                #expect(printed.failures.isEmpty && printed.rest == ["ready"], "\(comment): \(printed)")
                let store = try DocumentStore.open(at: path)
                try expectSound(store)
                let generations = try BulkHistory.generations(in: store)
                let (lowest, highest) = (generations.min() ?? 0, generations.max() ?? 0)
                #expect(generations.count == BulkHistory.documentCount, comment)
                #expect(lowest >= printed.lastCommit, comment)
                if lowest < highest {
                    partialCount += 1
                    // Only a change of several commits stops in between, and it goes through the documents in order.
                    #expect(highest == lowest + 1 && highest % 2 == 0, comment)
                    #expect(generations == generations.sorted(by: >), comment)
                    let rest = try BulkHistory.perform(highest, on: store)
                    #expect(rest.changedCount == generations.count { $0 == lowest }, comment)
                    #expect(Set(try BulkHistory.generations(in: store)) == [highest], comment)
                }
                try store.close()
            }
        }
        print("\(partialCount) kills fell between the commits of a change")
    }

    @Test(.enabled(if: !Sanitizer.isPresent, "a sanitizer's own memory would count"))
    func `The memory of a bulk change is bounded by its commits, not by the number of documents`() throws {
        #if os(Linux)
            try withTemporaryDirectory { directory in
                let process = try LoaderProcess(
                    [directory + "/s", "memory", "200000", "\(2 << 20)"], printingTo: directory + "/printed")
                let end = process.wait(seconds: 600)
                #expect(end.reason == .exit && end.status == 0)
                // The documents take about 70 MB.
                let growth = try process.printed().lastCommit
                print("the peak of the memory grew by \(growth) KiB")
                #expect(growth < 32 << 10)
            }
        #endif
    }
}
