internal import LevelKit

/// Corrects IDs, counters, the change feed, the history, and the records of attachments.
struct Rebuilder {
    let database: Database
    let catalog: LoadedCatalog
    let files: ContentDirectory
    var report = DocumentStore.RebuildReport()
    let batch = WriteBatch()
    var sequence: UInt64 = 0
    /// Whether the store contains attachments, which the catalog may not say.
    var hasAttachments: Bool
    var references = AttachmentReferences()
    private var counters: [UInt32: CollectionCounters] = [:]
    private var shadowed: [(collection: LoadedCollection, row: UInt64)] = []

    init(database: Database, catalog: LoadedCatalog, files: ContentDirectory) throws {
        self.database = database
        self.catalog = catalog
        self.files = files
        hasAttachments = try catalog.stored.hasAttachments || StoreKey.hasAttachmentKeys(in: database)
    }

    mutating func run() throws {
        let stored = (try? WriterState.storedSequence(in: database)) ?? 0
        sequence = stored > WriterState.lastSequence ? 0 : stored
        // Done first, because unknown keys may have numbers that are assigned later.
        try removeUnknownKeys()
        try repeatDeletions()
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
        if catalog.stored.keepsHistory { try rebuildHistory() }
        try rebuildRevisions()
        try rebuildAttachments()
        try correctCopies()
        try correct(
            StoreKey.stateKey, to: WriterState.encoded(sequence: sequence), isWrittenIfMissing: sequence > 0)
        try write(always: true)
    }

    private mutating func rebuild(_ collection: LoadedCollection) throws {
        try correctNames(of: collection)
        let prefix = StoreKey.documents.prefix(collection.number)
        var counters = CollectionCounters()
        counters.nameCount = collection.names.current.count
        let stored = (try? CollectionCounters.read(collection.number, in: database))?.nextRow ?? 1
        counters.nextRow = stored > CollectionCounters.lastRow ? 1 : stored
        var cursor = try database.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            guard let row = StoreKey.row(in: cursor.key, at: prefix.count), row <= CollectionCounters.lastRow
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
            references.add(document.content, collection: collection.number, row: row)
            sequence = max(sequence, document.sequence)
            if let rival = try rival(of: document, row: row, in: collection) {
                if (rival.sequence, rival.row) > (document.sequence, row) {
                    shadow(row, of: collection)
                    continue
                }
                // A document that was read before has been counted; one that is still to come will find this document.
                if rival.row < row {
                    shadow(rival.row, of: collection)
                    counters.documentCount -= 1
                }
            }
            counters.documentCount += 1
            try correct(StoreKey.id(collection.number, document.id), to: IDRecord.row(row).encoded)
            let change = StoreChange(
                sequence: document.sequence, collection: collection.name, id: document.id, isDeletion: false,
                hasConflict: RevisionTree.hasConflict(document.id, of: collection, in: database))
            try correct(
                StoreKey.change(document.sequence, collection: collection.number, row: row), to: change.encoded)
            try write()
        }
        try write(always: true)
        try checkIDs(of: collection, &counters)
        self.counters[collection.number] = counters
    }

    private mutating func shadow(_ row: UInt64, of collection: LoadedCollection) {
        shadowed.append((collection, row))
        report.shadowedRows.append("\(collection.name) row \(row)")
    }

    /// Moves a record to the keys for unreadable records.
    mutating func setAside(_ key: [UInt8], _ value: [UInt8]) throws {
        try batch.put(value, forKey: [StoreKey.setAside.rawValue] + key)
        try batch.delete(key)
        try write()
    }

    /// Gives a document a new ID, in a separate commit.
    private mutating func recover(_ row: UInt64, of collection: LoadedCollection) throws {
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
        try batch.put(record, forKey: StoreKey.document(collection.number, row: row))
        try batch.put(IDRecord.row(row).encoded, forKey: StoreKey.id(collection.number, id))
        let change = StoreChange(sequence: sequence, collection: collection.name, id: id, isDeletion: false)
        try batch.put(change.encoded, forKey: StoreKey.change(sequence, collection: collection.number, row: row))
        counters[collection.number]?.documentCount += 1
        report.repairCount += 1
        try write()
    }

    /// Returns the other document that the ID of a document currently leads to; `nil` if there is none.
    private func rival(
        of document: Document, row: UInt64, in collection: LoadedCollection
    ) throws -> (sequence: UInt64, row: UInt64)? {
        try write(always: true)
        guard let record = try? RowReader.record(of: document.id, collection: collection, in: database),
            let other = record.row, other != row,
            let rival = try? RowReader.document(other, collection: collection, in: database), rival.id == document.id
        else { return nil }
        return (rival.sequence, other)
    }

    /// Rewrites the field names as this process knows them if the stored ones differ.
    private mutating func correctNames(of collection: LoadedCollection) throws {
        let names = collection.names.current
        let stored = CollectionNames()
        let recordCount = try? stored.load(collection.entry, from: database)
        let prefix = StoreKey.names.prefix(collection.number)
        var cursor = try database.cursor(in: .prefix(prefix), cache: .bypass)
        var keyCount = 0
        while try cursor.advance() {
            keyCount += 1
            try batch.delete(cursor.key)
        }
        if recordCount == keyCount, stored.current == names { return batch.removeAll() }
        report.repairCount += 1
        if names.count > 0 {
            try batch.put(names.encoded(from: 0), forKey: StoreKey.names(collection.number, from: 0))
        }
        try write(always: true)
        collection.names.didStore(names.count)
    }

    /// Deletes documents again for which a later deletion is recorded.
    ///
    /// The original deletion was lost with a damaged file, or LevelDB has restored an old version of their key.
    private mutating func repeatDeletions() throws {
        let range = KeyRange.prefix([StoreKey.changes.rawValue])
        var changes = try database.cursor(in: range, cache: .bypass)
        while try changes.advance() {
            guard let change = StoreChange(key: changes.key, value: changes.value, catalog: catalog), change.isDeletion,
                let place = StoreChange.Key(changes.key),
                let collection = catalog.collection(numbered: place.collection)
            else { continue }
            try deleteAgain(change.id, sequence: place.sequence, row: place.row, of: collection)
        }
        for collection in catalog.collections {
            let prefix = StoreKey.ids.prefix(collection.number)
            var ids = try database.cursor(in: .prefix(prefix), cache: .bypass)
            while try ids.advance() {
                guard case .deleted(let sequence, let row)? = try? IDRecord(ids.value, collection: collection.name),
                    let id = DocumentID(encoded: ids.key.extracting(prefix.count..<ids.key.count))
                else { continue }
                // If the feed contains this version of the document, the record of the ID is wrong.
                if let document = try? RowReader.document(row, collection: collection, in: database),
                    try database.contains(
                        StoreKey.change(document.sequence, collection: collection.number, row: row))
                {
                    continue
                }
                try deleteAgain(id, sequence: sequence, row: row, of: collection)
            }
        }
        try write(always: true)
    }

    private mutating func deleteAgain(
        _ id: DocumentID, sequence: UInt64, row: UInt64, of collection: LoadedCollection
    ) throws {
        guard sequence <= WriterState.lastSequence,
            let document = try? RowReader.document(row, collection: collection, in: database), document.id == id,
            document.sequence < sequence
        else { return }
        report.returnedRows.append("\(collection.name) row \(row)")
        try batch.delete(StoreKey.document(collection.number, row: row))
        // Unless a document with this ID was stored later.
        let record = try? RowReader.record(of: id, collection: collection, in: database)
        if record == nil || record?.row == row {
            try batch.put(
                IDRecord.deleted(sequence: sequence, row: row).encoded, forKey: StoreKey.id(collection.number, id))
        }
        report.repairCount += 1
        try write(always: true)
    }

    /// Removes entries of indexes that are not in the catalog, and sets all other unknown keys aside.
    private mutating func removeUnknownKeys() throws {
        let derived: [StoreKey] = [.values, .valueCounts, .text, .progress]
        var known = catalog.stored
        known.hasAttachments = hasAttachments
        for range in known.unknownRanges() {
            var cursor = try database.cursor(in: range, cache: .bypass)
            while try cursor.advance() {
                let key = cursor.key.copied()
                report.unknownKeyCount += 1
                if let first = key.first, derived.contains(where: { $0.rawValue == first }) {
                    try batch.delete(key)
                } else {
                    try setAside(key, cursor.value.copied())
                }
                try write()
            }
        }
        try write(always: true)
    }

    /// Removes IDs that lead to no document, and keeps deletions with their changes.
    private mutating func checkIDs(
        of collection: LoadedCollection, _ counters: inout CollectionCounters
    ) throws {
        let prefix = StoreKey.ids.prefix(collection.number)
        var cursor = try database.cursor(in: .prefix(prefix), cache: .bypass)
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
                    StoreKey.change(sequence, collection: collection.number, row: row), to: change.encoded)
            case nil: try remove(key)
            }
            try write()
        }
        try write(always: true)
    }

    /// Removes changes that match neither a document nor a deletion.
    private mutating func removeSurplusChanges() throws {
        let range = KeyRange.prefix([StoreKey.changes.rawValue])
        var cursor = try database.cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            if try !isLast(cursor.key, cursor.value) {
                noteOutdated(cursor.key, cursor.value)
                try remove(cursor.key.copied())
            }
            try write()
        }
        try write(always: true)
    }

    /// Reports a document that is older than a change that refers to it.
    private mutating func noteOutdated(_ key: Span<UInt8>, _ value: Span<UInt8>) {
        guard let change = StoreChange(key: key, value: value, catalog: catalog), !change.isDeletion,
            let place = StoreChange.Key(key), let collection = catalog.collection(numbered: place.collection),
            let document = try? RowReader.document(place.row, collection: collection, in: database),
            document.id == change.id, document.sequence < place.sequence
        else { return }
        report.outdatedRows.append("\(collection.name) row \(place.row)")
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

    /// - Parameter isWrittenIfMissing: `false` for a value that is equivalent to a missing one.
    mutating func correct(_ key: [UInt8], to value: [UInt8], isWrittenIfMissing: Bool = true) throws {
        let stored = try database.value(forKey: key)
        if stored == value || (stored == nil && !isWrittenIfMissing) { return }
        report.repairCount += 1
        try batch.put(value, forKey: key)
    }

    mutating func remove(_ key: [UInt8]) throws {
        report.repairCount += 1
        try batch.delete(key)
    }

    func write(always: Bool = false) throws {
        guard batch.count > 0, always || batch.count >= 4096 else { return }
        try database.write(batch)
        batch.removeAll()
    }
}

extension CollectionCounters {
    /// Ensures that the next row is after a used row, which is at most ``lastRow``.
    fileprivate mutating func reserve(_ row: UInt64) {
        nextRow = max(nextRow, row + 1)
    }
}
