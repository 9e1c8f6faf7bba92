import ArgumentParser
import DocIndex

/// Undoes a commit.
struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the changes of one or more commits, in one new commit.",
        discussion: """
            Example: lkrepl undo photos.store --dry-run
            10-12 undoes commits 10 to 12 together, such as those of a large import. \
            Changed documents get their former content, deleted ones are stored again, and inserted ones are deleted, \
            in collections that keep a history. Each document is a row: revert, restore or delete. A document that was \
            changed again by a later commit prevents the undo, unless --overwrite is given. commits lists the commits. \
            The undo is a commit too, so it can be undone.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The number of the commit, or the first and the last of several: 10-12. Default: the last one.")
    var commit: String?
    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and change nothing.") var dryRun = false
    @Flag(name: .long, help: "Also undo changes of documents that have changed again, and lose the later changes.")
    var overwrite = false

    func run() throws {
        if !dryRun { try options.requireWrite("undo") }
        let commits = try commit.map(Self.range)
        try Session.with(database, options) { session in
            let store = try session.store()
            let preview = try preview(of: commits, in: store)
            let conflicts = preview.changes.filter { $0.laterCommit != nil }
            if !overwrite, !conflicts.isEmpty || preview.missingCount > 0 {
                try show(conflicts)
                try refuse(preview, conflicts)
            }
            try show(preview.changes)
            if !preview.collectionsWithoutHistory.isEmpty {
                options.note(
                    "undo: \(Self.name(of: preview.commits)) also changed "
                        + "\(preview.collectionsWithoutHistory.joined(separator: ", ")), which keeps no history; "
                        + "those changes are not undone")
            }
            let what = Self.text(preview)
            guard !dryRun else { return options.note("undo: would undo \(Self.name(of: preview.commits)): \(what)") }
            let losses =
                conflicts.isEmpty
                ? "" : ", and lose the later changes of \(HumanNumber.counted(conflicts.count, "document"))"
            try options.confirm("undo \(Self.name(of: preview.commits)): \(what)\(losses)")
            // With the numbers, because another commit may have been made since the question.
            let undo = try store.undo(commits: preview.commits, overwriting: overwrite)
            guard let sequence = undo.sequence else { return options.note("undo: nothing had to be changed") }
            options.note("undo: commit \(sequence) undid \(Self.name(of: undo.commits)): \(Self.text(undo))")
        }
    }

    /// The effects of the undo. If the last commit cannot be undone, the error names the last one that can.
    private func preview(of commits: ClosedRange<UInt64>?, in store: DocumentStore) throws -> DocumentStore.Undo {
        do {
            if let commits { return try store.previewUndo(ofCommits: commits) }
            return try store.previewUndo()
        } catch let error as DocIndexError where error.code == .notInHistory && commits == nil {
            var failure = CommandError(error)
            let last = try store.commits().first { (try? store.previewUndo(of: $0.sequence)) != nil }
            failure.hint = last.map { commit in
                "the last commit that can be undone is \(commit.sequence): "
                    + (Session.shell == nil ? "lkrepl undo --write \(ShellWord.quoted(database)) " : "undo ")
                    + "\(commit.sequence)"
            }
            throw failure
        }
    }

    private func show(_ changes: [DocumentStore.Undo.Change]) throws {
        let writer = try options.writer(columns: ["undo", "collection", "id", "later"])
        for change in changes {
            try Interruption.check()
            var row: DocumentObject = [
                "undo": .string(change.kind.rawValue), "collection": .string(change.collection), "id": change.id.value,
            ]
            if let later = change.laterCommit { row["later"] = .int(Int64(clamping: later)) }
            try writer.write(row)
        }
        try writer.finish()
    }

    /// Throws if the undo would lose later changes, or leave changes out.
    private func refuse(_ undo: DocumentStore.Undo, _ conflicts: [DocumentStore.Undo.Change]) throws {
        if let change = conflicts.first, let later = change.laterCommit,
            let last = conflicts.compactMap(\.laterCommit).max()
        {
            let others = conflicts.count > 1 ? ", like \(HumanNumber.counted(conflicts.count - 1, "other"))" : ""
            throw CommandError(
                .badData,
                "the document \(change.id) of \(change.collection) was changed again by commit \(later)\(others)",
                hint: "undo all together with \(undo.commits.lowerBound)-\(last), or add --overwrite to lose the later "
                    + "changes")
        }
        if undo.missingCount > 0 {
            throw CommandError(
                .badData,
                "\(HumanNumber.counted(undo.missingCount, "change")) of \(Self.name(of: undo.commits)) "
                    + "\(undo.missingCount == 1 ? "is" : "are") no longer in the history",
                hint: "add --overwrite to undo the others")
        }
    }

    /// The commits in `10` or `10-12`.
    private static func range(_ text: String) throws -> ClosedRange<UInt64> {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = UInt64(parts[0]), let last = UInt64(parts[parts.count - 1]),
            first <= last
        else {
            throw CommandError(
                .usage, "\(text) is not the number of a commit, such as 12, or of several, such as 10-12",
                hint: "commits lists them")
        }
        return first...last
    }

    private static func name(of commits: ClosedRange<UInt64>) -> String {
        commits.count == 1
            ? "commit \(commits.upperBound)" : "commits \(commits.lowerBound) to \(commits.upperBound)"
    }

    private static func text(_ undo: DocumentStore.Undo) -> String {
        let counts = [DocumentStore.Undo.Change.Kind.revert, .restore, .delete].map { kind in
            (kind, undo.changes.count { $0.kind == kind })
        }
        return counts.filter { $0.1 > 0 }.map { "\($0.0.rawValue) \(HumanNumber.grouped($0.1))" }.joined(
            separator: ", ")
    }
}
