import ArgumentParser
import DocIndex

/// The commands for albums and saved searches.
struct AlbumCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album", abstract: "Save searches and albums; @NAME stands for a collection in other commands.",
        subcommands: [Save.self, Add.self, Remove.self, Move.self, List.self, Show.self, Drop.self])

    /// Saves a search.
    struct Save: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save a condition and an order as an album, replacing one with that name.",
            discussion: """
                Example: lkrepl album save --write photos.store best 'rating >= 4' --sort -taken
                find @best, search @best, export @best, facets @best and others then use it in place of a collection, \
                and can be given a further condition. The documents are searched for again each time. The message about a \
                replaced search contains the command that brings it back.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The name of the album.") var name: String
        @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
        @Option(name: .long, help: "Set the collection. Default: the only one of the store.") var collection: String?
        @Option(
            name: .long, parsing: .unconditional,
            help: "Sort by these fields, separated by commas; - before a field sorts it in descending order.")
        var sort: String?
        @Flag(name: [.customShort("n"), .long], help: "Check the search and show what would be done; save nothing.")
        var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("album save") }
            let name = try AlbumCommand.name(name)
            let condition = try ArgumentOrigin.current.expression(of: condition)
            let sort = try sort.map { try ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)) }
            guard self.condition.isEmpty || condition.contains(where: { !$0.isWhitespace }) else {
                throw CommandError(
                    .usage, "album save: the condition is empty", hint: "omit it to save all documents")
            }
            guard !self.condition.isEmpty || !name.contains(where: { "=<>".contains($0) }) else {
                throw CommandError(
                    .usage, "\(name) is a condition, but an album needs a name before it",
                    hint: "album save STORE NAME CONDITION")
            }
            // Reports the place of an error in the condition as typed.
            let parsed = Result { try ConditionOptions.parsedPlain(condition) }
            let keys = try sort.map { try Query.SortKey.parse($0) } ?? []
            try Session.with(database, options) { session in
                let source = try session.collection(collection)
                let collection = source.name
                // Other commands take it before the condition.
                let isFirst =
                    condition.split(separator: " ").first.map(String.init)?.hasSameBytes(as: collection) ?? false
                guard !name.hasSameBytes(as: collection), !isFirst || (try? parsed.get()) != nil else {
                    throw CommandError(
                        .usage, "\(collection) is the collection, but an album needs a name of its own",
                        hint: "album save STORE NAME CONDITION; --collection names a collection")
                }
                let filter = try parsed.get()
                for diagnostic in try source.diagnostics(of: Query(filter, sort: keys)) {
                    options.note("warning: \(diagnostic)")
                }
                let album = Album(name, of: collection, where: condition, sort: sort)
                let known = try session.store().albums.album(named: name).flatMap { $0 == album ? nil : $0 }
                let former = known.flatMap { AlbumCommand.saving($0, in: database) }
                if dryRun {
                    let count = try source.count(where: filter)
                    return options.note(
                        "album save: would \(known == nil ? "save" : "replace") @\(name), with "
                            + HumanNumber.counted(count, "document") + (former.map { "; now it is \($0)" } ?? ""))
                }
                switch known?.content {
                case .documents(let ids)? where !ids.isEmpty:
                    try options.confirm(
                        "replace the album \(name), which holds \(AlbumCommand.addedByHand(ids.count))")
                case .condition?: try options.confirmAtTerminal("replace the saved search \(name)")
                default: break
                }
                try session.store().albums.put(album)
                options.note("album save: \(known == nil ? "" : "replaced ")@\(name)\(AlbumCommand.undo(former))")
            }
        }
    }

    /// Adds documents to an album.
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add documents to the end of an album; a new name creates it.",
            discussion: """
                Example: lkrepl album add --write photos.store wall 2019-07-14-0031 2021-02-13-0016
                The album keeps the order. With - as the only ID, IDs are read from standard input, one per line, as \
                find --ids --mode keys prints them.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The name of the album.") var name: String
        @Argument(help: "The document IDs, or - for standard input.") var ids: [String]
        @Option(name: .long, help: "Set the collection. Default: that of the album, or the only one of the store.")
        var collection: String?

        func run() throws {
            try options.requireWrite("album add")
            let name = try AlbumCommand.name(name)
            try Session.with(database, options) { session in
                let albums = try session.store().albums
                let named = try collection == nil ? albums.album(named: name)?.collection : collection
                let source = try session.collection(named)
                let ids = try AlbumCommand.ids(ids) { try source.contains($0) }
                let added = try albums.add(ids, to: name, of: source.name)
                options.note(
                    "album add: added \(HumanNumber.grouped(added)) of \(HumanNumber.counted(ids.count, "document")) to @\(name)"
                )
            }
        }
    }

    /// Removes documents from an album.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove documents from an album; the documents stay in the collection.",
            discussion: """
                Example: lkrepl album remove --write photos.store wall 2019-07-14-0031
                Exit code 1 if the album does not contain one of them.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The name of the album.") var name: String
        @Argument(help: "The document IDs, or - for standard input.") var ids: [String]

        func run() throws {
            try options.requireWrite("album remove")
            let name = try AlbumCommand.name(name)
            try Session.with(database, options) { session in
                let known = try AlbumCommand.documents(of: try session.album(named: name, in: session.collections()))
                let ids = try AlbumCommand.ids(ids) { known.contains($0) }
                let removed = try session.store().albums.remove(ids, from: name)
                guard removed == ids.count else {
                    throw CommandError(
                        .no,
                        "album remove: removed \(HumanNumber.grouped(removed)) of \(HumanNumber.counted(ids.count, "document")) from @\(name); it does not contain the others",
                        hint: "use album show \(name) to list its documents")
                }
                options.note("album remove: removed \(HumanNumber.counted(removed, "document")) from @\(name)")
            }
        }
    }

    /// Moves documents within an album.
    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Move documents of an album before another one, or to its end.",
            discussion: "Example: lkrepl album move --write photos.store wall 2021-02-13-0016 --before 2019-07-14-0031")

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The name of the album.") var name: String
        @Argument(help: "The document IDs, in their new order.") var ids: [String]
        @Option(name: .long, parsing: .unconditional, help: "Set the document that follows them. Default: the end.")
        var before: String?

        func run() throws {
            try options.requireWrite("album move")
            let name = try AlbumCommand.name(name)
            try Session.with(database, options) { session in
                let known = try AlbumCommand.documents(of: try session.album(named: name, in: session.collections()))
                let ids = try AlbumCommand.ids(ids) { known.contains($0) }
                let next = try before.map { try AlbumCommand.ids([$0]) { known.contains($0) } }?.first
                try session.store().albums.move(ids, in: name, before: next)
                options.note("album move: moved \(HumanNumber.counted(ids.count, "document")) in @\(name)")
            }
        }
    }

    /// Lists the albums.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the albums with the number of their documents.",
            discussion: "Example: lkrepl album list photos.store")

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String

        func run() throws {
            try Session.with(database, options) { session in
                let writer = try options.writer(columns: ["name", "collection", "count", "condition", "sort"])
                for name in try AlbumCommand.names(session) {
                    var row: DocumentObject = ["name": .string(name)]
                    do {
                        let source = try session.selection(DocumentSelection.albumMark + name)
                        row["collection"] = .string(source.collection.name)
                        row["count"] = .int(Int64(try source.collection.count(where: source.filter(.all))))
                        if case .condition(let condition, let sort)? = source.album?.content {
                            row["condition"] = .string(condition)
                            if let sort { row["sort"] = .string(sort) }
                        }
                    } catch let error as DocIndexError where error.code == .invalidAlbum {
                        options.note("warning: \(error.message)")
                    }
                    try writer.write(row)
                }
                try writer.finish()
            }
        }
    }

    /// Shows the definition of an album.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the definition of an album as JSON; find @NAME shows its documents.",
            discussion: "Example: lkrepl album show photos.store best")

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The name of the album.") var name: String

        func run() throws {
            let name = try AlbumCommand.name(name)
            try Session.with(database, options) { session in
                let collections = try session.collections()
                let albums = collections.first { $0.name.hasSameBytes(as: Album.collectionName) }
                guard let document = try albums?.document(.string(name)) else {
                    // Names the existing albums.
                    _ = try session.album(named: name, in: collections)
                    return
                }
                let writer = ResultWriter(mode: options.json || options.mode != nil ? try options.outputMode() : .jsonl)
                try writer.write(document.content)
                try writer.finish()
            }
        }
    }

    /// Deletes an album.
    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Delete an album; its documents stay. Exit code 1 if it does not exist.",
            discussion: "Example: lkrepl album drop --write photos.store best")

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The name of the album.") var name: String
        @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and delete nothing.")
        var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("album drop") }
            let name = try AlbumCommand.name(name)
            try Session.with(database, options) { session in
                let albums = try session.store().albums
                let album = try albums.album(named: name)
                let former = album.flatMap { AlbumCommand.saving($0, in: database) }
                if dryRun, album != nil {
                    return options.note("album drop: would delete @\(name); its documents stay")
                }
                switch album?.content {
                case .documents(let ids)? where !ids.isEmpty:
                    try options.confirm(
                        "delete the album \(name), which holds \(AlbumCommand.addedByHand(ids.count))")
                case .condition?: try options.confirmAtTerminal("delete the saved search \(name)")
                default: break
                }
                guard try !dryRun && albums.delete(name) else {
                    throw CommandError(.no, "no album named \(name)", hint: "use album list to list the albums")
                }
                options.note("album drop: deleted @\(name)\(AlbumCommand.undo(former))")
            }
        }
    }

    /// The command that saves a search; `nil` for an album of documents.
    private static func saving(_ album: Album, in database: String) -> String? {
        guard case .condition(let condition, let sort) = album.content else { return nil }
        var words = Session.shell == nil ? ["lkrepl", "album", "save", "--write"] : ["album", "save"]
        words += ["--collection", album.collection] + (sort.map { ["--sort", $0] } ?? [])
        if album.name.hasPrefix("-") { words.append("--") }
        words += (Session.shell == nil ? [database] : []) + [album.name] + (condition.isEmpty ? [] : [condition])
        let text = words.map { ShellWord.quoted($0) }.joined(separator: " ")
        // A message would show such a character differently.
        return text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : text
    }

    private static func undo(_ saving: String?) -> String { saving.map { "; to bring it back: \($0)" } ?? "" }

    private static func addedByHand(_ count: Int) -> String {
        "\(HumanNumber.counted(count, "document")) added by hand"
    }

    // MARK: - Arguments

    /// The name of an album, which may be given as `@best` too.
    private static func name(_ argument: String) throws -> String {
        let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(argument))
        let name = text.hasPrefix(DocumentSelection.albumMark) ? String(text.dropFirst()) : text
        guard !name.isEmpty, !(DocumentSelection.albumMark + name).hasSameBytes(as: Album.collectionName) else {
            throw CommandError(.usage, "\(text) cannot be the name of an album", hint: "choose another name")
        }
        return name
    }

    /// The IDs of arguments, or of the lines of standard input for a single `-`.
    ///
    /// - Parameter isKnown: Returns whether an ID is known. An argument that may be a string or an integer stands for
    ///   the first known ID, or else for the string.
    private static func ids(_ arguments: [String], _ isKnown: (DocumentID) throws -> Bool) throws -> [DocumentID] {
        guard arguments == ["-"] else { return try arguments.map { try id($0, isKnown) } }
        let text = try FileDescriptor.openForReading("-").readAll(limit: RawArgument.byteLimit, name: "standard input")
        return try String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            // --mode keys puts quotes around special characters.
            let word = try ArgumentOrigin.shell.text(of: String(line))
            let known = try DocumentID.candidates(of: word).first { try isKnown($0) }
            return known ?? .string(word)
        }
    }

    private static func id(_ argument: String, _ isKnown: (DocumentID) throws -> Bool) throws -> DocumentID {
        let candidates = try DocumentID.candidates(argument)
        return try candidates.first { try isKnown($0) } ?? candidates[0]
    }

    private static func documents(of album: Album) throws -> Set<DocumentID> {
        if case .documents(let ids) = album.content { return Set(ids) }
        return []
    }

    private static func names(_ session: Session) throws -> [String] {
        var names: [String] = []
        try session.collections().first { $0.name.hasSameBytes(as: Album.collectionName) }?.forEach {
            names.append($0.id.description)
        }
        return names
    }
}
