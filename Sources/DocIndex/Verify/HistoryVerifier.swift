internal import LevelKit

/// Checks the history of a store: that every record belongs to the list of a document, and that no list has a gap.
///
/// The records that are found and the records that the lists lead to are compared as multisets by a sum of hashes, as
/// index entries are.
struct HistoryVerifier {
    let snapshot: Snapshot
    let catalog: LoadedCatalog
    private var cancellation = CancellationCheck()

    init(snapshot: Snapshot, catalog: LoadedCatalog) {
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// A sum of keys.
    private struct KeySum: Equatable {
        var count = 0
        var sum: UInt64 = 0

        mutating func add(_ key: StoreChange.Key) {
            var hasher = Hasher()
            hasher.combine(key)
            count += 1
            sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    mutating func run(_ result: inout Verification) throws {
        let oldest = try HistoryTraversal.oldestCommits(in: snapshot, of: catalog)
        let stored = try sumOfRecords(&result)
        var reached = KeySum()
        for collection in catalog.collections {
            guard let traversal = HistoryTraversal(of: collection, oldest: oldest, in: snapshot) else { continue }
            try traversal.run { link, id, finding in
                if case .missing = finding {} else { reached.add(Self.key(link, collection)) }
                Self.report(finding, link, id, of: collection, &result)
            }
        }
        if stored != reached { try reportUnreached(oldest, &result) }
    }

    private static func key(_ link: HistoryRecord.Link, _ collection: LoadedCollection) -> StoreChange.Key {
        StoreChange.Key(sequence: link.sequence, collection: collection.number, row: link.row)
    }

    private static func report(
        _ finding: HistoryTraversal<Snapshot>.Finding, _ link: HistoryRecord.Link, _ id: DocumentID,
        of collection: LoadedCollection, _ result: inout Verification
    ) {
        let problem: String
        switch finding {
        case .sound: return
        case .missing: problem = "is missing from the history"
        case .unreadable: problem = "is unreadable in the history"
        case .outOfOrder: problem = "refers to a later commit in the history"
        case .otherDocument(let other): problem = "holds the document \(other) in the history"
        }
        result.report(
            "\(collection.name): the change of the document \(id) in commit \(link.sequence) \(problem)",
            in: collection.name, id: id, row: link.row, key: link.key(collection.number))
    }

    /// Returns the sum of all records, except those left over from a former history, and checks their keys.
    private mutating func sumOfRecords(_ result: inout Verification) throws -> KeySum {
        let last = (try? WriterState.storedSequence(in: snapshot)) ?? .max
        var sum = KeySum()
        var cursor = try snapshot.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let place = StoreChange.Key(cursor.key, kind: .history) else {
                result.report("a key of the history cannot be read", key: cursor.key.copied())
                continue
            }
            if catalog.stored.isLeftOver(place) { continue }
            guard let collection = catalog.collection(numbered: place.collection),
                let history = collection.history, place.sequence > history.since
            else {
                result.report(
                    "a change in the history belongs to no collection that keeps one", key: cursor.key.copied())
                continue
            }
            if place.sequence > last {
                result.report(
                    "\(collection.name): the history has commit \(place.sequence), but the last commit is \(last)",
                    in: collection.name, row: place.row, key: cursor.key.copied())
            }
            sum.add(place)
        }
        return sum
    }

    /// Reports the records that no list leads to.
    private mutating func reportUnreached(_ oldest: [UInt32: UInt64], _ result: inout Verification) throws {
        let reached = try HistoryReach(in: snapshot, catalog: catalog, oldest: oldest).keys
        var cursor = try snapshot.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let place = StoreChange.Key(cursor.key, kind: .history), !reached.contains(place),
                !catalog.stored.isLeftOver(place), let collection = catalog.collection(numbered: place.collection),
                let history = collection.history, place.sequence > history.since
            else { continue }
            result.report(
                "\(collection.name): a change of row \(place.row) in commit \(place.sequence) belongs to no document "
                    + "in the history",
                in: collection.name, row: place.row, key: cursor.key.copied())
        }
    }
}

/// The records that the lists of all documents lead to, sound or not.
struct HistoryReach {
    private(set) var keys: Set<StoreChange.Key> = []

    init(in reader: some KeyValueReader, catalog: LoadedCatalog, oldest: [UInt32: UInt64]) throws {
        for collection in catalog.collections {
            guard let traversal = HistoryTraversal(of: collection, oldest: oldest, in: reader) else { continue }
            var reached = keys
            try traversal.run { link, _, _ in
                reached.insert(
                    StoreChange.Key(sequence: link.sequence, collection: collection.number, row: link.row))
            }
            keys = reached
        }
    }
}

extension Catalog {
    /// Returns whether a change is left over from a former history and still has to be deleted.
    func isLeftOver(_ place: StoreChange.Key) -> Bool {
        guard droppedHistory.contains(place.collection) else { return false }
        return place.sequence <= collection(numbered: place.collection)?.history?.since ?? .max
    }
}
