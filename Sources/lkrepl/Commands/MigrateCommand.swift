import ArgumentParser
import DocIndex

/// Migrates a store to another schema.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrate a store to the schema in a file: build new indexes, drop old ones.",
        discussion: """
            Example: lkrepl migrate photos.store schema.json --dry-run
            Each change is a row: what is added, changed or removed, why, and how many documents must be read. \
            Standard error shows the schema version before and after, and the completed migrations of the store. \
            Without a file, an interrupted change is continued. Documents are not changed; migrations that change them \
            are part of the program that owns the store.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The schema file, or - for standard input. Default: finish a pending change.")
    var file: String?
    @Option(name: .long, help: "Require this version of the schema.")
    var to: Int?
    @Flag(name: [.customShort("n"), .long], help: "Show what would change, and change nothing.") var dryRun = false

    func validate() throws {
        guard file != nil || to == nil else { throw ValidationError("--to needs a schema file") }
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
                    "migrate: the store already has this schema"
                        + (isPending ? ", but the change to it is pending; migrate --write finishes it" : ""))
            }
            if dryRun { return }
            if changes.isEmpty { return isPending ? try finish(store) : () }
            let dropped = changes.filter { $0.kind == .removed || Self.shortensHistory($0) }
            if !dropped.isEmpty {
                let texts = try dropped.map { change in
                    change.description + (try Self.loss(by: change, in: store).map { "; \($0)" } ?? "")
                }
                try options.confirm(texts.joined(separator: ", "))
            }
            try options.apply(schema, to: session, label: "migrate")
        }
    }

    /// The versions of documents that a removed history contains; `nil` for other changes.
    private static func loss(by change: Schema.Change, in store: DocumentStore) throws -> String? {
        guard change.kind == .removed || shortensHistory(change), case .history(let name) = change.subject else {
            return nil
        }
        let count = try store.storedChangeCount(inHistoryOf: name)
        return "there are \(HumanNumber.counted(count, "version")) of documents"
    }

    private static func shortensHistory(_ change: Schema.Change) -> Bool {
        guard change.kind == .changed, case .history = change.subject else { return false }
        // The first reason is the change itself, the second that versions are deleted.
        return change.reasons.count > 1
    }

    private func read(_ file: String) throws -> Schema {
        let schema: Schema
        do {
            let descriptor = try FileDescriptor.openForReading(file)
            defer { if file != "-" { try? descriptor.closeFile() } }
            schema = try Schema(json: try descriptor.readAll(limit: RawArgument.schemaByteLimit, name: file))
        } catch {
            throw CommandError(error).within(file)
        }
        if let to, to != schema.version {
            throw CommandError(
                .usage, "the schema has version \(schema.version), but --to requires \(to)",
                hint: "use a file with version \(to), or omit --to")
        }
        return schema
    }

    // MARK: - Reporting

    private func tellVersions(of store: DocumentStore, to schema: Schema?) throws {
        let old = store.schema.version
        var text = "migrate: the schema has version \(old)"
        if let schema {
            text += schema.version == old ? " and keeps it" : "; \(dryRun ? "it would become" : "it becomes") "
            if schema.version != old { text += "\(schema.version)" }
        }
        options.note(text)
        let done = store.completedMigrations
        if !done.isEmpty { options.note("migrate: completed migrations: \(done.joined(separator: ", "))") }
        if let running = store.runningMigration {
            options.note("migrate: the migration \(running) is not finished; run the program that defines it")
        }
    }

    /// A change as a row: for people as separate columns, for programs also with its description.
    private func row(_ change: Schema.Change, _ session: Session, isForPeople: Bool) throws -> DocumentObject {
        var row = DocumentObject()
        if !isForPeople { row["change"] = .string(change.description) }
        row[isForPeople ? "change" : "kind"] = .string(change.kind.rawValue)
        var collection: String?
        switch change.subject {
        case .schema: row["schema"] = true
        case .collection(let name): collection = name
        case .history(let name):
            collection = name
            if !isForPeople { row["history"] = true }
        case .index(let name, let owner):
            collection = owner
            row["index"] = .string(name)
        }
        if let collection { row["collection"] = .string(collection) }
        let loss = try Self.loss(by: change, in: session.store())
        row["reasons"] = .array((change.reasons + (loss.map { [$0] } ?? [])).map { .string($0) })
        if change.buildsIndex, let collection {
            let found = try session.collections().first { $0.name.hasSameBytes(as: collection) }
            row["documents"] = .int(Int64(try found?.count() ?? 0))
        }
        if isForPeople { row.removeValue(forName: "schema") }
        return row
    }

    // MARK: - Finishing a pending change

    private func finish(_ store: DocumentStore) throws {
        guard store.hasPendingSchemaChange else { return options.note("migrate: nothing to do") }
        if dryRun { return options.note("migrate: a schema change is pending; migrate --write finishes it") }
        let start = ContinuousClock.now
        let progress = IndexBuildProgress("migrate", options)
        defer { progress.finish() }
        try store.finishSchemaChange { try progress.advance($0) }
        progress.finish()
        options.note("migrate: finished the pending change, \(start.secondsText)")
    }
}

extension GlobalOptions {
    /// Applies a schema to the session's store, with progress, until it is complete or ^C is pressed.
    func apply(_ schema: Schema, to session: Session, label: String) throws {
        let start = ContinuousClock.now
        let progress = IndexBuildProgress(label, self)
        defer { progress.finish() }
        let store = try session.store()
        let former = store.schema
        let changes = try store.apply(schema) { try progress.advance($0) }
        progress.finish()
        try warnOfDuplicates(in: store, former, label: label)
        note("\(label): \(changes.map(\.description).joined(separator: ", "))")
        detail("\(label): the schema has version \(store.schema.version), \(start.secondsText)")
    }

    /// Warns of values that occur in several documents although a new index is unique.
    private func warnOfDuplicates(in store: DocumentStore, _ former: Schema, label: String) throws {
        for collection in store.schema.collections {
            let known = former.collections.first { $0.name.hasSameBytes(as: collection.name) }?.indexes ?? []
            for index in collection.indexes where index.isUnique && !known.contains(index) {
                let found = try store.collection(collection.name).uniqueViolations(of: index.name, limit: 1_000)
                guard let first = found.first else { continue }
                let value = first.values.map { $0?.json ?? "missing" }.joined(separator: ", ")
                note(
                    "warning: \(label): " + HumanNumber.counted(found.count, "value occurs", "values occur")
                        + " in several documents although \(index.name) is unique, such as \(value) in "
                        + "\(HumanNumber.counted(first.ids.count, "document")); these documents are kept, and new "
                        + "ones with the same values are rejected; list them with the command duplicates")
            }
        }
    }
}
