import ArgumentParser
import DocIndex

/// Undoes a commit.
struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the changes of a commit, in one new commit.",
        discussion: """
            Example: lkrepl undo photos.store --dry-run
            Changed documents get their former content, deleted ones are stored again, and inserted ones are deleted, \
            in collections that keep a history. Each document is a row: revert, restore or delete. A document that was \
            changed again by a later commit prevents the undo, unless --overwrite is given. commits lists the commits. \
            The undo is a commit too, so it can be undone.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The number of the commit. Default: the last one.") var commit: UInt64?
    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and change nothing.") var dryRun = false
    @Flag(name: .long, help: "Also undo changes of documents that have changed again, and lose the later changes.")
    var overwrite = false

    func run() throws {
        if !dryRun { try options.requireWrite("undo") }
        try Session.with(database, options) { session in
            let store = try session.store()
            let preview = try preview(in: store)
            try show(preview)
            let conflicts = preview.changes.count { $0.laterCommit != nil }
            if !overwrite { try refuse(preview, conflicts) }
            let what = Self.text(preview)
            guard !dryRun else { return options.note("undo: would undo commit \(preview.commit): \(what)") }
            let losses = conflicts > 0 ? ", and lose the later changes of \(HumanNumber.grouped(conflicts))" : ""
            try options.confirm("undo commit \(preview.commit): \(what)\(losses)")
            // With the number, because another commit may have been made since the question.
            let undo = try store.undo(preview.commit, overwriting: overwrite)
            guard let sequence = undo.sequence else { return options.note("undo: nothing had to be changed") }
            options.note("undo: commit \(sequence) undid commit \(undo.commit): \(Self.text(undo))")
        }
    }

    /// The effects of the undo. If the last commit cannot be undone, the error names the last one that can.
    private func preview(in store: DocumentStore) throws -> DocumentStore.Undo {
        do {
            return try store.previewUndo(of: commit)
        } catch let error as DocIndexError where error.code == .notInHistory && commit == nil {
            var failure = CommandError(error)
            let last = try store.commits().first { (try? store.previewUndo(of: $0.sequence)) != nil }
            failure.hint = last.map { commit in
                "the last commit that can be undone is \(commit.sequence): undo "
                    + (Session.shell == nil ? "\(ShellWord.quoted(database)) " : "") + "\(commit.sequence)"
            }
            throw failure
        }
    }

    private func show(_ undo: DocumentStore.Undo) throws {
        let writer = try options.writer(columns: ["undo", "collection", "id", "later"])
        for change in undo.changes {
            try Interruption.check()
            var row: DocumentObject = [
                "undo": .string(change.kind.rawValue), "collection": .string(change.collection), "id": change.id.value,
            ]
            if let later = change.laterCommit { row["later"] = .int(Int64(clamping: later)) }
            try writer.write(row)
        }
        try writer.finish()
        if !undo.collectionsWithoutHistory.isEmpty {
            options.note(
                "undo: the commit also changed \(undo.collectionsWithoutHistory.joined(separator: ", ")), where no "
                    + "history is kept; these changes stay")
        }
    }

    /// Throws if the undo would lose later changes, or leave changes out.
    private func refuse(_ undo: DocumentStore.Undo, _ conflicts: Int) throws {
        if let change = undo.changes.first(where: { $0.laterCommit != nil }), let later = change.laterCommit {
            let others = conflicts > 1 ? ", like \(HumanNumber.counted(conflicts - 1, "other"))" : ""
            throw CommandError(
                .badData,
                "the document \(change.id) of \(change.collection) was changed again by commit \(later)\(others)",
                hint: "undo the later commit first, or add --overwrite to lose the later changes")
        }
        if undo.missingCount > 0 {
            throw CommandError(
                .badData,
                "\(HumanNumber.counted(undo.missingCount, "change")) of commit \(undo.commit) "
                    + "\(undo.missingCount == 1 ? "is" : "are") no longer in the history",
                hint: "add --overwrite to undo the others")
        }
    }

    private static func text(_ undo: DocumentStore.Undo) -> String {
        let counts = [DocumentStore.Undo.Change.Kind.revert, .restore, .delete].map { kind in
            (kind, undo.changes.count { $0.kind == kind })
        }
        return counts.filter { $0.1 > 0 }.map { "\($0.0.rawValue) \(HumanNumber.grouped($0.1))" }.joined(
            separator: ", ")
    }
}
