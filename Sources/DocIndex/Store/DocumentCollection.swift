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
        let state: DocumentStore.State
        let entry: LoadedCollection
    }

    init(store: DocumentStore, number: UInt32, name: String) {
        self.store = store
        self.number = number
        self.name = name
        pinned = nil
    }

    /// Creates a collection that reads one state.
    init(store: DocumentStore, entry: LoadedCollection, pinnedTo state: DocumentStore.State) {
        self.store = store
        number = entry.number
        name = entry.name
        pinned = Pinned(state: state, entry: entry)
    }

    /// Returns the collection pinned to its newest state; itself if it is pinned already.
    func pinnedToNewest() throws -> DocumentCollection {
        if pinned != nil { return self }
        let state = try store.state()
        return DocumentCollection(store: store, entry: try entry(in: state.catalog), pinnedTo: state)
    }

    /// Returns a reader of one state, with the indexes that match it.
    func reader() throws -> RowReader {
        if let pinned { return RowReader(of: pinned.entry, in: pinned.state) }
        return try newestReader()
    }

    /// Returns a reader of the newest state, even if the collection is pinned to a snapshot.
    func newestReader() throws -> RowReader {
        let state = try store.state()
        return RowReader(of: try entry(in: state.catalog), in: state)
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
