public import LevelKit

extension Verification {
    /// The documents and attachments that a repaired store has lost.
    ///
    /// IDs, the change feed and the counters refer to documents and are stored apart from their content. A comparison of
    /// both shows which documents are lost, even if nothing of their content is left.
    public struct Losses: Sendable, Hashable {
        /// The losses of one collection.
        public struct CollectionLosses: Sendable, Hashable {
            /// The name of the collection.
            public let name: String
            /// The number of readable documents.
            public internal(set) var documentCount = 0
            /// The number of documents that existed and are missing or unreadable now.
            public internal(set) var lostDocumentCount = 0
            /// The IDs of lost documents as far as they are known, at most ``Verification/Losses/idLimit``.
            public internal(set) var lostIDs: [DocumentID] = []
            /// The number of documents whose newest version is lost, so that an older one is stored.
            public internal(set) var outdatedDocumentCount = 0
            /// Their IDs, at most ``Verification/Losses/idLimit``.
            public internal(set) var outdatedIDs: [DocumentID] = []
            /// The number of deleted documents that have reappeared. A rebuild deletes them.
            public internal(set) var returnedDocumentCount = 0
            /// Their IDs, at most ``Verification/Losses/idLimit``.
            public internal(set) var returnedIDs: [DocumentID] = []
            /// The number of documents whose history has lost a version or more that it should contain.
            public internal(set) var lostHistoryCount = 0

            /// Whether no document is known to be lost, outdated or returned, and no history to be incomplete.
            public var isEmpty: Bool {
                lostDocumentCount == 0 && outdatedDocumentCount == 0 && returnedDocumentCount == 0
                    && lostHistoryCount == 0
            }
        }

        /// The losses of every collection, in schema order.
        public internal(set) var collections: [CollectionLosses] = []
        /// The number of attachments that documents refer to, and whose content is stored nowhere.
        public internal(set) var lostAttachmentCount = 0
        /// Their digests, at most ``Verification/Losses/idLimit``.
        public internal(set) var lostAttachments: [Attachment.Digest] = []
        /// Whether these are all losses. If `false`, the records that refer to documents are damaged too, or a log of
        /// recent commits is. Then the counts are lower bounds, and a collection without known losses may be incomplete.
        public internal(set) var isComplete = true
        /// Whether only indexes were damaged, which a rebuild restores completely.
        public internal(set) var isInIndexesOnly = false

        /// The maximum number of IDs of each kind that are listed for a collection.
        public static let idLimit = 1000

        /// The total number of documents that are known to be lost.
        public var lostDocumentCount: Int { collections.reduce(0) { $0 + $1.lostDocumentCount } }
        /// The total number of documents with only an older version left.
        public var outdatedDocumentCount: Int { collections.reduce(0) { $0 + $1.outdatedDocumentCount } }
        /// The total number of deleted documents that have reappeared.
        public var returnedDocumentCount: Int { collections.reduce(0) { $0 + $1.returnedDocumentCount } }

        /// Whether nothing was lost.
        public var isEmpty: Bool { isComplete && lostAttachmentCount == 0 && collections.allSatisfy(\.isEmpty) }
    }
}

extension DocumentStore {
    /// Returns the documents that a repair of the underlying database has lost. Call it before ``rebuild(_:)``, which
    /// makes IDs, feed and counters agree with the remaining documents.
    ///
    /// - Parameter report: the report of `Database.repair` on the directory of this store.
    /// - Throws: `LevelError`; `CancellationError` if the task is canceled.
    /// - Complexity: O(*n* log *n*) in documents, IDs and changes; memory for the lost documents.
    public func losses(after report: Database.RepairReport) throws -> Verification.Losses {
        let state = try state()
        let (snapshot, catalog) = (state.snapshot, state.catalog)
        var survey = LossSurvey(snapshot: snapshot, catalog: catalog, files: files)
        var losses = try survey.run()
        let damage = StoreDamage(report.losses)
        losses.isComplete = damage.leavesNamesOrDocuments
        losses.isInIndexesOnly = damage.isInIndexesOnly
        return losses
    }
}

/// The parts of a store that the damaged places of a repair may have contained.
private struct StoreDamage {
    /// Whether the documents, or all records that refer to them, are complete, so that a comparison finds every loss.
    let leavesNamesOrDocuments: Bool
    let isInIndexesOnly: Bool

    init(_ losses: Database.RepairReport.Losses) {
        let indexes: [StoreKey] = [.values, .valueCounts, .text]
        let names: [StoreKey] = [.ids, .changes, .counters, .catalog, .names, .state]
        var reachesDocuments = false
        var reachesNames = false
        var isElsewhere = !losses.isManifestComplete || losses.placeCount > losses.places.count
        for place in losses.places {
            guard let keys = place.keys else {
                isElsewhere = true
                continue
            }
            let first = keys.lower.key?.first ?? 0
            let last = keys.upper.key?.first ?? .max
            func reaches(_ space: StoreKey) -> Bool { first <= space.rawValue && space.rawValue <= last }
            if reaches(.documents) { reachesDocuments = true }
            if names.contains(where: reaches) { reachesNames = true }
            let isIndex = (first...max(first, last)).allSatisfy { byte in
                indexes.contains { $0.rawValue == byte } || StoreKey(rawValue: byte) == nil
            }
            if !isIndex { isElsewhere = true }
        }
        let differs = losses.missingKeyCount > 0 || losses.changedKeyCount > 0 || losses.returnedKeyCount > 0
        isInIndexesOnly = !isElsewhere && !differs
        let hasUnknown = losses.places.contains { $0.keys == nil } || losses.placeCount > losses.places.count
        leavesNamesOrDocuments =
            losses.isManifestComplete && !differs && !hasUnknown && !(reachesDocuments && reachesNames)
    }
}

/// Compares documents with the records that refer to them.
private struct LossSurvey {
    let snapshot: Snapshot
    let catalog: LoadedCatalog
    let files: ContentDirectory
    private var references = AttachmentReferences()
    /// The findings for one collection by row, because several records refer to one document.
    private struct Finding {
        var losses: Verification.Losses.CollectionLosses
        var lost: [UInt64: DocumentID?] = [:]
        var outdated: [UInt64: DocumentID] = [:]
        var returned: [UInt64: DocumentID] = [:]
    }
    private var findings: [UInt32: Finding] = [:]
    private var cancellation = CancellationCheck()

    init(snapshot: Snapshot, catalog: LoadedCatalog, files: ContentDirectory) {
        self.snapshot = snapshot
        self.catalog = catalog
        self.files = files
    }

    mutating func run() throws -> Verification.Losses {
        for collection in catalog.collections {
            findings[collection.number] = Finding(losses: Verification.Losses.CollectionLosses(name: collection.name))
            try readDocuments(of: collection)
            try references.addVersions(of: collection, in: snapshot)
            try readIDs(of: collection)
            try readHistory(of: collection)
        }
        try readChanges()
        var result = Verification.Losses()
        for collection in catalog.collections {
            guard let finding = findings[collection.number] else { continue }
            result.collections.append(losses(finding, of: collection))
        }
        try findLostAttachments(&result)
        return result
    }

    /// Looks for the content of each attachment that a document or another version of it refers to.
    private func findLostAttachments(_ losses: inout Verification.Losses) throws {
        if references.isEmpty { return }
        let contents = try AttachmentSurvey(snapshot, files: files)
        for digest in references.digests.sorted() {
            try CancellationCheck.now()
            let record = try snapshot.value(forKey: StoreKey.attachment(digest)).flatMap { AttachmentRecord($0.span) }
            if try contents.content(of: digest, record) != nil { continue }
            losses.lostAttachmentCount += 1
            if losses.lostAttachments.count < Verification.Losses.idLimit { losses.lostAttachments.append(digest) }
        }
    }

    private func losses(
        _ finding: Finding, of collection: LoadedCollection
    ) -> Verification.Losses.CollectionLosses {
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

    private static func ids(_ ids: [DocumentID]) -> [DocumentID] { Array(ids.prefix(Verification.Losses.idLimit)) }

    private mutating func readDocuments(of collection: LoadedCollection) throws {
        let prefix = StoreKey.documents.prefix(collection.number)
        var cursor = try snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let row = StoreKey.row(in: cursor.key, at: prefix.count) else { continue }
            if let document = try? RowReader.document(record: cursor.value, row: row, collection: collection) {
                findings[collection.number]?.losses.documentCount += 1
                references.add(document.content, collection: collection.number, row: row)
            } else {
                findings[collection.number]?.lost[row] = .some(nil)
            }
        }
    }

    private mutating func readIDs(of collection: LoadedCollection) throws {
        let prefix = StoreKey.ids.prefix(collection.number)
        var cursor = try snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let id = DocumentID(encoded: cursor.key.extracting(prefix.count..<cursor.key.count)),
                let record = try? IDRecord(cursor.value, collection: collection.name)
            else { continue }
            switch record {
            case .row(let row):
                let key = StoreKey.document(collection.number, row: row)
                if try !snapshot.contains(key) || findings[collection.number]?.lost[row] != nil {
                    findings[collection.number]?.lost[row] = id
                }
            case .deleted(let sequence, let row):
                guard let document = try? RowReader.document(row, collection: collection, in: snapshot),
                    document.id == id, document.sequence < sequence,
                    try !snapshot.contains(
                        StoreKey.change(document.sequence, collection: collection.number, row: row))
                else { continue }
                findings[collection.number]?.returned[row] = id
            }
        }
    }

    /// Counts the documents whose list of changes is damaged, or leads to a record that should exist.
    private mutating func readHistory(of collection: LoadedCollection) throws {
        let oldest = try HistoryTraversal.oldestCommits(in: snapshot, of: catalog)
        guard let traversal = HistoryTraversal(of: collection, oldest: oldest, in: snapshot) else { return }
        var count = 0
        try traversal.run { _, _, finding in
            // A list ends at the first change that is not sound.
            if case .sound = finding { return }
            count += 1
        }
        findings[collection.number]?.losses.lostHistoryCount = count
    }

    private mutating func readChanges() throws {
        var cursor = try snapshot.cursor(
            in: .prefix([StoreKey.changes.rawValue]), cache: .bypass)
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
        _ change: StoreChange, at place: StoreChange.Key, in collection: LoadedCollection
    ) throws {
        let key = StoreKey.document(collection.number, row: place.row)
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
