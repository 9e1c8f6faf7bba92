import DocIndex

/// The documents that a command reads: a collection or an album.
struct DocumentSelection {
    /// The collection that contains the documents.
    let collection: DocumentCollection
    /// The album; `nil` for the whole collection.
    let album: Album?

    /// The first character of the name of an album where a collection is expected.
    static let albumMark = "@"

    /// The query, restricted to the album. A query without an order gets that of the album. Search boxes in the
    /// condition find compounds.
    func query(_ query: Query) throws -> Query {
        var query = query
        if let album {
            query = try album.query(
                on: collection, where: query.filter, sort: query.sort, limit: query.limit, offset: query.offset)
        }
        query.filter = try collection.findingCompounds(query.filter)
        return query
    }

    /// The condition, restricted to the album.
    func filter(_ filter: Filter) throws -> Filter { try query(Query(filter)).filter }
}

extension Session {
    /// The documents that a name denotes: `@best` is the album `best`, unless a collection has that name; `nil` is the
    /// only collection.
    func selection(_ name: String?) throws -> DocumentSelection {
        try selection(name, in: try collections())
    }

    /// The same, in the collections of one snapshot.
    func selection(_ name: String?, in collections: [DocumentCollection]) throws -> DocumentSelection {
        let mark = DocumentSelection.albumMark
        let text = try name.map { try ArgumentOrigin.current.text(of: $0) }
        if let text, let found = collections.first(where: { $0.name.hasSameBytes(as: text) }) {
            return DocumentSelection(collection: found, album: nil)
        }
        guard let text, text.hasPrefix(mark) else {
            let found = try collection(name).name
            guard let same = collections.first(where: { $0.name.hasSameBytes(as: found) }) else {
                throw CommandError(.usage, "no collection named \(found)")
            }
            return DocumentSelection(collection: same, album: nil)
        }
        let album = try album(named: String(text.dropFirst(mark.count)), in: collections)
        guard let source = collections.first(where: { $0.name.hasSameBytes(as: album.collection) }) else {
            throw CommandError(
                .usage, "the album \(album.name) belongs to the collection \(album.collection), which does not exist",
                hint: "use album list to list the albums, or album drop to delete one")
        }
        return DocumentSelection(collection: source, album: album)
    }

    /// The album with a name.
    func album(named name: String, in collections: [DocumentCollection]) throws -> Album {
        let albums = collections.first { $0.name.hasSameBytes(as: Album.collectionName) }
        if let document = try albums?.document(.string(name)) { return try Album(document) }
        var names: [String] = []
        try albums?.forEach { names.append($0.id.description) }
        throw CommandError(
            .usage, "no album named \(name)" + (names.isEmpty ? "; the store has no albums" : ""),
            hint: NearestName.find(near: name, of: names).map { "did you mean @\($0)?" }
                ?? (names.isEmpty ? "use album save to create one" : "use album list to list the albums"))
    }
}
