internal import LevelKit

/// Changes of documents that are written together; see ``DocumentStore/write(durability:_:)``.
///
/// Valid within the closure that it was given to, on that thread.
public final class Transaction {
    private struct Target: Hashable {
        let collection: UInt32
        let id: DocumentID
    }

    private let database: Database
    private let catalog: Catalog
    /// The newest content of each document that was touched; `nil` for one that was deleted.
    private var overlay: [Target: DocumentObject?] = [:]
    private var order: [Target] = []
    private var isOpen = true

    init(database: Database, catalog: Catalog) {
        self.database = database
        self.catalog = catalog
    }

    func end() { isOpen = false }

    /// How many documents were touched so far.
    public var changeCount: Int { order.count }

    // MARK: - Documents

    /// Stores a document under the id that it holds, in place of the one that was there.
    ///
    /// - Returns: the id.
    /// - Throws: ``DocIndexError``: `unknownCollection`; `invalidID` if the document has no id.
    @discardableResult
    public func put(_ content: DocumentObject, in collection: String) throws -> DocumentID {
        let entry = try self.entry(collection)
        let id = try Self.id(of: content, in: entry)
        set(content, for: Target(collection: entry.number, id: id))
        return id
    }

    /// Stores a document that must be new.
    ///
    /// - Returns: the id.
    /// - Throws: ``DocIndexError``: `documentExists`, and as ``put(_:in:)``.
    @discardableResult
    public func insert(_ content: DocumentObject, in collection: String) throws -> DocumentID {
        let id = try Self.id(of: content, in: try entry(collection))
        guard try document(id, in: collection) == nil else {
            throw DocIndexError(
                .documentExists, "\(collection) has a document \(id) already; use put to replace it")
        }
        return try put(content, in: collection)
    }

    /// Deletes a document.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func delete(_ id: DocumentID, in collection: String) throws -> Bool {
        let entry = try self.entry(collection)
        guard try document(id, in: collection) != nil else { return false }
        set(nil, for: Target(collection: entry.number, id: id))
        return true
    }

    /// A document as this transaction sees it; `nil` if there is none of that id.
    public func document(_ id: DocumentID, in collection: String) throws -> Document? {
        let entry = try self.entry(collection)
        if let changed = overlay[Target(collection: entry.number, id: id)] {
            return changed.map { Document(id: id, content: $0) }
        }
        guard let row = try RowReader.row(of: id, collection: entry, in: database) else { return nil }
        return try stored(row, in: entry)
    }

    private func set(_ content: DocumentObject?, for target: Target) {
        if overlay.updateValue(content, forKey: target) == nil { order.append(target) }
    }

    private func entry(_ name: String) throws -> Catalog.CollectionEntry {
        guard isOpen else {
            throw DocIndexError(.nestedWrite, "the transaction has ended; use it within its closure only")
        }
        guard let entry = catalog.collection(named: name) else {
            let known = catalog.collections.map(\.name).joined(separator: ", ")
            throw DocIndexError(.unknownCollection, "there is no collection \(name); the store has \(known)")
        }
        return entry
    }

    /// The id in a document.
    static func id(of content: DocumentObject, in entry: Catalog.CollectionEntry) throws -> DocumentID {
        guard let value = content[entry.idField] else {
            throw DocIndexError(
                .invalidID, "the document has no member \(entry.idField), which holds the id in \(entry.name)")
        }
        guard let id = DocumentID(value) else {
            throw DocIndexError(
                .invalidID,
                "the member \(entry.idField), which holds the id in \(entry.name), must be a text or a whole number")
        }
        return id
    }

    private func stored(_ row: UInt64, in entry: Catalog.CollectionEntry) throws -> Document {
        guard let document = try RowReader.document(row, collection: entry, in: database) else {
            throw DocIndexError(
                .corruption,
                "row \(row) of the collection \(entry.name) is named and holds no document; "
                    + "run verify, restore a backup")
        }
        return document
    }

    // MARK: - Commit

    /// Writes all changes as one batch.
    ///
    /// Nothing is kept in memory between transactions but the catalog and the names of members: counters are read and
    /// written here, so a batch that fails leaves nothing to be put right. For the names see ``CollectionNames``.
    func commit(durability: Durability) throws {
        guard !order.isEmpty else { return }
        let batch = WriteBatch()
        var changes = IndexChanges(batch: batch)
        var names: [UInt32: FieldNames] = [:]
        var counters: [UInt32: CollectionCounters] = [:]
        let indexes = Dictionary(
            uniqueKeysWithValues: catalog.collections.map { collection in
                (collection.number, collection.indexes.filter(\.isReady).map(\.index))
            })
        for entry in catalog.collections where order.contains(where: { $0.collection == entry.number }) {
            counters[entry.number] = try CollectionCounters.read(entry.number, in: database)
        }
        let stored = counters
        for target in order {
            guard let entry = catalog.collections.first(where: { $0.number == target.collection }),
                var counter = counters[entry.number]
            else { continue }
            try write(
                overlay[target] ?? nil, of: target, entry: entry, indexes: indexes[entry.number] ?? [],
                counters: &counter, names: &names[entry.number, default: entry.names.current], changes: &changes)
            counters[entry.number] = counter
        }
        // Documents that are as they were leave nothing to write.
        guard batch.count > 0 else { return }
        for (collection, counter) in counters where counter != stored[collection] {
            try batch.put(counter.encoded, forKey: CollectionCounters.key(collection))
        }
        try writeStatistics(changes, indexes: indexes.values.flatMap { $0 })
        try changes.finish(catalog, reading: database)
        let storedNames = try catalog.collections.compactMap { entry in
            try names[entry.number].map { (entry.names, try entry.names.publish($0, of: entry.number, in: batch)) }
        }
        try database.write(batch, durability: durability)
        for (names, count) in storedNames { names.didStore(count) }
    }

    private func write(
        _ new: DocumentObject?, of target: Target, entry: Catalog.CollectionEntry, indexes: [any DocumentIndex],
        counters: inout CollectionCounters, names: inout FieldNames, changes: inout IndexChanges
    ) throws {
        let oldRow = try RowReader.row(of: target.id, collection: entry, in: database)
        let old = try oldRow.map { try stored($0, in: entry) }
        if old?.content == new { return }
        let row: UInt64
        if let oldRow {
            row = oldRow
        } else {
            row = try counters.addDocument(collection: entry.name)
        }
        let idKey = StoreKeyspace.id(entry.number, target.id)
        let documentKey = StoreKeyspace.document(entry.number, row: row)
        if let new {
            if oldRow == nil {
                var value: [UInt8] = []
                Varint.append(row, to: &value)
                try changes.batch.put(value, forKey: idKey)
            }
            do {
                try changes.batch.put(try BodyEncoder.encode(.object(new), names: &names), forKey: documentKey)
            } catch let error as BodyError {
                throw DocIndexError(.invalidDocument, "the document \(target.id) cannot be stored: \(error)")
            }
        } else {
            try counters.removeDocument(collection: entry.name)
            try changes.batch.delete(idKey)
            try changes.batch.delete(documentKey)
        }
        try changes.update(
            indexes, of: target.id, old: old?.content, new: new, row: row, collection: entry.name)
    }

    private func writeStatistics(_ changes: IndexChanges, indexes: [any DocumentIndex]) throws {
        for case let index as TextIndex in indexes {
            guard let difference = changes.statistics[index.number] else { continue }
            var sum = try index.storedStatistics(in: database)
            sum += difference
            try changes.batch.put(TextIndex.encoded(sum), forKey: StoreKeyspace.textStatistics(index.number))
        }
    }
}
