import ArgumentParser
import DocIndex
import LevelKit

/// Puts the documents of a file, or what exiftool says of pictures, into a collection.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import documents from JSON, CSV or TSV, or from pictures.",
        discussion: """
            Example: lkrepl import --write photos.store photos photos.jsonl
            Documents with an id that exists replace the old ones; --mode insert, skip, replace or merge does otherwise. \
            Pictures: lkrepl import --write photos.store photos --photos DIR --key SourceFile runs exiftool on all of \
            them; exiftool -json -n -G1 -struct -r DIR | lkrepl import --write photos.store photos - --format \
            exiftool-json --key SourceFile reads what it printed.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var loading: LoadingOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The file, or - for standard input.") var file: String?
    @Option(
        name: .long,
        help: "jsonl, json, csv, tsv, exiftool-json or exiftool-csv. jsonl and json are told by the first byte.")
    var format: String?
    @Option(name: .long, help: "A directory of pictures to look at with exiftool, in place of a file.")
    var photos: String?
    @Option(name: .long, help: "The member that holds the id, if the collection has its ids in another.")
    var key: String?
    @Flag(
        name: .long,
        help: "Names of columns end in what their cells are, such as iso.int; in JSON {\"$date\": ...} is a date.")
    var types = false
    @Option(name: .long, help: "What stands between the fields of CSV.") var separator = ","
    @Option(name: .long, help: "What stands between the elements of a list, in CSV of exiftool.") var listSep = ", "
    @Flag(name: .long, help: "Print how many documents are stored after each batch.") var acknowledge = false

    func validate() throws {
        try loading.validate()
        guard separator.utf8.count == 1 else { throw ValidationError("--separator must be one byte") }
        guard (file == nil) != (photos == nil) else {
            throw ValidationError("give a file, or - for standard input, or --photos DIR")
        }
    }

    func run() throws {
        if !loading.dryRun { try options.requireWrite("import") }
        let mode = try loading.loadMode(options.mode)
        let start = ContinuousClock.now
        let output = StandardOutput()
        let photos = try photos.map { try PictureSource(directory: ArgumentOrigin.current.text(of: $0)) }
        if let first = photos?.leftOut.first, let count = photos?.leftOut.count {
            StandardError.shared.write(
                VisibleText.singleLine(
                    "import: left out \(first)" + (count > 1 ? " and \(HumanNumber.grouped(count - 1)) more" : "")
                        + ", which cannot be read: no access, or a name with a line end or bytes that are not UTF-8")
                    + "\n")
        }
        let file = try file.map { try ArgumentOrigin.current.text(of: $0) }
        let keyField = try key.map { try ArgumentOrigin.current.text(of: $0) }
        // A dry run is the import, on a copy.
        let onStore = { (body: (Session) throws -> Void) in
            loading.dryRun ? try Session.rehearsing(database, body) : try Session.with(database, options, body)
        }
        try onStore { session in
            let store = try session.store()
            let collection = try session.collection(collection).name
            if mode == .replace, !loading.dryRun, !loading.resume {
                try options.confirm("remove all documents of \(collection) in \(database)")
            }
            var settings = try loading.loaderOptions("import", mode: mode)
            settings.noun = "documents"
            settings.keepsMarkers = !loading.dryRun && photos == nil
            if acknowledge {
                settings.acknowledgement = { count in
                    try output.write("\(count)\n")
                    try output.flush()
                }
            }
            let rejects = try loading.rejectWriter(besides: file ?? "-")
            let progress = try options.reporter("import", unit: photos == nil ? .bytes : .items("pictures"))
            defer { progress.finish() }
            let loader = Loader(options: settings, rejects: rejects, progress: progress) { _ in
                DocumentLoadTarget(
                    store, on: session.database, path: database, mode: mode, collection: collection,
                    markerName: settings.keepsMarkers ? "import/\(collection)" : nil, keyField: keyField)
            }
            if mode == .replace {
                loader.clearing = try options.reporter("import: removing", unit: .items("documents"))
            }
            loader.resumeCommand = LoadingOptions.resumeCommand(file ?? "-")
            do {
                if let photos {
                    try loader.run(photos, byteCount: photos.fileCount)
                } else {
                    let input = try InputFile(path: file ?? "-")
                    try loader.run(
                        try source(input), byteCount: input.byteCount,
                        readsAhead: loading.readsAhead(file ?? "-", byteCount: input.byteCount))
                }
            } catch {
                try? rejects?.close()
                throw error
            }
            try rejects?.close()
            progress.finish()
            options.note(
                (loading.dryRun ? "import --dry-run: would have " : "import: ")
                    + loader.summary.text(seconds: start.secondsToNow))
            if loader.summary.rejected > 0 { throw CommandFailure.silent(.badData) }
        }
    }

    private func source(_ input: borrowing InputFile) throws -> any RecordSource {
        try input.refuseCompression("import")
        if loading.fromRejects { return RejectSource(input) { try plainSource($0) } }
        return try plainSource(input)
    }

    private func plainDocuments(_ input: borrowing InputFile, _ format: DocumentSource.Format?) -> any RecordSource {
        PlainDocumentSource(input, format: format, maximumLineByteCount: loading.maxLine.value, isTyped: types)
    }

    private func plainSource(_ input: borrowing InputFile) throws -> any RecordSource {
        let format = try format.map { try ImportFormat(named: $0) }
        let separator = separator.utf8.first ?? UInt8(ascii: ",")
        switch format {
        case nil:
            if InputFormat.isFramed(input) {
                throw CommandFailure(
                    .badData, "\(input.name):1: this is a dump", hint: "lkrepl load takes it, with its digests")
            }
            return plainDocuments(input, nil)
        case .jsonl: return plainDocuments(input, .jsonl)
        case .json: return plainDocuments(input, .json)
        case .csv, .tsv:
            return DelimitedSource(
                input,
                options: DelimitedSource.Options(
                    dialect: format == .tsv ? .tsv : .csv(separator: separator), hasKinds: types,
                    maximumRecordByteCount: loading.maxLine.value))
        case .exiftoolJSON: return ExifToolSource(json: input, maximumLineByteCount: loading.maxLine.value)
        case .exiftoolCSV:
            return ExifToolSource(csv: input, listSeparator: listSep, maximumRecordByteCount: loading.maxLine.value)
        }
    }
}
