internal import LevelKit

/// Writes the edits of a transaction as one atomic batch of documents, IDs, index entries, counters and changes.
struct Commit {
    let database: Database
    let catalog: LoadedCatalog
    let state: WriterState

    private var changes = IndexChanges(batch: WriteBatch())
    private var counters: [UInt32: CollectionCounters] = [:]
    private var names: [UInt32: FieldNames] = [:]
    /// The collections written to and their indexes, resolved once.
    private var collections: [UInt32: Collection] = [:]
    private var written: [StoreChange] = []
    private var writtenRows: [DocumentCache.Key] = []
    private var history = PendingHistory()
    private var attachments = AttachmentChanges()
    /// Whether stored documents may refer to attachments.
    private let tracksAttachments: Bool
    /// Whether a duplicate value in a unique index is an error.
    var isUniqueEnforced = true

    private struct Collection {
        let entry: LoadedCollection
        /// The indexes that hold every document.
        let ready: [any DocumentIndex]
        /// Indexes being built, and the last row that each one contains.
        let building: [(index: any DocumentIndex, row: UInt64)]
    }

    init(database: Database, catalog: LoadedCatalog, state: WriterState) {
        self.database = database
        self.catalog = catalog
        self.state = state
        tracksAttachments = catalog.stored.hasAttachments
    }

    /// Writes the batch.
    ///
    /// - Parameters:
    ///   - edits: the documents to store or delete.
    ///   - durability: the durability of the batch.
    ///   - records: additional records for the batch. They are written even if no document changes.
    ///   - markers: markers to store, or to remove where the value is `nil`.
    /// - Returns: the changes; empty if no document changed.
    mutating func write(
        _ edits: [Transaction.Edit], durability: Durability, with records: [(key: [UInt8], value: [UInt8])] = [],
        markers: [String: [UInt8]?] = [:]
    ) throws -> [StoreChange] {
        var rest = edits[...]
        return try write(durability: durability, with: records, markers: markers) { _ in rest.popFirst() }
    }

    /// The size of a commit so far.
    struct Load {
        /// The bytes of the batch, with the former versions that it will contain.
        let byteCount: Int
        /// The number of changes for text indexes, which hold their documents in memory.
        let textChangeCount: Int
    }

    /// Writes the batch of the edits that `next` returns one after the other, until it returns `nil`. The edits need not
    /// be in memory together.
    ///
    /// - Parameter isDryRun: whether nothing is written. Unique indexes are checked nevertheless.
    /// - Returns: the changes; empty if no document changed.
    mutating func write(
        durability: Durability, with records: [(key: [UInt8], value: [UInt8])] = [], markers: [String: [UInt8]?] = [:],
        isDryRun: Bool = false, _ next: (Load) throws -> Transaction.Edit?
    ) throws -> [StoreChange] {
        try state.load(from: database)
        guard state.sequence < WriterState.lastSequence else { throw WriterState.damagedSequence }
        let sequence = state.sequence + 1
        while let edit = try next(load) { try add(edit, sequence: sequence) }
        if isDryRun {
            try attachments.write(to: changes.batch, sequence: sequence, reading: database)
            try changes.finish(catalog, reading: database, isUniqueEnforced: isUniqueEnforced)
            return written
        }
        for record in records { try changes.batch.put(record.value, forKey: record.key) }
        for (name, value) in markers {
            if let value {
                try changes.batch.put(value, forKey: StoreKey.marker(name))
            } else {
                try changes.batch.delete(StoreKey.marker(name))
            }
        }
        guard !written.isEmpty else {
            try database.write(changes.batch, durability: durability)
            return []
        }
        if !history.isEmpty {
            try history.write(to: changes.batch, catalog: catalog, state: state, database: database)
        }
        if !attachments.isEmpty {
            try attachments.write(to: changes.batch, sequence: sequence, reading: database)
        }
        try changes.finish(catalog, reading: database, isUniqueEnforced: isUniqueEnforced)
        try changes.batch.put(WriterState.encoded(sequence: sequence), forKey: StoreKey.stateKey)
        var storedNames: [(CollectionNames, Int)] = []
        for (number, names) in names {
            guard let shared = collections[number]?.entry.names else { continue }
            storedNames.append((shared, try shared.publish(names, of: number, in: changes.batch)))
            counters[number]?.nameCount = names.count
        }
        for (collection, counter) in counters {
            try changes.batch.put(counter.encoded, forKey: CollectionCounters.key(collection))
        }
        let texts = try state.texts.apply(changes.texts, of: catalog, database: database, to: changes.batch)
        do {
            try state.texts.write(texts) {
                try state.documents.whileWriting(writtenRows) {
                    try database.write(changes.batch, durability: durability)
                }
            }
        } catch {
            state.forget()
            throw error
        }
        for (names, count) in storedNames { names.didStore(count) }
        state.didWrite(sequence: sequence, counters: counters)
        state.texts.maintain(after: texts)
        return written
    }

    private var load: Load {
        Load(
            byteCount: changes.batch.byteCount + history.byteCount,
            textChangeCount: changes.texts.values.reduce(0) { $0 + $1.count })
    }

    private mutating func collection(_ number: UInt32) throws -> Collection? {
        if let known = collections[number] { return known }
        guard let entry = catalog.collection(numbered: number) else { return nil }
        let collection = Collection(
            entry: entry, ready: entry.indexes.filter(\.isReady).map(\.index),
            building: try entry.indexes.filter(\.isBuilding).map {
                ($0.index, try state.progress(of: $0.number, in: database))
            })
        collections[number] = collection
        counters[number] = try state.counters(number, in: database)
        names[number] = entry.names.current
        return collection
    }

    private mutating func add(_ edit: Transaction.Edit, sequence: UInt64) throws {
        let old = edit.base.document
        if edit.revisions == nil, edit.restored == nil, old?.content == edit.content { return }
        guard let collection = try collection(edit.target.collection) else { return }
        let entry = collection.entry
        var revisions: RevisionChange?
        if entry.isReplicated {
            let pending = PendingRevisions(database: database, state: state)
            revisions = try pending.change(edit, of: entry, sequence: sequence)
            if let revisions {
                try pending.write(
                    revisions, of: edit.target.id, in: entry, sequence: sequence,
                    names: &names[entry.number, default: FieldNames()], to: changes.batch)
            }
        }
        let row = try placeInFeed(edit, entry: entry)
        writtenRows.append(DocumentCache.Key(collection: entry.number, row: row))
        if entry.history != nil {
            try history.add(edit, row: row, sequence: sequence, of: entry, in: database)
        }
        let documentKey = StoreKey.document(entry.number, row: row)
        if let new = edit.content {
            var record: [UInt8] = []
            Varint.append(sequence, to: &record)
            do {
                let references = try Self.append(
                    new, edit.partial?.splice, names: &names[entry.number, default: FieldNames()], to: &record)
                if !references.isEmpty { try attachments.add(references, of: edit.target.id) }
            } catch let error as BodyError {
                throw DocIndexError(.invalidDocument, "the document \(edit.target.id) cannot be stored: \(error)")
            }
            try changes.batch.put(record, forKey: documentKey)
        } else {
            try counters[entry.number]?.removeDocument(collection: entry.name)
            try changes.batch.delete(documentKey)
            let record = IDRecord.deleted(sequence: sequence, row: row)
            try changes.batch.put(record.encoded, forKey: StoreKey.id(entry.number, edit.target.id))
        }
        if tracksAttachments, let old { attachments.remove(of: old.content, named: edit.partial?.splice.names) }
        let change = StoreChange(
            sequence: sequence, collection: entry.name, id: edit.target.id, isDeletion: edit.content == nil,
            hasConflict: revisions?.hasConflict ?? false)
        try changes.batch.put(
            change.encoded, forKey: StoreKey.change(sequence, collection: entry.number, row: row))
        written.append(change)
        if old?.content == edit.content { return }
        var indexes = collection.ready
        if !collection.building.isEmpty {
            indexes += collection.building.filter { row <= $0.row }.map(\.index)
        }
        try changes.update(
            indexes, affected: edit.partial?.indexes, of: edit.target.id, old: old?.content, new: edit.content,
            row: row,
            collection: entry.name)
    }

    /// Appends the body of a document, or of a splice; see ``BodyEncoder``.
    private static func append(
        _ content: DocumentObject, _ splice: BodySplice?, names: inout FieldNames, to record: inout [UInt8]
    ) throws(BodyError) -> [Attachment] {
        guard let splice else { return try BodyEncoder.append(.object(content), names: &names, to: &record) }
        return try BodyEncoder.append(splice, names: &names, to: &record)
    }

    /// Removes the last change of the document from the feed, and assigns a row to a new document.
    ///
    /// - Returns: the row.
    private mutating func placeInFeed(_ edit: Transaction.Edit, entry: LoadedCollection) throws -> UInt64 {
        switch edit.base {
        case .stored(let document, let row):
            try changes.batch.delete(StoreKey.change(document.sequence, collection: entry.number, row: row))
            return row
        case .deleted(let sequence, let row):
            try changes.batch.delete(StoreKey.change(sequence, collection: entry.number, row: row))
        case .absent: break
        }
        guard var counter = counters[entry.number] else { throw CollectionCounters.contradiction(entry.name) }
        let row = try counter.addDocument(collection: entry.name)
        counters[entry.number] = counter
        try changes.batch.put(IDRecord.row(row).encoded, forKey: StoreKey.id(entry.number, edit.target.id))
        return row
    }
}
