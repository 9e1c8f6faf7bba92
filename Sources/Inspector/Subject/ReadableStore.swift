internal import DocIndex
internal import DocSync
internal import LevelKit

/// A store that can only be read: it has no function that writes.
///
/// Everything above this folder gets stores and collections in this form.
struct ReadableStore: Sendable {
    private let store: DocumentStore
    private let snapshot: StoreSnapshot
    /// The last commit of the state.
    let sequence: UInt64

    /// Reads the newest state of a store.
    init(newestOf store: DocumentStore) throws {
        self.store = store
        // Asked before the snapshot is taken: a tag may be older than what it stands for, never newer.
        sequence = try store.sequence()
        snapshot = try store.snapshot()
    }

    /// The directory.
    var path: String { store.path }
    /// The version of the schema.
    var schemaVersion: Int { store.schema.version }
    /// The identity that distinguishes the store from its copies.
    var epoch: String { store.epoch.description }
    /// The name of the state, for caches.
    var tag: String { "\(epoch)-\(sequence)" }

    /// The declared collections, in the order of the schema.
    var collections: [ReadableCollection] { snapshot.collections.map { ReadableCollection($0) } }

    /// Returns the collection with a name.
    ///
    /// - Throws: ``Problem`` with `notFound`.
    func collection(_ name: String) throws -> ReadableCollection {
        let all = snapshot.collections
        guard let found = all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            let known = all.map(\.name).joined(separator: ", ")
            throw Problem(.notFound, "The store has no collection named \(name.prefix(100)); it has \(known).")
        }
        return ReadableCollection(found)
    }

    /// The indexes that could not be built.
    var failedIndexes: [DocumentStore.FailedIndex] { store.failedIndexes }
    /// The text indexes whose maintenance failed.
    var textIndexFailures: [DocumentStore.TextIndexProblem] { store.textIndexFailures }

    /// The state as keys and values.
    var keys: Snapshot { snapshot.keys }

    /// Returns the approximate size in tables of the keys in a range.
    func approximateByteCount(in range: KeyRange) throws -> UInt64 {
        try store.approximateByteCount(in: range)
    }

    /// Returns the levels and sizes of the database.
    func statistics() throws -> Database.Statistics { try store.statistics() }

    /// Returns the last changes of documents after a commit, the oldest first.
    func changes(since sequence: UInt64, limit: Int) throws -> [StoreChange] {
        try store.changes(since: sequence, limit: limit)
    }

    /// The number and the size of all attached attachments.
    func attachmentCensus() throws -> DocumentStore.Attachments.Census { try snapshot.attachments.census() }

    /// Returns the reference to a stored attachment, without a type; `nil` if the content is not stored.
    func attachment(_ digest: Attachment.Digest) throws -> Attachment? {
        try store.attachments.info(digest).flatMap { Attachment(digest: digest, byteCount: $0.byteCount) }
    }

    /// Returns the bytes at the beginning of an attachment.
    func beginning(of attachment: Attachment, byteCount: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try store.attachments.read(attachment, in: 0..<min(Int64(byteCount), attachment.byteCount)) { bytes += $0 }
        return bytes
    }

    /// Returns the response with an attachment or a part of it; `nil` if the content is not stored.
    func response(with attachment: Attachment, to request: SyncRequest) throws -> SyncResponse? {
        try AttachmentResponse.make(for: attachment, of: store, to: request)
    }
}

/// A collection in one state, which can only be read.
struct ReadableCollection: Sendable {
    private let collection: DocumentCollection

    init(_ collection: DocumentCollection) { self.collection = collection }

    var name: String { collection.name }
    var definition: CollectionDefinition { collection.definition }

    func count() throws -> Int { try collection.count() }
    func count(where filter: Filter) throws -> Int { try collection.count(where: filter) }
    func indexSizes() throws -> [(name: String, byteCount: UInt64)] { try collection.indexSizes() }

    func document(_ id: DocumentID) throws -> Document? { try collection.document(id) }

    func storage(of id: DocumentID, entryLimit: Int) throws -> DocumentCollection.Storage? {
        try collection.storage(of: id, entryLimit: entryLimit)
    }
    func document(inRecord record: [UInt8], row: UInt64) throws -> Document {
        try collection.document(inRecord: record, row: row)
    }

    func rowPage(
        _ paths: [FieldPath], _ query: Query, after token: DocumentCollection.Page.Token?
    ) throws -> DocumentCollection.RowPage { try collection.rowPage(paths, query, after: token) }

    func page(_ query: Query, after token: DocumentCollection.Page.Token?) throws -> DocumentCollection.Page {
        try collection.page(query, after: token)
    }

    func orderedRows(_ query: Query) throws -> [UInt64] { try collection.orderedRows(query) }
    func documents(inRows rows: ArraySlice<UInt64>) throws -> [Document] { try collection.documents(inRows: rows) }

    func sample(_ query: Query, limit: Int) throws -> [Document] { try collection.sample(query, limit: limit) }

    func plan(_ query: Query) throws -> Plan { try collection.plan(query) }
    func explain(_ query: Query) throws -> Query.Explanation { try collection.explain(query) }
    func diagnostics(of query: Query, fields: [FieldPath], foundSomething: Bool) throws -> [Query.Diagnostic] {
        try collection.diagnostics(of: query, fields: fields, foundSomething: foundSomething)
    }

    func facets(
        by keys: [Aggregation.GroupKey], where filter: Filter, limit: Int?, countsMissing: Bool = false
    ) throws -> [DocumentCollection.FacetList] {
        try collection.facets(by: keys, where: filter, limit: limit, countsMissing: countsMissing)
    }

    func indexCounting(_ path: FieldPath, where filter: Filter) throws -> String? {
        try collection.indexCounting(path, where: filter)
    }

    func distinct(_ path: FieldPath, where filter: Filter) throws -> [DocumentValue] {
        try collection.distinct(path, where: filter)
    }

    func similar(to id: DocumentID, limit: Int) throws -> [DocumentCollection.Hit] {
        try collection.similar(to: id, limit: limit)
    }

    func searchBox(_ text: String, isTyping: Bool) -> SearchBox { collection.searchBox(text, isTyping: isTyping) }
    func search(_ query: TextQuery, where filter: Filter, limit: Int) throws -> [DocumentCollection.Hit] {
        try collection.search(query, where: filter, limit: limit)
    }
    func count(matching query: TextQuery, upTo limit: Int) throws -> TextQuery.Total {
        try collection.count(matching: query, upTo: limit)
    }
    func completions(of beginning: String, limit: Int) throws -> [DocumentCollection.IndexedWord] {
        try collection.completions(of: beginning, limit: limit)
    }
    func corrections(of text: String) throws -> [DocumentCollection.Correction] {
        try collection.corrections(of: text)
    }

    func timeline(
        _ path: FieldPath, by unit: DocumentCollection.Timeline.Unit, where filter: Filter, fillsGaps: Bool
    ) throws -> DocumentCollection.Timeline {
        try collection.timeline(path, by: unit, where: filter, fillsGaps: fillsGaps)
    }

    func nearest(
        _ field: GeoField, to center: GeoPoint, within meters: Double?, where filter: Filter, limit: Int
    ) throws -> [DocumentCollection.Neighbor] {
        try collection.nearest(field, to: center, within: meters, where: filter, limit: limit)
    }

    func history(of id: DocumentID, limit: Int) throws -> [DocumentCollection.Version] {
        try collection.history(of: id, limit: limit)
    }
}
