public import LevelKit

extension DocumentStore {
    /// The albums of a store.
    ///
    /// ```swift
    /// try store.albums.put(Album("best", of: "photos", where: "rating >= 4", sort: "-taken"))
    /// try store.albums.add(["IMG_0231", "IMG_0117"], to: "wall", of: "photos")
    /// for photo in try store.albums.find("best", where: "year(taken) = 2019") { print(photo.id) }
    /// ```
    public struct Albums: Sendable {
        /// The store.
        public let store: DocumentStore
    }
}

extension DocumentStore.Albums {
    /// The collection of the albums; `nil` in a store without albums.
    private var documents: DocumentCollection? {
        store.collections.first { $0.name.hasSameBytes(as: Album.collectionName) }
    }

    // MARK: - Reading

    /// Returns all albums, in the order of their names.
    ///
    /// - Throws: ``DocIndexError`` with `invalidAlbum` if the document of an album is not one.
    public func all() throws -> [Album] {
        var albums: [Album] = []
        try documents?.forEach { albums.append(try Album($0)) }
        return albums
    }

    /// Returns the album with a name; `nil` if there is none.
    public func album(named name: String) throws -> Album? {
        try documents?.document(.string(name)).map { try Album($0) }
    }

    /// Returns the documents of an album that also satisfy another condition, in the order of the album.
    ///
    /// - Parameters:
    ///   - name: the album.
    ///   - filter: the additional condition.
    ///   - limit: the maximum number of documents; `nil` for all.
    ///   - options: the options of the query.
    /// - Throws: ``DocIndexError``: `unknownAlbum`, `invalidAlbum`, `unknownCollection`; the errors of
    ///   ``DocumentCollection/find(_:options:)``.
    public func find(
        _ name: String, where filter: Filter = .all, limit: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> [Document] {
        let (collection, query) = try query(name, where: filter, limit: limit)
        return try collection.find(query, options: options)
    }

    /// Observes the documents of an album that also satisfy another condition.
    ///
    /// The result follows changes of the documents. A change of the album itself has no effect on a running sequence;
    /// the collection ``Album/collectionName`` can be observed too.
    ///
    /// - Throws: the errors of ``find(_:where:limit:options:)`` and ``DocumentCollection/observe(_:options:)``.
    public func observe(
        _ name: String, where filter: Filter = .all, limit: Int? = nil, options: Query.Options = Query.Options()
    ) throws -> DocumentCollection.LiveQuery {
        let (collection, query) = try query(name, where: filter, limit: limit)
        return try collection.observe(query, options: options)
    }

    private func query(_ name: String, where filter: Filter, limit: Int?) throws -> (DocumentCollection, Query) {
        guard let album = try album(named: name) else { throw Album.missing(name) }
        let collection = try store.collection(album.collection)
        return (collection, try album.query(on: collection, where: filter, limit: limit))
    }

    // MARK: - Writing

    /// Stores an album, replacing one with the same name.
    ///
    /// The first album of a store declares the collection ``Album/collectionName``.
    ///
    /// - Throws: ``DocIndexError``: `invalidAlbum` for an empty name, or if the condition or the order is invalid;
    ///   `unknownCollection`; the errors of ``DocumentStore/write(durability:_:)``.
    public func put(_ album: Album, durability: Durability = .buffered) throws {
        if album.name.isEmpty { throw Album.unnamed }
        _ = try album.query(on: try store.collection(album.collection))
        try declare()
        _ = try store.write(durability: durability) { try $0.put(album.document, in: Album.collectionName) }
    }

    /// Deletes an album. Its documents stay.
    ///
    /// - Returns: whether it existed.
    @discardableResult
    public func delete(_ name: String, durability: Durability = .buffered) throws -> Bool {
        guard documents != nil else { return false }
        return try store.write(durability: durability) { try $0.delete(.string(name), in: Album.collectionName) }
    }

    /// Adds documents at the end of an album. Documents that the album contains already keep their places.
    ///
    /// - Parameters:
    ///   - ids: the documents.
    ///   - name: the album.
    ///   - collection: the collection of the documents. If it is given, an album that does not exist is created.
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    /// - Returns: the number of documents that were added.
    /// - Throws: ``DocIndexError``: `unknownAlbum`; `invalidAlbum` for an album with a condition, or one of another
    ///   collection; `documentMissing`; nothing is changed then.
    @discardableResult
    public func add(
        _ ids: [DocumentID], to name: String, of collection: String? = nil, durability: Durability = .buffered
    ) throws -> Int {
        if let collection {
            if name.isEmpty { throw Album.unnamed }
            _ = try store.collection(collection)
            try declare()
        }
        return try change(name, creatingOf: collection, durability) { known, transaction, source in
            if let collection, !collection.hasSameBytes(as: source) {
                throw DocIndexError(
                    .invalidAlbum,
                    "the album \(name) contains documents of \(source), not of \(collection); choose another album")
            }
            var contained = Set(known)
            let before = known.count
            for id in ids where contained.insert(id).inserted {
                guard try transaction.contains(id, in: source) else {
                    throw DocIndexError(
                        .documentMissing, "no document \(id) in \(source); nothing was added to \(name)")
                }
                known.append(id)
            }
            return known.count - before
        }
    }

    /// Removes documents from an album. The documents themselves stay.
    ///
    /// - Returns: the number of documents that were removed; documents that the album does not contain are ignored.
    /// - Throws: ``DocIndexError``: `unknownAlbum`; `invalidAlbum` for an album with a condition.
    @discardableResult
    public func remove(_ ids: [DocumentID], from name: String, durability: Durability = .buffered) throws -> Int {
        try change(name, creatingOf: nil, durability) { known, _, _ in
            let before = known.count
            let removed = Set(ids)
            known.removeAll { removed.contains($0) }
            return before - known.count
        }
    }

    /// Moves documents of an album, in the given order, before another one, or to the end.
    ///
    /// - Parameters:
    ///   - ids: the documents.
    ///   - name: the album.
    ///   - next: the document that follows them; `nil` for the end.
    ///   - durability: the failure that the write survives: the end of the process, or a power loss.
    /// - Throws: ``DocIndexError``: `unknownAlbum`; `invalidAlbum` for an album with a condition; `documentMissing` for
    ///   a document that the album does not contain, or if `next` is one of the moved documents.
    public func move(
        _ ids: [DocumentID], in name: String, before next: DocumentID?, durability: Durability = .buffered
    ) throws {
        try change(name, creatingOf: nil, durability) { known, _, _ in
            let contained = Set(known)
            if let missing = ids.first(where: { !contained.contains($0) }) {
                throw DocIndexError(.documentMissing, "the album \(name) has no document \(missing); add it first")
            }
            let moved = Set(ids)
            known.removeAll { moved.contains($0) }
            var place = known.count
            if let next {
                guard let found = known.firstIndex(of: next) else {
                    throw DocIndexError(
                        .documentMissing,
                        "the album \(name) has no other document \(next); name one that stays in place")
                }
                place = found
            }
            var seen: Set<DocumentID> = []
            known.insert(contentsOf: ids.filter { seen.insert($0).inserted }, at: place)
        }
    }

    /// Changes the IDs of an album in one transaction.
    private func change<R>(
        _ name: String, creatingOf collection: String?, _ durability: Durability,
        _ body: (inout [DocumentID], Transaction, _ collection: String) throws -> R
    ) throws -> R {
        guard documents != nil else { throw Album.missing(name) }
        return try store.write(durability: durability) { transaction in
            let id = DocumentID.string(name)
            var album: Album
            if let document = try transaction.document(id, in: Album.collectionName) {
                album = try Album(document)
            } else if let collection {
                album = Album(name, of: collection, documents: [])
                try transaction.put(album.document, in: Album.collectionName)
            } else {
                throw Album.missing(name)
            }
            guard case .documents(var ids) = album.content else {
                throw DocIndexError(
                    .invalidAlbum,
                    "the album \(name) is defined by a condition; change the condition instead")
            }
            let result = try body(&ids, transaction, album.collection)
            try transaction.update(id, in: Album.collectionName) {
                $0[Album.Member.documents] = .array(ids.map(\.value))
            }
            return result
        }
    }

    /// Declares the collection of albums, if it is not declared yet.
    private func declare() throws {
        guard documents == nil else { return }
        var schema = store.schema
        schema.collections.append(CollectionDefinition(Album.collectionName, id: Album.Member.name))
        try store.apply(schema)
    }
}

extension DocumentStore {
    /// The albums of the store.
    public var albums: Albums { Albums(store: self) }
}
