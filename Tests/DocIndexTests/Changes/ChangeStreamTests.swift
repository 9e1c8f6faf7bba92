import DocIndex
import Foundation
import Synchronization
import TestSupport
import Testing

/// Waiting for changes.
@Suite struct ChangeStreamTests {
    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("v", on: "v")]), CollectionDefinition("albums", id: "name"),
    ])

    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    /// Runs `body` with a store on separate threads, then closes, reopens and verifies the store.
    private func withStore(_ body: @escaping @Sendable (DocumentStore) async throws -> Void) async throws {
        try await within {
            try await withTemporaryPath { path in
                let store = try DocumentStore.open(at: path + "/s", schema: Self.schema)
                try await body(store)
                try store.close()
                let again = try DocumentStore.open(at: path + "/s")
                try expectSound(again)
                try again.close()
            }
        }
    }

    /// Returns the changes of a stream up to and including a commit.
    private static func changes(of stream: DocumentStore.ChangeStream, upTo sequence: UInt64) async throws
        -> [StoreChange]
    {
        var changes: [StoreChange] = []
        for try await some in stream {
            changes += some
            if let last = some.last, last.sequence >= sequence { break }
        }
        return changes
    }

    @Test func `A stream starts with the changes that already happened`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            for id in 0..<5 { try photos.put(["id": .int(Int64(id))]) }
            let changes = try await Self.changes(of: store.changeStream(since: 2), upTo: 5)
            #expect(try store.changes(since: 2) == changes)
        }
    }

    @Test func `A stream waits for the next commit of another thread`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            try photos.put(["id": "a"])
            let isThere = Flag()
            let stream = store.changeStream(since: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var iterator = stream.makeAsyncIterator()
                    let changes = try await iterator.next()
                    isThere.value.withLock { $0 = true }
                    #expect(changes?.map(\.id) == ["b"])
                    #expect(changes?.map(\.sequence) == [2])
                }
                await pause(for: .milliseconds(50))
                let isEarly = isThere.value.withLock { $0 }
                #expect(!isEarly)
                // A write that changes nothing wakes no one.
                try photos.put(["id": "a"])
                await pause(for: .milliseconds(50))
                let isWoken = isThere.value.withLock { $0 }
                #expect(!isWoken)
                try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                    Thread.detachNewThread { done.resume(with: Result { _ = try photos.put(["id": "b"]) }) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `A commit between two elements of a stream is not lost, whatever the thread timing`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            let count = 300
            async let seen = Self.changes(of: store.changeStream(since: 0, batchLimit: 1), upTo: UInt64(count))
            for id in 1...count {
                try photos.put(["id": .int(Int64(id))])
                if id % 7 == 0 { await pause(for: .zero) }
            }
            let changes = try await seen
            #expect(changes.map(\.sequence) == (1...UInt64(count)).map { $0 })
            #expect(changes.map(\.id) == (1...count).map { .int(Int64($0)) })
        }
    }

    @Test func `Several waiting consumers each receive every change`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            let count = 100
            try await withThrowingTaskGroup(of: [DocumentID].self) { group in
                for limit in [1, 2, 10, 1000, 1000] {
                    let stream = store.changeStream(since: 0, batchLimit: limit)
                    group.addTask {
                        try await Self.changes(of: stream, upTo: UInt64(count)).map(\.id)
                    }
                }
                for id in 1...count { try photos.put(["id": .int(Int64(id))]) }
                for try await ids in group { #expect(ids == (1...count).map { .int(Int64($0)) }) }
            }
        }
    }

    @Test func `A consumer slower than the writer receives each document once, at its last change`() async throws {
        try await withStore { store in
            let photos = try store.collection("photos")
            try photos.put(["id": 0])
            var iterator = store.changeStream(since: 0, batchLimit: 7).makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.map(\.id) == [0])
            for round in 1...4 {
                try store.write { transaction in
                    for id in 0..<20 {
                        try transaction.put(["id": .int(Int64(id)), "v": .int(Int64(round))], in: "photos")
                    }
                }
                for id in 20..<60 { try photos.put(["id": .int(Int64(id)), "v": .int(Int64(round))]) }
            }
            try photos.delete(30)
            let last = try store.sequence()
            var seen: [StoreChange] = []
            while seen.last?.sequence != last { seen += try #require(try await iterator.next()) }
            #expect(try store.changes(since: 1) == seen)
            #expect(seen.count == 60)
            #expect(Set(seen.map(\.id)).count == 60)
        }
    }

    @Test func `A stream of one collection skips the others`() async throws {
        try await withStore { store in
            async let seen = Self.changes(of: store.changeStream(since: 0, in: "albums"), upTo: 40)
            for id in 1...20 {
                try store.collection("photos").put(["id": .int(Int64(id))])
                try store.collection("albums").put(["name": .int(Int64(id))])
            }
            #expect(try await seen.map(\.id) == (1...20).map { .int(Int64($0)) })
            #expect(try await seen.allSatisfy { $0.collection == "albums" })
        }
    }

    @Test func `A task that is canceled while waiting ends, and other consumers continue`() async throws {
        try await withStore { store in
            let stream = store.changeStream(since: 0)
            let waiting = Task(executorPreference: OwnThreads.shared) {
                var iterator = stream.makeAsyncIterator()
                return try await iterator.next()
            }
            async let other = Self.changes(of: stream, upTo: 1)
            await pause(for: .milliseconds(30))
            waiting.cancel()
            #expect(try await waiting.value == nil)
            try store.collection("photos").put(["id": 1])
            #expect(try await other.map(\.id) == [1])
            // A task canceled before it asks gets nothing, although changes exist.
            let cancelled = Task(executorPreference: OwnThreads.shared) {
                while !Task.isCancelled { await pause(for: .zero) }
                var iterator = stream.makeAsyncIterator()
                return try await iterator.next()
            }
            cancelled.cancel()
            #expect(try await cancelled.value == nil)
        }
    }

    @Test func `Closing the store ends the streams of waiting and later consumers`() async throws {
        try await withStore { store in
            try store.collection("photos").put(["id": 1])
            let stream = store.changeStream(since: 1)
            let waiting = (0..<3).map { _ in
                Task(executorPreference: OwnThreads.shared) {
                    var iterator = stream.makeAsyncIterator()
                    return try await iterator.next()
                }
            }
            await pause(for: .milliseconds(30))
            try store.close()
            for task in waiting { #expect(try await task.value == nil) }
            var late = store.changeStream(since: 0).makeAsyncIterator()
            #expect(try await late.next() == nil)
        }
    }

    @Test func `A stream fails like changes does, for a different epoch or an unknown collection`() async throws {
        try await withStore { store in
            try store.collection("photos").put(["id": 1])
            let epoch = StoreEpoch(text: "another")
            let ends: [(DocumentStore.ChangeStream, DocIndexError.Code)] = [
                (store.changeStream(since: 0, epoch: epoch), .epochChanged),
                (store.changeStream(since: 0, in: "fotos"), .unknownCollection),
            ]
            for (stream, code) in ends {
                let error = await #expect(throws: DocIndexError.self) {
                    var iterator = stream.makeAsyncIterator()
                    _ = try await iterator.next()
                }
                #expect(error?.code == code)
            }
            let changes = try await Self.changes(of: store.changeStream(since: 0, epoch: store.epoch), upTo: 1)
            #expect(changes.count == 1)
        }
    }
}
