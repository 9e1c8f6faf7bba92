import ArgumentParser
import DocIndex

/// Lists conflicts, or shows one.
struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List documents that replicas have edited independently, or compare one.",
        discussion: """
            Example: lkrepl conflicts photos.store photos
            All replicas read the first version, the winner, and keep the others until the conflict is resolved. \
            Without an ID, each document is a row with its revisions and the members in which they differ. With an ID, \
            the versions and their common base are shown member by member; scripts get each version as a row. Exit \
            code 1 if that document has no conflict. resolve resolves conflicts.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The document ID. Default: all documents with a conflict.") var id: String?
    @Option(name: .long, parsing: .unconditional, help: "List at most this many documents. Default: all.")
    var limit: Int?

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be 1 or more") }
    }

    func run() throws {
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            if let id {
                return try show(try collection.conflict(named: id))
            }
            let writer = try options.writer(columns: ["id", "versions", "differ", "base"])
            var count = 0
            try collection.forEachConflict { conflict in
                try Interruption.check()
                var row: DocumentObject = [
                    "id": conflict.id.value,
                    "versions": .array(conflict.versions.map { .string($0.revision.description) }),
                    "differ": .array(conflict.differingMembers.map { .string($0) }),
                ]
                if let base = conflict.base { row["base"] = .string(base.revision.description) }
                try writer.write(row)
                count += 1
                return limit.map { count < $0 } ?? true
            }
            try writer.finish(tellsOfNothing: false)
            if try count == 0 && !collection.isReplicated() {
                options.note("conflicts: \(collection.name) is not replicated, so it has no conflicts")
            } else if limit == nil {
                options.note("conflicts: \(HumanNumber.grouped(count)) in \(collection.name)")
            }
        }
    }

    // MARK: - One conflict

    private func show(_ conflict: DocumentConflict) throws {
        let mode = try options.outputMode()
        guard mode == .table || mode == .line else { return try showVersions(conflict) }
        var columns: [(name: String, content: DocumentObject)] = []
        for (index, version) in conflict.versions.enumerated() {
            let mark = index == 0 ? " (winner)" : ""
            columns.append((Self.abbreviation(of: version.revision) + mark, version.content))
        }
        if let base = conflict.base {
            columns.append((Self.abbreviation(of: base.revision) + " (base)", base.content))
        }
        let writer = try options.writer(columns: ["member"] + columns.map(\.name))
        for name in conflict.differingMembers {
            var row: DocumentObject = ["member": .string(name)]
            for column in columns { row[column.name] = column.content[name] }
            try writer.write(row)
        }
        try writer.finish(tellsOfNothing: false)
        if conflict.differingMembers.isEmpty { options.note("conflicts: the versions have the same content") }
        if conflict.base == nil { options.note("conflicts: the common base is not stored") }
    }

    /// A revision with the first digits of its ID, which ``ResolveCommand`` accepts.
    private static func abbreviation(of revision: Document.Revision) -> String {
        let text = revision.description
        let digits = text.firstIndex(of: "-").map { text.index($0, offsetBy: 9, limitedBy: text.endIndex) } ?? nil
        return digits.map { String(text[..<$0]) } ?? text
    }

    private func showVersions(_ conflict: DocumentConflict) throws {
        let writer = try options.writer()
        for (index, version) in conflict.versions.enumerated() {
            try writer.write([
                "revision": .string(version.revision.description), "role": index == 0 ? "winner" : "other",
                "document": .object(version.content),
            ])
        }
        if let base = conflict.base {
            try writer.write([
                "revision": .string(base.revision.description), "role": "base", "document": .object(base.content),
            ])
        }
        try writer.finish()
    }
}

extension DocumentCollection {
    /// The conflict of the document that an argument names.
    ///
    /// - Throws: ``CommandError`` with `no` if there is none.
    func conflict(named argument: String) throws -> DocumentConflict {
        let ids = try DocumentID.candidates(argument)
        if let conflict = try ids.lazy.compactMap({ try conflict(of: $0) }).first { return conflict }
        guard try isReplicated() else {
            throw CommandError(.no, "\(name) is not replicated, so its documents have no conflicts")
        }
        guard let id = try ids.first(where: { try contains($0) }) else {
            throw CommandError.noDocument(argument, in: name)
        }
        throw CommandError(.no, "the document \(id) of \(name) has no conflict")
    }

    /// Calls `body` with each conflict in the order of IDs, until it returns `false`.
    func forEachConflict(_ body: (DocumentConflict) throws -> Bool) throws {
        var last: DocumentID?
        while true {
            let ids = try conflicted(after: last)
            guard !ids.isEmpty else { return }
            for id in ids {
                last = id
                if let conflict = try conflict(of: id), try !body(conflict) { return }
            }
        }
    }
}
