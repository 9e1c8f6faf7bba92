internal import LevelKit

/// A collection of a store.
///
/// Collections may be copied and used from any thread.
public struct DocumentCollection: Sendable {
    /// The store.
    public let store: DocumentStore
    let number: UInt32
    /// The name.
    public let name: String
    /// The state that reads use; `nil` to use the newest state at each call.
    private let pinned: Pinned?

    private struct Pinned: Sendable {
        let snapshot: Snapshot
        let entry: LoadedCollection
        let texts: TextIndexViews.Views
    }

    init(
        store: DocumentStore, number: UInt32, name: String,
        pinned: (Snapshot, LoadedCollection, TextIndexViews.Views)? = nil
    ) {
        self.store = store
        self.number = number
        self.name = name
        self.pinned = pinned.map { Pinned(snapshot: $0.0, entry: $0.1, texts: $0.2) }
    }

    /// Returns the collection pinned to its newest state; itself if it is pinned already.
    func pinnedToNewest() throws -> DocumentCollection {
        if pinned != nil { return self }
        let (snapshot, catalog, texts) = try store.state()
        return DocumentCollection(
            store: store, number: number, name: name, pinned: (snapshot, try entry(in: catalog), texts))
    }

    /// Returns a reader of one state, with the indexes that match it.
    func reader() throws -> RowReader {
        if let pinned {
            return RowReader(snapshot: pinned.snapshot, collection: pinned.entry, texts: pinned.texts)
        }
        return try newestReader()
    }

    /// Returns a reader of the newest state, even if the collection is pinned to a snapshot.
    func newestReader() throws -> RowReader {
        let (snapshot, catalog, texts) = try store.state()
        return RowReader(snapshot: snapshot, collection: try entry(in: catalog), texts: texts)
    }

    /// Returns the current catalog entry of the collection; `nil` if the collection is pinned to a snapshot.
    func newestEntry() throws -> LoadedCollection? {
        pinned == nil ? try entry(in: store.loadedCatalog) : nil
    }

    private func entry(in catalog: LoadedCatalog) throws -> LoadedCollection {
        guard let entry = catalog.collection(numbered: number) else {
            throw DocIndexError(.unknownCollection, "the store no longer has a collection \(name)")
        }
        return entry
    }

    /// The declaration of the collection.
    public var definition: CollectionDefinition {
        guard let entry = try? pinned?.entry ?? entry(in: store.loadedCatalog) else {
            return CollectionDefinition(name)
        }
        return CollectionDefinition(
            entry.name, id: entry.idField, history: entry.history?.bounds,
            indexes: entry.indexes.filter { !$0.isRetiring }.map(\.definition))
    }

    /// The names of the indexes whose building has not ended, so that queries do not use them yet.
    package var unfinishedIndexNames: [String] {
        let entry = try? pinned?.entry ?? entry(in: store.loadedCatalog)
        return entry?.indexes.filter(\.isBuilding).map(\.definition.name) ?? []
    }

    /// Returns the number of documents in the collection.
    ///
    /// - Complexity: O(1).
    public func count() throws -> Int {
        try reader().documentCount()
    }

    /// Returns the bytes that each index takes in table files. Data still in memory is not counted.
    public func indexSizes() throws -> [(name: String, byteCount: UInt64)] {
        try reader().collection.indexes.filter { !$0.isRetiring }.map { entry in
            let space: StoreKey = entry.definition.kind == .text ? .text : .values
            let keys = KeyRange.prefix(space.prefix(entry.number))
            return (entry.definition.name, try store.database.approximateByteCount(in: keys))
        }
    }
}
