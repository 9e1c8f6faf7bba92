import LevelKit
import TestSupport
import Testing

/// The asynchronous form of a keyspace does what the blocking one does.
@Suite struct AsyncKeyspaceTests {
    private struct Rating: Codable, Sendable, Equatable { var stars: Int }

    private func withRatings(
        _ body: (Database, Keyspace<String, Rating>) async throws -> Void
    ) async throws {
        try await withSharedDirectory { directory in
            let database = try Database.open(at: directory)
            try await body(database, database.keyspace("ratings", key: String.self, value: .json(Rating.self)))
            try database.close()
        }
    }

    private func code(_ body: () async throws -> Void) async -> LevelError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? LevelError)?.code
        }
    }

    @Test func `Entries written through one form are readable through the other`() async throws {
        try await withRatings { database, ratings in
            let asynchronous = ratings.asynchronous
            try await asynchronous.put(Rating(stars: 5), forKey: "a", durability: .synced)
            try ratings.put(Rating(stars: 3), forKey: "b")
            try ratings.put(Rating(stars: 1), forKey: "c")
            #expect(try ratings.value(forKey: "a") == Rating(stars: 5))
            #expect(try await asynchronous.value(forKey: "b") == Rating(stars: 3))
            #expect(try await asynchronous.value(forKey: "d") == nil)
            let (hasC, hasD) = (try await asynchronous.contains("c"), try await asynchronous.contains("d"))
            #expect(hasC && !hasD)
            let (first, last) = (try await asynchronous.first(), try await asynchronous.last(in: .range("a"..<"c")))
            #expect(first?.key == "a" && first?.value == Rating(stars: 5))
            #expect(last?.key == "b" && last?.value == Rating(stars: 3))
            #expect(try await asynchronous.first(in: .range("x"...)) == nil)
            #expect(try await asynchronous.count(in: .range("b"...)) == 2)
            try await asynchronous.delete("a")
            #expect(try !ratings.contains("a"))
            #expect(try await asynchronous.deleteRange(.all) == 2)
            #expect(try ratings.count() == 0)
            let marks = try database.keyspace("marks", key: Int.self, value: .empty)
            try await marks.asynchronous.insert(7)
            #expect(try marks.contains(7))
        }
    }

    @Test(arguments: [1, 7, 99, 100, 101, 1000], [KeyDirection.ascending, .descending])
    func `Chunks contain the entries that a cursor returns, and all but the last are full`(
        count: Int, direction: KeyDirection
    ) async throws {
        try await withRatings { database, ratings in
            for number in 100..<250 { try ratings.put(Rating(stars: number), forKey: "p\(number)") }
            let range = TypedKeyRange<String>.range("p120"..<"p220")
            var found: [(key: String, value: Rating)] = []
            var counts: [Int] = []
            for try await chunk in ratings.asynchronous.chunks(in: range, direction: direction, count: count) {
                if counts.isEmpty {
                    // All chunks have the state at the first one.
                    try ratings.put(Rating(stars: 0), forKey: "p150x")
                    try ratings.deleteRange(.range("p160"..<"p180"))
                }
                found += chunk
                counts.append(chunk.count)
            }
            let numbers = direction == .ascending ? Array(120..<220) : Array(120..<220).reversed()
            #expect(found.map(\.key) == numbers.map { "p\($0)" })
            #expect(found.map(\.value.stars) == numbers)
            #expect(counts.dropLast().allSatisfy { $0 == count })
        }
    }

    @Test func `A value that its codec cannot read ends a sequence of chunks with an error`() async throws {
        try await withRatings { database, ratings in
            for number in 0..<9 { try ratings.put(Rating(stars: number), forKey: "p\(number)") }
            try database.put("no JSON", forKey: ratings.packed("p6"))
            var found: [String] = []
            let error = await code {
                for try await chunk in ratings.asynchronous.chunks(count: 3) { found += chunk.map(\.key) }
            }
            #expect(error == .malformedEntry)
            #expect(found == ["p0", "p1", "p2", "p3", "p4", "p5"])
            #expect(await code { _ = try await ratings.asynchronous.value(forKey: "p6") } == .malformedEntry)
        }
    }

    @Test func `Each call on a closed database throws closed`() async throws {
        try await withRatings { database, ratings in
            try ratings.put(Rating(stars: 1), forKey: "a")
            try database.close()
            let asynchronous = ratings.asynchronous
            #expect(await code { _ = try await asynchronous.value(forKey: "a") } == .closed)
            #expect(await code { _ = try await asynchronous.contains("a") } == .closed)
            #expect(await code { _ = try await asynchronous.first() } == .closed)
            #expect(await code { _ = try await asynchronous.count() } == .closed)
            #expect(await code { try await asynchronous.put(Rating(stars: 2), forKey: "a") } == .closed)
            #expect(await code { try await asynchronous.delete("a") } == .closed)
            #expect(await code { _ = try await asynchronous.deleteRange(.all) } == .closed)
            #expect(await code { for try await _ in asynchronous.chunks() {} } == .closed)
        }
    }

    @Test func `A canceled task writes nothing and reads no chunk`() async throws {
        try await withRatings { _, ratings in
            let asynchronous = ratings.asynchronous
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                await #expect(throws: CancellationError.self) {
                    try await asynchronous.put(Rating(stars: 1), forKey: "a")
                }
                await #expect(throws: CancellationError.self) { for try await _ in asynchronous.chunks() {} }
            }
            task.cancel()
            await task.value
            let count = try ratings.count()
            #expect(count == 0)
        }
    }
}
