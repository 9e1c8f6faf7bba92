import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// A transport that can be switched off, like a peer that is restarted.
final class SwitchedTransport: Transport {
    private let base: any Transport
    private let isOff = Mutex(false)

    init(_ base: any Transport) { self.base = base }

    func set(off: Bool) { isOff.withLock { $0 = off } }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        if isOff.withLock({ $0 }) { throw TransportError(.unreachable, peer: "the other store") }
        return try await base.send(request)
    }
}

/// A peer that has lost the rights of the user, once it is told to refuse a kind of requests.
private struct RefusingTransport: Transport {
    let base: any Transport
    let target: String
    let isRefusing = Refusal()

    final class Refusal: Sendable {
        private let value = Mutex(false)

        func withLock<R: Sendable>(_ body: (inout Bool) -> R) -> R { value.withLock { body(&$0) } }
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        guard request.target.contains(target), isRefusing.withLock({ $0 }) else { return try await base.send(request) }
        return .json(["error": "unauthorized", "reason": "You are not a member."], status: 401)
    }
}

/// Replications that wait for changes.
struct ContinuousReplicationTests {
    /// Waits until a condition is true.
    private func eventually(_ condition: @Sendable () throws -> Bool) async throws {
        while try !condition() { await pause(for: .milliseconds(5)) }
    }

    private func photo(_ id: String, _ n: Int64) -> DocumentObject { ["id": .string(id), "n": .int(n)] }

    @Test func `Edits reach the other side while a replication waits, even after the peer was offline`() async throws {
        try await withSyncedStores(2) { group in
            var options = Replicator.Options()
            options.isContinuous = true
            let server = try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"]))
            let transport = SwitchedTransport(InProcessTransport(server))
            let peer = Peer(transport, database: ["photos"], policy: SyncedStores.hasty, attemptLimit: nil)
            let (left, right) = (try group.photos(0), try group.photos(1))
            let last = Mutex(SyncStatus())
            let replicator = Replicator(left, with: peer, options: options)
            let running = Task(executorPreference: OwnThreads.shared) {
                try await replicator.run { status in last.withLock { $0 = status } }
            }
            try left.put(photo("a", 1))
            try right.put(photo("b", 2))
            try await eventually { try left.count() == 2 && right.count() == 2 }
            try await eventually { last.withLock { $0.phase } == .waiting }
            try right.put(photo("b", 3))
            try await eventually { try left.document("b")?.content["n"] == 3 }
            transport.set(off: true)
            try right.put(photo("c", 4))
            try left.put(photo("d", 5))
            try await eventually { last.withLock { $0.retry != nil && $0.phase == .retrying } }
            transport.set(off: false)
            try await eventually { try left.count() == 4 && right.count() == 4 }
            try await eventually { last.withLock { $0.phase } == .waiting }
            #expect(last.withLock { $0.retry } == nil)
            running.cancel()
            await #expect(throws: (any Error).self) { try await running.value }
            #expect(try group.leaves(0) == group.leaves(1))
        }
    }

    @Test(arguments: ["_changes", "_bulk_docs"])
    func `An error of one direction ends both`(target: String) async throws {
        try await withSyncedStores(2) { group in
            var options = Replicator.Options()
            options.isContinuous = true
            let server = try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"]))
            let transport = RefusingTransport(base: InProcessTransport(server), target: target)
            let peer = Peer(transport, database: ["photos"], policy: SyncedStores.hasty, attemptLimit: 3)
            let replicator = Replicator(try group.photos(0), with: peer, options: options)
            let last = Mutex(SyncStatus())
            let running = Task(executorPreference: OwnThreads.shared) {
                try await replicator.run { status in last.withLock { $0 = status } }
            }
            try await eventually { last.withLock { $0.phase } == .waiting }
            transport.isRefusing.withLock { $0 = true }
            try group.photos(0).put(photo("a", 1))
            try group.photos(1).put(photo("b", 2))
            await #expect(throws: SyncError.self) { try await running.value }
        }
    }

    @Test func `A chain of three stores passes edits on`() async throws {
        try await withSyncedStores(3) { group in
            var options = Replicator.Options()
            options.isContinuous = true
            let first = try group.replicator(0, with: 1, options: options)
            let second = try group.replicator(2, with: 1, options: options)
            let tasks = [first, second].map { replicator in
                Task(executorPreference: OwnThreads.shared) { try await replicator.run() }
            }
            let (left, right) = (try group.photos(0), try group.photos(2))
            for n in 0..<50 { try left.put(photo("p\(n % 5)", Int64(n))) }
            try await eventually { try right.count() == 5 && right.document("p4")?.content["n"] == 49 }
            try right.delete("p0")
            try await eventually { try left.count() == 4 }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
    }
}
