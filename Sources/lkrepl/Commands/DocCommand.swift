import ArgumentParser
import DocIndex

/// The commands for single documents.
struct DocCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doc", abstract: "Get, put, patch or delete documents by their IDs.",
        subcommands: [Get.self, Put.self, Patch.self, Del.self, Apply.self])

    /// Parses an argument as a JSON object; `-` reads standard input.
    ///
    /// - Parameter isLiteral: Whether objects such as `{"$date":"…"}` are kept as plain objects.
    private static func object(_ argument: String, _ what: String, isLiteral: Bool) throws -> DocumentObject {
        let text =
            argument == "-"
            ? TextEncoding.decoded(
                try FileDescriptor.openForReading("-").readAll(limit: RawArgument.byteLimit, name: "standard input"))
            : Array(try ArgumentOrigin.current.text(of: argument).utf8)
        let hint = "write it as '{\"rating\": 5}', with names and strings in double quotes; - reads standard input"
        do {
            guard case .object(let object) = try JSONParser(notation: isLiteral ? .plain : .tagged).parse(text) else {
                throw CommandError(.badData, "\(what) must be a JSON object", hint: hint)
            }
            return object
        } catch let error as JSONError {
            throw CommandError(.badData, "\(what) is not valid JSON: \(error)", hint: hint)
        }
    }

    /// An option kept for old scripts: the commands always behave this way now.
    struct TypesOption: ParsableArguments {
        @Flag(
            name: .long,
            help: ArgumentHelp("Has no effect: doc get and doc put always keep types.", visibility: .hidden))
        var types = false
    }

    /// How the JSON of an argument is read.
    struct NotationOptions: ParsableArguments {
        @Flag(name: .long, help: "Store objects such as {\"$date\": ...} literally.") var literal = false
        @OptionGroup var types: TypesOption

        func validate() throws {
            guard !types.types || !literal else { throw ValidationError("--types and --literal cannot be combined") }
        }
    }

    /// Prints one document.
    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Print a document as JSON. Exit code 1 if it does not exist.",
            discussion: """
                Example: lkrepl doc get photos.store photos 2019-07-14-0031
                Dates, bytes and attachments are {"$date": ...}, {"$bytes": ...} and {"$attachment": ...}, numbers beyond \
                2^53 are {"$num": ...}, and an object that only looks like one of them is {"$lit": ...}. doc put restores all of them exactly. \
                With --at, the document is printed as it was after that commit; the collection must keep a history.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The document ID.") var id: String
        @Option(name: .long, help: "Print the document as it was after this commit.") var at: UInt64?
        @OptionGroup var types: TypesOption

        func validate() throws {
            guard at != 0 else { throw ValidationError("--at must be 1 or more: the first commit is number 1") }
        }

        func run() throws {
            try Session.with(database, options) { session in
                let collection = try session.collection(collection)
                func version(of id: DocumentID) throws -> Document? {
                    try at.map { try collection.document(id, at: $0) } ?? collection.document(id)
                }
                guard
                    let document = try DocumentID.named(id, options, isThere: { try version(of: $0) != nil })
                        .flatMap(version)
                else { throw CommandError.noDocument(id, in: collection.name) }
                // People read one document at a time, programs one line at a time.
                let isForPeople = OutputTarget.current.isTerminal && !options.json && options.mode == nil
                let mode = options.json || options.mode != nil ? try options.outputMode() : .jsonl
                if isForPeople { return try JSONPainter.show(.object(document.content)) }
                let writer = ResultWriter(mode: mode)
                try writer.write(document.content)
                try writer.finish()
            }
        }
    }

    /// Stores one document.
    struct Put: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put", abstract: "Store a document, replacing any document with the same ID.",
            discussion: """
                Example: lkrepl doc put --write photos.store photos '{"id": "a1", "title": "Harbour"}'
                With - the document is read from standard input. {"$date": ...} is a date, {"$bytes": ...} bytes, \
                {"$attachment": ...} an attachment.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The document as JSON, or - for standard input.") var document: String
        @Flag(name: [.customShort("n"), .long], help: "Show whether a document would be replaced, and store nothing.")
        var dryRun = false
        @OptionGroup var notation: NotationOptions

        func run() throws {
            if !dryRun { try options.requireWrite("doc put") }
            let content = try DocCommand.object(document, "a document", isLiteral: notation.literal)
            try Session.with(database, options) { session in
                if dryRun {
                    let collection = try session.collection(collection)
                    let field = collection.definition.idField
                    guard let id = content[field].flatMap({ DocumentID($0) }) else {
                        return options.note("doc put: would insert a document with a new ID")
                    }
                    let verb = try collection.contains(id) ? "replace" : "insert"
                    return options.note("doc put: would \(verb) \(id)")
                }
                let collection = try session.collection(collection)
                let known = content[collection.definition.idField].flatMap { DocumentID($0) }
                let isReplacement = try known.map { try collection.contains($0) } ?? false
                let id = try collection.put(content)
                let name = id == .string("") ? "a document whose ID is an empty string" : "\(id)"
                options.note("doc put: \(isReplacement ? "replaced" : "inserted") \(name)")
            }
        }
    }

    /// Changes one document.
    struct Patch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "patch", abstract: "Change members of a document with a JSON Merge Patch (RFC 7396).",
            discussion: """
                Example: lkrepl doc patch --write photos.store photos 2019-07-14-0031 '{"rating": 5, "draft": null}'
                null removes a member. Exit code 1 if the document does not exist.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The document ID.") var id: String
        @Argument(help: "The patch as JSON, or - for standard input.") var patch: String
        @Flag(name: [.customShort("n"), .long], help: "Print the patched document, and store nothing.")
        var dryRun = false
        @OptionGroup var notation: NotationOptions

        /// The names with which other stores, and `update --set-json`, say how to change a document.
        private static let operators: Set<String> = [
            "$set", "$unset", "$inc", "$push", "$pull", "$add", "$addToSet", "$subtract", "$remove", "$rename",
        ]

        func run() throws {
            if !dryRun { try options.requireWrite("doc patch") }
            let patch = try DocCommand.object(patch, "a patch", isLiteral: notation.literal)
            if !notation.literal, let sign = patch.first(where: { Self.operators.contains($0.name) }) {
                throw CommandError(
                    .usage, "a patch contains the new members, not \(sign.name)",
                    hint: "write {\"rating\": 5}; update --set-json takes \(sign.name); --literal stores it as a member"
                )
            }
            try Session.with(database, options) { session in
                let collection = try session.collection(collection)
                let id = try DocumentID.named(id, options) { try collection.document($0) != nil }
                guard let id else {
                    throw CommandError(
                        .no, "there is no document \(self.id) in \(collection.name)",
                        hint: "use doc put to store a new one")
                }
                if dryRun, let document = try collection.document(id) {
                    var content = document.content
                    try content.mergePatchKeepingAttachments(patch)
                    let output = StandardOutput()
                    output.terminalForm = .json
                    try output.write(DocumentValue.object(content).json(JSONWriter(notation: .tagged)) + "\n")
                    return try output.flush()
                }
                for doubt in try AssignmentAdvice.doubts(about: patch, in: collection) {
                    options.note("warning: \(doubt)")
                }
                try collection.patch(id, patch)
                options.note("doc patch: changed \(id)")
            }
        }
    }

    /// Deletes documents.
    struct Del: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "del", abstract: "Delete documents. Exit code 1 if a document does not exist.",
            discussion: "Example: lkrepl doc del --write photos.store photos 2010-07-18-0031")

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The document IDs.") var ids: [String]
        @Flag(name: [.customShort("n"), .long], help: "Show how many would be deleted, and delete none.") var dryRun =
            false

        func run() throws {
            if !dryRun { try options.requireWrite("doc del") }
            try Session.with(database, options) { session in
                let named = try session.collection(collection)
                if dryRun {
                    let missing = try ids.filter { id in
                        try DocumentID.named(id, options) { try named.document($0) != nil } == nil
                    }
                    options.note(
                        "doc del: would delete \(HumanNumber.grouped(ids.count - missing.count)) of "
                            + HumanNumber.counted(ids.count, "document"))
                    if let first = missing.first {
                        throw CommandError.noDocument(first, in: named.name, of: missing.count)
                    }
                    return
                }
                let name = named.name
                if ids.count > 1 {
                    try options.confirmAtTerminal("delete \(HumanNumber.grouped(ids.count)) documents of \(name)")
                }
                let missing = try session.store().write { transaction in
                    try ids.filter { id in
                        let id = try DocumentID.named(id, options) { try transaction.document($0, in: name) != nil }
                        return try id.map { try !transaction.delete($0, in: name) } ?? true
                    }
                }
                options.note(
                    "doc del: deleted \(HumanNumber.grouped(ids.count - missing.count)) of "
                        + HumanNumber.counted(ids.count, "document"))
                if let first = missing.first { throw CommandError.noDocument(first, in: named.name, of: missing.count) }
            }
        }
    }
}

extension DocumentID {
    /// The document IDs that an argument may mean: the string itself, then the integer that it spells, if any.
    static func candidates(_ argument: String) throws -> [DocumentID] {
        candidates(of: try ArgumentOrigin.current.text(of: ProtectedArgument.plain(argument)))
    }

    /// The same for text that is not an argument.
    static func candidates(of text: String) -> [DocumentID] {
        guard let number = Int64(text), String(number) == text else { return [.string(text)] }
        return [.string(text), .int(number)]
    }

    /// The ID of an existing document that an argument means; `nil` if there is none. A string comes before the integer
    /// with the same digits, and a note reports that both exist.
    static func named(
        _ argument: String, _ options: GlobalOptions, isThere: (DocumentID) throws -> Bool
    ) throws -> DocumentID? {
        let found = try candidates(argument).filter(isThere)
        if found.count > 1 {
            options.note(
                "note: both the string \(found[0].value) and the number \(found[1]) are IDs; this is the string. "
                    + "A condition such as 'id = \(found[1])' finds, updates and deletes the number")
        }
        return found.first
    }
}
