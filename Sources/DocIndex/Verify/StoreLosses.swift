public import LevelKit

/// What a repaired store has lost, in documents.
///
/// The ids, the feed of changes and the counters name documents apart from where their content is stored. What they name
/// and what is there are compared, so that a document counts as lost although nothing of its content is left.
public struct StoreLosses: Sendable, Hashable {
    /// The losses of one collection.
    public struct CollectionLosses: Sendable, Hashable {
        /// The name of the collection.
        public let name: String
        /// Documents that are there and readable.
        public internal(set) var documentCount = 0
        /// Documents that were there, and are missing or unreadable.
        public internal(set) var lostDocumentCount = 0
        /// Their ids as far as they are known, at most ``StoreLosses/idLimit``.
        public internal(set) var lostIDs: [DocumentID] = []
        /// Documents of which a newer version is lost, so that an older one is what is there.
        public internal(set) var outdatedDocumentCount = 0
        /// Their ids, at most ``StoreLosses/idLimit``.
        public internal(set) var outdatedIDs: [DocumentID] = []
        /// Documents that were deleted, and are there again. A rebuild deletes them.
        public internal(set) var returnedDocumentCount = 0
        /// Their ids, at most ``StoreLosses/idLimit``.
        public internal(set) var returnedIDs: [DocumentID] = []

        /// Whether every document is there as it was, as far as is known.
        public var isEmpty: Bool {
            lostDocumentCount == 0 && outdatedDocumentCount == 0 && returnedDocumentCount == 0
        }
    }

    /// Every collection, in the order of the schema.
    public internal(set) var collections: [CollectionLosses] = []
    /// Whether nothing else can be lost. Where it is `false`, what names the documents is damaged as well, or a log of the
    /// last commits is: the counts are lower bounds, and a collection that seems whole may not be.
    public internal(set) var isComplete = true
    /// Whether the damage was in indexes alone, which a rebuild restores entirely.
    public internal(set) var isInIndexesOnly = false

    /// How many ids of each kind are listed for a collection.
    public static let idLimit = 1000

    /// Documents that are known to be lost, of all collections.
    public var lostDocumentCount: Int { collections.reduce(0) { $0 + $1.lostDocumentCount } }
    /// Documents of which an older version is left, of all collections.
    public var outdatedDocumentCount: Int { collections.reduce(0) { $0 + $1.outdatedDocumentCount } }
    /// Deleted documents that are there again, of all collections.
    public var returnedDocumentCount: Int { collections.reduce(0) { $0 + $1.returnedDocumentCount } }

    /// Whether every document is there as it was.
    public var isEmpty: Bool { isComplete && collections.allSatisfy(\.isEmpty) }
}

extension DocumentStore {
    /// Describes what a repair of the database below has lost of this store. Ask before ``rebuild(_:)``, which brings ids,
    /// feed and counters into agreement with the documents that are left.
    ///
    /// - Parameter report: of `Database.repair` on the directory of this store.
    /// - Throws: `LevelError`; `CancellationError` if the task is cancelled.
    /// - Complexity: O(*n* log *n*) in documents, ids and changes; memory for what is lost.
    public func losses(after report: RepairReport) throws -> StoreLosses {
        let (snapshot, catalog, _) = try state()
        var survey = LossSurvey(snapshot: snapshot, catalog: catalog)
        var losses = try survey.run()
        let damage = StoreDamage(report.losses)
        losses.isComplete = damage.leavesNamesOrDocuments
        losses.isInIndexesOnly = damage.isInIndexesOnly
        return losses
    }
}

/// Which parts of a store the damaged places of a repair may have held.
private struct StoreDamage {
    /// Whether the documents or all that names them are whole, so that a comparison finds what is missing.
    let leavesNamesOrDocuments: Bool
    let isInIndexesOnly: Bool

    init(_ losses: RepairLosses) {
        let indexes: [StoreKeyspace] = [.values, .valueCounts, .text]
        let names: [StoreKeyspace] = [.ids, .changes, .counters, .catalog, .names, .state]
        var reachesDocuments = false
        var reachesNames = false
        var isElsewhere = !losses.isManifestComplete || losses.placeCount > losses.places.count
        for place in losses.places {
            guard let keys = place.keys else {
                isElsewhere = true
                continue
            }
            let first = Self.firstByte(keys.lower) ?? 0
            let last = Self.firstByte(keys.upper) ?? .max
            func reaches(_ space: StoreKeyspace) -> Bool { first <= space.rawValue && space.rawValue <= last }
            if reaches(.documents) { reachesDocuments = true }
            if names.contains(where: reaches) { reachesNames = true }
            let isIndex = (first...max(first, last)).allSatisfy { byte in
                indexes.contains { $0.rawValue == byte } || StoreKeyspace(rawValue: byte) == nil
            }
            if !isIndex { isElsewhere = true }
        }
        let differs = losses.missingKeyCount > 0 || losses.changedKeyCount > 0 || losses.returnedKeyCount > 0
        isInIndexesOnly = !isElsewhere && !differs
        let hasUnknown = losses.places.contains { $0.keys == nil } || losses.placeCount > losses.places.count
        leavesNamesOrDocuments =
            losses.isManifestComplete && !differs && !hasUnknown && !(reachesDocuments && reachesNames)
    }

    private static func firstByte(_ bound: KeyBound) -> UInt8? {
        switch bound {
        case .included(let key), .excluded(let key): key.first
        case .unbounded: nil
        }
    }
}

/// Compares documents with what names them.
private struct LossSurvey {
    let snapshot: Snapshot
    let catalog: Catalog
    /// What is found so far of one collection, by rows: several records name one document.
    private struct Finding {
        var losses: StoreLosses.CollectionLosses
        var lost: [UInt64: DocumentID?] = [:]
        var outdated: [UInt64: DocumentID] = [:]
        var returned: [UInt64: DocumentID] = [:]
    }
    private var findings: [UInt32: Finding] = [:]
    private var cancellation = CancellationCheck()

    init(snapshot: Snapshot, catalog: Catalog) {
        self.snapshot = snapshot
        self.catalog = catalog
    }

    mutating func run() throws -> StoreLosses {
        for collection in catalog.collections {
            findings[collection.number] = Finding(losses: StoreLosses.CollectionLosses(name: collection.name))
            try readDocuments(of: collection)
            try readIDs(of: collection)
        }
        try readChanges()
        var result = StoreLosses()
        for collection in catalog.collections {
            guard let finding = findings[collection.number] else { continue }
            result.collections.append(losses(finding, of: collection))
        }
        return result
    }

    private func losses(
        _ finding: Finding, of collection: Catalog.CollectionEntry
    ) -> StoreLosses.CollectionLosses {
        var losses = finding.losses
        let counted = (try? CollectionCounters.read(collection.number, in: snapshot))?.documentCount ?? 0
        let unnamed = counted - (losses.documentCount - finding.returned.count) - finding.lost.count
        losses.lostDocumentCount = finding.lost.count + max(0, unnamed)
        losses.lostIDs = Self.ids(finding.lost.sorted { $0.key < $1.key }.compactMap(\.value))
        losses.outdatedDocumentCount = finding.outdated.count
        losses.outdatedIDs = Self.ids(finding.outdated.sorted { $0.key < $1.key }.map(\.value))
        losses.returnedDocumentCount = finding.returned.count
        losses.returnedIDs = Self.ids(finding.returned.sorted { $0.key < $1.key }.map(\.value))
        return losses
    }

    private static func ids(_ ids: [DocumentID]) -> [DocumentID] { Array(ids.prefix(StoreLosses.idLimit)) }

    private mutating func readDocuments(of collection: Catalog.CollectionEntry) throws {
        let prefix = StoreKeyspace.documents.prefix(collection.number)
        var cursor = try snapshot.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            try cancellation.step()
            guard let row = StoreKeyspace.row(in: cursor.key, at: prefix.count) else { continue }
            if (try? RowReader.document(record: cursor.value, row: row, collection: collection)) != nil {
                findings[collection.number]?.losses.documentCount += 1
            } else {
                findings[collection.number]?.lost[row] = .some(nil)
            }
        }
    }

    private mutating func readIDs(of collection: Catalog.CollectionEntry) throws {
        let prefix = StoreKeyspace.ids.prefix(collection.number)
        var cursor = try snapshot.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            try cancellation.step()
            guard let id = DocumentID(encoded: cursor.key.extracting(prefix.count..<cursor.key.count)),
                let record = try? IDRecord(cursor.value, collection: collection.name)
            else { continue }
            switch record {
            case .row(let row):
                let key = StoreKeyspace.document(collection.number, row: row)
                if try !snapshot.contains(key) || findings[collection.number]?.lost[row] != nil {
                    findings[collection.number]?.lost[row] = id
                }
            case .deleted(let sequence, let row):
                guard let document = try? RowReader.document(row, collection: collection, in: snapshot),
                    document.id == id, document.sequence < sequence,
                    try !snapshot.contains(
                        StoreKeyspace.change(document.sequence, collection: collection.number, row: row))
                else { continue }
                findings[collection.number]?.returned[row] = id
            }
        }
    }

    private mutating func readChanges() throws {
        var cursor = try snapshot.cursor(
            in: .prefix([StoreKeyspace.changes.rawValue]), reverse: false, fillsCache: false)
        while try cursor.advance() {
            try cancellation.step()
            guard let change = StoreChange(key: cursor.key, value: cursor.value, catalog: catalog),
                let place = StoreChange.Key(cursor.key),
                let collection = catalog.collection(numbered: place.collection)
            else { continue }
            try compare(change, at: place, in: collection)
        }
    }

    private mutating func compare(
        _ change: StoreChange, at place: StoreChange.Key, in collection: Catalog.CollectionEntry
    ) throws {
        let key = StoreKeyspace.document(collection.number, row: place.row)
        guard try snapshot.contains(key) else {
            // A document that was deleted after this change is not lost.
            let record = try? RowReader.record(of: change.id, collection: collection, in: snapshot)
            if case .deleted(let sequence, _)? = record, sequence > change.sequence { return }
            if !change.isDeletion { findings[collection.number]?.lost[place.row] = change.id }
            return
        }
        guard let document = try? RowReader.document(place.row, collection: collection, in: snapshot) else {
            if !change.isDeletion { findings[collection.number]?.lost[place.row] = change.id }
            return
        }
        guard document.id == change.id, document.sequence < change.sequence else { return }
        if change.isDeletion {
            findings[collection.number]?.returned[place.row] = change.id
        } else {
            findings[collection.number]?.outdated[place.row] = change.id
        }
    }
}
