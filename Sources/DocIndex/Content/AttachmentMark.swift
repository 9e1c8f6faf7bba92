internal import LevelKit

/// The references to attachments in a state of a store, found by reading every document and every former version.
struct AttachmentMark {
    /// The number of references in documents.
    private(set) var counts: [Attachment.Digest: UInt64] = [:]
    /// The attachments that former versions and other versions of documents refer to. An undo, or the resolution of a
    /// conflict, may need them.
    private(set) var former: Set<Attachment.Digest> = []
    /// The number of documents that were read.
    private(set) var documentCount = 0

    /// Reads all documents and the history.
    ///
    /// - Parameter progress: called from time to time with the number of documents that have been read.
    /// - Throws: ``DocIndexError`` with `corruption` for a document that cannot be read; what `progress` throws.
    /// - Complexity: O(*n*) in the documents. Takes memory for each digest.
    init(of snapshot: Snapshot, _ catalog: LoadedCatalog, _ progress: (Int) throws -> Void) throws {
        for collection in catalog.collections {
            try markDocuments(of: collection, in: snapshot, progress)
        }
        if catalog.stored.keepsHistory { try markHistory(in: snapshot, catalog, progress) }
        for collection in catalog.collections where collection.isReplicated {
            try markVersions(of: collection, in: snapshot)
        }
    }

    /// Reads the versions of documents that are stored apart from them.
    private mutating func markVersions(of collection: LoadedCollection, in snapshot: Snapshot) throws {
        let prefix = StoreKey.revisionBodies.prefix(collection.number)
        var cursor = try snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        var cancellation = CancellationCheck()
        while try cursor.advance() {
            try cancellation.step()
            let version = try RowReader.document(record: cursor.value, row: 0, collection: collection)
            version.content.forEachAttachment { former.insert($0.digest) }
        }
    }

    private mutating func markDocuments(
        of collection: LoadedCollection, in snapshot: Snapshot, _ progress: (Int) throws -> Void
    ) throws {
        let prefix = StoreKey.documents.prefix(collection.number)
        var cursor = try snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            guard let row = StoreKey.row(in: cursor.key, at: prefix.count) else {
                throw DocIndexError(
                    .corruption,
                    "the collection \(collection.name) contains an unreadable key; run verify and rebuild")
            }
            let document = try RowReader.document(record: cursor.value, row: row, collection: collection)
            document.content.forEachAttachment { counts[$0.digest, default: 0] += 1 }
            documentCount += 1
            if documentCount % Self.interval == 0 {
                try CancellationCheck.now()
                try progress(documentCount)
            }
        }
    }

    private mutating func markHistory(
        in snapshot: Snapshot, _ catalog: LoadedCatalog, _ progress: (Int) throws -> Void
    ) throws {
        var cursor = try snapshot.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        var cancellation = CancellationCheck()
        while try cursor.advance() {
            try cancellation.step()
            guard let key = StoreChange.Key(cursor.key, kind: .history),
                let collection = catalog.collection(numbered: key.collection),
                let record = HistoryRecord(cursor.value)
            else {
                throw DocIndexError(
                    .corruption, "a record of the history cannot be read; run verify and rebuild the store")
            }
            guard case .stored(_, let start) = record.former else { continue }
            let value = cursor.value
            let document = try RowReader.document(
                record: value.extracting(start..<value.count), row: key.row, collection: collection)
            document.content.forEachAttachment { former.insert($0.digest) }
        }
        try progress(documentCount)
    }

    /// The number of documents between two reports of the progress, which are a few milliseconds apart.
    private static let interval = 1000

    /// Returns a difference between the counts in the records and those found; `nil` if there is none.
    func difference(from snapshot: Snapshot) throws -> String? {
        var difference: String?
        var known: Set<Attachment.Digest> = []
        try AttachmentRecord.forEach(in: snapshot) { digest, record in
            known.insert(digest)
            let found = counts[digest] ?? 0
            if found != record.count {
                difference =
                    "documents contain \(found) references to the attachment \(digest), and its record counts "
                    + "\(record.count)"
            }
            return difference == nil
        }
        if difference == nil, let unknown = counts.keys.filter({ !known.contains($0) }).min() {
            difference = "documents refer to the attachment \(unknown), which has no record"
        }
        return difference
    }
}
