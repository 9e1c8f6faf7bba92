import ArgumentParser
import DocIndex

/// The commands for a single index.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index", abstract: "Create, drop, rebuild or check an index.",
        subcommands: [Create.self, Drop.self, Rebuild.self, Check.self])

    /// Declares and builds an index.
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Declare an index and build it.",
            discussion: """
                Example: lkrepl index create --write photos.store photos by-city place.city taken
                'ci(title)' ignores case, 'ci-ai(title)' also accents, and 'natural(file)' orders numbers by value. With \
                --text the words of the fields are indexed, and with --dimensions the vector in the field. For other \
                kinds edit the schema, and migrate.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The name of the index.") var name: String
        @Argument(help: "Field paths, most significant first.") var fields: [String]
        @Flag(name: .long, help: "Create a text index.") var text = false
        @Option(name: .long, help: "Create an index of vectors with this many dimensions.") var dimensions: Int?
        @Flag(name: .long, help: "Allow no two documents with the same values.") var unique = false
        @Option(
            name: .customLong("where"), parsing: .unconditional, help: "Index only documents that match this condition."
        )
        var condition: String?

        func validate() throws {
            guard dimensions == nil || !text else {
                throw ValidationError("--dimensions and --text cannot be combined")
            }
        }

        func run() throws {
            try options.requireWrite("index create")
            let name = try ArgumentOrigin.current.text(of: name)
            let texts = try fields.map { try ArgumentOrigin.current.text(of: $0) }
            for text in texts { try Self.refuseDirection(text) }
            let components = try texts.map(Self.component)
            let paths = components.map(\.path)
            if text, let component = components.first(where: { $0.collation != .binary }) {
                throw CommandError(
                    .usage, "a text index does not support the collation \(component.collation.rawValue)",
                    hint: "write \(component.path): words are found in any case")
            }
            try Session.with(database, options) { session in
                var schema = try session.store().schema
                let known = try session.collection(collection)
                let position = try schema.position(of: known.name)
                for diagnostic in try known.diagnostics(of: Query(.all, limit: 1), fields: paths)
                where !diagnostic.suggestions.isEmpty {
                    options.note("warning: \(diagnostic)")
                }
                guard !schema.collections[position].indexes.contains(where: { $0.name == name }) else {
                    throw CommandError(
                        .usage, "index \(name) of \(collection) already exists",
                        hint: "drop it first, or choose another name")
                }
                let kind: IndexDefinition.Kind = dimensions != nil ? .vector : text ? .text : .value
                var index = IndexDefinition(name, kind: kind, components: components)
                index.dimensions = dimensions
                index.isUnique = unique
                index.condition = try condition.map {
                    try IndexDefinition.Condition(parsing: ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)))
                }
                schema.collections[position].indexes.append(index)
                try options.apply(schema, to: session, label: "index create")
            }
        }

        /// A field, or one in an order of texts, such as `ci(title)`, as conditions and --sort write it.
        private static func component(_ text: String) throws -> IndexDefinition.Component {
            guard text.hasSuffix(")"), let open = text.firstIndex(of: "("),
                let collation = TextCollation(rawValue: String(text[..<open]))
            else { return IndexDefinition.Component(try FieldPath.argument(text)) }
            let path = String(text[text.index(after: open)...].dropLast())
            return IndexDefinition.Component(try FieldPath.argument(path), collation: collation)
        }

        /// An index serves both directions.
        private static func refuseDirection(_ text: String) throws {
            let words = text.split(separator: " ")
            guard words.count > 1, let last = words.last, ["asc", "desc"].contains(last.lowercased()) else { return }
            throw CommandError(
                .usage, "\(text): an index has no direction; it serves both",
                hint: "write \(words.dropLast().joined(separator: " ")); find --sort -FIELD sorts in descending order")
        }
    }

    /// Drops an index.
    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Drop an index. Documents are not changed.",
            discussion: "Example: lkrepl index drop --write --yes photos.store photos year")

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The name of the index.") var name: String
        @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and change nothing.") var dryRun = false

        func run() throws {
            if !dryRun { try options.requireWrite("index drop") }
            let name = try ArgumentOrigin.current.text(of: name)
            try Session.with(database, options) { session in
                var schema = try session.store().schema
                let collection = try session.collection(collection)
                let position = try schema.position(of: collection.name)
                let names = schema.collections[position].indexes.map(\.name)
                guard names.contains(name) else { throw CommandError.noIndex(name, of: collection.name, names) }
                if dryRun { return options.note("index drop: would drop \(name) of \(collection.name)") }
                try options.confirm("drop the index \(name) of \(collection.name)")
                schema.collections[position].indexes.removeAll { $0.name == name }
                try options.apply(schema, to: session, label: "index drop")
            }
        }
    }

    /// Rebuilds one index, all indexes of a collection, or all data derived from documents.
    struct Rebuild: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rebuild", abstract: "Rebuild an index, or all derived data of a store.",
            discussion: """
                Example: lkrepl index rebuild --write photos.store photos rating
                The old index is used until the new one is complete. After an interruption, the next rebuild \
                continues. Without a name, all indexes of the collection are rebuilt. Without a collection, everything \
                derived from the documents of the store is rebuilt: IDs, counters, the change feed and all indexes, as \
                after a repair.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection. Default: the whole store.") var collection: String?
        @Argument(help: "The name of the index. Default: all of the collection.") var name: String?

        func run() throws {
            try options.requireWrite("index rebuild")
            let name = try name.map { try ArgumentOrigin.current.text(of: $0) }
            try Session.with(database, options) { session in
                let progress = IndexBuildProgress("index rebuild", options)
                defer { progress.finish() }
                guard let collection else { return try rebuildAll(session, progress) }
                let known = try session.collection(collection)
                let names = known.definition.indexes.map(\.name)
                if let name, !names.contains(name) { throw CommandError.noIndex(name, of: known.name, names) }
                for index in name.map({ [$0] }) ?? names {
                    try session.store().rebuildIndex(index, of: known.name) { try progress.advance($0) }
                    progress.finish()
                    options.note("index rebuild: \(index) of \(known.name) is complete")
                }
            }
        }

        private func rebuildAll(_ session: Session, _ progress: IndexBuildProgress) throws {
            let report = try session.store().rebuild { try progress.advance($0) }
            progress.finish()
            let writer = try options.writer()
            for (what, rows) in [
                ("unreadable, set aside", report.unreadableRows), ("assigned a new ID", report.shadowedRows),
                ("left in an older version", report.outdatedRows), ("deleted again", report.returnedRows),
            ] {
                for row in rows { try writer.write(["document": .string(row), "what": .string(what)]) }
            }
            for digest in report.lostAttachments {
                try writer.write(["attachment": .string(digest.description), "what": "lost"])
            }
            try writer.finish(tellsOfNothing: false)
            options.note(
                "index rebuild: \(HumanNumber.counted(report.documentCount, "document was", "documents were")) read, "
                    + "\(HumanNumber.counted(report.repairCount, "record was", "records were")) corrected, "
                    + "all indexes are complete")
            let count = report.lostAttachments.count
            guard count > 0 else { return }
            throw CommandError(
                .badData, "\(HumanNumber.counted(count, "attached file is", "attached files are")) lost",
                hint: Remedy.ofLostContents)
        }
    }

    /// Compares an index with the documents.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Compare indexes with the documents. Exit code 65 if they differ.",
            discussion: """
                Example: lkrepl index check photos.store photos rating
                All indexes are checked in one pass; a name limits which findings are shown.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The collection.") var collection: String
        @Argument(help: "The name of the index. Default: all.") var name: String?

        func run() throws {
            let name = try name.map { try ArgumentOrigin.current.text(of: $0) }
            try Session.with(database, options) { session in
                let collection = try session.collection(collection)
                let names = collection.definition.indexes.map(\.name)
                if let name, !names.contains(name) {
                    throw CommandError.noIndex(name, of: collection.name, names)
                }
                let result = try options.verification(of: session, label: "index check")
                let problems = result.findings.filter { finding in
                    guard let name else { return true }
                    return finding.index?.hasSameBytes(as: name) ?? false
                        && finding.collection?.hasSameBytes(as: collection.name) ?? false
                }
                let writer = try FindingWriter(options, session)
                for problem in problems { try writer.write(problem) }
                if !problems.isEmpty { try writer.finish() }
                guard problems.isEmpty else {
                    throw CommandError(
                        .badData, HumanNumber.counted(problems.count, "problem"),
                        hint: "\"\(Remedy.rebuild(database, collection.name, name))\" rebuilds it")
                }
                let documents = HumanNumber.counted(result.documentCount, "document")
                let entries = HumanNumber.counted(result.entryCount, "entry", "entries")
                options.note("index check: \(documents) and \(entries) agree")
            }
        }
    }
}

extension Schema {
    /// The position of a collection in the schema.
    fileprivate func position(of name: String) throws -> Int {
        guard let position = collections.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
            throw CommandError(.usage, "no collection named \(name)")
        }
        return position
    }
}

extension CommandError {
    fileprivate static func noIndex(_ name: String, of collection: String, _ names: [String]) -> CommandError {
        CommandError(
            .usage, "\(collection) has no index \(name)",
            hint: NearestName.find(near: name, of: names).map { "did you mean \($0)?" }
                ?? "use one of \(names.joined(separator: ", "))")
    }
}
