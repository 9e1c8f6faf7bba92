import ArgumentParser
import DocIndex

/// The options of commands that change all documents of a condition.
struct BulkChangeOptions: ParsableArguments {
    @Option(
        name: .customLong("where"), parsing: .unconditional, help: "The condition, instead of the words after WHERE.")
    var condition: String?
    @Flag(name: .long, help: "Required in place of a condition: Change every document of the collection.")
    var allDocuments = false
    @Flag(name: [.customShort("n"), .long], help: "Show what would change, before and after, and change nothing.")
    var dryRun = false
    @Flag(
        name: .long,
        help: "With --yes: Change documents even if the condition or an assignment looks like a mistake.")
    var despiteWarnings = false
    @Option(
        name: .long, parsing: .unconditional, help: "With --dry-run: Show at most this many documents. Default: 20.")
    var limit: Int?
    @Option(
        name: .long,
        help: """
            Write at most this many bytes at once, such as 256M. Default: 64M. A larger change is written in parts, each \
            all or nothing; running the command again finishes it.
            """)
    var batchBytes = ByteCountArgument(64 << 20)

    func validate() throws {
        guard (1...512 << 20).contains(batchBytes.value) else {
            throw ValidationError("--batch-bytes must be from 1 to 512M")
        }
        guard limit.map({ $0 >= 0 }) ?? true else { throw ValidationError("--limit must be 0 or more") }
        guard limit == nil || dryRun else {
            throw ValidationError("--limit needs --dry-run: it limits what is shown, not what is changed")
        }
    }

    /// The condition of the words and the options.
    ///
    /// - Parameters:
    ///   - assignments: The assignments of the command, which may use parameters too.
    ///   - selection: The name of the collection, or `@` and the name of an album.
    /// - Throws: ``CommandError`` with `usage` if there is none and `--all-documents` is missing.
    func filter(
        words: [String]?, besides assignments: [String] = [], _ conditions: ConditionOptions, _ command: String,
        _ selection: String
    ) throws -> Filter {
        let hasCondition = words != nil || condition != nil || conditions.filterJson != nil
        guard hasCondition || allDocuments else {
            throw CommandError(
                .usage, "\(command) needs a condition",
                hint: "--all-documents means every document of "
                    + (selection.hasPrefix("@") ? "the album \(selection)" : "the collection"))
        }
        guard !hasCondition || !allDocuments else {
            throw CommandError(.usage, "--all-documents and a condition cannot be combined")
        }
        if let words, words.isEmpty { throw CommandError(.usage, "\(command): a condition is expected after WHERE") }
        let filter = try conditions.filter(words: words ?? [], option: condition, besides: assignments)
        // An empty string, as of a variable that is not set, would mean every document.
        guard !hasCondition || ![.all, .and([]), .and([.all, .all])].contains(filter) else {
            throw CommandError(
                .usage, "\(command): the condition is empty",
                hint: "use --all-documents instead to select every document of the collection")
        }
        return filter
    }

    /// Runs a change: shows it for `--dry-run`, or asks for confirmation and makes it.
    ///
    /// - Parameters:
    ///   - verb: the command, such as `update`.
    ///   - done: its past tense, such as `updated`.
    ///   - doubts: what is probably a mistake in the assignments.
    ///   - change: makes the change.
    func run(
        _ verb: String, _ done: String, of filter: Filter, _ doubts: AssignmentAdvice.Doubts = .init(),
        in collection: DocumentCollection, session: Session, _ options: GlobalOptions, _ conditions: ConditionOptions,
        _ change: (BulkChange.Options, (BulkChange.Summary) throws -> Void) throws -> BulkChange.Summary
    ) throws {
        try conditions.requireSound(Query(filter), in: collection)
        var bulk = BulkChange.Options()
        bulk.commitByteCount = batchBytes.value
        bulk.query = conditions.queryOptions
        bulk.isDryRun = dryRun
        bulk.differenceCount = limit ?? 20
        var latest: BulkChange.Summary?
        if !dryRun {
            let count = try collection.count(where: filter, options: conditions.queryOptions)
            // A person reads the warning before the answer, and a script does not.
            if count > 0, options.isConfirmed, !despiteWarnings {
                let matched = "matches \(HumanNumber.counted(count, "document")), or add --despite-warnings"
                if let mistake = try conditions.mistake(in: Query(filter), of: collection) {
                    throw CommandError(
                        .usage, "\(mistake); nothing was changed", hint: "correct the condition, which \(matched)")
                }
                if let mistake = doubts.wrongValues.first {
                    throw CommandError(
                        .usage, "\(mistake); nothing was changed",
                        hint: "correct the assignment; the condition \(matched)")
                }
            }
            for doubt in doubts.all { options.note("warning: \(doubt)") }
            // Before the question: afterwards it is too late.
            try conditions.warn(of: Query(filter), in: collection, foundSomething: count > 0, options)
            if count > 0 {
                try options.confirm(
                    "\(verb) \(HumanNumber.counted(count, "document")) of \(collection.name) in \(session.path)")
            }
        }
        let progress = try options.reporter(verb, unit: .items("documents"))
        defer { progress.finish() }
        let summary: BulkChange.Summary
        do {
            summary = try change(bulk) {
                latest = $0
                progress.advance(done: $0.changedCount)
            }
        } catch is CancellationError {
            progress.finish()
            let count = latest?.changedCount ?? 0
            var failure = Interruption.failure(
                "\(HumanNumber.counted(count, "document was", "documents were")) \(done)")
            if count > 0 { failure.hint = "run the same command again to finish" }
            throw failure
        } catch let error as DocIndexError where error.code == .changeTooLarge {
            throw CommandError(.usage, error.message, hint: "--batch-bytes sets the size of a commit, up to 512M")
        }
        progress.finish()
        if dryRun {
            try show(summary, options)
            for doubt in doubts.all { options.note("warning: \(doubt)") }
            try conditions.warn(
                of: Query(filter), in: collection, foundSomething: summary.matchedCount > 0, options)
        }
        let last =
            collection.definition.history == nil || dryRun ? nil : try session.store().commits(limit: 1).first?.sequence
        options.note(Self.text(of: summary, verb, done, dryRun: dryRun, lastCommit: last))
    }

    private static func text(
        of summary: BulkChange.Summary, _ verb: String, _ done: String, dryRun: Bool, lastCommit: UInt64?
    ) -> String {
        var text =
            "\(verb): \(dryRun ? "would \(verb)" : done) \(HumanNumber.counted(summary.changedCount, "document"))"
        if summary.unchangedCount > 0 {
            text +=
                "; " + (summary.unchangedCount == 1 ? "1 needs" : "\(HumanNumber.grouped(summary.unchangedCount)) need")
                + " no change"
        }
        if summary.commitCount > 1 {
            text += ", in \(HumanNumber.grouped(summary.commitCount)) commits"
            if let lastCommit {
                text += ", which undo \(lastCommit - UInt64(summary.commitCount) + 1)-\(lastCommit) takes back"
            }
        }
        return text
    }

    // MARK: - Dry runs

    /// Writes a row for each changed document; for people, a row for each changed member.
    private func show(_ summary: BulkChange.Summary, _ options: GlobalOptions) throws {
        let mode = try options.outputMode()
        let isForPeople = mode == .table || mode == .line
        let writer = try options.writer()
        for difference in summary.differences {
            if !isForPeople {
                var row: DocumentObject = ["id": difference.id.value, "before": .object(difference.old)]
                if let new = difference.new { row["after"] = .object(new) }
                try writer.write(row)
                continue
            }
            let change = DocumentChange(old: difference.old, new: difference.new)
            for row in change.rows(behind: ["id": difference.id.value]) { try writer.write(row) }
        }
        try writer.finish()
        let hidden = summary.changedCount - summary.differences.count
        if hidden > 0 {
            options.note(
                "\(HumanNumber.counted(hidden, "more document is", "more documents are")) not shown; --limit shows more"
            )
        }
    }
}
