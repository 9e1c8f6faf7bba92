import DocIndex

/// Completes the names of collections and albums.
extension Completer {
    /// The commands that accept an album, `@NAME`, in place of a collection.
    private static let commandsOfAlbums: Set<String> = [
        "count", "delete", "distinct", "duplicates", "explain", "export", "facets", "find", "near", "nearest",
        "search", "timeline", "update",
    ]

    /// Completes a collection or, in commands that accept one, an album.
    func source(of command: CommandCatalog.Command, _ place: Place) -> Completion {
        let collections = (try? session.collections()) ?? []
        let (typed, _) = Self.unquoted(place)
        let mark = DocumentSelection.albumMark
        // The library's own collections, such as that of albums, are rarely meant.
        let (own, others) = (
            collections.filter(\.definition.isReserved), collections.filter { !$0.definition.isReserved }
        )
        var names = others.map { (name: $0.name, note: "") }
        if Self.commandsOfAlbums.contains(command.words[0]), typed.isEmpty || typed.hasPrefix(mark) {
            let albums = albums(beginningWith: String(typed.dropFirst(mark.count)), in: collections)
            names += albums.map { (mark + $0.name, $0.note) }
        }
        names += own.map { ($0.name, "") }
        return Self.spelled(names, place)
    }

    /// Completes the name of an album.
    func album(_ place: Place) -> Completion {
        let collections = (try? session.collections()) ?? []
        return Self.spelled(albums(beginningWith: Self.unquoted(place).typed, in: collections), place)
    }

    /// The documents that a name denotes, as for commands.
    func selection(_ word: String?) -> DocumentSelection? {
        try? ArgumentOrigin.$current.withValue(.shell) { try session.selection(word) }
    }

    private func albums(
        beginningWith typed: String, in collections: [DocumentCollection]
    ) -> [(name: String, note: String)] {
        let albums = collections.first { $0.name.hasSameBytes(as: Album.collectionName) }
        var found: [(name: String, note: String)] = []
        let deadline = ContinuousClock.now + timeLimit
        _ = try? albums?.forEach(matching: Query()) { document in
            if let album = try? Album(document), album.name.hasPrefix(typed) {
                switch album.content {
                case .condition: found.append((album.name, "saved search"))
                case .documents: found.append((album.name, "album"))
                }
            }
            return found.count < Self.readLimit && ContinuousClock.now < deadline
        }
        return found.sorted { $0.name < $1.name }
    }

    /// The names that begin with the typed text, in quotes where the shell needs them.
    private static func spelled(_ names: [(name: String, note: String)], _ place: Place) -> Completion {
        let (typed, isQuoted) = unquoted(place)
        let mark = DocumentSelection.albumMark
        let candidates = names.filter { $0.name.hasPrefix(typed) }.map { name, note in
            // Only an argument that is a value gives @ a meaning of its own.
            let rest = name.hasPrefix(mark) ? String(name.dropFirst(mark.count)) : name
            let isPlain = !isQuoted && (rest.isEmpty || ByteNotation.print(Array(rest.utf8)) == rest)
            return Completion.Candidate(
                text: isPlain ? name : ByteNotation.print(Array(name.utf8), form: .text), note: note)
        }
        return Completion(
            start: place.start, candidates: candidates,
            replacesSpelling: candidates.contains { !$0.text.hasPrefix(place.word) })
    }

    /// The typed text without an opening quote, and whether there is one.
    private static func unquoted(_ place: Place) -> (typed: String, isQuoted: Bool) {
        let isQuoted = place.word.first.map { $0 == "\"" || $0 == "'" } ?? false
        return (isQuoted ? String(place.word.dropFirst()) : place.word, isQuoted)
    }
}
