internal import LevelKit

/// Checks the consistency of a store.
///
/// The actual and the expected entries of an index are compared as multisets by a sum of hashes. Thus a sound store is
/// checked in one pass over the documents and one over each index, in constant memory. Only an index whose sums differ
/// is compared entry by entry.
struct Verifier {
    let store: DocumentStore
    let snapshot: Snapshot
    let catalog: LoadedCatalog
    private let attachments: Verification.AttachmentCheck
    var references = AttachmentReferences()
    private let progress: (Verification.Progress) throws -> Void
    var result: Verification
    private var documentsToCheck = 0
    /// The number of documents or entries between two progress reports, which are a few milliseconds apart.
    static let reportInterval = 1000
    private var expectedChangeCount = 0

    init(
        store: DocumentStore, snapshot: Snapshot, catalog: LoadedCatalog, attachments: Verification.AttachmentCheck,
        limit: Int, progress: @escaping (Verification.Progress) throws -> Void = { _ in }
    ) {
        self.store = store
        self.attachments = attachments
        result = Verification(limit: limit)
        self.snapshot = snapshot
        self.catalog = catalog
        self.progress = progress
    }

    /// An index and the last row that it contains.
    struct Subject {
        let loaded: LoadedIndex
        let index: any DocumentIndex
        let lastRow: UInt64
    }

    /// The checks of text indexes in progress, by index number.
    var texts: [UInt32: TextVerifier] = [:]

    /// Returns the indexes of a collection. One that is being built contains the documents up to a row.
    private mutating func subjects(of collection: LoadedCollection) throws -> [Subject] {
        var subjects: [Subject] = []
        for entry in collection.indexes {
            guard entry.answersWithThisStemmer else {
                // Checking the index against the documents requires the stemmer that built it.
                if !entry.isRetiring {
                    result.report(
                        "\(collection.name).\(entry.definition.name): the index was built with a different version of the "
                            + "stemmer and cannot be checked; rebuild the index", in: collection.name,
                        index: entry.definition.name)
                }
                continue
            }
            guard entry.hasTheseRules else {
                if !entry.isRetiring {
                    result.report(
                        "\(collection.name).\(entry.definition.name): the index was built by other rules for text or "
                            + "dates and cannot be checked; rebuild the index",
                        in: collection.name, index: entry.definition.name)
                }
                continue
            }
            guard try entry.hasContent || !ContentAdoption.hasMarks(entry, in: snapshot) else {
                if !entry.isRetiring {
                    result.report(
                        "\(collection.name).\(entry.definition.name): the index was built by an earlier version of the "
                            + "library and cannot be checked; rebuild the index",
                        in: collection.name, index: entry.definition.name)
                }
                continue
            }
            let lastRow = try Self.ifReadable {
                entry.isReady
                    ? .max : try WriterState.storedProgress(StoreKey.progress.prefix(entry.number), in: snapshot)
            }
            if let lastRow {
                subjects.append(Subject(loaded: LoadedIndex(entry), index: entry.index, lastRow: lastRow))
            } else {
                result.report(
                    "\(collection.name).\(entry.definition.name): the build progress of the index is unreadable",
                    in: collection.name, index: entry.definition.name, key: StoreKey.progress.prefix(entry.number))
            }
        }
        return subjects
    }

    mutating func run() throws -> Verification {
        try checkCopies()
        for collection in catalog.collections {
            let read = try Self.ifReadable { try CollectionCounters.read(collection.number, in: snapshot) }
            documentsToCheck += read?.documentCount ?? 0
        }
        for declared in catalog.collections {
            let collection = try withStoredNames(declared)
            let subjects = try subjects(of: collection)
            for subject in subjects {
                guard let index = subject.loaded.textIndex else { continue }
                texts[index.number] = try TextVerifier(index.text, of: collection, in: snapshot, limit: result.limit)
            }
            let expected = try checkDocuments(of: collection, subjects)
            for subject in subjects {
                try report("the index \(collection.name).\(subject.index.definition.name)")
                try checkIndex(subject, of: collection, expected: expected[subject.index.number] ?? IndexSum())
            }
        }
        try checkChanges()
        if catalog.stored.keepsHistory {
            try report("the history")
            var history = HistoryVerifier(snapshot: snapshot, catalog: catalog)
            try history.run(&result)
        }
        try checkRevisions()
        try checkUnknownKeys(hasAttachments: checkAttachments())
        return result
    }

    func report(_ subject: String, bytes: (read: Int64, total: Int64) = (0, 0)) throws {
        // Before the cancellation check, so that the caller learns the progress of the check.
        try progress(
            Verification.Progress(
                subject: subject, documentCount: result.documentCount, totalDocumentCount: documentsToCheck,
                attachmentByteCount: bytes.read, totalAttachmentByteCount: bytes.total))
        try CancellationCheck.now()
    }

    /// - Returns: whether keys of attachments may exist.
    private mutating func checkAttachments() throws -> Bool {
        let before = self
        var verifier = AttachmentVerifier(
            of: store, in: snapshot, catalog: catalog, attachments, references: references
        ) { try before.report("the attachments", bytes: ($0, $1)) }
        return try verifier.run(&result)
    }

    // MARK: - Documents

    /// Checks IDs and documents, and computes the expected sums of the indexes.
    private mutating func checkDocuments(
        of collection: LoadedCollection, _ subjects: [Subject]
    ) throws -> [UInt32: IndexSum] {
        var sums: [UInt32: IndexSum] = [:]
        let prefix = StoreKey.documents.prefix(collection.number)
        var documentCount = 0
        var largestRow: UInt64 = 0
        var cursor = try snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            guard let row = StoreKey.row(in: cursor.key, at: prefix.count) else {
                result.lostDocumentProblemCount += 1
                result.report(
                    "\(collection.name): a document has a key that cannot be read", in: collection.name,
                    key: cursor.key.copied())
                continue
            }
            documentCount += 1
            result.documentCount += 1
            if documentCount % Self.reportInterval == 0 { try report("the documents of \(collection.name)") }
            largestRow = max(largestRow, row)
            guard let document = try? RowReader.document(record: cursor.value, row: row, collection: collection)
            else {
                result.lostDocumentProblemCount += 1
                result.report(
                    "\(collection.name): the document in row \(row) cannot be read", in: collection.name, row: row,
                    key: cursor.key.copied())
                continue
            }
            references.add(document.content, collection: collection.number, row: row)
            let named = try Self.ifReadable {
                try RowReader.record(of: document.id, collection: collection, in: snapshot)?.row
            }
            if named ?? nil != row {
                result.report(
                    "\(collection.name): the document \(document.id) in row \(row) is not found by its id",
                    in: collection.name, id: document.id, row: row,
                    key: StoreKey.id(collection.number, document.id))
            }
            try checkChange(
                of: document.id, row: row, sequence: document.sequence, isDeletion: false, collection: collection)
            for subject in subjects where row <= subject.lastRow {
                let index = subject.index
                if case .text = subject.loaded {
                    try texts[index.number]?.add(document.content, id: document.id, row: row)
                    continue
                }
                do {
                    try index.forEachEntry(of: document.content, row: row) { key, value in
                        sums[index.number, default: IndexSum()].add(key.span, value.span)
                    }
                } catch is IndexTuples.LimitError {
                    result.report(
                        "\(collection.name).\(index.definition.name): the document \(document.id) has too many entries",
                        in: collection.name, index: index.definition.name, id: document.id, row: row,
                        key: cursor.key.copied())
                } catch let failure as VectorField.Failure {
                    let error = IndexChanges.notAVector(
                        failure, document.id, index: index.definition, collection: collection.name)
                    result.report(
                        "\(collection.name).\(index.definition.name): \(error.message)", in: collection.name,
                        index: index.definition.name, id: document.id, row: row, key: cursor.key.copied())
                }
            }
        }
        try checkIDs(of: collection, documentCount: documentCount)
        try checkCounters(of: collection, documentCount: documentCount, largestRow: largestRow)
        return sums
    }

    /// Checks that the feed contains the last change of a document.
    private mutating func checkChange(
        of id: DocumentID, row: UInt64, sequence: UInt64, isDeletion: Bool, collection: LoadedCollection
    ) throws {
        let change = StoreChange(
            sequence: sequence, collection: collection.name, id: id, isDeletion: isDeletion,
            hasConflict: RevisionTree.hasConflict(id, of: collection, in: snapshot))
        let key = StoreKey.change(sequence, collection: collection.number, row: row)
        let stored = try snapshot.value(forKey: key)
        expectedChangeCount += 1
        if stored == change.encoded { return }
        let what = isDeletion ? "the deletion of" : "the last change of"
        result.report(
            "\(collection.name): \(what) the document \(id) in commit \(sequence) is "
                + (stored == nil ? "missing from the feed" : "wrong in the feed"),
            in: collection.name, id: id, row: row, key: key)
    }

    /// If there are as many changes as documents and deletions, and the change of each is present, there are no surplus
    /// changes.
    private mutating func checkChanges() throws {
        let last = try Self.ifReadable { try WriterState.storedSequence(in: snapshot) }
        if last == nil {
            result.report("the sequence number of the last commit cannot be read", key: StoreKey.stateKey)
        }
        var count = 0
        var newest: UInt64 = 0
        var cursor = try snapshot.cursor(
            in: .prefix([StoreKey.changes.rawValue]), cache: .bypass)
        while try cursor.advance() {
            count += 1
            guard let change = StoreChange(key: cursor.key, value: cursor.value, catalog: catalog) else {
                result.report("a change cannot be read", key: cursor.key.copied())
                continue
            }
            newest = max(newest, change.sequence)
        }
        // It is not a contradiction if nothing is left of the last commit: its only change may have been a deletion.
        if let last, last > WriterState.lastSequence {
            result.report(
                "the last commit number \(last) exceeds the maximum", key: StoreKey.stateKey)
        } else if let last, newest > last {
            result.report(
                "the newest change is from commit \(newest), but the last commit is \(last)",
                key: StoreKey.stateKey)
        }
        if count != expectedChangeCount {
            result.report(
                "the feed has \(count) changes instead of \(expectedChangeCount), one for each document and deletion")
        }
    }

    private mutating func checkCounters(
        of collection: LoadedCollection, documentCount: Int, largestRow: UInt64
    ) throws {
        let read = try Self.ifReadable { try CollectionCounters.read(collection.number, in: snapshot) }
        guard let counters = read else {
            return result.report(
                "\(collection.name): the counters cannot be read", in: collection.name,
                key: CollectionCounters.key(collection.number))
        }
        if counters.documentCount != documentCount {
            result.report(
                "\(collection.name): the counter says \(counters.documentCount) documents, but there are "
                    + "\(documentCount)",
                in: collection.name, key: CollectionCounters.key(collection.number))
        }
        if counters.nextRow <= largestRow {
            result.report(
                "\(collection.name): the next row is \(counters.nextRow), but row \(largestRow) is taken",
                in: collection.name, row: largestRow, key: CollectionCounters.key(collection.number))
        }
    }

    /// Returns the collection with the field names in the snapshot. Its documents must be readable with those alone,
    /// not only with the names that this process has in memory.
    private mutating func withStoredNames(
        _ collection: LoadedCollection
    ) throws -> LoadedCollection {
        let stored = LoadedCollection(collection.entry, names: CollectionNames())
        let recordCount = try Self.ifReadable { try stored.names.load(stored.entry, from: snapshot) }
        guard let recordCount else {
            result.report(
                "\(collection.name): the field names cannot be read", in: collection.name,
                key: StoreKey.names(collection.number, from: 0))
            return collection
        }
        var cursor = try snapshot.cursor(
            in: .prefix(StoreKey.names.prefix(collection.number)), cache: .bypass)
        var keyCount = 0
        while try cursor.advance() { keyCount += 1 }
        // Fewer if some are lost, of which the check of copies tells.
        if keyCount > recordCount {
            result.report(
                "\(collection.name): only \(recordCount) of \(keyCount) records of field names are consistent",
                in: collection.name, key: StoreKey.names.prefix(collection.number))
        }
        return stored
    }

    /// Returns the result of `body`; `nil` for a corrupt record, which is a problem to report and not an error of the
    /// check.
    private static func ifReadable<R>(_ body: () throws -> R) throws -> R? {
        do {
            return try body()
        } catch let error as DocIndexError where error.code == .corruption {
            return nil
        }
    }

    /// If there are as many IDs as documents, and the ID of every document leads to it, every ID leads to a document.
    private mutating func checkIDs(of collection: LoadedCollection, documentCount: Int) throws {
        let rows = RowReader(snapshot: snapshot, collection: collection)
        let prefixCount = StoreKey.ids.prefix(collection.number).count
        var idCount = 0
        var cursor = try rows.idCursor()
        while try cursor.advance() {
            let key = cursor.key
            guard let id = DocumentID(encoded: key.extracting(prefixCount..<key.count)) else {
                result.report("\(collection.name): an id cannot be read", in: collection.name, key: key.copied())
                continue
            }
            switch try? IDRecord(cursor.value, collection: collection.name) {
            case nil:
                idCount += 1
                result.report(
                    "\(collection.name): the id \(id) leads to no row", in: collection.name, id: id, key: key.copied())
            case .row(let row):
                idCount += 1
                if try !snapshot.contains(StoreKey.document(collection.number, row: row)) {
                    result.lostDocumentProblemCount += 1
                    result.report(
                        "\(collection.name): the id \(id) leads to row \(row), which holds no document",
                        in: collection.name, id: id, row: row, key: key.copied())
                }
            case .deleted(let sequence, let row):
                try checkChange(of: id, row: row, sequence: sequence, isDeletion: true, collection: collection)
            }
        }
        if idCount != documentCount {
            result.report(
                "\(collection.name): there are \(idCount) ids for \(documentCount) documents", in: collection.name)
        }
    }

    // MARK: - Unknown keys

    /// Checks for keys that belong to no collection and no index of the catalog.
    private mutating func checkUnknownKeys(hasAttachments: Bool) throws {
        var catalog = catalog.stored
        catalog.hasAttachments = hasAttachments
        for range in catalog.unknownRanges() { try reportKeys(in: range) }
    }

    private mutating func reportKeys(in range: KeyRange) throws {
        var cursor = try snapshot.cursor(in: range, cache: .bypass)
        while try cursor.advance() {
            result.report(
                "a key of \(cursor.key.count) bytes belongs to no collection and no index",
                key: cursor.key.copied())
        }
    }
}
