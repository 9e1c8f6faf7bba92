import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// A transport that can be switched off, like a peer that is restarted, and can then lead to another one.
final class SwitchedTransport: Transport {
    private let base: Mutex<any Transport>
    private let isOff = Mutex(false)

    init(_ base: any Transport) { self.base = Mutex(base) }

    func set(off: Bool) { isOff.withLock { $0 = off } }

    func set(_ other: any Transport) { base.withLock { $0 = other } }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        let base = base.withLock { $0 }
        try check()
        return try await base.send(request)
    }

    /// Throws while the transport is switched off.
    fileprivate func check() throws(TransportError) {
        if isOff.withLock({ $0 }) { throw TransportError(.unreachable, peer: "the other store") }
    }
}

/// A connection over a transport that can be switched off. An answer that is being received then ends with an error,
/// at the next sign of life of the peer, and that comes often.
private struct BreakingTransport: Transport {
    let base: SwitchedTransport

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        var request = request
        request.target.replace("heartbeat=15000", with: "heartbeat=100")
        var response = try await base.send(request)
        guard case .stream(let stream) = response.body else { return response }
        response.body = .stream(
            ByteStream(
                stream.map { chunk in
                    try base.check()
                    return chunk
                }))
        return response
    }
}

/// A peer that answers some requests with an error.
private struct FailingTransport: Transport {
    let base: any Transport
    let status: Int
    /// Whether a request fails.
    let fails: @Sendable (SyncRequest) -> Bool

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        guard fails(request) else { return try await base.send(request) }
        return .json(["error": "failed", "reason": "as the test wants it"], status: status)
    }
}

/// A peer that does something at the first request to store a checkpoint of a push, and then answers or fails to.
private final class UnansweredTransport: Transport {
    private let base: any Transport
    private let action: @Sendable (SyncRequest) async throws(TransportError) -> SyncResponse?
    private let isDone = Mutex(false)
    let saveCount = Mutex(0)

    init(_ base: any Transport, action: @escaping @Sendable (SyncRequest) async throws(TransportError) -> SyncResponse?)
    {
        self.base = base
        self.action = action
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        if request.method == .put, request.target.contains("levelkit-push") {
            saveCount.withLock { $0 += 1 }
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            if isFirst {
                if let response = try await action(request) { return response }
                throw TransportError(.timedOut, peer: "the other store")
            }
        }
        return try await base.send(request)
    }
}

/// A server with another database.
private struct AnewTransport: Transport {
    let server: any Transport
    let database: any Transport

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        try await (request.target == "/" ? server : database).send(request)
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

    @Test(arguments: [Duration.milliseconds(20), .seconds(3600)])
    func `A peer that is set back while a replication runs gets what it lost, and its new documents arrive`(
        period: Duration
    ) async throws {
        try await withSyncedStores(2) { group in
            for number in 0..<20 { try group.photos(1).put(photo("p\(number)", Int64(number))) }
            try await group.sync(0, with: 1)
            try group.backUp(1)
            var options = Replicator.Options()
            options.isContinuous = true
            // Without a check in time, the next checkpoint notices it.
            options.checkpointPeriod = period
            func transport() throws -> any Transport {
                InProcessTransport(
                    try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"])))
            }
            let switched = SwitchedTransport(try transport())
            let counter = CountingTransport(switched)
            let peer = Peer(counter, database: ["photos"], policy: SyncedStores.hasty, attemptLimit: nil)
            let left = try group.photos(0)
            let last = Mutex(SyncStatus())
            let replicator = Replicator(left, with: peer, options: options)
            let running = Task(executorPreference: OwnThreads.shared) {
                try await replicator.run { status in last.withLock { $0 = status } }
            }
            for number in 20..<60 { try left.put(photo("p\(number)", Int64(number))) }
            try left.delete("p3")
            let before = try group.photos(1)
            try await eventually { try before.count() == 59 && before.document("p3") == nil }
            try await eventually { last.withLock { $0.phase } == .waiting }
            #expect(!last.withLock { $0.peerWasSetBack })
            switched.set(off: true)
            try group.setBack(1)
            let right = try group.photos(1)
            for number in 0..<100 { try right.put(photo("q\(number)", Int64(number))) }
            switched.set(try transport())
            switched.set(off: false)
            try await eventually { try left.count() == 159 && right.count() == 159 }
            try await eventually { last.withLock { $0.phase } == .waiting }
            #expect(last.withLock { $0.peerWasSetBack })
            #expect(try right.document("p3") == nil)
            if period < .seconds(1) {
                // A check reads two checkpoints. One of them acknowledges what happened.
                let count = counter.all["GET _local"] ?? 0
                try await eventually { counter.all["GET _local"] ?? 0 > count + 12 }
            }
            running.cancel()
            await #expect(throws: (any Error).self) { try await running.value }
            #expect(try group.leaves(0) == group.leaves(1))
            if period < .seconds(1) { #expect(try await !group.sync(0, with: 1).peerWasSetBack) }
        }
    }

    @Test func `A checkpoint that a peer did not answer is not stored again after the peer was set back`() async throws
    {
        try await withSyncedStores(2) { group in
            for number in 0..<20 { try group.photos(0).put(photo("p\(number)", Int64(number))) }
            try await group.sync(0, with: 1)
            try group.backUp(1)
            for number in 20..<40 { try group.photos(0).put(photo("p\(number)", Int64(number))) }
            @Sendable func server() throws -> InProcessTransport {
                InProcessTransport(
                    try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"])))
            }
            let switched = SwitchedTransport(try server())
            let transport = UnansweredTransport(switched) { _ throws(TransportError) in
                do {
                    try group.setBack(1)
                    switched.set(try server())
                    return nil
                } catch {
                    throw TransportError(.unreachable, peer: "\(error)")
                }
            }
            let peer = Peer(transport, database: ["photos"], policy: SyncedStores.hasty)
            let status = try await Replicator(try group.photos(0), with: peer).run()
            #expect(status.peerWasSetBack)
            #expect(try group.photos(1).count() == 40)
            #expect(try group.leaves(0) == group.leaves(1))
        }
    }

    @Test func `A checkpoint that a peer refuses ends the replication`() async throws {
        try await withSyncedStores(2) { group in
            for number in 0..<20 { try group.photos(0).put(photo("p\(number)", Int64(number))) }
            await #expect(throws: SyncError.self) {
                try await group.sync(0, with: 1) { base in
                    FailingTransport(base: base, status: 409) { request in
                        request.method == .put && request.target.contains("levelkit-push")
                    }
                }
            }
            let status = try await group.sync(0, with: 1)
            #expect(!status.peerWasSetBack && !status.wasSetBack)
            #expect(try group.leaves(0) == group.leaves(1))
        }
    }

    @Test(arguments: [true, false])
    func `A checkpoint that a peer stored is not sent again, even if the peer says otherwise`(
        answers: Bool
    ) async throws {
        try await withSyncedStores(2) { group in
            for number in 0..<20 { try group.photos(0).put(photo("p\(number)", Int64(number))) }
            let server = InProcessTransport(
                try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"])))
            let transport = UnansweredTransport(server) { request throws(TransportError) in
                _ = try await server.send(request)
                return answers ? .json(["error": "conflict", "reason": "It arrived twice."], status: 409) : nil
            }
            let peer = Peer(transport, database: ["photos"], policy: SyncedStores.hasty)
            let status = try await Replicator(try group.photos(0), with: peer).run()
            #expect(!status.peerWasSetBack)
            #expect(transport.saveCount.withLock { $0 } == 1)
            let second = try await group.sync(0, with: 1)
            #expect(!second.peerWasSetBack)
            #expect(second.push.checkedCount == 0)
        }
    }

    @Test func `A replication waits again after an outage in which nothing changed`() async throws {
        try await withSyncedStores(2) { group in
            try group.photos(0).put(photo("a", 1))
            // The second replication also reads what the first one sent. So nothing is left to read.
            for _ in 0..<2 { try await group.sync(0, with: 1) }
            var options = Replicator.Options()
            options.isContinuous = true
            options.checkpointPeriod = .milliseconds(20)
            let server = try SyncServer(group.stores[1], options: SyncServer.Options(collections: ["photos"]))
            let transport = SwitchedTransport(InProcessTransport(server))
            let peer = Peer(
                BreakingTransport(base: transport), database: ["photos"], policy: SyncedStores.hasty, attemptLimit: nil)
            let last = Mutex(SyncStatus())
            let replicator = Replicator(try group.photos(0), with: peer, options: options)
            let running = Task(executorPreference: OwnThreads.shared) {
                try await replicator.run { status in last.withLock { $0 = status } }
            }
            try await eventually { last.withLock { $0.phase } == .waiting }
            transport.set(off: true)
            try await eventually { last.withLock { $0.phase == .retrying && $0.retry != nil } }
            transport.set(off: false)
            try await eventually { last.withLock { $0.phase == .waiting && $0.retry == nil } }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }

    @Test func `The lists of documents left out of several peers are all read, each once`() {
        let board = StatusBoard { _ in }
        func problem(_ id: String) -> DocumentError { DocumentError(.malformed, id: id, "as the test wants it") }
        board.restore([(problem("a"), .pull)], of: "first")
        board.restore([(problem("b"), .pull), (problem("c"), .push)], of: "second")
        #expect(board.current.leftOut.keys.sorted() == ["a", "b", "c"])
        #expect(board.leftOutOfPull.map(\.id).sorted() == ["a", "b"])
        board.takeIn(.pull, ["a"], since: board.leftOutTime)
        board.restore([(problem("a"), .pull)], of: "first")
        #expect(board.current.leftOut.keys.sorted() == ["b", "c"])
    }

    @Test func `A database that is made anew while a replication runs is filled again`() async throws {
        try await withSyncedStores(3) { group in
            var options = Replicator.Options()
            options.isContinuous = true
            options.pulls = false
            options.checkpointPeriod = .milliseconds(500)
            func transport(_ replica: Int) throws -> any Transport {
                InProcessTransport(
                    try SyncServer(group.stores[replica], options: SyncServer.Options(collections: ["photos"])))
            }
            let switched = SwitchedTransport(try transport(1))
            let peer = Peer(switched, database: ["photos"], policy: SyncedStores.hasty, attemptLimit: 3)
            let (left, middle, right) = (try group.photos(0), try group.photos(1), try group.photos(2))
            let last = Mutex(SyncStatus())
            let phases = Mutex<Set<SyncStatus.Phase>>([])
            let replicator = Replicator(left, with: peer, options: options)
            let running = Task(executorPreference: OwnThreads.shared) {
                try await replicator.run { status in
                    last.withLock { $0 = status }
                    phases.withLock { _ = $0.insert(status.phase) }
                }
            }
            for number in 0..<20 { try left.put(photo("p\(number)", Int64(number))) }
            try await eventually { try middle.count() == 20 && last.withLock { $0.phase } == .waiting }
            phases.withLock { $0 = [] }
            let isMissing = Mutex(0)
            // The server is the same one.
            let next = AnewTransport(server: try transport(1), database: try transport(2))
            switched.set(
                FailingTransport(base: next, status: 404) { request in
                    request.target != "/"
                        && isMissing.withLock { count in
                            count += 1
                            return count <= 2
                        }
                })
            try await eventually { try right.count() == 20 }
            #expect(last.withLock { $0.peerWasSetBack })
            #expect(phases.withLock { $0 }.contains(.connecting))
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(try group.leaves(0) == group.leaves(2))
        }
    }

    @Test func `A failure of the peer is not taken for one of the documents`() async throws {
        try await withSyncedStores(2) { group in
            for number in 0..<20 { try group.photos(0).put(photo("p\(number)", Int64(number))) }
            // The peer works again before it is asked how it is, and then it does not.
            let count = Mutex(0)
            try await group.sync(0, with: 1) { base in
                FailingTransport(base: base, status: 500) { request in
                    request.target.contains("_bulk_docs")
                        && count.withLock { count in
                            count += 1
                            return count <= 2
                        }
                }
            }
            #expect(try group.photos(1).count() == 20)
            for number in 20..<40 { try group.photos(0).put(photo("p\(number)", Int64(number))) }
            let isFailing = Mutex(false)
            await #expect(throws: SyncError.self) {
                try await group.sync(0, with: 1) { base in
                    FailingTransport(base: base, status: 500) { request in
                        isFailing.withLock { isFailing in
                            isFailing = isFailing || request.target.contains("_bulk_docs")
                            return isFailing
                        }
                    }
                }
            }
            let status = try await group.sync(0, with: 1)
            #expect(status.leftOut.isEmpty)
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
