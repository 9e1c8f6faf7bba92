import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Stores that exchange the revisions of one collection directly.
final class ReplicaGroup {
    let stores: [DocumentStore]
    let collections: [DocumentCollection]
    /// The position up to which each pair has been read, by receiver and sender.
    private var positions: [[UInt64]]
    /// Every revision that has left a store, with its path, in a naive tree for each document.
    private(set) var seen: [DocumentID: NaiveRevisionTree] = [:]

    static let schema = Schema(
        version: 1,
        collections: [
            CollectionDefinition(
                "photos", history: CollectionDefinition.History(versions: 3),
                indexes: [
                    .value("n", on: "n"), .value("code", on: "code", unique: true),
                    .value("tags", on: "tags", counts: true),
                    .text("words", on: "title"),
                ])
        ])

    init(count: Int, in directory: String) throws {
        stores = try (0..<count).map { try DocumentStore.open(at: "\(directory)/\($0).store", schema: Self.schema) }
        collections = try stores.map { try $0.collection("photos") }
        for collection in collections { try collection.startReplication() }
        positions = [[UInt64]](repeating: [UInt64](repeating: 0, count: count), count: count)
    }

    func close() throws { for store in stores { try store.close() } }

    /// Brings what changed in `sender` to `receiver`.
    ///
    /// - Parameter limit: the approximate number of documents to take; the rest stays for the next time.
    func pull(_ receiver: Int, from sender: Int, limit: Int = .max) throws {
        let (target, source) = (collections[receiver], collections[sender])
        let (listings, position) = try source.revisions(since: positions[receiver][sender], limit: limit)
        try target.store.replicate("photos") { batch in
            for listing in listings {
                let wanted = try target.missing(listing.leaves, of: listing.id).missing
                let arrivals = try source.stored(wanted, of: listing.id)
                for arrival in arrivals {
                    seen[listing.id, default: NaiveRevisionTree()].merge(arrival.path, isDeleted: arrival.isDeleted)
                }
                try batch.add(arrivals, of: listing.id, listed: listing.leaves)
            }
        }
        positions[receiver][sender] = position
    }

    /// Exchanges everything until nothing changes.
    func settle() throws {
        for _ in 0..<4 {
            for receiver in collections.indices {
                for sender in collections.indices where sender != receiver { try pull(receiver, from: sender) }
            }
        }
    }

    /// The leaves of every document that has any, with their content without the ID.
    func leaves(_ replica: Int) throws -> [DocumentID: [Revision: DocumentObject?]] {
        let collection = collections[replica]
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
