import ArgumentParser
import DocIndex

/// Resolves conflicts.
struct ResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Resolve the conflict of a document, or of all documents by merging.",
        discussion: """
            Example: lkrepl resolve --write photos.store photos --all-documents --merge --sets keywords
            --merge takes each member from the version that changed it, and unites the additions and removals of the \
            arrays in --sets. It needs the common base, and resolves nothing if two versions changed one member \
            differently: then choose a version with --keep, or give the document with --with. A revision may be \
            shortened, and winner is the version that reads return. conflicts shows versions and revisions. Exit \
            code 1 if a conflict remains.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The document ID.") var id: String?
    @Flag(name: .long, help: "Required in place of an ID: Merge every document with a conflict.")
    var allDocuments = false
    @Option(name: .long, help: "Keep the version with this revision, or winner.") var keep: String?
    @Option(name: .long, help: "Store this document: JSON, a file, or - for standard input.") var with: String?
    @Flag(name: .long, help: "Merge the changes of the versions.") var merge = false
    @Option(name: .long, help: "With --merge: Arrays without order, separated by commas.") var sets: String?
    @Flag(name: .long, help: "Delete the document.") var delete = false
    @Flag(name: [.customShort("n"), .long], help: "Print the resolved documents, and store nothing.")
    var dryRun = false
    @Flag(name: .long, help: "Read objects of --with such as {\"$date\": ...} literally.") var literal = false

    func validate() throws {
        let ways = [keep != nil, with != nil, merge, delete].count { $0 }
        guard ways == 1 else { throw ValidationError("use one of --keep, --with, --merge and --delete") }
        guard (id == nil) == allDocuments else {
            throw ValidationError("a document ID or --all-documents is needed, and not both")
        }
        guard !allDocuments || merge else { throw ValidationError("--all-documents needs --merge") }
        guard sets == nil || merge else { throw ValidationError("--sets needs --merge") }
        guard !literal || with != nil else { throw ValidationError("--literal needs --with") }
    }

    func run() throws {
        if !dryRun { try options.requireWrite("resolve") }
        let sets = try sets.map { try Self.paths($0) } ?? []
        let given = try with.map { try document($0) }
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            guard let id else { return try mergeAll(of: collection, sets) }
            let conflict = try collection.conflict(named: id)
            let resolution = try resolution(of: conflict, sets, given)
            if dryRun { return try show(conflict, resolution) }
            try collection.resolve(conflict, as: resolution)
            options.note("resolve: resolved the conflict in \(conflict.id)")
        }
    }

    private static func paths(_ argument: String) throws -> [FieldPath] {
        try ArgumentOrigin.current.text(of: argument).split(separator: ",").map { part in
            do {
                return try FieldPath(parsing: String(part))
            } catch {
                throw CommandError(.usage, "--sets: \(error)")
            }
        }
    }

    // MARK: - One document

    private func resolution(
        of conflict: DocumentConflict, _ sets: [FieldPath], _ given: DocumentObject?
    ) throws -> DocumentConflict.Resolution {
        if let given { return .merge(given) }
        if let keep { return .take(try Self.revision(keep, of: conflict)) }
        if delete { return .delete }
        if let merged = conflict.merged(sets: sets) { return .merge(merged) }
        let members = conflict.differingMembers.joined(separator: ", ")
        throw CommandError(
            .no,
            conflict.base == nil
                ? "the versions of \(conflict.id) cannot be merged, because their common base is not stored"
                : "the versions of \(conflict.id) cannot be merged, because a member was changed in different ways; "
                    + "they differ in \(members)",
            hint: "choose a version with --keep, or give the document with --with")
    }

    /// The only revision that begins with a text.
    private static func revision(_ argument: String, of conflict: DocumentConflict) throws -> Document.Revision {
        let text = try ArgumentOrigin.current.text(of: argument)
        let revisions = conflict.versions.map(\.revision)
        if text == "winner" { return revisions[0] }
        let found = revisions.filter { $0.description.hasPrefix(text) }
        if let exact = revisions.first(where: { $0.description == text }) { return exact }
        guard let revision = found.first, found.count == 1, !text.isEmpty else {
            let names = revisions.map(\.description).joined(separator: ", ")
            throw CommandError(
                .badData,
                found.isEmpty
                    ? "the document \(conflict.id) has no version \(text)"
                    : "several versions of the document \(conflict.id) begin with \(text)",
                hint: "the versions are \(names)")
        }
        return revision
    }

    /// The document of `--with`.
    private func document(_ argument: String) throws -> DocumentObject {
        let text = try ArgumentOrigin.current.text(of: argument)
        var bytes = Array(text.utf8)
        if !text.hasPrefix("{") {
            let descriptor = try FileDescriptor.openForReading(text)
            defer { if text != "-" { try? descriptor.closeFile() } }
            bytes = try descriptor.readAll(
                limit: RawArgument.byteLimit, name: text == "-" ? "standard input" : text)
        }
        do {
            guard case .object(let object) = try JSONParser(notation: literal ? .plain : .tagged).parse(bytes) else {
                throw CommandError(.badData, "the document of --with must be a JSON object")
            }
            return object
        } catch let error as JSONError {
            throw CommandError(.badData, "the document of --with is not valid JSON: \(error)")
        }
    }

    private func show(_ conflict: DocumentConflict, _ resolution: DocumentConflict.Resolution) throws {
        guard let content = try conflict.content(resolution) else {
            return options.note("resolve: would delete \(conflict.id)")
        }
        let output = StandardOutput()
        output.terminalForm = .json
        try output.write(DocumentValue.object(content).json(JSONWriter(notation: .tagged)) + "\n")
        try output.flush()
    }

    // MARK: - All documents

    private func mergeAll(of collection: DocumentCollection, _ sets: [FieldPath]) throws {
        var counts = (resolved: 0, left: 0)
        if !dryRun {
            var count = 0
            try collection.forEachConflict { _ in
                try Interruption.check()
                count += 1
                return true
            }
            if count > 0 {
                try options.confirm(
                    "merge the versions of \(HumanNumber.counted(count, "document")) of \(collection.name)")
            }
        }
        let writer = try dryRun ? options.writer() : nil
        let progress = try options.reporter("resolve", unit: .items("documents"))
        defer { progress.finish() }
        try collection.forEachConflict { conflict in
            try Interruption.check("\(HumanNumber.counted(counts.resolved, "conflict was", "conflicts were")) resolved")
            if let merged = conflict.merged(sets: sets) {
                if dryRun { try writer?.write(merged) } else { try collection.resolve(conflict, as: .merge(merged)) }
                counts.resolved += 1
            } else {
                counts.left += 1
            }
            progress.advance(done: counts.resolved + counts.left)
            return true
        }
        progress.finish()
        try writer?.finish(tellsOfNothing: false)
        if try counts == (0, 0) && !collection.isReplicated() {
            return options.note("resolve: \(collection.name) is not replicated, so it has no conflicts")
        }
        options.note(
            "resolve: \(dryRun ? "would resolve" : "resolved") \(HumanNumber.counted(counts.resolved, "conflict"))")
        guard counts.left > 0 else { return }
        throw CommandError(
            .no, HumanNumber.counted(counts.left, "conflict remains", "conflicts remain"),
            hint: "conflicts lists them; resolve each with --keep or --with")
    }
}
