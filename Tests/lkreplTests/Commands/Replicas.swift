import DocIndex
import TestSupport
import Testing

/// Two stores in a workplace that exchange the revisions of the collection `photos`.
final class Replicas {
    let stores: [DocumentStore]
    let collections: [DocumentCollection]

    static let schema = Schema(
        version: 1,
        collections: [
            CollectionDefinition("photos", indexes: [.value("n", on: "n"), .text("words", on: "title")]),
            CollectionDefinition("notes"),
        ])

    /// Creates the stores `a.store` and `b.store`.
    init(_ place: Workplace) throws {
        stores = try ["a", "b"].map { try DocumentStore.open(at: "\(place.path)/\($0).store", schema: Self.schema) }
        collections = try stores.map { try $0.collection("photos") }
        for collection in collections { try collection.startReplication() }
    }

    /// Opens two stores of a workplace.
    init(opening names: [String], in place: Workplace) throws {
        stores = try names.map { try DocumentStore.open(at: "\(place.path)/\($0)") }
        collections = try stores.map { try $0.collection("photos") }
    }

    func close() throws { for store in stores { try store.close() } }

    /// Brings everything from one store to the other.
    func pull(_ receiver: Int, from sender: Int) throws {
        let (target, source) = (collections[receiver], collections[sender])
        let (listings, _) = try source.revisions(since: 0, limit: .max)
        try target.store.replicate("photos") { batch in
            for listing in listings {
                let wanted = try target.missing(listing.leaves, of: listing.id).missing
                try batch.add(source.stored(wanted, of: listing.id), of: listing.id, listed: listing.leaves)
            }
        }
    }

    func settle() throws {
        for _ in 0..<2 {
            try pull(0, from: 1)
            try pull(1, from: 0)
        }
    }

    /// Makes a document with a conflict of two versions in both stores.
    func makeConflict(_ id: DocumentID, base: DocumentObject, _ left: DocumentObject, _ right: DocumentObject) throws {
        func put(_ store: Int, _ members: DocumentObject) throws {
            var content: DocumentObject = ["id": id.value]
            for member in members { content[member.name] = member.value }
            try collections[store].put(content)
        }
        try put(0, base)
        try settle()
        try put(0, left)
        try put(1, right)
        try settle()
    }

    /// Random edits, deletions, resolutions and exchanges.
    func runHistory(_ random: inout SplitMix64, count: Int = 60) throws {
        for _ in 0..<count {
            let store = random.number(below: 2)
            let collection = collections[store]
            let id = DocumentID.string("d\(random.number(below: 6))")
            switch random.number(below: 12) {
            case 0..<6:
                try collection.put([
                    "id": id.value, "n": .int(Int64(random.number(below: 4))), "title": "fog and rain",
                    "taken": .date(DocumentDate(utcMilliseconds: Int64(random.number(below: 9)))),
                ])
            case 6, 7: try collection.delete(id)
            case 8:
                guard let conflict = try collection.conflict(of: id) else { break }
                try collection.resolve(conflict, as: .keep)
            default: try pull(store, from: 1 - store)
            }
        }
    }
}
