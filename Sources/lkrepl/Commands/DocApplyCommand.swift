import ArgumentParser
import DocIndex

extension DocCommand {
    /// Applies operations on documents from a file.
    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply", abstract: "Put, patch, update and delete documents from JSON lines, in one commit.",
            discussion: """
                Example: lkrepl doc apply --write photos.store changes.jsonl
                A line is {"put": {...}}, {"patch": {...}, "id": "a1"}, {"update": "rating = 5", "id": "a1"} or \
                {"delete": "a1"}. "in" names the collection if the store has several. "if" is "absent", "present", \
                {"sequence": 12} (the last commit of the document, as feeds report it) or {"content": {...}}. If one line \
                fails, nothing is written. UTF-16 and byte order marks are accepted. {"$date": ...} is a date, {"$bytes": ...} bytes, {"$attachment": ...} an attachment.
                """)

        @OptionGroup var options: GlobalOptions
        @Argument(help: "The store.") var database: String
        @Argument(help: "The file, or - for standard input.") var file: String
        @Flag(name: [.customShort("n"), .long], help: "Apply the file to a temporary copy of the store only.")
        var dryRun = false
        @Flag(name: .long, help: "Store objects such as {\"$date\": ...} literally.") var literal = false

        /// An operation and the number of its line.
        private struct Line {
            let number: Int
            let operation: DocumentOperation
        }

        func run() throws {
            if !dryRun { try options.requireWrite("doc apply") }
            let file = try ArgumentOrigin.current.text(of: file)
            let name = file == "-" ? "standard input" : file
            let lines = try lines(of: file, name: name)
            let deletions = lines.count { $0.operation.isDeletion }
            if deletions > 0, !dryRun {
                try options.confirmAtTerminal(
                    "apply a file that deletes \(HumanNumber.counted(deletions, "document"))")
            }
            if dryRun {
                try Session.rehearsing(database) { try apply(lines, of: name, to: $0) }
            } else {
                try Session.with(database, options) { try apply(lines, of: name, to: $0) }
            }
        }

        private func lines(of file: String, name: String) throws -> [Line] {
            let input = try InputFile(path: file, decodes: true)
            var reader = input.lines()
            var lines: [Line] = []
            while let line = try RawArgument.nextLine(&reader, of: name) {
                try Interruption.check("\(HumanNumber.grouped(lines.count)) operations were read, none applied")
                guard !line.bytes.isEmpty else { continue }
                do {
                    lines.append(
                        Line(
                            number: line.number,
                            operation: try DocumentOperation(line: line.bytes, isLiteral: literal)))
                } catch {
                    throw CommandError(error).within("\(name):\(line.number)")
                }
            }
            return lines
        }

        private func apply(_ lines: [Line], of name: String, to session: Session) throws {
            var newIDCount = 0
            var counts = (puts: 0, patches: 0, updates: 0, deletions: 0, missing: 0)
            var preview = OperationPreview()
            let store = try session.store()
            try Self.namingLines(lines, of: name, in: session) {
                try store.write { transaction in
                    for line in lines {
                        try Interruption.check("no change")
                        do {
                            let collection = try session.definition(of: line.operation.collection)
                            if line.number <= Self.advisedLineCount {
                                try advise(line.operation, in: try store.collection(collection.name))
                            }
                            if dryRun { try preview.note(line.operation, in: collection, transaction) }
                            let wasThere = try line.operation.apply(to: transaction, in: collection)
                            switch line.operation.action {
                            case .put(let content):
                                counts.puts += 1
                                if content[collection.idField] == nil { newIDCount += 1 }
                            case .patch: counts.patches += 1
                            case .update: counts.updates += 1
                            case .delete where wasThere: counts.deletions += 1
                            case .delete: counts.missing += 1
                            }
                        } catch {
                            throw CommandError(error).within("\(name):\(line.number)")
                        }
                    }
                }
            }
            let parts = [
                (counts.puts, "put"), (counts.patches, "patched"), (counts.updates, "updated"),
                (counts.deletions, "deleted"), (counts.missing, "not found for deletion"),
            ].filter { $0.0 > 0 }.map { "\(HumanNumber.grouped($0.0)) \($0.1)" }
            var what = parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
            if dryRun { try preview.show(in: store, options) }
            if newIDCount > 0 { what += "; \(HumanNumber.grouped(newIDCount)) with a new ID" }
            options.note("doc apply: \(what)\(dryRun ? "; dry run, nothing was written" : "")")
        }

        /// The number of lines, from the first, that are checked for probable mistakes.
        private static let advisedLineCount = 20

        /// Warns of members and assignments that look like a mistake.
        private func advise(_ operation: DocumentOperation, in collection: DocumentCollection) throws {
            let doubts: [String] =
                switch operation.action {
                case .patch(_, let patch): try AssignmentAdvice.doubts(about: patch, in: collection)
                case .update(_, let update): try AssignmentAdvice(update, collection).doubts(isStrict: false).all
                case .put, .delete: []
                }
            for doubt in doubts { options.note("warning: \(doubt)") }
        }

        /// Runs `body`; an error about equal values of a unique index then also names the lines of their documents.
        private static func namingLines(
            _ lines: [Line], of name: String, in session: Session, _ body: () throws -> Void
        ) throws {
            do {
                try body()
            } catch let error as DocIndexError {
                guard let violation = error.uniqueViolation else { throw error }
                let idField = try session.definition(of: violation.collection).idField
                let numbers = lines.map(\.operation).enumerated().filter { _, operation in
                    (operation.collection ?? violation.collection) == violation.collection
                        && operation.id(named: idField).map(violation.ids.contains) ?? false
                }.map { lines[$0.offset].number }
                guard !numbers.isEmpty else { throw error }
                let noun = numbers.count == 1 ? "line" : "lines"
                throw CommandError(error).within("\(name), \(noun) \(numbers.map(String.init).joined(separator: ", "))")
            }
        }
    }
}

/// The documents that a file of operations would change, as they were before, to be shown with what they become.
private struct OperationPreview {
    /// The maximum number of documents shown.
    private static let limit = 20

    private struct Place: Hashable {
        let collection: String
        let id: DocumentID
    }

    private var places: [Place] = []
    private var seen: Set<Place> = []
    /// The documents that existed.
    private var before: [Place: DocumentObject] = [:]
    /// The documents that get a new ID, and their collection.
    private var created: [(collection: String, content: DocumentObject)] = []
    private var createdCount = 0

    /// Notes the document of an operation that is about to be applied.
    mutating func note(
        _ operation: DocumentOperation, in collection: CollectionDefinition, _ transaction: Transaction
    ) throws {
        guard let id = operation.id(named: collection.idField) else {
            createdCount += 1
            if created.count < Self.limit, case .put(let content) = operation.action {
                created.append((collection.name, content))
            }
            return
        }
        let place = Place(collection: collection.name, id: id)
        guard seen.insert(place).inserted, places.count < Self.limit else { return }
        places.append(place)
        before[place] = try transaction.document(id, in: collection.name)?.content
    }

    /// Writes a row for each document, or for people a row for each changed member.
    func show(in store: DocumentStore, _ options: GlobalOptions) throws {
        let isForPeople = try [.table, .line].contains(options.outputMode())
        let writer = try options.writer()
        for place in places {
            let change = DocumentChange(
                old: before[place], new: try store.collection(place.collection).document(place.id)?.content)
            var row: DocumentObject = ["collection": .string(place.collection), "id": place.id.value]
            if isForPeople {
                for row in change.rows(behind: row) { try writer.write(row) }
            } else if change.old != change.new {
                row["before"] = change.old.map { .object($0) }
                row["after"] = change.new.map { .object($0) }
                try writer.write(row)
            }
        }
        for (collection, content) in created.prefix(Self.limit - places.count) {
            try writer.write(["collection": .string(collection), "after": .object(content)])
        }
        try writer.finish(tellsOfNothing: false)
        let hidden = seen.count + createdCount - min(Self.limit, places.count + created.count)
        if hidden > 0 {
            options.note("\(HumanNumber.counted(hidden, "more document is", "more documents are")) not shown")
        }
    }
}

extension Session {
    /// The declaration of a collection that input names, or of the only one if it names none.
    fileprivate func definition(of name: String?) throws -> CollectionDefinition {
        guard let name else { return try collection(nil).definition }
        let known = try collections()
        guard let found = known.first(where: { $0.name.hasSameBytes(as: name) }) else {
            let names = known.map(\.name)
            throw CommandError(
                .badData, "no collection named \(name); the store has \(names.joined(separator: ", "))",
                hint: NearestName.find(near: name, of: names).map { "did you mean \($0)?" })
        }
        return found.definition
    }
}
