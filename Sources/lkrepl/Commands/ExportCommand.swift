import ArgumentParser
import DocIndex
import LevelKit

/// Writes documents for other programs.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write documents as JSON, CSV or TSV for other programs.",
        discussion: """
            Example: lkrepl export photos.store photos 'rating >= 4' --format csv -o best.csv
            In CSV an absent member is an empty field, an empty string is "", members of objects are columns such as \
            gps.lat, lists are JSON, and bytes are b64: followed by base64. In JSON dates, bytes \
            and attachments are {"$date": ...}, {"$bytes": ...} and {"$attachment": ...}, numbers beyond 2^53 are {"$num": ...}, and an object that only looks like one of them \
            is {"$lit": ...}; import restores all of them exactly. import reads the cells of CSV and TSV as strings; \
            with --types, column names include types, and import --types restores the values exactly. For a copy with \
            checksums use dump.
            For pictures: --to exiftool writes what people say about them (title, caption, keywords, rating, people, \
            place, gps) as JSON for exiftool, and lkrepl changes no picture: exiftool -json=FILE -overwrite_original \
            DIR does. --xmp DIR writes an XMP sidecar for each picture, IMG_1.xmp for IMG_1.jpg. The file names are in \
            SourceFile or file.
            Attached files: --attachments DIR writes those of the exported documents into DIR, under their names; \
            --name-pattern '{id}-{name}' changes that. Documents keep their references, so import restores them in this \
            store; in another one it needs --attachments-from DIR, and different files with one name need \
            --name-pattern '{sha256}'. With --on-error skip, missing and damaged files are listed and left out, and \
            the exit code is 65.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Option(
        name: .long, help: "Set the format: jsonl, json, csv or tsv. Default: by the name of the output; else jsonl.")
    var format: String?
    @Option(name: .long, help: "Write the metadata of pictures for this program: exiftool.") var to: String?
    @Option(name: .long, help: "Write XMP sidecars of pictures into this directory.") var xmp: String?
    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "FIELD=TAG: With --to and --xmp, write this field as a tag, such as note=XMP-dc:Description.")
    var map: [String] = []
    @Option(name: .long, help: "With --to: Put this directory before relative names of pictures.") var pictures: String?
    @Option(name: .long, help: "Write the attached files of the documents into this directory.")
    var attachments: String?
    @Option(
        name: .long,
        help: "Name attached files by this pattern of {name}, {stem}, {ext}, {id} and {sha256}. Default: {name}.")
    var namePattern: String?
    @Option(name: .long, help: "Stop at attached files that cannot be read, or leave them out: stop or skip.")
    var onError = "stop"
    @Option(name: .shortAndLong, help: "Write to this file instead of standard output.") var output: String?
    @Flag(name: .long, help: "Overwrite an existing file.") var force = false
    @Option(name: .long, parsing: .unconditional, help: "Write only these members: paths, separated by commas.")
    var fields: String?
    @Option(
        name: .long, parsing: .unconditional,
        help: "Sort by these fields, separated by commas; - before a field sorts it in descending order.")
    var sort: String?
    @Option(name: .long, parsing: .unconditional, help: "Write at most this many.") var limit: Int?
    @Flag(name: .long, help: "Append types to the column names of CSV and TSV.")
    var types = false
    @Flag(name: .long, help: "End the lines of CSV with CR LF.") var crlf = false
    @Flag(
        name: .long,
        help:
            "Escape strings that a spreadsheet would run as formulas, in CSV and TSV. Changes the data: not for import."
    )
    var safeCsv = false

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 or more") }
        guard to == nil || xmp == nil else { throw ValidationError("--to and --xmp cannot be combined") }
        guard to == nil && xmp == nil || format == nil && fields == nil && !types && !crlf && !safeCsv else {
            throw ValidationError("--to and --xmp decide what is written; --map changes it")
        }
        guard xmp == nil || output == nil else { throw ValidationError("--xmp writes files of its own; omit --output") }
        guard map.isEmpty || to != nil || xmp != nil else { throw ValidationError("--map needs --to or --xmp") }
        guard attachments == nil || to == nil && xmp == nil else {
            throw ValidationError("--attachments cannot be combined with --to and --xmp")
        }
        guard namePattern == nil || attachments != nil else {
            throw ValidationError("--name-pattern needs --attachments")
        }
        guard ["stop", "skip"].contains(onError) else { throw ValidationError("--on-error must be stop or skip") }
        guard pictures == nil || to != nil else { throw ValidationError("--pictures needs --to") }
        guard to ?? "exiftool" == "exiftool" else { throw ValidationError("--to must be exiftool") }
    }

    func run() throws {
        let file = try output.map { try ArgumentOrigin.current.text(of: $0) }
        let ending = file?.split(separator: ".").dropFirst().last?.lowercased() ?? ""
        let format = try ExportFormat(named: format ?? modeFormat() ?? Self.format(forEnding: ending))
        var query = Query(
            try conditions.filter(words: condition),
            sort: try sort.map { try Query.SortKey.parse(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0))) }
                ?? [],
            limit: limit)
        let paths = try fields.map { try ArgumentOrigin.current.text(of: $0) }?.split(separator: ",").map {
            try FieldPath.argument(String($0))
        }
        if let omitted = fields?.split(separator: ",").first(where: { $0.hasPrefix("-") }) {
            throw CommandError(
                .usage, "export writes the fields that --fields names, and cannot leave out \(omitted.dropFirst())",
                hint: "name the others; schema COLLECTION --infer lists them")
        }
        guard paths?.contains(where: \.hasArrayStep) != true else {
            throw CommandError(.usage, "--fields takes paths without []", hint: "lists are written as JSON")
        }
        let sidecars = try xmp.map { try ArgumentOrigin.current.text(of: $0) }
        let metadata = try metadata()
        let directory = try attachments.map { try ArgumentOrigin.current.text(of: $0) }
        let pattern = try namePattern.map { try ArgumentOrigin.current.text(of: $0) } ?? "{name}"
        try AttachedFileNames.check(pattern)
        try Session.with(database, options) { session in
            // Both passes of CSV read the same snapshot.
            let view = try session.store().snapshot()
            let source = try session.selection(collection, in: view.collections)
            let collection = source.collection
            query = try source.query(query)
            try conditions.requireSound(query, fields: paths ?? [], in: collection)
            let progress = try options.reporter("export", unit: .items("documents"))
            defer { progress.finish() }
            let start = ContinuousClock.now
            let named = try self.pictures.map { try ArgumentOrigin.current.text(of: $0) }
            if let named, !FileDescriptor.isDirectory(named) {
                options.note(
                    "export: this machine has no directory \(named); the exported names still refer to it")
            }
            let pictures = PictureExport(
                collection: collection, query: query, options: conditions.queryOptions, metadata: metadata,
                directory: named, progress: progress)
            if let sidecars {
                let count = try writeSidecars(pictures, to: sidecars)
                progress.finish()
                options.note(
                    "export: \(HumanNumber.counted(count, "sidecar")) in \(sidecars)")
                return try conditions.warn(of: query, in: collection, foundSomething: count > 0, options)
            }
            let count = try NewFile.write(file, replacing: force) { output -> Int in
                if to != nil {
                    output.terminalForm = .json
                    return try writeExifTool(pictures, to: output)
                }
                switch format {
                case .jsonl, .json:
                    output.terminalForm = .json
                    return try writeJSON(collection, query, paths, isArray: format == .json, to: output, progress)
                case .csv:
                    output.terminalForm = .plain
                    return try writeRows(
                        collection, query, paths, .csv(CSVWriter(endsWithCRLF: crlf, guardsFormulas: safeCsv)),
                        to: output, progress)
                case .tsv:
                    output.terminalForm = .tsv
                    return try writeRows(
                        collection, query, paths, .tsv(TSVWriter(guardsFormulas: safeCsv)), to: output, progress)
                }
            }
            if let advice = NewFile.packingAdvice(file) { options.note(advice) }
            let omitted = OmittedContents("export", onError: onError)
            if let directory {
                var names = try AttachedFileNames(in: directory, pattern: pattern)
                _ = try collection.forEach(matching: query, options: conditions.queryOptions) { document in
                    try Self.selected(paths, of: document.content).forEachAttachment { attachment in
                        _ = try OmittedContents.skipping(omitted, attachment) {
                            try names.write(attachment, of: document.id, from: view.attachments)
                        }
                    }
                    return true
                }
                options.note(
                    "export: wrote \(HumanNumber.counted(names.writtenCount, "attached file")), "
                        + "\(HumanNumber.byteCount(Int(clamping: names.byteCount))), to \(directory)")
            }
            progress.finish()
            options.note(
                "export: \(HumanNumber.counted(count, "document")), \(start.secondsText)"
            )
            try conditions.warn(of: query, fields: paths ?? [], in: collection, foundSomething: count > 0, options)
            try omitted?.finish()
        }
    }

    /// The format that `--mode` or `--json` names, as for results; `nil` without one. In the shell, its mode is that of
    /// results.
    private func modeFormat() throws -> String? {
        guard Session.shell == nil, to == nil, xmp == nil else { return nil }
        if options.json { return "json" }
        guard let mode = options.mode, mode != "jsonl" else { return nil }
        guard ["json", "csv", "tsv"].contains(mode) else {
            throw CommandError(
                .usage, "export has no mode \(mode)",
                hint: "it writes the formats jsonl, json, csv and tsv; find shows documents in other modes")
        }
        return mode
    }

    private static func format(forEnding ending: String) throws -> String {
        if ["csv", "tsv", "json"].contains(ending) { return ending }
        let foreign = ["xlsx", "xls", "ods", "numbers", "xml", "yaml", "yml", "html", "parquet", "db", "sqlite", "md"]
        guard !foreign.contains(ending) else {
            throw CommandError(
                .usage, "export cannot write .\(ending) files",
                hint: "name the file .csv, which spreadsheets open, or set --format")
        }
        return "jsonl"
    }

    private func writeJSON(
        _ collection: DocumentCollection, _ query: Query, _ paths: [FieldPath]?, isArray: Bool,
        to output: StandardOutput, _ progress: ProgressReporter
    ) throws -> Int {
        var count = 0
        OpenOutputs.current?.doneWork = { HumanNumber.counted(count, "document") }
        var line: [UInt8] = []
        _ = try collection.forEach(matching: query, options: conditions.queryOptions) { document in
            line.removeAll(keepingCapacity: true)
            if isArray { line += (count == 0 ? "[\n" : ",\n").utf8 }
            DocumentValue.object(Self.selected(paths, of: document.content))
                .writeJSON(to: &line, JSONWriter(notation: .tagged))
            if !isArray { line.append(0x0a) }
            try output.write(line)
            count += 1
            try step(count, progress)
            return true
        }
        if isArray { try output.write(count == 0 ? "[]\n" : "\n]\n") }
        try output.flush()
        return count
    }

    private func writeRows(
        _ collection: DocumentCollection, _ query: Query, _ paths: [FieldPath]?, _ dialect: DelimitedExport.Dialect,
        to output: StandardOutput, _ progress: ProgressReporter
    ) throws -> Int {
        var export = DelimitedExport(paths: paths, hasKinds: types)
        if paths == nil || types {
            var unsorted = query
            if query.limit == nil { unsorted.sort = [] }
            _ = try collection.forEach(matching: unsorted, options: conditions.queryOptions) { document in
                export.learn(document.content)
                try Interruption.check()
                return true
            }
        }
        var count = 0
        OpenOutputs.current?.doneWork = { HumanNumber.counted(count, "document") }
        var bytes: [UInt8] = []
        if !export.columns.isEmpty { export.appendHeader(dialect, to: &bytes) }
        _ = try collection.forEach(matching: query, options: conditions.queryOptions) { document in
            export.append(document.content, dialect, to: &bytes)
            if bytes.count >= 32 << 10 {
                try output.write(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            count += 1
            try step(count, progress)
            return true
        }
        try output.write(bytes)
        try output.flush()
        return count
    }

    /// The document reduced to the members at the given paths.
    private static func selected(_ paths: [FieldPath]?, of document: DocumentObject) -> DocumentObject {
        guard let paths else { return document }
        var result = DocumentObject()
        for path in paths {
            if let value = path.value(in: document) { _ = result.set(value, at: path.steps[...]) }
        }
        return result
    }

    private func step(_ count: Int, _ progress: ProgressReporter) throws {
        try Interruption.check(HumanNumber.counted(count, "document"))
        progress.advance(done: count)
    }
}
