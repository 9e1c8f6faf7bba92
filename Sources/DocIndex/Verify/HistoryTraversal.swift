internal import LevelKit

/// Follows the lists of changes in the history of a collection, and finds their inconsistencies.
struct HistoryTraversal<Reader: KeyValueReader> {
    /// The findings at one change.
    enum Finding {
        /// A sound record.
        case sound
        /// The record is gone, but it should be there.
        case missing
        /// The record is malformed, or contains an unreadable document.
        case unreadable
        /// The record refers to a later change, or to itself.
        case outOfOrder
        /// The record contains another document.
        case otherDocument(DocumentID)
    }

    let reader: Reader
    let collection: LoadedCollection
    let history: Catalog.History
    /// The first commit of the collection in the history; `nil` if there is none.
    let oldest: UInt64?

    init?(of collection: LoadedCollection, oldest: [UInt32: UInt64], in reader: Reader) {
        guard let history = collection.history else { return nil }
        self.reader = reader
        self.collection = collection
        self.history = history
        self.oldest = oldest[collection.number]
    }

    /// Returns the first commit of each collection in the history, as far as it is not left over from a former one.
    static func oldestCommits(in reader: Reader, of catalog: LoadedCatalog) throws -> [UInt32: UInt64] {
        var oldest: [UInt32: UInt64] = [:]
        let count = catalog.collections.count { $0.history != nil }
        if count == 0 { return oldest }
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix([StoreKey.history.rawValue]), cache: .bypass)
        while oldest.count < count, try cursor.advance() {
            try cancellation.step()
            guard let place = StoreChange.Key(cursor.key, kind: .history), oldest[place.collection] == nil,
                let history = catalog.collection(numbered: place.collection)?.history,
                place.sequence > history.since
            else { continue }
            oldest[place.collection] = place.sequence
        }
        return oldest
    }

    /// Calls `body` with each change of each document of the collection, the newest first. The list of a document ends
    /// at the first change that is not sound.
    func run(_ body: (HistoryRecord.Link, DocumentID, Finding) throws -> Void) throws {
        let prefix = StoreKey.ids.prefix(collection.number)
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            // Unreadable IDs are a problem of their own.
            guard let id = DocumentID(encoded: cursor.key.extracting(prefix.count..<cursor.key.count)),
                let record = try? IDRecord(cursor.value, collection: collection.name)
            else { continue }
            try follow(id, record, body)
        }
    }

    /// Follows the list of one document.
    func follow(
        _ id: DocumentID, _ record: IDRecord, _ body: (HistoryRecord.Link, DocumentID, Finding) throws -> Void
    ) throws {
        guard var link = try newest(record) else { return }
        var depth = 0
        while link.sequence > history.since {
            guard let bytes = try reader.value(forKey: link.key(collection.number)) else {
                if mustExist(link, depth: depth) { try body(link, id, .missing) }
                return
            }
            guard let record = HistoryRecord(bytes.span) else { return try body(link, id, .unreadable) }
            switch record.former {
            case .unknown: break
            case .absent(_, let former):
                if former != id { return try body(link, id, .otherDocument(former)) }
            case .stored(_, let start):
                let former = try? RowReader.document(
                    record: bytes.span.extracting(start..<bytes.count), row: link.row, collection: collection)
                guard let former else { return try body(link, id, .unreadable) }
                if former.id != id { return try body(link, id, .otherDocument(former.id)) }
            }
            let previous = record.previous(row: link.row)
            if let previous, previous.sequence >= link.sequence { return try body(link, id, .outOfOrder) }
            try body(link, id, .sound)
            guard let previous else { return }
            link = previous
            depth += 1
        }
    }

    /// Returns the last change of a document; `nil` if the document is unreadable.
    private func newest(_ record: IDRecord) throws -> HistoryRecord.Link? {
        switch record {
        case .deleted(let sequence, let row): return HistoryRecord.Link(sequence: sequence, row: row)
        case .row(let row):
            let key = StoreKey.document(collection.number, row: row)
            let sequence = try reader.withValue(forKey: key) { value in
                var offset = 0
                return Varint.read(value, &offset)
            }
            return (sequence ?? nil).map { HistoryRecord.Link(sequence: $0, row: row) }
        }
    }

    /// Whether the record of a change cannot have been deleted because of the bounds.
    private func mustExist(_ link: HistoryRecord.Link, depth: Int) -> Bool {
        if depth >= history.leastVersions ?? .max { return false }
        // Ages delete whole commits from the beginning on. Without an age, and with few enough changes, none is
        // deleted.
        return !history.everHadAge || link.sequence > oldest ?? .max
    }
}
