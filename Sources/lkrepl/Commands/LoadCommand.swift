import ArgumentParser
import DocIndex
import LevelKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Restores a dump.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Load a dump into an existing or a new database.",
        discussion: """
            Example: lkrepl load --create copy.store photos.lkd.jsonl
            With --create the database appears only when it is complete and checked. Without it, a dump in a file is \
            checked as a whole before anything is written. Records without a header, such as a script makes of the \
            lines of a dump, are accepted too, as are dumps of mdb_dump, db_dump and ldb dump --hex. --mode: upsert \
            (replace existing records), insert (reject existing records), skip (keep existing records), replace (the \
            dump replaces everything in its collections or its range, all or nothing: a truncated dump, ^C, a kill or \
            a full disk changes nothing), merge (JSON Merge Patch, documents only). A document whose attached files \
            are neither in the dump nor in the store is rejected; --attachments-from names a directory made by dump \
            --attachments, or another store, that has them. With --on-error skip, a damaged attachment costs only the \
            documents that refer to it. Files beside a dump of raw keys are copied after the load: cp -r DIR/. \
            STORE/attachments. A replicated document gets the revisions of the dump \
            unless the store has others that it may have sent; then the document is an edit, counted as \
            without-revisions.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loading: LoadingOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The dump, or - for standard input. Default: standard input, unless it is a terminal.")
    var file: String?
    @Flag(
        name: [.long, .customLong("into-new")],
        help: "Create a new database; it appears complete or not at all.")
    var create = false
    @Option(name: .long, help: "Set the format: jsonl, json, mdb, bdb or ldb. Default: by content.")
    var format: String?
    @Flag(name: .long, help: "Accept a truncated dump, up to where it ends.") var allowIncomplete = false
    @Flag(name: .customLong("no-verify"), help: "Accept a dump with wrong counts or checksums.") var noVerify = false
    @Flag(name: .long, help: "Ignore unknown records and members.") var lenient = false
    @Option(
        name: .long, help: "Load only these collections, separated by commas; or one of several databases in a file.")
    var only: String?
    @Option(name: .long, help: "OLD=NEW: Load a collection under another name.") var rename: [String] = []
    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "OLD=NEW: Replace the key prefix OLD with NEW.")
    var mapPrefix: [String] = []
    @Option(name: .long, help: "Take attached files that the dump lacks from this directory or store.")
    var attachmentsFrom: String?
    @Option(name: .long, help: "Store each line as a value, under the key in its member of this name.") var key: String?

    func validate() throws { try loading.validate() }

    func run() throws {
        guard file != nil || !FileDescriptor.standardInput.isTerminal else {
            throw CommandError(.usage, "no dump given", hint: "specify a file, or - for standard input")
        }
        let file = try ArgumentOrigin.current.text(of: file ?? "-")
        if create {
            try loadIntoNew(file)
        } else {
            guard FileDescriptor.exists(database) else {
                throw CommandError(
                    .noInput, "no database at \(database)", hint: CommandError.hintForMissingDatabase)
            }
            if !loading.dryRun { try options.requireWrite("load") }
            try loadIntoExisting(file)
        }
    }

    // MARK: - Loading into a new database

    private func loadIntoNew(_ file: String) throws {
        let mode = try loading.loadMode(options.mode) ?? .upsert
        guard mode != .replace, mode != .merge, !loading.resume else {
            throw CommandError(
                .usage, "--create makes a new database and cannot be combined with --mode replace or merge, or --resume"
            )
        }
        let new = try NewDirectory(path: database)
        do {
            let seconds = ContinuousClock.now
            let summary = try loadNew(file, at: new.partialPath, mode)
            let text = summary.text(seconds: seconds.secondsToNow)
            // A dry run loads everything, and then removes the result.
            if loading.dryRun { new.remove() } else { try new.appear() }
            options.note(loading.dryRun ? "load --dry-run: would have \(text)" : "load: \(text)")
            if summary.rejected > 0 { throw CommandError.silent(.badData) }
        } catch {
            new.remove()
            throw error
        }
    }

    private func loadNew(_ file: String, at path: String, _ mode: LoadMode) throws -> LoadSummary {
        var database: Database?
        defer { try? database?.close() }
        func open() throws -> Database {
            if let database { return database }
            var options = DocumentStore.Options().database
            options.errorIfExists = true
            let opened = try Database.open(at: path, options: options)
            database = opened
            return opened
        }
        let contents = try contentOrigin()
        defer { try? contents?.close() }
        let loader = try makeLoader(mode, isNew: true, file: file) { header in
            if header?.content == .documents { return NewStoreTarget(mode: mode, contents: contents) { try open() } }
            try requireNoContents()
            return try RawLoadTarget(try open(), path: self.database, mode: mode, markerPath: nil)
        }
        try loader.run(file, self)
        guard loader.isFramed || loader.loader.summary.read > 0 else {
            throw CommandError(
                .badData, "\(loader.name):1: the file contains no dump header and no record",
                hint: "create the file with dump, or set --format")
        }
        try loader.loader.finishTarget()
        // A new database contains one record for each stored one, unless the dump repeats a key or an ID.
        let summary = loader.loader.summary
        let storedCount = summary.inserted + summary.replaced + summary.stored
        if loader.isFramed, summary.deleted == 0, let count = try loader.loader.storedCount(), count != storedCount {
            throw CommandError(
                .badData, "\(loader.name): the dump has \(storedCount) records, but only \(count) distinct keys or IDs")
        }
        try database?.close()
        database = nil
        return summary
    }

    // MARK: - Loading into an existing database

    private func loadIntoExisting(_ file: String) throws {
        let mode = try loading.loadMode(options.mode) ?? .upsert
        // Before the database is opened.
        if mode == .replace, !loading.dryRun { try DatabaseReplacement.requireTrustedPlace(of: database) }
        if mode == .replace { try Session.tellingOfNoChange { try prepareReplacement(file) } } else { try check(file) }
        let start = ContinuousClock.now
        let contents = try contentOrigin()
        defer { try? contents?.close() }
        // A dry run loads into a copy, so that it finds all errors, such as duplicates in a unique index.
        let onDatabase = { (body: (Session) throws -> LoadSummary) in
            if loading.dryRun { return try Session.rehearsing(database, body) }
            return mode == .replace
                ? try Session.replacing(database, options, body) : try Session.with(database, options, body)
        }
        let summary = try onDatabase { session in
            let isStore = try session.isDocumentStore()
            if isStore, key != nil {
                throw CommandError(
                    .usage, "--key needs a plain database, but \(database) is a document store",
                    hint: "use lkrepl import for documents")
            }
            if isStore, mode == .upsert, !loading.choosesMode(options.mode) {
                let count = try session.collections().reduce(0) { try $0 + $1.count() }
                try loading.confirmReplacing(in: database, count: count, options)
            }
            let loader = try makeLoader(mode, isNew: false, file: file) { _ in
                if isStore {
                    let target = DocumentLoadTarget(
                        try session.store(), on: session.database, path: database, mode: mode,
                        markerName: loading.dryRun ? nil : "load")
                    target.contents = contents
                    return target
                }
                try requireNoContents()
                let isFile = file != "-" && !FileDescriptor.isSpecial(file)
                if mode == .insert, loading.resume {
                    throw CommandError(
                        .usage, "an interrupted load into a plain database cannot be resumed with --mode insert",
                        hint:
                            "use --mode skip; records stored after the last checkpoint would be rejected as duplicates")
                }
                return try RawLoadTarget(
                    session.database, path: database, mode: mode,
                    markerPath: isFile && !loading.dryRun && mode != .replace ? file + ".lkprogress" : nil)
            }
            try loader.run(file, self)
            return loader.loader.summary
        }
        options.note(
            "\(loading.dryRun ? "load --dry-run: would have " : "load: ")" + summary.text(seconds: start.secondsToNow))
        if summary.rejected > 0 { throw CommandError.silent(.badData) }
    }

    /// Checks the dump, and asks for confirmation.
    private func prepareReplacement(_ file: String) throws {
        try check(file)
        guard !loading.dryRun else { return }
        // Until the answer, nothing is locked or written.
        var reading = options
        reading.write = false
        let what = try Session.with(database, reading) { session in
            guard try session.isDocumentStore() else { return "keys" }
            let count = try session.collections().reduce(0) { try $0 + $1.count() }
            return "documents, of \(HumanNumber.grouped(count)) in the store,"
        }
        try options.confirm("delete all \(what) of \(database) that \(file) replaces")
    }

    /// Checks a dump in a file before anything is written. A pipe is not checked, since it can be read only once.
    private func check(_ file: String) throws {
        guard file != "-", !FileDescriptor.isSpecial(file), !loading.fromRejects, !loading.resume,
            loading.onError == "stop"
        else { return }
        let input = try InputFile(path: file)
        guard try inputFormat(input) == .jsonl, InputFormat.isFramed(input) else { return }
        let progress = try options.reporter("check", unit: .bytes)
        defer { progress.finish() }
        var reader = DumpReader(lines: input.lines(), name: input.name, options: readerOptions)
        do {
            while try reader.next() != nil {
                try Interruption.check()
                progress.advance(done: reader.byteCount, total: input.byteCount)
            }
        } catch let fault as RecordError {
            throw fault.commandError(in: input.name)
        }
    }

    // MARK: - Parts

    private func contentOrigin() throws -> ContentOrigin? {
        try attachmentsFrom.map { try ContentOrigin(ArgumentOrigin.current.text(of: $0)) }
    }

    /// Throws if `--attachments-from` is given, which raw keys cannot use.
    private func requireNoContents() throws {
        guard let attachmentsFrom else { return }
        let origin = ShellWord.quoted(try ArgumentOrigin.current.text(of: attachmentsFrom))
        throw CommandError(
            .usage, "--attachments-from needs a dump of documents, and the input has raw keys",
            hint: "omit it, and then copy the files: cp -r \(origin)/. \(ShellWord.quoted(database))/attachments")
    }

    private var readerOptions: DumpReader.Options {
        DumpReader.Options(
            verifies: !noVerify, allowsIncomplete: allowIncomplete, isLenient: lenient,
            skipsDamagedContents: loading.onError == "skip", maximumLineByteCount: loading.maxLine.value)
    }

    fileprivate func inputFormat(_ input: borrowing InputFile) throws -> InputFormat {
        try input.refuseForeign("load")
        return try format.map { try InputFormat(named: $0) } ?? InputFormat(detecting: input)
    }

    /// The source of records for a file.
    fileprivate func source(_ input: borrowing InputFile) throws -> any RecordSource {
        if loading.fromRejects { return RejectSource(input) { try plainSource($0, .jsonl) } }
        let format = try inputFormat(input)
        switch format {
        case .jsonl where key == nil && InputFormat.isFramed(input):
            return DumpSource(input, options: readerOptions)
        case .jsonl, .json: return try plainSource(input, format)
        case .mdb, .bdb:
            return BerkeleySource(
                input, database: try only.map { try ArgumentOrigin.current.text(of: $0) },
                maximumLineByteCount: loading.maxLine.value)
        case .ldb: return LDBTextSource(input, maximumLineByteCount: loading.maxLine.value)
        }
    }

    private func plainSource(_ input: borrowing InputFile, _ format: InputFormat) throws -> any RecordSource {
        let field = try key.map { try ArgumentOrigin.current.text(of: $0) }
        return PlainRecordSource(
            input, format: format == .json ? .json : .jsonl, plain: field.map { .pairs(keyField: $0) } ?? .refused,
            maximumLineByteCount: loading.maxLine.value)
    }

    private func makeLoader(
        _ mode: LoadMode, isNew: Bool, file: String, target: @escaping (DumpHeader?) throws -> any LoadTarget
    ) throws -> FileLoader {
        var settings = try loading.loaderOptions("load", mode: mode)
        settings.keepsMarkers = !isNew && !loading.dryRun && mode != .replace
        settings.filter = LoadFilter(
            only: try only.map { try ArgumentOrigin.current.text(of: $0) }?.split(separator: ",").map(String.init),
            renames: try rename.map { try Self.pair($0, "--rename") },
            prefixes: try mapPrefix.map { text in
                let pair = try Self.pair(text, "--map-prefix")
                return (try ByteNotation.parse(pair.from), try ByteNotation.parse(pair.to))
            })
        let rejects = try loading.rejectWriter(besides: file)
        let loader = Loader(
            options: settings, rejects: rejects, progress: try options.reporter("load", unit: .bytes),
            makeTarget: target)
        if mode == .replace { loader.clearing = try options.reporter("load: removing", unit: .items("records")) }
        if !isNew { loader.resumeCommand = LoadingOptions.resumeCommand(file) }
        return FileLoader(loader: loader, rejects: rejects)
    }

    private static func pair(_ text: String, _ option: String) throws -> (from: String, to: String) {
        let text = try ArgumentOrigin.current.text(of: text)
        guard let split = text.firstIndex(of: "=") else {
            throw CommandError(.usage, "\(option) takes OLD=NEW, not \(text)")
        }
        return (String(text[..<split]), String(text[text.index(after: split)...]))
    }
}

/// The load of one file.
private final class FileLoader {
    let loader: Loader
    private let rejects: RejectWriter?
    private(set) var isFramed = false
    private(set) var name = ""

    init(loader: Loader, rejects: RejectWriter?) {
        self.loader = loader
        self.rejects = rejects
    }

    func run(_ file: String, _ command: LoadCommand) throws {
        let input = try InputFile(path: file)
        name = input.name
        let source = try command.source(input)
        isFramed = source is DumpSource
        do {
            try loader.run(
                source, byteCount: input.byteCount,
                readsAhead: command.loading.readsAhead(file, byteCount: input.byteCount))
        } catch {
            try? rejects?.close()
            throw error
        }
        try rejects?.close()
    }
}
