import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// Cuts connections at random: before a request arrives, before its answer does, or inside the answer.
final class CuttingTransport: Transport {
    private let base: any Transport
    private let random: Mutex<SplitMix64>
    private let probability: Double
    /// The number of cuts.
    let count = Mutex(0)

    init(_ base: any Transport, probability: Double, _ random: SplitMix64) {
        self.base = base
        self.probability = probability
        self.random = Mutex(random)
    }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        if cuts() { throw TransportError(.cut, peer: "the other store") }
        var response = try await base.send(request)
        if cuts() { throw TransportError(.cut, peer: "the other store") }
        guard cuts() else { return response }
        guard let body = try? await response.body.collected(limit: 1 << 30) else {
            throw TransportError(.cut, peer: "the other store")
        }
        let kept = random.withLock { Int.random(in: 0...body.count, using: &$0) }
        let parts = Mutex<[[UInt8]]>([Array(body[..<kept])])
        response.body = .stream(
            ByteStream {
                guard let part = parts.withLock({ $0.popLast() }) else {
                    throw TransportError(.cut, peer: "the other store")
                }
                return part
            })
        return response
    }

    private func cuts() -> Bool {
        let isCut = random.withLock { Double.random(in: 0..<1, using: &$0) < probability }
        if isCut { count.withLock { $0 += 1 } }
        return isCut
    }
}

/// Random edits with attachments, deletions, resolutions, backups and copies of stores that replicate over connections
/// that break.
struct SyncConvergenceTests {
    @Test(arguments: [false, true])
    func `Stores that were replicated over broken connections have the same leaves and lose none`(
        hasHub: Bool
    ) async throws {
        for round in 0..<TestRun.rounds(3, long: 500) {
            try await withSyncedStores(5) { group in
                let random = TestRun.random(stream: UInt64(round * 2 + (hasHub ? 1 : 0)))
                try await Run(group: group, hasHub: hasHub, random: random).run()
            }
        }
    }

    /// One history.
    private final class Run {
        let group: SyncedStores
        let hasHub: Bool
        var random: SplitMix64
        /// Every revision that came to a store from another one.
        var arrived: [DocumentID: Set<Revision>] = [:]
        var backupCount = 0
        var backups: [Int: String] = [:]

        init(group: SyncedStores, hasHub: Bool, random: SplitMix64) {
            self.group = group
            self.hasHub = hasHub
            self.random = random
        }

        func run() async throws {
            for _ in 0..<60 {
                try await step()
                try noteArrivals()
            }
            for _ in 0..<4 {
                for replica in group.stores.indices {
                    for other in group.stores.indices where replica != other && (!hasHub || other == 0) {
                        try await group.sync(replica, with: other, options: options)
                    }
                }
            }
            try check()
        }

        private var options: Replicator.Options {
            var options = Replicator.Options()
            options.batchLimit = 3
            options.byteLimit = 200
            options.checkpointInterval = 4
            return options
        }

        private func step() async throws {
            let replica = Int.random(in: group.stores.indices, using: &random)
            let photos = try group.photos(replica)
            let id = DocumentID.string("d\(Int.random(in: 0..<6, using: &random))")
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<16:
                var content: DocumentObject = ["id": id.value, "n": .int(.random(in: 0..<4, using: &random))]
                if Int.random(in: 0..<3, using: &random) == 0 {
                    let bytes = [UInt8](repeating: .random(in: 0..<4, using: &random), count: 40_000)
                    content["file"] = .attachment(
                        try group.stores[replica].attachments.add(bytes, type: "image/jpeg", name: "a.jpg"))
                }
                try photos.put(content)
                #expect(try photos.document(id)?.content == content, "an edit is what is read next")
            case 16..<20: try photos.delete(id)
            case 20..<22:
                guard let conflict = try photos.conflict(of: id) else { break }
                let chosen = conflict.versions.map(\.content).max { $0.description < $1.description }
                try photos.resolve(id, with: chosen, over: conflict.versions.map(\.revision))
            case 22: try backUp(replica)
            case 23: try restore(replica)
            case 24:
                // A copied directory, which does not know that it is one.
                let source = Int.random(in: group.stores.indices, using: &random)
                if source == replica { break }
                try backUp(source)
                try replace(replica, with: try #require(backups[source]))
            default:
                let other = hasHub ? 0 : Int.random(in: group.stores.indices, using: &random)
                if other == replica { break }
                try await sync(replica, with: other)
            }
        }

        private func sync(_ replica: Int, with other: Int) async throws {
            var options = options
            if Int.random(in: 0..<4, using: &random) == 0 { options.resolver = .threeWay() }
            options.pulls = Int.random(in: 0..<3, using: &random) > 0
            options.pushes = !options.pulls || Bool.random(using: &random)
            let probability = Double.random(in: 0..<0.08, using: &random)
            let cuts = SplitMix64(seed: random.next())
            let server = try SyncServer(group.stores[other], options: SyncServer.Options(collections: ["photos"]))
            let transport = CuttingTransport(InProcessTransport(server), probability: probability, cuts)
            let peer = Peer(
                transport, database: ["photos"], policy: SyncedStores.hasty,
                attemptLimit: Int.random(in: 1...2, using: &random))
            do {
                try await Replicator(group.photos(replica), with: peer, options: options).run()
            } catch is TransportError {
                #expect(transport.count.withLock { $0 } > 0)
            } catch is MessageError {
                #expect(transport.count.withLock { $0 } > 0)
            }
        }

        private func backUp(_ replica: Int) throws {
            backupCount += 1
            let path = "\(group.directory)/backup\(backupCount)"
            try group.stores[replica].close()
            try TestFiles.copy("\(group.directory)/\(replica).store", to: path)
            try reopen(replica)
            backups[replica] = path
        }

        /// Sets a store back. Most backups get an epoch of their own; a virtual machine that is set back does not.
        private func restore(_ replica: Int) throws {
            guard let backup = backups[replica] else { return }
            try replace(replica, with: backup)
        }

        private func replace(_ replica: Int, with backup: String) throws {
            try group.stores[replica].close()
            try TestFiles.remove("\(group.directory)/\(replica).store")
            try TestFiles.copy(backup, to: "\(group.directory)/\(replica).store")
            try reopen(replica)
            if Int.random(in: 0..<10, using: &random) < 7 { try group.stores[replica].renewEpoch() }
            // What only this store had is gone.
            var known: [DocumentID: Set<Revision>] = [:]
            for replica in group.stores.indices {
                for (id, tree) in try trees(replica) { known[id, default: []].formUnion(tree.parents.keys) }
            }
            for (id, revisions) in arrived { arrived[id] = revisions.intersection(known[id] ?? []) }
        }

        private func reopen(_ replica: Int) throws {
            group.stores[replica] = try DocumentStore.open(
                at: "\(group.directory)/\(replica).store", schema: SyncedStores.schema)
        }

        /// The stored trees of a store. Nothing is noted as shown.
        private func trees(_ replica: Int) throws -> [DocumentID: RevisionTree] {
            let photos = try group.photos(replica)
            var trees: [DocumentID: RevisionTree] = [:]
            let reader = try photos.newestReader()
            for change in try group.stores[replica].changes(since: 0) {
                trees[change.id] = try RevisionState.read(
                    change.id, document: reader.document(of: change.id), of: reader.collection, shown: 0,
                    in: reader.snapshot
                ).tree
            }
            return trees
        }

        private func noteArrivals() throws {
            for replica in group.stores.indices {
                for (id, tree) in try trees(replica) {
                    for (revision, leaf) in tree.leaves where leaf.commit == nil {
                        arrived[id, default: []].formUnion(tree.path(to: revision).revisions)
                    }
                }
            }
        }

        private func check() throws {
            let first = try group.leaves(0)
            for replica in group.stores.indices {
                #expect(try group.leaves(replica) == first, "replica \(replica); \(TestRun.repetition)")
                try expectSound(group.stores[replica])
                let trees = try trees(replica)
                for (id, revisions) in arrived {
                    let lost = revisions.filter { trees[id]?.contains($0) != true }
                    #expect(lost.isEmpty, "\(id) of replica \(replica) lost \(lost); \(TestRun.repetition)")
                }
            }
        }
    }
}
