internal import LevelKit

/// A change of all documents that satisfy a condition.
struct BulkChangeRun {
    let collection: DocumentCollection
    let filter: Filter
    let options: BulkChange.Options
    /// Whether a second run would only finish the first one.
    let isRepeatable: Bool
    /// Returns the new content of a document; `nil` to delete it.
    let transform: (Document) throws -> DocumentObject?
    /// The update that `transform` applies; `nil` for deletions and closures, which need whole documents.
    var update: DocumentUpdate?

    /// The largest commit, well below what LevelDB can read back.
    private static let largestCommit = 512 << 20

    private var store: DocumentStore { collection.store }

    func run(_ progress: (BulkChange.Summary) throws -> Void) throws -> BulkChange.Summary {
        if !options.isDryRun { try store.requireNoWriteHere() }
        var summary = BulkChange.Summary()
        let source = try matches()
        var position: UInt64? = 0
        do {
            while let last = position {
                try CancellationCheck.now()
                let before = summary
                position = try commit(after: last, source, &summary)
                if summary != before { try progress(summary) }
            }
        } catch let error as DocIndexError where summary.commitCount > 0 && !options.isDryRun {
            let changed = HumanNumber.counted(summary.changedCount, "document")
            throw DocIndexError(
                error.code, "\(error.message); \(changed) had been changed in earlier commits",
                position: error.position, schemaViolations: error.schemaViolations,
                uniqueViolation: error.uniqueViolation)
        }
        return summary
    }

    // MARK: - Finding

    /// The documents found.
    private struct Matches {
        /// The rows; `nil` for all rows up to `lastRow`.
        let rows: RowBitmap?
        let lastRow: UInt64
        /// The last commit that the search for documents has seen.
        let sequence: UInt64
    }

    private func matches() throws -> Matches {
        let query = Query(filter)
        // Only rows are needed. The documents are read in their order, whatever the plan.
        let (reader, plan) = try collection.prepare(query, options.query, for: .count)
        let sequence = try WriterState.storedSequence(in: reader.snapshot)
        // Rows are never reused, and new documents get higher ones.
        if filter.normalized.isAll, !options.query.refusesScan {
            let counters = try CollectionCounters.read(reader.collection.number, in: reader.snapshot)
            return Matches(rows: nil, lastRow: counters.nextRow - 1, sequence: sequence)
        }
        let rows = try QueryExecutor(rows: reader, query: query, plan: plan, options: options.query).matchingRows()
        return Matches(rows: rows, lastRow: .max, sequence: sequence)
    }

    /// Returns whether a document that was written after the search still satisfies the condition.
    private func stillMatches(_ document: Document, idField: String) throws -> Bool {
        if filter.searches.isEmpty { return try filter.matchesBounded(document.content) }
        // The text index answers, as it did for the search.
        let one = Filter.and([.compare(FieldPath(names: idField), .equal, document.id.value), filter])
        let newest = DocumentCollection(store: store, number: collection.number, name: collection.name)
        return try newest.count(where: one) > 0
    }

    // MARK: - Writing

    /// Makes one commit.
    ///
    /// - Parameter row: the last row of earlier commits.
    /// - Returns: the last row of this commit; `nil` if there are no more rows.
    private func commit(
        after row: UInt64, _ source: Matches, _ summary: inout BulkChange.Summary
    ) throws -> UInt64? {
        if options.isDryRun {
            // Without the writer's state, because nothing may be kept. A read-only store has no writer.
            func rehearse() throws -> UInt64? {
                let state = WriterState(documents: DocumentCache(byteLimit: 0))
                return try write(after: row, source, &summary, state: state)
            }
            return store.database.mode == .readOnly ? try rehearse() : try store.withWriter { _ in try rehearse() }
        }
        return try store.withWriter { state in
            try store.noteOtherStemmers()
            return try write(after: row, source, &summary, state: state)
        }
    }

    private func write(
        after row: UInt64, _ source: Matches, _ summary: inout BulkChange.Summary, state: WriterState
    ) throws -> UInt64? {
        let catalog = store.loadedCatalog
        let reader = try collection.newestReader()
        let entry = reader.collection
        var records = try MatchedRecords(reader, rows: source.rows, after: row, upTo: source.lastRow)
        var unit = BulkChange.Summary()
        var last: UInt64? = row
        let limit = min(max(options.commitByteCount, 1), Self.largestCommit)
        var cancellation = CancellationCheck()
        var (textByteCount, textChangeCount, lastByteCount) = (0, 0, 0)
        var partial: PartialUpdate?
        if !options.isDryRun, let update, let updated = catalog.collection(numbered: entry.number) {
            partial = PartialUpdate(update, in: updated)
        }
        var commit = Commit(database: store.database, catalog: catalog, state: state)
        let changes = try commit.write(durability: options.durability, isDryRun: options.isDryRun) { load in
            if load.textChangeCount > textChangeCount { textByteCount += 4 * lastByteCount }
            textChangeCount = load.textChangeCount
            let isFull = unit.changedCount > 0 && load.byteCount + textByteCount >= limit
            while try records.advance() {
                try cancellation.step()
                guard let change = try change(of: records, &partial, source, idField: entry.idField) else {
                    last = records.row
                    continue
                }
                let (document, new) = (change.document, change.new)
                if let new, new == document.content {
                    unit.matchedCount += 1
                    last = records.row
                    continue
                }
                if isFull {
                    try requireSplitting(limit: limit)
                    // The next commit reads the document again.
                    return nil
                }
                if let new, try Transaction.id(of: new, in: entry) != document.id {
                    throw DocIndexError(
                        .invalidID,
                        "the document \(document.id) of \(entry.name) cannot change its id; insert a new document")
                }
                unit.matchedCount += 1
                unit.changedCount += 1
                last = records.row
                lastByteCount = records.byteCount
                if options.isDryRun, summary.differences.count + unit.differences.count < options.differenceCount {
                    unit.differences.append(BulkChange.Difference(id: document.id, old: document.content, new: new))
                }
                let target = Transaction.Target(collection: entry.number, id: document.id)
                if let part = change.part, let new {
                    return part.edit(into: new, record: records.record, of: target, row: records.row)
                }
                return Transaction.Edit(target: target, base: .stored(document, row: records.row), content: new)
            }
            last = nil
            return nil
        }
        if let change = changes.first, !options.isDryRun { store.signal.commit(change.sequence) }
        summary.matchedCount += unit.matchedCount
        summary.changedCount += unit.changedCount
        summary.differences += unit.differences
        if unit.changedCount > 0 { summary.commitCount += 1 }
        return last
    }

    /// A document before and after the change.
    private struct Change {
        let document: Document
        /// `nil` if the document is deleted.
        let new: DocumentObject?
        /// The part that was decoded, if both have only the members that the update needs.
        var part: PartialUpdate.Part?
    }

    /// Returns the change of the current document; `nil` if it no longer satisfies the condition.
    private func change(
        of records: borrowing MatchedRecords, _ partial: inout PartialUpdate?, _ source: Matches, idField: String
    ) throws -> Change? {
        if let part = try records.part(for: &partial, upTo: source.sequence) {
            return Change(document: part.document, new: try transform(part.document), part: part)
        }
        let document = try records.document()
        if document.sequence > source.sequence, try !stillMatches(document, idField: idField) { return nil }
        return Change(document: document, new: try transform(document))
    }

    private func requireSplitting(limit: Int) throws {
        switch options.splitting {
        case .always: return
        case .ifRepeatable where isRepeatable: return
        case .ifRepeatable:
            throw DocIndexError(
                .changeTooLarge,
                "the change of \(collection.name) takes more than \(limit) bytes, and must not be split into several "
                    + "commits, because after an interruption a second run would change documents twice; raise the size "
                    + "of a commit, or restrict the condition")
        case .never:
            throw DocIndexError(
                .changeTooLarge,
                "the change of \(collection.name) takes more than \(limit) bytes; raise the size of a commit, restrict "
                    + "the condition, or allow several commits")
        }
    }
}

/// Reads the documents of rows that were found, in ascending order.
private struct MatchedRecords: ~Copyable {
    private let reader: RowReader
    private let rows: RowBitmap?
    private let lastRow: UInt64
    private var cursor: Cursor
    /// The row at the cursor: 0 before the first move, and the maximum after the last document.
    private var cursorRow: UInt64 = 0
    /// The row of the current document.
    private(set) var row: UInt64

    init(_ reader: RowReader, rows: RowBitmap?, after row: UInt64, upTo lastRow: UInt64) throws {
        self.reader = reader
        self.rows = rows
        self.lastRow = lastRow
        self.row = row
        cursor = try reader.documentCursor(from: row + 1)
    }

    /// Moves to the next document. Rows whose document was deleted are skipped.
    mutating func advance() throws -> Bool {
        guard let rows else {
            guard try cursor.advance() else { return false }
            row = try reader.row(ofDocumentKey: cursor.key)
            return row <= lastRow
        }
        while let next = rows.next(after: row) {
            row = next
            if cursorRow < next, next - cursorRow > CostModel.stepLimit {
                cursor.seek(to: StoreKey.document(reader.collection.number, row: next))
            }
            while cursorRow < next {
                cursorRow = try cursor.advance() ? try reader.row(ofDocumentKey: cursor.key) : .max
            }
            if cursorRow == next { return true }
        }
        return false
    }

    /// Returns the members that an update needs; `nil` if the whole document is needed, as for one that was written
    /// after the search.
    func part(for update: inout PartialUpdate?, upTo sequence: UInt64) throws -> PartialUpdate.Part? {
        guard update != nil else { return nil }
        let record = try reader.record(cursor.value, row: row)
        return record.sequence > sequence ? nil : update?.part(of: record.body, sequence: record.sequence)
    }

    /// The document.
    func document() throws -> Document {
        try RowReader.document(record: cursor.value, row: row, collection: reader.collection)
    }

    /// A copy of the document's record.
    var record: [UInt8] { cursor.value.copied() }

    /// The size of the document's record.
    var byteCount: Int { cursor.value.count }
}
