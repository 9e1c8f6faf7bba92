import Foundation
import LevelKit
import TestSupport
import Testing

/// The asynchronous API does what the synchronous one does, and cancellation takes effect between its steps.
@Suite struct AsyncDatabaseTests {
    private func code(_ body: () async throws -> Void) async -> LevelError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? LevelError)?.code
        }
    }

    private func fill(_ database: Database, _ count: Int) throws {
        for number in 0..<count { try database.put(TableFixture.value(number), forKey: numberedKey(number)) }
    }

    @Test func `Values written through one API are readable through the other`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try await database.asynchronous.put([1], forKey: [1])
            #expect(try database.value(forKey: [1]) == [1])
            try database.put([2], forKey: [2])
            #expect(try await database.asynchronous.value(forKey: [2]) == [2])
            #expect(try await database.asynchronous.value(forKey: [3]) == nil)
            try await database.asynchronous.delete([1], durability: .synced)
            #expect(try database.value(forKey: [1]) == nil)
            let count = try await database.asynchronous.write(durability: .flushed) { batch in
                try batch.put([4], forKey: [4])
                try batch.delete([2])
                return batch.count
            }
            #expect(count == 2)
            #expect(try keys(of: database) == [[4]])
            try database.close()
        }
    }

    @Test func `An asynchronous write whose body throws writes nothing`() async throws {
        struct Mine: Error {}
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            await #expect(throws: Mine.self) {
                try await database.asynchronous.write { batch in
                    try batch.put([1], forKey: [1])
                    throw Mine()
                }
            }
            #expect(try keys(of: database) == [])
            try database.close()
        }
    }

    @Test func `Every asynchronous call on a closed database throws closed`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try fill(database, 10)
            try database.close()
            let asynchronous = database.asynchronous
            #expect(await code { _ = try await asynchronous.value(forKey: [1]) } == .closed)
            #expect(await code { try await asynchronous.put([1], forKey: [1]) } == .closed)
            #expect(await code { try await asynchronous.delete([1]) } == .closed)
            #expect(await code { try await asynchronous.write { try $0.put([1], forKey: [1]) } } == .closed)
            #expect(await code { for try await _ in asynchronous.chunks() {} } == .closed)
        }
    }

    @Test(arguments: [1, 7, 99, 100, 101, 1000], [false, true])
    func `Chunks contain the pairs a cursor returns, and all but the last are full`(count: Int, reverse: Bool)
        async throws
    {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try fill(database, 150)
            let range = KeyRange.range(from: numberedKey(20), to: numberedKey(120))
            var found: [Entry] = []
            var counts: [Int] = []
            for try await chunk in database.asynchronous.chunks(
                in: range, direction: reverse ? .descending : .ascending, count: count)
            {
                found += chunk.map { Entry(key: $0.key, value: $0.value) }
                counts.append(chunk.count)
            }
            #expect(try found == entries(of: database, in: range, reverse: reverse))
            #expect(counts.dropLast().allSatisfy { $0 == count })
            #expect(counts.reduce(0, +) == 100)
            #expect(counts.last == (100 % count == 0 ? count : 100 % count))
            try database.close()
        }
    }

    @Test func `An empty range has no chunks, and an iterator at its end stays there`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try fill(database, 3)
            do {
                var empty = database.asynchronous.chunks(in: .range(from: [5], to: [4])).makeAsyncIterator()
                var whole = database.asynchronous.chunks(count: 3).makeAsyncIterator()
                #expect(try await whole.next()?.count == 3)
                for _ in 0..<3 {
                    let (first, second) = (try await empty.next(), try await whole.next())
                    #expect(first == nil)
                    #expect(second == nil)
                }
            }
            try database.close()
        }
    }

    @Test func `All chunks show the state at the first chunk`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try fill(database, 100)
            do {
                var chunks = database.asynchronous.chunks(count: 10).makeAsyncIterator()
                // Writes before the first chunk are visible.
                try database.put([1], forKey: numberedKey(100))
                var count = try await chunks.next()?.count ?? 0
                for number in 0..<200 { try database.put([9], forKey: numberedKey(number) + [0]) }
                for number in 50..<100 { try database.delete(numberedKey(number)) }
                try database.compact()
                while let chunk = try await chunks.next() {
                    count += chunk.count
                    #expect(!chunk.contains { $0.value == [9] })
                }
                #expect(count == 101)
            }
            try database.close()
        }
    }

    @Test func `A damaged block ends the chunks with a corruption error, on every further call`() async throws {
        try await withSharedDirectory(leavesDamage: true) { directory in
            try TableFixture.make(at: directory, count: 200)
            let table = try #require(try files(ofKind: "ldb", in: directory).first)
            var bytes = try content(of: table)
            bytes[try #require(bytes.firstRange(of: TableFixture.value(100))).lowerBound] ^= 1
            try write(bytes, to: table)
            let database = try Database.open(at: directory)
            var chunks = database.asynchronous.chunks(count: 1000).makeAsyncIterator()
            for _ in 0..<3 {
                let found = await #expect(throws: LevelError.self) { _ = try await chunks.next() }
                #expect(found?.code == .corruption)
            }
        }
    }

    @Test func `A task that is already canceled neither reads nor writes`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try database.put([1], forKey: [1])
            let outcomes = await Task(executorPreference: OwnThreads.shared) {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return [
                    await isCancelled { try await database.asynchronous.put([2], forKey: [1]) },
                    await isCancelled { try await database.asynchronous.delete([1]) },
                    await isCancelled { try await database.asynchronous.write { try $0.put([2], forKey: [1]) } },
                    await isCancelled { _ = try await database.asynchronous.value(forKey: [1]) },
                    await isCancelled { for try await _ in database.asynchronous.chunks() {} },
                ]
            }.value
            #expect(outcomes == Array(repeating: true, count: 5))
            #expect(try database.value(forKey: [1]) == [1])
            try database.close()
        }
    }

    @Test func `Cancellation ends the chunks before the next one`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try fill(database, 100)
            let count = await Task(executorPreference: OwnThreads.shared) {
                var count = 0
                let wasCancelled = await isCancelled {
                    for try await chunk in database.asynchronous.chunks(count: 10) {
                        count += chunk.count
                        if count == 30 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                    }
                }
                return wasCancelled ? count : -1
            }.value
            #expect(count == 30)
            // The cursor ended with the loop, so nothing prevents the database from closing.
            try database.close()
        }
    }

    @Test func `Closing with a live iterator throws a typed error, and the iterator then throws closed`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try fill(database, 10)
            do {
                var chunks = database.asynchronous.chunks(count: 1).makeAsyncIterator()
                #expect(try await chunks.next()?.count == 1)
                #expect(await code { try database.close() } == .cursorsAlive)
                for _ in 0..<2 {
                    let error = await #expect(throws: LevelError.self) { _ = try await chunks.next() }
                    #expect(error?.code == .closed)
                }
            }
            // The queue may keep the iterator slightly longer than this task.
            var options = DatabaseOptions()
            options.lockTimeout = .seconds(10)
            try Database.open(at: directory, options: options).close()
        }
    }

    @Test func `Concurrent reads and writes of many tasks lose nothing`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<20 {
                    group.addTask {
                        for number in 0..<50 {
                            let key = numberedKey(task * 50 + number)
                            try await database.asynchronous.put(key, forKey: key)
                            let found = try await database.asynchronous.value(forKey: key)
                            #expect(found == key, "\(task) finds its own write")
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        var last: [UInt8] = []
                        for try await chunk in database.asynchronous.chunks(count: 64) {
                            for entry in chunk {
                                guard last.lexicographicallyPrecedes(entry.key) else {
                                    throw LevelError(.unknown, "keys do not rise")
                                }
                                last = entry.key
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try keys(of: database) == (0..<1000).map(numberedKey))
            try database.close()
        }
    }

    @Test func `Two writes of one task take effect in order`() async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            for number in 0..<100 {
                try await database.asynchronous.put([UInt8(number)], forKey: [0])
                try await database.asynchronous.put([UInt8(number)], forKey: [1])
            }
            #expect(try entries(of: database).map(\.value) == [[99], [99]])
            try database.close()
        }
    }

    @Test func `A chunk size below one is a precondition failure`() async {
        await #expect(processExitsWith: .failure) {
            let database = try Database.temporary()
            signal(SIGILL) { _ in _exit(1) }
            signal(SIGTRAP) { _ in _exit(1) }
            _ = database.asynchronous.chunks(count: 0)
            _exit(0)
        }
    }
}

private func isCancelled(_ body: () async throws -> Void) async -> Bool {
    do {
        try await body()
        return false
    } catch {
        return error is CancellationError
    }
}
