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
        for collection in catalog.collections {
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
                do {
                    try index.forEachEntry(of: document.content, row: row) { key, value in
                        sums[index.number, default: IndexSum()].add(key.span, value.span)
                    }
                } catch is IndexTuples.LimitError {
                    result.report(
                        "\(collection.name).\(index.definition.name): the document \(document.id) has too many entries")
                }
                sums[index.number, default: IndexSum()].statistics += index.statistics(of: document.content)
            }
        }
        result.documentCount += documentCount
        try checkNames(of: collection)
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

    /// The stored names must be those that the documents above were read with, but for names that are not stored yet.
    private mutating func checkNames(of collection: Catalog.CollectionEntry) throws {
        guard let stored = try Self.ifReadable({ try CollectionNames.read(collection, from: snapshot) }) else {
            return result.report("\(collection.name): the field names cannot be read")
        }
        let current = collection.names.current
        if (0..<stored.count).contains(where: { stored[$0].map { Array($0.utf8) } != current[$0].map { Array($0.utf8) } }) {
            result.report("\(collection.name): the field names are not those that are stored")
        }
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
        if let values = index as? ValueIndex, values.definition.countsValues {
            try checkCounts(of: values, name: "\(collection.name).\(values.definition.name)")
        }
        guard let text = index as? TextIndex else { return }
        let stored = try Self.ifReadable { try text.storedStatistics(in: snapshot) }
        if stored == nil {
            result.report("\(collection.name).\(index.definition.name): the statistics cannot be read")
        } else if stored != expected.statistics {
            result.report("\(collection.name).\(index.definition.name): the sums over all documents are wrong")
        }
    }

    /// Compares the counters of values with the entries there are.
    private mutating func checkCounts(of index: ValueIndex, name: String) throws {
        let counters = IndexCounters(index: index)
        let stored = KeyRange.prefix(StoreKeyspace.valueCounts.prefix(index.number))
        var expected = IndexSum()
        try counters.forEachCount(in: snapshot) { expected.add($0.span, $1.span) }
        var actual = IndexSum()
        var cursor = try snapshot.cursor(in: stored, reverse: false, fillsCache: false)
        while try cursor.advance() { actual.add(cursor.key, cursor.value) }
        if actual.count == expected.count, actual.sum == expected.sum { return }
        var known: Set<[UInt8]> = []
        try counters.forEachCount(in: snapshot) { key, value in
            known.insert(key)
            if try snapshot.value(forKey: key) != value { result.report("\(name): a counter of a value is wrong") }
        }
        var surplus = try snapshot.cursor(in: stored, reverse: false, fillsCache: false)
        while try surplus.advance() {
            if !known.contains(surplus.key.copied()) { result.report("\(name): a value is counted that no entry has") }
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
            try index.forEachEntryWithinLimit(of: document.content, row: row) { key, value in
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
            for space in [StoreKeyspace.ids, .documents, .names] { known.append(.prefix(space.prefix(collection.number))) }
            for entry in collection.indexes where entry.isReady {
                known.append(.prefix(entry.index.entryPrefix))
                if entry.definition.countsValues {
                    known.append(.prefix(StoreKeyspace.valueCounts.prefix(entry.number)))
                }
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

extension DocumentIndex {
    /// As ``forEachEntry(of:row:_:)``, but a document with too many entries has none.
    fileprivate func forEachEntryWithinLimit(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        do {
            try forEachEntry(of: document, row: row, body)
        } catch is IndexTuples.LimitError {}
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
