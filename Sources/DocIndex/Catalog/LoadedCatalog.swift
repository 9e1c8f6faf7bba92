internal import LevelKit
internal import Synchronization

/// The catalog in use: the stored catalog, and what was derived from it or loaded for its collections.
struct LoadedCatalog: Sendable {
    let stored: Catalog
    let collections: [LoadedCollection]

    /// Loads the field names of all collections.
    ///
    /// - Throws: The errors of ``CollectionNames/load(_:from:)``.
    init(loading stored: Catalog, from reader: some KeyValueReader) throws {
        self.stored = stored
        collections = stored.collections.map { LoadedCollection($0, names: CollectionNames()) }
        for collection in collections { try collection.names.load(collection.entry, from: reader) }
    }

    /// Creates the catalog that replaces an earlier one. Collections keep their tables of names.
    init(_ stored: Catalog, replacing earlier: LoadedCatalog) {
        self.stored = stored
        collections = stored.collections.map {
            LoadedCollection($0, names: earlier.collection(numbered: $0.number)?.names ?? CollectionNames())
        }
    }

    func collection(numbered number: UInt32) -> LoadedCollection? {
        collections.first { $0.number == number }
    }

    func collection(named name: String) -> LoadedCollection? {
        collections.first { $0.name.hasSameBytes(as: name) }
    }
}

/// A collection in use.
final class LoadedCollection: Sendable {
    let entry: Catalog.CollectionEntry
    /// The name table of the bodies, stored under separate keys.
    let names: CollectionNames
    /// The indexes that can answer queries.
    let readable: ReadableIndexes
    /// What other folders keep for the collection, by type.
    private let companions = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])
    /// The offset of the row in the key of a document.
    let documentRowOffset: Int

    init(_ entry: Catalog.CollectionEntry, names: CollectionNames) {
        self.entry = entry
        self.names = names
        readable = ReadableIndexes(entry.indexes)
        documentRowOffset = StoreKey.documents.prefix(entry.number).count
    }

    /// Returns the object of a type that is kept with the collection until the catalog changes; creates it at first.
    func companion<Companion: AnyObject & Sendable>(_ make: () -> Companion) -> Companion {
        companions.withLock { companions in
            if let known = companions[ObjectIdentifier(Companion.self)] as? Companion { return known }
            let new = make()
            companions[ObjectIdentifier(Companion.self)] = new
            return new
        }
    }

    var name: String { entry.name }
    var number: UInt32 { entry.number }
    var idField: String { entry.idField }
    var indexes: [Catalog.IndexEntry] { entry.indexes }
    var history: Catalog.History? { entry.history }
    /// Whether the collection takes part in a replication, or has.
    var isReplicated: Bool { entry.isReplicated }
}
