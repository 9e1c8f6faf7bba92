internal import LevelKit

/// Checks a store against itself.
///
/// Entries of an index and entries that its documents should have are compared as multisets by a sum of hashes, so that
/// a sound store is checked in one pass over documents and one over each index, in constant memory. Only an index whose
/// sums differ is compared entry by entry.
struct Verifier {
    let snapshot: Snapshot
    let catalog: Catalog
    private var result = Verification()

    init(snapshot: Snapshot, catalog: Catalog) {
        self.snapshot = snapshot
        self.catalog = catalog
    }

    mutating func run() throws -> Verification {
        for declared in catalog.collections {
            let collection = try withStoredNames(declared)
            let expected = try checkDocuments(of: collection)
            for entry in collection.indexes where entry.isReady {
                try checkIndex(entry.index, of: collection, expected: expected[entry.number] ?? IndexSum())
            }
        }
        try checkUnknownKeys()
        return result
    }

    // MARK: - Documents

    /// Checks ids and documents, and sums up what the indexes should hold.
    private mutating func checkDocuments(of collection: Catalog.CollectionEntry) throws -> [UInt32: IndexSum] {
        let indexes = collection.indexes.filter(\.isReady).map(\.index)
        var sums: [UInt32: IndexSum] = [:]
        let prefix = StoreKeyspace.documents.prefix(collection.number)
        var documentCount = 0
        var largestRow: UInt64 = 0
        var cursor = try snapshot.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            guard let row = StoreKeyspace.row(in: cursor.key, at: prefix.count) else {
                result.report("\(collection.name): a document has a key that cannot be read")
                continue
            }
            documentCount += 1
            largestRow = max(largestRow, row)
            guard let document = try? RowReader.document(body: cursor.value.copied(), row: row, collection: collection)
            else {
                result.report("\(collection.name): the document in row \(row) cannot be read")
                continue
            }
            let named = try Self.ifReadable { try RowReader.row(of: document.id, collection: collection, in: snapshot) }
            if named ?? nil != row {
                result.report("\(collection.name): the document \(document.id) in row \(row) is not named by its id")
            }
            for index in indexes {
                index.forEachEntry(of: document.content, row: row) { key, value in
                    sums[index.number, default: IndexSum()].add(key.span, value.span)
                }
                sums[index.number, default: IndexSum()].statistics += index.statistics(of: document.content)
            }
        }
        result.documentCount += documentCount
        try checkIDs(of: collection, documentCount: documentCount)
        try checkCounters(of: collection, documentCount: documentCount, largestRow: largestRow)
        return sums
    }

    private mutating func checkCounters(
        of collection: Catalog.CollectionEntry, documentCount: Int, largestRow: UInt64
    ) throws {
        let read = try Self.ifReadable { try CollectionCounters.read(collection.number, in: snapshot) }
        guard let counters = read else {
            return result.report("\(collection.name): the counters cannot be read")
        }
        if counters.documentCount != documentCount {
            result.report(
                "\(collection.name): the counter says \(counters.documentCount) documents, there are \(documentCount)")
        }
        if counters.nextRow <= largestRow {
            result.report("\(collection.name): the next row is \(counters.nextRow), but row \(largestRow) is taken")
        }
    }

    /// The collection with the names that the snapshot holds: its documents must be readable with those alone, and not
    /// only with what this process has in memory.
    private mutating func withStoredNames(
        _ collection: Catalog.CollectionEntry
    ) throws -> Catalog.CollectionEntry {
        var stored = collection
        stored.names = CollectionNames()
        let recordCount = try Self.ifReadable { try stored.names.load(collection, from: snapshot) }
        guard let recordCount else {
            result.report("\(collection.name): the field names cannot be read")
            return collection
        }
        var cursor = try snapshot.cursor(
            in: .prefix(StoreKeyspace.names.prefix(collection.number)), reverse: false, fillsCache: false)
        var keyCount = 0
        while try cursor.advance() { keyCount += 1 }
        if keyCount != recordCount {
            result.report(
                "\(collection.name): there are \(keyCount) records of field names, \(recordCount) fit together")
        }
        return stored
    }

    /// What `body` reads; `nil` for a record that cannot be read, which is a problem of the store and not of the check.
    private static func ifReadable<R>(_ body: () throws -> R) throws -> R? {
        do {
            return try body()
        } catch let error as DocIndexError where error.code == .corruption {
            return nil
        }
    }

    /// With as many ids as documents, and every document named by its id, every id leads to a document.
    private mutating func checkIDs(of collection: Catalog.CollectionEntry, documentCount: Int) throws {
        let rows = RowReader(snapshot: snapshot, collection: collection)
        var idCount = 0
        var cursor = try rows.idCursor()
        while try cursor.advance() {
            idCount += 1
            guard let row = try? rows.row(inIDValue: cursor.value) else {
                result.report("\(collection.name): an id leads to no row")
                continue
            }
            if try !snapshot.contains(StoreKeyspace.document(collection.number, row: row)) {
                result.report("\(collection.name): an id leads to row \(row), which holds no document")
            }
        }
        if idCount != documentCount {
            result.report("\(collection.name): there are \(idCount) ids for \(documentCount) documents")
        }
    }

    // MARK: - Indexes

    private mutating func checkIndex(
        _ index: any DocumentIndex, of collection: Catalog.CollectionEntry, expected: IndexSum
    ) throws {
        var actual = IndexSum()
        var cursor = try snapshot.cursor(in: .prefix(index.entryPrefix), reverse: false, fillsCache: false)
        while try cursor.advance() { actual.add(cursor.key, cursor.value) }
        result.entryCount += actual.count
        if actual.count != expected.count || actual.sum != expected.sum {
            try compareEntries(of: index, collection: collection)
        }
        guard let text = index as? TextIndex else { return }
        let stored = try Self.ifReadable { try text.storedStatistics(in: snapshot) }
        if stored == nil {
            result.report("\(collection.name).\(index.definition.name): the statistics cannot be read")
        } else if stored != expected.statistics {
            result.report("\(collection.name).\(index.definition.name): the sums over all documents are wrong")
        }
    }

    /// Finds the entries that are missing, and those that no document has.
    private mutating func compareEntries(of index: any DocumentIndex, collection: Catalog.CollectionEntry) throws {
        let name = "\(collection.name).\(index.definition.name)"
        let prefix = StoreKeyspace.documents.prefix(collection.number)
        var expected: Set<[UInt8]> = []
        var documents = try snapshot.cursor(in: .prefix(prefix), reverse: false, fillsCache: false)
        while try documents.advance() {
            guard let row = StoreKeyspace.row(in: documents.key, at: prefix.count),
                let document = try? RowReader.document(
                    body: documents.value.copied(), row: row, collection: collection)
            else { continue }
            try index.forEachEntry(of: document.content, row: row) { key, value in
                expected.insert(key)
                guard let stored = try snapshot.value(forKey: key) else {
                    result.report("\(name): the document \(document.id) has an entry that is missing")
                    return
                }
                if stored != value { result.report("\(name): an entry of the document \(document.id) is wrong") }
            }
        }
        var cursor = try snapshot.cursor(in: .prefix(index.entryPrefix), reverse: false, fillsCache: false)
        while try cursor.advance() {
            if expected.contains(cursor.key.copied()) { continue }
            result.report("\(name): there is an entry that no document has")
        }
    }

    // MARK: - The rest

    /// Looks for keys that belong to no collection and no index of the catalog.
    private mutating func checkUnknownKeys() throws {
        // Keys that stand alone, and beginnings of many.
        var known = [KeyRange.only(StoreKeyspace.catalogKey)]
        for collection in catalog.collections {
            known.append(.only(CollectionCounters.key(collection.number)))
            for space in [StoreKeyspace.ids, .documents, .names] {
                known.append(.prefix(space.prefix(collection.number)))
            }
            for entry in collection.indexes where entry.isReady {
                known.append(.prefix(entry.index.entryPrefix))
                if entry.definition.kind == .text { known.append(.only(StoreKeyspace.textStatistics(entry.number))) }
            }
        }
        known.sort { Self.key($0.lower).lexicographicallyPrecedes(Self.key($1.lower)) }
        // The keys between two neighbouring known ranges.
        var lower = KeyBound.unbounded
        for range in known {
            try reportKeys(in: KeyRange(lower: lower, upper: .excluded(Self.key(range.lower))))
            switch range.upper {
            case .included(let key): lower = .excluded(key)
            case .excluded(let key): lower = .included(key)
            case .unbounded: return
            }
        }
        try reportKeys(in: KeyRange(lower: lower, upper: .unbounded))
    }

    private static func key(_ bound: KeyBound) -> [UInt8] {
        switch bound {
        case .unbounded: []
        case .included(let key), .excluded(let key): key
        }
    }

    private mutating func reportKeys(in range: KeyRange) throws {
        var cursor = try snapshot.cursor(in: range, reverse: false, fillsCache: false)
        while try cursor.advance() {
            result.report("there is a key of \(cursor.key.count) bytes that belongs to no collection and no index")
        }
    }
}

/// The entries of an index as one number: equal multisets of entries have equal sums, and different ones hardly ever.
private struct IndexSum {
    var count = 0
    var sum: UInt64 = 0
    var statistics = IndexStatistics()

    mutating func add(_ key: Span<UInt8>, _ value: Span<UInt8>) {
        count += 1
        var hasher = Hasher()
        unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(key.count)
        unsafe value.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
