import ArgumentParser
import DocIndex

/// Brings a store to another schema.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring a store to the schema in a file: build new indexes, drop old ones.",
        discussion: """
            Example: lkrepl migrate photos.store schema.json --dry-run
            Each change is a row: what is added, changed or removed, why, and how many documents are read for it. Standard \
            error tells the version of the schema before and after, and the migrations that the store has seen. Without a \
            file an interrupted change goes on where it was. Documents are not changed; migrations that change them are \
            code, in the program that owns the store.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The file with the schema, or - for standard input; what was begun is finished if not given.")
    var file: String?
    @Option(name: .long, help: "The version that the schema must have; nothing is done for any other.")
    var to: Int?
    @Flag(name: [.customShort("n"), .long], help: "Tell what would change, and change nothing.") var dryRun = false

    func validate() throws {
        guard file != nil || to == nil else { throw ValidationError("--to needs a file with the schema") }
    }

    func run() throws {
        if !dryRun { try options.requireWrite("migrate") }
        let schema = try file.map { try read(ArgumentOrigin.current.text(of: $0)) }
        try Session.with(database, options) { session in
            let store = try session.store()
            try tellVersions(of: store, to: schema)
            guard let schema else { return try finish(store) }
            let changes = try store.changes(for: schema)
            let isForPeople = try [.table, .line].contains(options.outputMode())
            let writer = try options.writer(
                columns: isForPeople ? ["change", "collection", "index", "reasons", "documents"] : nil)
            for change in changes { try writer.write(try row(change, session, isForPeople: isForPeople)) }
            if !changes.isEmpty { try writer.finish() }
            let isPending = store.hasPendingSchemaChange
            if changes.isEmpty {
                options.note(
                    "migrate: the store has this schema already"
                        + (isPending ? ", and is not finished with it; migrate --write goes on" : ""))
            }
            if dryRun { return }
            if changes.isEmpty { return isPending ? try finish(store) : () }
            let dropped = changes.filter { $0.kind == .removed }
            if !dropped.isEmpty { try options.confirm(dropped.map(\.description).joined(separator: ", ")) }
            try options.apply(schema, to: session, label: "migrate")
        }
    }

    private func read(_ file: String) throws -> Schema {
        let schema: Schema
        do {
            let descriptor = try FileDescriptor.openForReading(file)
            defer { if file != "-" { try? descriptor.closeFile() } }
            schema = try Schema(json: try descriptor.readAll(limit: RawArgument.schemaByteLimit, name: file))
        } catch {
            throw CommandFailure(error).within(file)
        }
        if let to, to != schema.version {
            throw CommandFailure(
                .usage, "the schema has version \(schema.version), and --to asks for \(to)",
                hint: "name the file with version \(to), or leave out --to")
        }
        return schema
    }

    // MARK: - What is told

    private func tellVersions(of store: DocumentStore, to schema: Schema?) throws {
        let old = store.schema.version
        var text = "migrate: the schema has version \(old)"
        if let schema {
            text += schema.version == old ? " and keeps it" : "; \(dryRun ? "it would become" : "it becomes") "
            if schema.version != old { text += "\(schema.version)" }
        }
        options.note(text)
        let done = store.completedMigrations
        if !done.isEmpty { options.note("migrate: migrations that are done: \(done.joined(separator: ", "))") }
        if let running = store.runningMigration {
            options.note("migrate: the migration \(running) is not finished; run the program that owns the store")
        }
    }

    /// A change as a row: for people its parts, for programs its sentence as well.
    private func row(_ change: SchemaChange, _ session: Session, isForPeople: Bool) throws -> DocumentObject {
        var row = DocumentObject()
        if !isForPeople { row["change"] = .string(change.description) }
        row[isForPeople ? "change" : "kind"] = .string(change.kind.rawValue)
        var collection: String?
        switch change.subject {
        case .schema: row["schema"] = true
        case .collection(let name): collection = name
        case .index(let name, let owner):
            collection = owner
            row["index"] = .string(name)
        }
        if let collection { row["collection"] = .string(collection) }
        row["reasons"] = .array(change.reasons.map { .string($0) })
        if case .index = change.subject, change.isBuild, let collection {
            let found = try session.collections().first { $0.name.utf8.elementsEqual(collection.utf8) }
            row["documents"] = .int(Int64(try found?.count() ?? 0))
        }
        if isForPeople { row.removeValue(forName: "schema") }
        return row
    }

    // MARK: - What was begun

    private func finish(_ store: DocumentStore) throws {
        guard store.hasPendingSchemaChange else { return options.note("migrate: nothing is left to do") }
        if dryRun { return options.note("migrate: a schema change is not finished; migrate --write goes on with it") }
        let start = ContinuousClock.now
        let progress = IndexBuildProgress("migrate", options)
        defer { progress.finish() }
        try store.finishSchemaChange { try progress.advance($0) }
        progress.finish()
        options.note("migrate: finished what was begun, \(start.secondsText)")
    }
}

extension SchemaChange {
    /// Whether documents are read to build the index.
    fileprivate var isBuild: Bool {
        switch kind {
        case .added: true
        case .removed: false
        case .changed: !reasons.contains("its entries stay as they are")
        }
    }
}

extension GlobalOptions {
    /// Brings the store of a session to a schema, with progress, until that is done or ^C.
    func apply(_ schema: Schema, to session: Session, label: String) throws {
        let start = ContinuousClock.now
        let progress = IndexBuildProgress(label, self)
        defer { progress.finish() }
        let store = try session.store()
        let changes = try store.apply(schema) { try progress.advance($0) }
        progress.finish()
        note("\(label): \(changes.map(\.description).joined(separator: ", "))")
        detail("\(label): the schema has version \(store.schema.version), \(start.secondsText)")
    }
}

/// Shows how far the building of indexes is: a line for each collection, with the indexes that are built together.
final class IndexBuildProgress {
    private let label: String
    private let options: GlobalOptions
    private var subject = ""
    private var reporter: ProgressReporter?

    init(_ label: String, _ options: GlobalOptions) {
        self.label = label
        self.options = options
    }

    /// Takes that a slice is done.
    ///
    /// - Throws: ``CommandFailure`` with `interrupted` if the command is to stop; what was built stays.
    func advance(_ step: BuildProgress) throws {
        let name = "\(step.collection) (\(step.indexes.joined(separator: ", ")))"
        let done = Int(clamping: step.row)
        let total = Int(clamping: step.lastRow)
        guard !Interruption.isRequested else {
            var failure = Interruption.failure(
                "row \(HumanNumber.grouped(done)) of \(HumanNumber.grouped(total)) of \(name)")
            failure.hint = "what was built stays; migrate --write without a file goes on there"
            throw failure
        }
        if name != subject {
            reporter?.finish()
            subject = name
            reporter = try options.reporter("\(label): \(VisibleText.singleLine(name))", unit: .items("rows"))
        }
        reporter?.advance(done: done, total: total)
    }

    /// Takes the progress off the screen.
    func finish() {
        reporter?.finish()
        reporter = nil
    }
}
