import Synchronization
import TestSupport
import Testing

@testable import DocIndex
@testable import DocSync

/// Stores with one collection, which replicate with one another inside this process.
final class SyncedStores: @unchecked Sendable {
    // Unchecked: one task uses it at a time.
    var stores: [DocumentStore]
    let directory: String

    static let schema = Schema(
        version: 1,
        collections: [
            CollectionDefinition("photos", indexes: [.value("n", on: "n"), .text("words", on: "title")])
        ])

    init(count: Int, in directory: String) throws {
        self.directory = directory
        stores = try (0..<count).map { try DocumentStore.open(at: "\(directory)/\($0).store", schema: Self.schema) }
    }

    func close() throws { for store in stores { try store.close() } }

    func photos(_ replica: Int) throws -> DocumentCollection { try stores[replica].collection("photos") }

    /// Makes a backup of a store, for ``setBack(_:)``.
    func backUp(_ replica: Int) throws {
        let path = "\(directory)/\(replica).store"
        try stores[replica].close()
        try TestFiles.copy(path, to: path + ".backup")
        stores[replica] = try DocumentStore.open(at: path, schema: Self.schema)
    }

    /// Replaces a store by its backup.
    func setBack(_ replica: Int) throws {
        try stores[replica].close()
        stores[replica] = try DocumentStore.open(at: "\(directory)/\(replica).store.backup", schema: Self.schema)
    }

    /// A policy that hardly waits.
    static var hasty: RetryPolicy {
        var policy = RetryPolicy()
        policy.firstBound = .milliseconds(1)
        policy.largestBound = .milliseconds(2)
        return policy
    }

    /// Returns the replication of a store with the collection of another one.
    func replicator(
        _ replica: Int, with other: Int, options: Replicator.Options = Replicator.Options(), attemptLimit: Int? = 6,
        through wrap: (any Transport) -> any Transport = { $0 }
    ) throws -> Replicator {
        let server = try SyncServer(stores[other], options: SyncServer.Options(collections: ["photos"]))
        let peer = Peer(
            wrap(InProcessTransport(server)), database: ["photos"], policy: Self.hasty, attemptLimit: attemptLimit)
        return Replicator(try photos(replica), with: peer, options: options)
    }

    /// Replicates both ways.
    @discardableResult
    func sync(
        _ replica: Int, with other: Int, options: Replicator.Options = Replicator.Options(), attemptLimit: Int? = 6,
        through wrap: (any Transport) -> any Transport = { $0 }
    ) async throws -> SyncStatus {
        try await replicator(replica, with: other, options: options, attemptLimit: attemptLimit, through: wrap).run()
    }

    /// The leaves of every document, with their content without the ID.
    func leaves(_ replica: Int) throws -> [DocumentID: [Revision: DocumentObject?]] {
        let collection = try photos(replica)
        var all: [DocumentID: [Revision: DocumentObject?]] = [:]
        for change in try collection.store.changes(since: 0) {
            for stored in try collection.stored(nil, of: change.id) {
                var content = stored.content
                content?.removeValue(forName: "id")
                all[change.id, default: [:]][stored.path.revision] = .some(content)
            }
        }
        return all
    }
}

/// Runs `body` with stores in a temporary directory, on threads of its own.
func withSyncedStores(
    _ count: Int, limit: Duration = .seconds(600), _ body: @escaping @Sendable (SyncedStores) async throws -> Void
) async throws {
    let directory = try withTemporaryDirectory { $0 }
    try TestFiles.makeDirectory(directory)
    defer { try? TestFiles.remove(directory) }
    try await within(limit) {
        let group = try SyncedStores(count: count, in: directory)
        try await body(group)
        try group.close()
    }
}

/// Counts the requests by their kind.
final class CountingTransport: Transport {
    private let base: any Transport
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: any Transport) { self.base = base }

    func send(_ request: SyncRequest) async throws(TransportError) -> SyncResponse {
        let path = Target(request.target)?.path ?? []
        let kind = "\(request.method.rawValue) \(path.count > 1 ? path[1] : path.isEmpty ? "/" : "db")"
        counts.withLock { $0[kind, default: 0] += 1 }
        return try await base.send(request)
    }

    var all: [String: Int] { counts.withLock { $0 } }
    var total: Int { all.values.reduce(0, +) }
}
