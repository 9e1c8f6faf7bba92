import Foundation
import Synchronization
import Testing

@testable import LevelKit

@Suite struct ConcurrencyTests {
    /// Closes a database while other threads use it. Waits for their cursors on a slow machine, too.
    private func closePatiently(_ database: Database) throws {
        // Ten minutes.
        try DatabaseCore.$cursorWaitCount.withValue(6_000_000) { try database.close() }
    }

    @Test func `Closing while other threads read, scan and write ends all their calls with closed`() throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.writeBufferByteCount = 64 << 10
            for round in 0..<TupleTestPlan.rounds(25, long: 1000) {
                let database = try Database.open(at: directory + "/db", options: options)
                for number in 0..<100 { try database.put(numberedKey(number), forKey: numberedKey(number)) }
                let isFirstCallDone = Atomic(0)
                let work: [@Sendable (Int) throws -> Void] = [
                    { number in _ = try database.value(forKey: numberedKey(number % 150)) },
                    { number in try database.put(numberedKey(number), forKey: numberedKey(number % 200)) },
                    { _ in _ = try entries(of: database) },
                    { number in
                        let snapshot = try database.snapshot()
                        _ = try entries(of: snapshot, in: .prefix(utf8("key00001")), reverse: true)
                        _ = try snapshot.value(forKey: numberedKey(number % 100))
                    },
                    { number in if number % 8 == 0 { try database.compact() } },
                ]
                let threads = work.map { call in
                    startThread { () throws(LevelError) in
                        for number in 0... {
                            do { try call(number) } catch {
                                guard let error = error as? LevelError else { fatalError("\(error)") }
                                throw error
                            }
                            if number == 0 { isFirstCallDone.add(1, ordering: .relaxed) }
                        }
                    }
                }
                while isFirstCallDone.load(ordering: .relaxed) < 3 { usleep(20) }
                usleep(UInt32(round % 5) * 300)
                try closePatiently(database)
                let again = try Database.open(at: directory + "/db", options: options)
                for thread in threads { #expect(code { try thread.get() } == .closed) }
                #expect(try keys(of: again).count >= 100)
                try again.close()
            }
        }
    }

    @Test func `Closing waits for a cursor of another thread to end`() throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/db")
            try database.put("1", forKey: "a")
            let hasCursor = DispatchSemaphore(value: 0)
            let thread = startThread { () throws(LevelError) in
                var cursor = try database.cursor()
                hasCursor.signal()
                usleep(50_000)
                _ = try cursor.advance()
            }
            hasCursor.wait()
            try closePatiently(database)
            // LevelDB has already closed the database, so the directory can be opened.
            try Database.open(at: directory + "/db").close()
            #expect(code { try thread.get() } == .closed)
        }
    }

    @Test func `Several threads can close a database at once`() throws {
        try withTemporaryDirectory { directory in
            for _ in 0..<20 {
                let database = try Database.open(at: directory + "/db")
                try database.put("1", forKey: "a")
                let threads = (0..<4).map { _ in startThread { () throws(LevelError) in try database.close() } }
                for thread in threads { try thread.get() }
                #expect(code { try database.put("2", forKey: "a") } == .closed)
            }
        }
    }

    @Test func `Exactly one of several threads opens the same database`() throws {
        try withTemporaryDirectory { directory in
            for round in 0..<10 {
                let winners = Mutex<[Database]>([])
                let threads = (0..<4).map { _ in
                    startThread { () throws(LevelError) in
                        let database = try Database.open(at: directory + "/db\(round)")
                        winners.withLock { $0.append(database) }
                    }
                }
                let codes = threads.map { thread in code { try thread.get() } }
                #expect(codes.filter { $0 == nil }.count == 1)
                #expect(codes.filter { $0 == .locked }.count == 3)
                let winner = try #require(winners.withLock { $0.first })
                try winner.put("1", forKey: "a")
                try winner.close()
            }
        }
    }

    @Test func `Concurrent readers see every batch completely or not at all`() throws {
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        try withTemporaryDatabase(options: options) { database in
            let deadline = ContinuousClock.now + .milliseconds(1000)
            let rounds = Mutex([0, 0])
            // On a busy machine, a second may be too short for the threads to overlap.
            let lastDeadline = deadline + .seconds(60)
            @Sendable func goesOn(_ round: Int) -> Bool {
                let now = ContinuousClock.now
                return now < deadline || round <= 10 && now < lastDeadline
            }
            let writers = (0..<2).map { writer in
                startThread { () throws(LevelError) in
                    var round = 0
                    while goesOn(round) {
                        let batch = WriteBatch()
                        let value = utf8("\(round) " + String(repeating: "x", count: 200))
                        for part in 0..<3 { try batch.put(value, forKey: utf8("writer\(writer)/part\(part)")) }
                        try batch.put(value, forKey: utf8("log/\(writer)/") + numberedKey(round))
                        try database.write(batch, durability: round % 100 == 0 ? .synced : .buffered)
                        round += 1
                    }
                    rounds.withLock { $0[writer] = round }
                }
            }
            let tornCount = Atomic(0)
            let readCount = Atomic(0)
            let readers = (0..<2).map { reader in
                startThread { () throws(LevelError) in
                    let range = KeyRange.prefix(utf8("writer\(reader)/"))
                    var round = 0
                    while goesOn(round) {
                        round += 1
                        // Cursors and snapshots each show a single point in time.
                        var values = Set<[UInt8]>()
                        var cursor = try database.cursor(in: range, direction: reader == 1 ? .descending : .ascending)
                        while try cursor.advance() { values.insert(cursor.value.copied()) }
                        if values.count > 1 { tornCount.add(1, ordering: .relaxed) }
                        let snapshot = try database.snapshot()
                        let parts = [
                            try snapshot.value(forKey: "writer\(reader)/part0"),
                            try snapshot.value(forKey: "writer\(reader)/part2"),
                        ]
                        if parts[0] != parts[1] { tornCount.add(1, ordering: .relaxed) }
                        readCount.add(1, ordering: .relaxed)
                    }
                }
            }
            for thread in writers + readers { try thread.get() }
            #expect(tornCount.load(ordering: .relaxed) == 0)
            #expect(readCount.load(ordering: .relaxed) > 10)
            for (writer, count) in rounds.withLock({ $0 }).enumerated() {
                #expect(count > 10)
                #expect(try keys(of: database, in: .prefix(utf8("log/\(writer)/"))).count == count)
            }
        }
    }
}

/// Starts a dedicated thread; an error it throws is reported by the result.
func startThread(_ body: @escaping @Sendable () throws(LevelError) -> Void) -> ThreadOutcome<Void> {
    let outcome = ThreadOutcome<Void>()
    Thread.detachNewThread { outcome.finish(Result { try body() }) }
    return outcome
}
