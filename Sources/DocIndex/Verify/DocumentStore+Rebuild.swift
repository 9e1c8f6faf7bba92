internal import LevelKit

/// What a rebuild found and did.
public struct RebuildReport: Sendable, Hashable {
    /// Documents that were read.
    public internal(set) var documentCount = 0
    /// Records of ids, counters, changes and names of members that were missing, wrong or left over, and are right now.
    public internal(set) var repairCount = 0
    /// Documents whose id a newer one has; collection and row. They have an id of their own now: the old one, followed by
    /// ` recovered from row ` and the number.
    public internal(set) var shadowedRows: [String] = []
    /// Documents that cannot be read; collection and row. Their bytes are set aside under the key `Q`, followed by the
    /// key that they had, where nothing touches them.
    public internal(set) var unreadableRows: [String] = []
}

extension DocumentStore {
    /// Builds an index anew, beside the one there is, which answers until the new one is complete.
    ///
    /// - Parameter progress: called between slices; what it throws ends the work for now, and
    ///   ``finishSchemaChange(_:)`` goes on.
    /// - Throws: ``DocIndexError``: `unknownCollection`, `unknownIndex`.
    /// - Complexity: O(*n*) in the documents of the collection.
    public func rebuildIndex(
        _ name: String, of collection: String, _ progress: (BuildProgress) throws -> Void = { _ in }
    ) throws {
        try withWriter { _ in
            var catalog = currentCatalog
            guard let position = catalog.collections.firstIndex(where: { $0.name.hasSameBytes(as: collection) }) else {
                throw DocIndexError(.unknownCollection, "there is no collection \(collection)")
            }
            let known = catalog.collections[position].indexes.contains {
                !$0.isRetiring && $0.definition.name.hasSameBytes(as: name)
            }
            guard known else { throw DocIndexError(.unknownIndex, "\(collection) has no index \(name)") }
            try catalog.replaceIndexes(ofCollectionAt: position) { $0.definition.name.hasSameBytes(as: name) }
            try save(catalog)
        }
        try finishSchemaChange(progress)
    }

    /// Makes everything that follows from the documents anew: ids, counters, the feed, all indexes. For a store of which
    /// ``verify(_:)`` says that it contradicts itself.
    ///
    /// Writers wait while ids, counters and feed are put right. What was deleted stays deleted; where the record of a
    /// deletion itself is damaged, followers of the feed do not hear of it. Interrupted, it may be run again.
    ///
    /// - Parameter progress: called while indexes are built; what it throws ends the work for now, and
    ///   ``finishSchemaChange(_:)`` goes on.
    /// - Throws: `LevelError` where the storage itself is damaged.
    /// - Complexity: O(*n*) in everything that is stored; memory for the ids of documents that are listed twice only.
    @discardableResult
    public func rebuild(_ progress: (BuildProgress) throws -> Void = { _ in }) throws -> RebuildReport {
        let report = try withMaintenance {
            try withWriter { state in
                defer { state.forget() }
                var rebuilder = Rebuilder(database: database, catalog: currentCatalog)
                try rebuilder.run()
                var catalog = currentCatalog
                for position in catalog.collections.indices {
                    try catalog.replaceIndexes(ofCollectionAt: position) { _ in true }
                }
                try save(catalog)
                return rebuilder.report
            }
        }
        try finishSchemaChange(progress)
        return report
    }
}

extension Catalog {
    /// Declares indexes anew under new numbers; those there are answer until then, unless they were not complete.
    mutating func replaceIndexes(
        ofCollectionAt position: Int, where isReplaced: (IndexEntry) -> Bool
    ) throws {
        var indexes: [IndexEntry] = []
        var retiring: [IndexEntry] = []
        for var entry in collections[position].indexes {
            if entry.isRetiring || !isReplaced(entry) {
                if entry.isRetiring { retiring.append(entry) } else { indexes.append(entry) }
                continue
            }
            indexes.append(IndexEntry(number: try takeIndexNumber(), definition: entry.definition, isReady: false))
            if entry.isReady {
                entry.isRetiring = true
                retiring.append(entry)
            } else {
                dropped.append(DroppedIndex(number: entry.number, kind: entry.definition.kind))
            }
        }
        collections[position].indexes = indexes + retiring
    }

    private mutating func takeIndexNumber() throws -> UInt32 { try Self.take(&nextIndex) }
}

/// Puts ids, counters and the feed right.
private struct Rebuilder {
    let database: Database
    let catalog: Catalog
    var report = RebuildReport()
    private let batch = WriteBatch()
    private var sequence: UInt64 = 0
    private var counters: [UInt32: CollectionCounters] = [:]
    private var shadowed: [(collection: Catalog.CollectionEntry, row: UInt64)] = []

    init(database: Database, catalog: Catalog) {
        self.database = database
        self.catalog = catalog
    }

    mutating func run() throws {
        let stored = (try? WriterState.storedSequence(in: database)) ?? 0
        sequence = stored > WriterState.lastSequence ? 0 : stored
        for collection in catalog.collections { try rebuild(collection) }
        for (collection, row) in shadowed { try recover(row, of: collection) }
        for collection in catalog.collections {
            let new = counters[collection.number] ?? CollectionCounters()
            try correct(
                CollectionCounters.key(collection.number), to: new.encoded,
                isWrittenIfMissing: new != CollectionCounters())
        }
        try write(always: true)
        try removeSurplusChanges()
        try correct(
            StoreKeyspace.stateKey, to: WriterState.encoded(sequence: sequence), isWrittenIfMissing: sequence > 0)
        try write(always: true)
    }

    private mutating func rebuild(_ collection: Catalog.CollectionEntry) throws {
        try correctNames(of: collection)
        let prefix = StoreKeyspace.documents.prefix(collection.number)
        var counters = CollectionCounters()
        counters.nameCount = collection.names.current.count
        let stored = (try? CollectionCounters.read(collection.number, in: database))?.nextRow ?? 1
        counters.nextRow = stored > CollectionCounters.lastRow ? 1 : stored
        var cursor = try database.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            guard let row = StoreKeyspace.row(in: cursor.key, at: prefix.count), row <= CollectionCounters.lastRow
            else {
                try setAside(cursor.key.copied(), cursor.value.copied())
                report.unreadableRows.append("\(collection.name): a key that cannot be read")
                continue
            }
            counters.reserve(row)
            guard let document = try? RowReader.document(record: cursor.value, row: row, collection: collection),
                document.sequence <= WriterState.lastSequence
            else {
                try setAside(cursor.key.copied(), cursor.value.copied())
                report.unreadableRows.append("\(collection.name) row \(row)")
                continue
            }
            report.documentCount += 1
            sequence = max(sequence, document.sequence)
            if let rival = try rival(of: document, row: row, in: collection) {
                if (rival.sequence, rival.row) > (document.sequence, row) {
                    shadow(row, of: collection)
                    continue
                }
                // One that was read before was counted; one that is still to come will find this document.
                if rival.row < row {
                    shadow(rival.row, of: collection)
                    counters.documentCount -= 1
                }
            }
            counters.documentCount += 1
            try correct(StoreKeyspace.id(collection.number, document.id), to: IDRecord.row(row).encoded)
            let change = StoreChange(
                sequence: document.sequence, collection: collection.name, id: document.id, isDeletion: false)
            try correct(
                StoreKeyspace.change(document.sequence, collection: collection.number, row: row), to: change.encoded)
            try write()
        }
        try write(always: true)
        try checkIDs(of: collection, &counters)
        self.counters[collection.number] = counters
    }

    private mutating func shadow(_ row: UInt64, of collection: Catalog.CollectionEntry) {
        shadowed.append((collection, row))
        report.shadowedRows.append("\(collection.name) row \(row)")
    }

    /// Takes a record out of the way of everything else, and keeps it.
    private mutating func setAside(_ key: [UInt8], _ value: [UInt8]) throws {
        try batch.put(value, forKey: [StoreKeyspace.setAside.rawValue] + key)
        try batch.delete(key)
        try write()
    }

    /// Gives a document an id of its own, as a commit of its own would.
    private mutating func recover(_ row: UInt64, of collection: Catalog.CollectionEntry) throws {
        guard sequence < WriterState.lastSequence,
            let document = try RowReader.document(row, collection: collection, in: database)
        else { return }
        sequence += 1
        var content = document.content
        let id = DocumentID.string("\(document.id) recovered from row \(row)")
        content[collection.idField] = id.value
        var record: [UInt8] = []
        Varint.append(sequence, to: &record)
        var names = collection.names.current
        try BodyEncoder.append(.object(content), names: &names, to: &record)
        try batch.put(record, forKey: StoreKeyspace.document(collection.number, row: row))
        try batch.put(IDRecord.row(row).encoded, forKey: StoreKeyspace.id(collection.number, id))
        let change = StoreChange(sequence: sequence, collection: collection.name, id: id, isDeletion: false)
        try batch.put(change.encoded, forKey: StoreKeyspace.change(sequence, collection: collection.number, row: row))
        counters[collection.number]?.documentCount += 1
        report.repairCount += 1
        try write()
    }

    /// The document of the same id that the id leads to at the moment, if it is another one.
    private func rival(
        of document: Document, row: UInt64, in collection: Catalog.CollectionEntry
    ) throws -> (sequence: UInt64, row: UInt64)? {
        try write(always: true)
        guard let record = try? RowReader.record(of: document.id, collection: collection, in: database),
            let other = record.row, other != row,
            let rival = try? RowReader.document(other, collection: collection, in: database), rival.id == document.id
        else { return nil }
        return (rival.sequence, other)
    }

    /// Writes the names of members anew as this process knows them, if those that are stored are others.
    private mutating func correctNames(of collection: Catalog.CollectionEntry) throws {
        let names = collection.names.current
        let stored = CollectionNames()
        let recordCount = try? stored.load(collection, from: database)
        let prefix = StoreKeyspace.names.prefix(collection.number)
        var cursor = try database.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        var keyCount = 0
        while try cursor.advance() {
            keyCount += 1
            try batch.delete(cursor.key)
        }
        if recordCount == keyCount, stored.current == names { return batch.removeAll() }
        report.repairCount += 1
        if names.count > 0 {
            try batch.put(names.encoded(from: 0), forKey: StoreKeyspace.names(collection.number, from: 0))
        }
        try write(always: true)
        collection.names.didStore(names.count)
    }

    /// Removes ids that lead nowhere, and keeps deletions, with their changes.
    private mutating func checkIDs(
        of collection: Catalog.CollectionEntry, _ counters: inout CollectionCounters
    ) throws {
        let prefix = StoreKeyspace.ids.prefix(collection.number)
        var cursor = try database.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            let key = cursor.key.copied()
            let id = DocumentID(encoded: cursor.key.extracting(prefix.count..<cursor.key.count))
            switch try? IDRecord(cursor.value, collection: collection.name) {
            case .row(let row):
                let document = try? RowReader.document(row, collection: collection, in: database)
                if let id, document?.id == id { continue }
                try remove(key)
            case .deleted(let sequence, let row):
                guard let id, sequence <= WriterState.lastSequence, row <= CollectionCounters.lastRow else {
                    try remove(key)
                    continue
                }
                self.sequence = max(self.sequence, sequence)
                counters.reserve(row)
                let change = StoreChange(sequence: sequence, collection: collection.name, id: id, isDeletion: true)
                try correct(
                    StoreKeyspace.change(sequence, collection: collection.number, row: row), to: change.encoded)
            case nil: try remove(key)
            }
            try write()
        }
        try write(always: true)
    }

    /// Removes changes that no document and no deletion has.
    private mutating func removeSurplusChanges() throws {
        let range = KeyRange.prefix([StoreKeyspace.changes.rawValue])
        var cursor = try database.cursor(in: range, reverse: false, fillsCache: false)
        while try cursor.advance() {
            if try !isLast(cursor.key, cursor.value) { try remove(cursor.key.copied()) }
            try write()
        }
        try write(always: true)
    }

    private func isLast(_ key: Span<UInt8>, _ value: Span<UInt8>) throws -> Bool {
        guard let change = StoreChange(key: key, value: value, catalog: catalog), let place = StoreChange.Key(key),
            let collection = catalog.collection(numbered: place.collection),
            let record = try? RowReader.record(of: change.id, collection: collection, in: database)
        else { return false }
        switch record {
        case .deleted(let sequence, let row):
            return change.isDeletion && sequence == place.sequence && row == place.row
        case .row(let row):
            guard !change.isDeletion, row == place.row else { return false }
            return try RowReader.document(row, collection: collection, in: database)?.sequence == place.sequence
        }
    }

    // MARK: - Writing

    /// - Parameter isWrittenIfMissing: `false` for a value that is the same as none.
    private mutating func correct(_ key: [UInt8], to value: [UInt8], isWrittenIfMissing: Bool = true) throws {
        let stored = try database.value(forKey: key)
        if stored == value || (stored == nil && !isWrittenIfMissing) { return }
        report.repairCount += 1
        try batch.put(value, forKey: key)
    }

    private mutating func remove(_ key: [UInt8]) throws {
        report.repairCount += 1
        try batch.delete(key)
    }

    private func write(always: Bool = false) throws {
        guard batch.count > 0, always || batch.count >= 4096 else { return }
        try database.write(batch)
        batch.removeAll()
    }
}

extension CollectionCounters {
    /// Makes the next row one behind a row that is taken, at most ``lastRow``.
    fileprivate mutating func reserve(_ row: UInt64) {
        nextRow = max(nextRow, row + 1)
    }
}
