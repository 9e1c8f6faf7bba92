internal import LevelKit

/// Reads the documents of one collection from one snapshot, by row.
struct RowReader {
    let snapshot: Snapshot
    let collection: LoadedCollection
    /// The views of text indexes, one of which matches the snapshot.
    let texts: TextIndexViews.Views
    /// The documents in memory; `nil` to read the database only.
    let documents: DocumentCache.View?
    /// The text search; `nil` if the query contains none.
    var search: TextSearch?

    /// Creates a reader of a collection in a state.
    init(of collection: LoadedCollection, in state: DocumentStore.State) {
        snapshot = state.snapshot
        self.collection = collection
        texts = state.texts
        documents = state.documents
    }

    /// Creates a reader that reads the database only.
    init(snapshot: Snapshot, collection: LoadedCollection) {
        self.snapshot = snapshot
        self.collection = collection
        texts = [:]
        documents = nil
    }

    /// The value indexes that can answer.
    var valueIndexes: [ValueIndex] { collection.readable.values }

    /// The location indexes that can answer.
    var geoIndexes: [GeoIndex] { collection.readable.locations }

    /// The text index that can answer; `nil` if there is none.
    var textIndex: TextIndexAdapter? { collection.readable.text }

    /// Returns the index with a name; `nil` if there is none, or it is not built yet.
    func index(named name: String) -> LoadedIndex? {
        collection.readable.index(named: name)
    }

    /// Returns the row of a document; `nil` if there is no document with that ID.
    func row(of id: DocumentID) throws -> UInt64? {
        try Self.record(of: id, collection: collection, in: snapshot)?.row
    }

    /// Returns the record stored under an ID; `nil` if there is none.
    static func record(
        of id: DocumentID, collection: LoadedCollection, in reader: some KeyValueReader
    ) throws -> IDRecord? {
        guard let bytes = try reader.value(forKey: StoreKey.id(collection.number, id)) else { return nil }
        return try IDRecord(bytes.span, collection: collection.name)
    }

    /// Returns the document of a row that an ID or an index entry refers to.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if there is none.
    func document(_ row: UInt64) throws -> Document {
        try withRecord(row) { try document(in: $0, row: row) }
    }

    /// Returns the document in the record of a row.
    func document(in record: borrowing RowRecord, row: UInt64) throws -> Document {
        try Self.document(in: record, row: row, collection: collection, documents?.cache)
    }

    /// Returns the document in the record of a row, which is in memory or not.
    private static func document(
        in record: borrowing RowRecord, row: UInt64, collection: LoadedCollection, _ cache: DocumentCache?
    ) throws -> Document {
        guard let cached = record.cached else {
            return try document(record: record.bytes, row: row, collection: collection)
        }
        if let document = cached.document { return document }
        let document = try document(record: record.bytes, row: row, collection: collection)
        cache?.keep(document, of: cached)
        return document
    }

    /// Returns the document of a row; `nil` if there is none.
    static func document(
        _ row: UInt64, collection: LoadedCollection, in reader: some KeyValueReader,
        _ documents: DocumentCache.View? = nil
    ) throws -> Document? {
        let key = StoreKey.document(collection.number, row: row)
        guard let bytes = try reader.value(forKey: key) else { return nil }
        if let documents, let record = RowRecord(bytes.span) { _ = documents.add(record, row, of: collection) }
        return try document(record: bytes.span, row: row, collection: collection)
    }

    /// Returns the document of a row that an ID refers to; `nil` if there is none.
    ///
    /// - Parameter documents: the documents in memory; `nil` to read the database only.
    /// - Throws: ``DocIndexError`` with `corruption` if the row contains a document with a different ID.
    static func document(
        _ row: UInt64, of id: DocumentID, collection: LoadedCollection, in reader: some KeyValueReader,
        documents: DocumentCache.View? = nil
    ) throws -> Document? {
        let known = try documents?.row(row, of: collection)?.withRecord {
            try document(in: $0, row: row, collection: collection, documents?.cache)
        }
        guard let document = try known ?? document(row, collection: collection, in: reader, documents) else {
            return nil
        }
        guard document.id == id else { throw otherDocument(document.id, row, of: id, collection) }
        return document
    }

    /// Returns the document with an ID; `nil` if there is none.
    ///
    /// - Throws: ``DocIndexError`` with `corruption` if the ID refers to a missing row, or to another document.
    func document(of id: DocumentID) throws -> Document? {
        guard let row = try row(of: id) else { return nil }
        let document = try document(row)
        guard document.id == id else { throw Self.otherDocument(document.id, row, of: id, collection) }
        return document
    }

    /// The error for an ID that refers to the row of another document.
    private static func otherDocument(
        _ found: DocumentID, _ row: UInt64, of id: DocumentID, _ collection: LoadedCollection
    ) -> DocIndexError {
        DocIndexError(
            .corruption,
            "the id \(id) of the collection \(collection.name) refers to row \(row), which contains the document "
                + "\(found); run verify and rebuild")
    }

    /// Decodes the document in a record, which consists of the sequence number of its last change and its body.
    static func document(record: Span<UInt8>, row: UInt64, collection: LoadedCollection) throws -> Document {
        do {
            var offset = 0
            if let sequence = Varint.read(record, &offset),
                case .object(let content) = try BodyDecoder.decode(
                    record.extracting(offset..<record.count), names: collection.names.current),
                let id = content[collection.idField].flatMap(DocumentID.init)
            {
                return Document(id: id, content: content, sequence: sequence)
            }
            throw DocIndexError(
                .corruption,
                "row \(row) of the collection \(collection.name) contains no document with an id; restore a backup")
        } catch let error as BodyError {
            throw DocIndexError(
                .corruption,
                "the document in row \(row) of the collection \(collection.name) cannot be read: \(error); "
                    + "restore a backup")
        }
    }

    /// Returns the row in a value of the ID map; `nil` for a deleted document.
    func row(inIDValue bytes: Span<UInt8>) throws -> UInt64? {
        try IDRecord(bytes, collection: collection.name).row
    }

    /// Returns a cursor over the ID map, in the order of IDs. Deleted documents also have an entry.
    func idCursor() throws -> Cursor {
        try snapshot.cursor(in: .prefix(StoreKey.ids.prefix(collection.number)))
    }

    /// Returns the number of documents in the collection.
    func documentCount() throws -> Int {
        try CollectionCounters.read(collection.number, in: snapshot).documentCount
    }
}
