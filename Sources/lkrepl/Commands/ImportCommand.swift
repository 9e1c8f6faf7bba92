import ArgumentParser
import DocIndex
import LevelKit

/// Imports the documents of a file, or exiftool's metadata of pictures, into a collection.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import documents from JSON, CSV or TSV, or from pictures.",
        discussion: """
            Example: lkrepl import --write photos.store photos photos.jsonl
            A document replaces the one with the same ID; --mode insert, skip, replace or merge changes that. \
            Pictures: lkrepl import --write photos.store photos --photos DIR runs exiftool on new and changed \
            pictures, detected by size and time. Links out of DIR are skipped. Their IDs are their canonical paths. \
            What exiftool reports of a changed picture is stored; other members, such as a rating that you have added, \
            are kept. --mode upsert reads all pictures again and replaces their documents. --attach original copies \
            each picture into the store and refers to it in the member original, which must not have another value; \
            the same picture again adds nothing. --prune deletes the documents of pictures that no longer exist. \
            XMP sidecars beside their pictures are skipped. \
            exiftool -json -n -G1 -struct -r DIR | lkrepl import --write photos.store photos - --format \
            exiftool-json --key SourceFile imports exiftool's output; no output at all is an error.
            UTF-16 and byte order marks are accepted. Files ending in .csv and .tsv are read as such. Documents \
            without an ID are rejected; --id generate gives each a new one that sorts by time, every time it is \
            imported.
            In JSON {"$date": ...} is a date, {"$bytes": ...} bytes, {"$num": ...} a number and {"$attachment": ...} an \
            attachment, as find and export write them; an object that only looks like one is {"$lit": ...}.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loading: LoadingOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The file, or - for standard input.") var file: String?
    @Option(
        name: .long,
        help:
            "Set the format: jsonl, json, csv, tsv, exiftool-json or exiftool-csv. Default: by content and file extension."
    )
    var format: String?
    @Option(name: .long, help: "Import the pictures of this directory with exiftool instead of a file.")
    var photos: String?
    @Option(name: .long, help: "Take the ID from this member instead of the collection's ID field.")
    var key: String?
    @Option(name: .long, help: "generate: Give documents without an ID a new one that sorts by time.")
    var id: String?
    @Flag(name: .long, help: "Read types from the column names of CSV and TSV, such as iso.int.")
    var types = false
    @Flag(
        name: .long,
        help: "Store objects such as {\"$date\": ...} in JSON literally, not as dates, bytes and so on.")
    var literal = false
    @Option(name: .long, help: "Set the separator between fields of CSV.") var separator = ","
    @Option(name: .long, help: "Set the separator between list elements in exiftool's CSV.") var listSep = ", "
    @Flag(name: .long, help: "Print the number of stored documents after each batch.") var acknowledge = false

    @Option(
        name: .long, help: "With --photos: Copy the pictures into the store, or only their metadata: original or none.")
    var attach = "none"
    @Option(
        name: .long,
        help: "Take attached files that the store lacks from this directory, such as of export --attachments, or store."
    )
    var attachmentsFrom: String?
    @Option(name: .long, help: "With --attach: Refer to the picture in this member. Default: original.")
    var attachAs: String?
    @Flag(
        name: .long,
        help: """
            With --photos: Delete documents whose pictures below DIR no longer exist; -n shows how many. A document with \
            additions, such as a rating, is kept if its attached picture has another name now.
            """)
    var prune = false

    func validate() throws {
        try loading.validate()
        guard separator.utf8.count == 1 else { throw ValidationError("--separator must be one byte") }
        guard (file == nil) != (photos == nil) else {
            throw ValidationError("specify a file, - for standard input, or --photos DIR")
        }
        guard id == nil || id == "generate" else { throw ValidationError("--id must be generate") }
        guard id == nil || key == nil && photos == nil else {
            throw ValidationError("--id generate cannot be combined with --key or --photos")
        }
        guard ["original", "none"].contains(attach) else {
            throw ValidationError("--attach must be original or none")
        }
        guard attach == "none" || photos != nil else {
            throw ValidationError("--attach original needs --photos; attach add attaches a file to a document")
        }
        guard attachAs == nil || attach == "original" else {
            throw ValidationError("--attach-as needs --attach original")
        }
        guard attachAs?.contains(where: { ".[".contains($0) }) != true else {
            throw ValidationError("--attach-as must be the name of a member, without . and [")
        }
        guard attachmentsFrom == nil || photos == nil else {
            throw ValidationError("--attachments-from needs a file of documents, not --photos")
        }
        guard !prune || photos != nil else { throw ValidationError("--prune needs --photos") }
        guard !types || !literal else { throw ValidationError("--types and --literal cannot be combined") }
    }

    func run() throws {
        if !loading.dryRun { try options.requireWrite("import") }
        let mode = try loading.loadMode(options.mode) ?? (photos == nil ? .upsert : .merge)
        guard !prune || mode != .replace else {
            throw CommandError(
                .usage, "--prune and --mode replace cannot be combined",
                hint: "omit --prune; --mode replace removes all other documents")
        }
        let listing = try photos.map { try PictureFiles.list(in: ArgumentOrigin.current.text(of: $0)) }
        let start = ContinuousClock.now
        // A dry run imports into a copy of the store.
        let onStore = { (body: (Session) throws -> LoadSummary) in
            if loading.dryRun { return try Session.rehearsing(database, body) }
            return mode == .replace
                ? try Session.replacing(database, options, body) : try Session.with(database, options, body)
        }
        if mode == .replace, !loading.dryRun {
            let (name, count) = try Session.with(database, options) { session in
                let collection = try session.collection(collection)
                return (collection.name, try collection.count())
            }
            try options.confirm("remove all \(HumanNumber.counted(count, "document")) from \(name) in \(database)")
        }
        let summary = try onStore { session in try load(listing, mode, session) }
        options.note(
            (loading.dryRun ? "import --dry-run: would have " : "import: ")
                + summary.text(seconds: start.secondsToNow))
        if let commits = summary.commits {
            options.note(
                "import: made commits \(commits.lowerBound) to \(commits.upperBound), which undo "
                    + "\(commits.lowerBound)-\(commits.upperBound) takes back")
        }
        if summary.rejected > 0 { throw CommandError.silent(.badData) }
    }

    /// Imports all documents, and prunes if requested.
    private func load(_ listing: PictureListing?, _ mode: LoadMode, _ session: Session) throws -> LoadSummary {
        let store = try session.store()
        let collection = try session.collection(collection)
        let file = try file.map { try ArgumentOrigin.current.text(of: $0) } ?? "-"
        if mode == .upsert, id == nil, !loading.choosesMode(options.mode) {
            try loading.confirmReplacing(in: collection.name, count: try collection.count(), options)
        }
        var keyField = try key.map { try ArgumentOrigin.current.text(of: $0) }
        if listing != nil { keyField = keyField ?? PictureSource.pathTag }
        let settings = try settings(mode)
        let rejects = try loading.rejectWriter(besides: file)
        let progress = try options.reporter(
            "import", unit: listing == nil || attach != "none" ? .bytes : .items("pictures"))
        defer { progress.finish() }
        let contents = try attachmentsFrom.map { try ContentOrigin(ArgumentOrigin.current.text(of: $0)) }
        defer { try? contents?.close() }
        let member = try attachAs.map { try ArgumentOrigin.current.text(of: $0) } ?? "original"
        let loader = Loader(options: settings, rejects: rejects, progress: progress) { [collection] _ in
            let target = DocumentLoadTarget(
                store, on: session.database, path: database, mode: mode, collection: collection.name,
                markerName: listing == nil && !loading.dryRun ? "import/\(collection.name)" : nil, keyField: keyField,
                mergesMembers: listing != nil, generatesIDs: id != nil)
            target.contents = contents
            if attach != "none" { target.attachedMember = member }
            target.countsShortened = mode == .upsert && listing == nil && !loading.choosesMode(options.mode)
            return target
        }
        if mode == .replace { loader.clearing = try options.reporter("import: removing", unit: .items("documents")) }
        loader.resumeCommand = LoadingOptions.resumeCommand(file)
        var summary = LoadSummary()
        let keepsHistory = collection.definition.history != nil && !loading.dryRun
        let former = keepsHistory ? try store.commits(limit: 1).first?.sequence ?? 0 : 0
        do {
            if let listing {
                guard attach == "none" || !member.hasSameBytes(as: collection.definition.idField) else {
                    throw CommandError(
                        .usage, "\(member) is the ID of the documents", hint: "choose another member for --attach-as")
                }
                let pictures = PictureImport(
                    listing: listing, collection: collection, options: options,
                    attachedMember: attach == "none" ? nil : member, attachments: store.attachments)
                let isIdentified = keyField?.hasSameBytes(as: PictureSource.pathTag) ?? false
                summary = try load(pictures, mode, isIdentified: isIdentified, in: store, by: loader)
                if prune { summary.deleted += try pictures.prune(store) }
            } else {
                let input = try InputFile(path: file, decodes: true)
                if let encoding = input.encoding.description { options.note("import: \(input.name) is \(encoding)") }
                let source = try source(input)
                let table = (source as? DelimitedSource).map { TableAdvice($0, collection) }
                if !types { for warning in try table?.warnings() ?? [] { options.note("warning: \(warning)") } }
                try loader.run(
                    source, byteCount: input.byteCount,
                    readsAhead: loading.readsAhead(file, byteCount: input.byteCount))
                if let note = Self.note(ofShortened: loader.summary) { options.note("import: \(note)") }
                if loader.summary.read == 0 { try reportNothing(input) }
            }
        } catch {
            try? rejects?.close()
            throw error
        }
        try rejects?.close()
        summary += loader.summary
        if keepsHistory {
            let made = try store.commits(limit: 10_000).prefix { $0.sequence > former }
            if made.count > 1, let first = made.last, let last = made.first {
                summary.commits = first.sequence...last.sequence
            }
        }
        return summary
    }

    /// What was lost because the input replaced documents as a whole; `nil` if nothing was.
    private static func note(ofShortened summary: LoadSummary) -> String? {
        guard summary.shortened > 0, let member = summary.lostMember else { return nil }
        let documents = HumanNumber.counted(
            summary.shortened, "document was replaced as a whole", "documents were replaced as a whole")
        return "\(documents) and lost members, such as \(member); --mode merge keeps them, and --mode upsert omits "
            + "this note"
    }

    /// Reports an input without documents: an error if it is not even an empty list, since the program that should
    /// have written it probably failed.
    private func reportNothing(_ input: borrowing InputFile) throws {
        let isEmpty = input.firstLine.isEmpty
        let isTable = try importFormat(input).map { $0 != .jsonl && $0 != .json } ?? false
        guard isEmpty, isTable else {
            return options.note("import: \(input.name) contains no documents")
        }
        throw CommandError(
            .noInput, "\(input.name) is empty; nothing was imported",
            hint: "if a program writes it, see that program's messages")
    }

    /// Imports pictures. Returns a summary of the files that were skipped as unchanged.
    private func load(
        _ pictures: PictureImport, _ mode: LoadMode, isIdentified: Bool, in store: DocumentStore, by loader: Loader
    ) throws -> LoadSummary {
        pictures.reportSkipped()
        if pictures.listing.files.isEmpty {
            options.note("import: \(pictures.listing.root.path) contains no pictures")
        }
        let changed = try pictures.changedFiles(mode, isIdentified: isIdentified)
        let contents = pictures.attachedMember.map { PictureContents(of: changed, in: store, member: $0) }
        let source = PictureSource(
            pictures.listing.root.path, files: changed, contents: contents,
            id: { path in isIdentified ? try pictures.id(of: path) : path },
            warn: { StandardError.shared.write(VisibleText.singleLine("import: \($0)") + "\n") })
        try loader.run(source, byteCount: contents.map { $0.byteCounts.last ?? 0 } ?? changed.count)
        var summary = LoadSummary()
        summary.read = pictures.listing.files.count - changed.count
        summary.skipped = summary.read
        return summary
    }

    private func settings(_ mode: LoadMode) throws -> Loader.Options {
        var settings = try loading.loaderOptions("import", mode: mode)
        settings.noun = "document"
        settings.keepsMarkers = !loading.dryRun && photos == nil && mode != .replace
        // Reading a picture is slow, so small batches keep the amount of unstored work low.
        if photos != nil, loading.batch == nil { settings.batchCount = 10 }
        // The bytes of pictures are stored before their documents.
        if attach != "none" { settings.batchByteCount = .max }
        if acknowledge {
            let output = StandardOutput()
            settings.acknowledgement = { count in
                try output.write("\(count)\n")
                try output.flush()
            }
        }
        return settings
    }

    private func source(_ input: borrowing InputFile) throws -> any RecordSource {
        try input.refuseForeign("import")
        if loading.fromRejects { return RejectSource(input) { try plainSource($0) } }
        return try plainSource(input)
    }

    private func plainSource(_ input: borrowing InputFile) throws -> any RecordSource {
        let format = try importFormat(input)
        if format == nil, InputFormat.isFramed(input) {
            throw CommandError(
                .badData, "\(input.name):1: the file is a dump", hint: "use lkrepl load, which checks its digests")
        }
        return ImportSource(
            format: format, separator: separator.utf8.first ?? UInt8(ascii: ","), hasKinds: types,
            notation: literal ? .plain : .tagged, listSeparator: listSep,
            maximumRecordByteCount: loading.maxLine.value
        ).records(of: input)
    }

    private func importFormat(_ input: borrowing InputFile) throws -> ImportFormat? {
        try format.map { try ImportFormat(named: $0) } ?? ImportFormat(ofFileNamed: input.name, input)
    }
}
