import ArgumentParser
import DocIndex
import LevelKit

/// Creates a document store from a declared or inferred schema, or an empty plain database.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create a document store, or an empty plain database.",
        discussion: """
            Example: lkrepl init photos.store --schema schema.json
            With --infer FILE, the schema is chosen from the documents of a file: the ID field, and indexes for dates, \
            for values that repeat, with counts, for places and for text. -n prints it as JSON and creates nothing; edit it, and \
            use it with --schema. The documents are not imported. With --raw it creates a plain database, for keys \
            and values without documents.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The directory of the store. It must not contain a database.") var database: String
    @Option(name: .long, help: "Read the declaration of collections and indexes from this file.") var schema: String?
    @Option(name: .long, help: "Infer the schema from the documents in this file; - for standard input.")
    var infer: String?
    @Option(name: .long, help: "With --infer: Name the collection. Default: the name of the file without its ending.")
    var collection: String?
    @Option(name: .long, help: "With --infer: Use this field for IDs.") var key: String?
    @Option(name: .long, help: "With --infer: Set the format of the file, as for import.") var format: String?
    @Option(name: .long, help: "With --infer: Set the separator between fields of CSV.") var separator: String?
    @Flag(name: .long, help: "Create a plain database.") var raw = false
    @Flag(name: [.long, .customShort("n")], help: "Print the schema, and create nothing.") var dryRun = false

    func validate() throws {
        guard [raw, schema != nil, infer != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("specify --schema FILE, --infer FILE, or --raw for a plain database")
        }
        guard infer != nil || collection == nil && key == nil && format == nil && separator == nil else {
            throw ValidationError("--collection, --key, --format and --separator need --infer")
        }
        guard separator.map({ $0.utf8.count == 1 }) ?? true else {
            throw ValidationError("--separator must be one byte")
        }
        guard !dryRun || !raw else { throw ValidationError("--raw and --dry-run cannot be combined") }
    }

    func run() throws {
        var storeOptions = DocumentStore.Options()
        storeOptions.database.errorIfExists = true
        do {
            guard !raw else {
                let made = try Database.open(at: database, options: storeOptions.database)
                try made.close()
                return options.note("init: created \(made.path), an empty database")
            }
            let (declared, hasIDs) =
                try schema.map { (try read(ArgumentOrigin.current.text(of: $0)), true) } ?? inferred()
            if dryRun { return try JSONPainter.show(declared.jsonValue) }
            let store = try DocumentStore.open(at: database, schema: declared, options: storeOptions)
            try store.close()
            let names = declared.collections.map {
                "\($0.name) (\(HumanNumber.counted($0.indexes.count, "index", "indexes")))"
            }
            options.note("init: created \(store.path) with \(names.joined(separator: ", "))")
            if let infer, let name = declared.collections.first?.name {
                let words =
                    [database, name, infer].map(ShellWord.quoted) + (format.map { ["--format", $0] } ?? [])
                    + (separator.map { ["--separator", ShellWord.quoted($0)] } ?? [])
                    + (hasIDs ? [] : ["--id", "generate"])
                options.note("init: now import the documents: lkrepl import --write \(words.joined(separator: " "))")
            }
        } catch let error as LevelError where error.code == .databaseNotFound {
            throw CommandError(.cannotCreate, error.message)
        }
    }

    private func read(_ schema: String) throws -> Schema {
        let file = try FileDescriptor.openForReading(schema)
        do {
            return try Schema(json: try file.readAll(limit: RawArgument.schemaByteLimit, name: schema))
        } catch {
            var failure = CommandError(error)
            if error is JSONError {
                failure.hint =
                    "a schema is one JSON object; --infer \(ShellWord.quoted(schema)) chooses one for documents"
            }
            throw failure.within(schema)
        }
    }

    // MARK: - Inference

    /// The number of documents that are read.
    private static let inferredCount = 20_000

    /// The schema for the documents of the file.
    ///
    /// - Returns: the schema, and whether a field of the documents identifies them.
    private func inferred() throws -> (schema: Schema, hasIDs: Bool) {
        let file = try infer.map { try ArgumentOrigin.current.text(of: $0) } ?? "-"
        let input = try InputFile(path: file, decodes: true)
        try input.refuseForeign("init")
        let format = try format.map { try ImportFormat(named: $0) } ?? ImportFormat(ofFileNamed: input.name, input)
        let source = ImportSource(format: format, separator: separator?.utf8.first ?? UInt8(ascii: ","))
            .records(of: input)
        var inference = IndexInference()
        do {
            while inference.documentCount < Self.inferredCount, let event = try source.next() {
                try Interruption.check(HumanNumber.counted(inference.documentCount, "document"))
                if case .change(.document(_, _, let content)) = event { inference.add(content) }
            }
        } catch let fault as RecordError {
            throw fault.commandError(in: input.name)
        }
        guard inference.documentCount > 0 else {
            throw CommandError(.badData, "\(input.name) has no documents to infer a schema from")
        }
        let name = try collection.map { try ArgumentOrigin.current.text(of: $0) } ?? Self.collectionName(of: file)
        let definition = inference.collection(name, idField: try key.map { try ArgumentOrigin.current.text(of: $0) })
        let documents = "\(HumanNumber.counted(inference.documentCount, "document")) of \(input.name)"
        let idField = VisibleText.singleLine(definition.idField)
        if key == nil, inference.idField == nil {
            options.note(
                "init: no field of \(input.name) identifies its documents; the ID field is \(idField), and "
                    + "import --id generate makes IDs")
        } else {
            options.note("init: read \(documents); the ID field is \(idField)")
        }
        return (Schema(collections: [definition]), key != nil || inference.idField != nil)
    }

    /// A collection's name from that of a file: its letters, digits, `-` and `_` before the ending.
    private static func collectionName(of file: String) -> String {
        let base = file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        let name = base.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_".contains($0) ? $0 : "_" }
        return name.isEmpty || file == "-" ? "documents" : String(name)
    }
}
