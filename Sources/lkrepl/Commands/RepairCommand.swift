import ArgumentParser
import DocIndex
import LevelKit
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Salvages a damaged database.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Make a damaged database readable again; damaged data is lost.",
        discussion: """
            Example: lkrepl repair app.db --dry-run
            The last resort: restoring a backup is better. --dry-run repairs a copy and reports the result. The \
            original files are kept in a directory next to the database. Each unreadable place is a row with its file, \
            byte and size, the number of entries it held, and the keys between which they lay; for a document store, \
            each collection is a row with its lost documents, and the lost attached files are a row with their \
            digests. --rebuild rebuilds indexes, IDs and counters from the remaining documents. Exit code 65 if \
            anything is lost. ^C stops the repair while it copies the files; afterwards the repair runs to its end, \
            because a half-repaired database is unusable, and says so.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Also rebuild everything derived from the documents of a document store.")
    var rebuild = false

    func run() throws {
        try RawArgument.refuseShell("repair")
        try DatabaseAccess.requireNoPackage(database)
        if confirmation.dryRun { return try rehearse() }
        try options.requireWrite("repair")
        try confirmation.requireName(of: database, "repair \(database) and lose damaged data", options)
        let report = try repair()
        options.note("repair: the original files are in \(report.backupPath)")
        do {
            try finish(report, at: database)
        } catch let error where Interruption.isRequested {
            // ^C came after the repair, or is the one that it has answered.
            var failure = CommandError(error)
            failure.hint =
                "the repair is complete, but the list of what was lost may not be: lkrepl repair --dry-run "
                + "\(ShellWord.quoted(report.backupPath)) prints it"
            throw failure
        }
    }

    /// Reports the result of the repair and what was lost.
    private func finish(_ report: Database.RepairReport, at path: String) throws {
        let outcome = try RepairOutcome(report, at: path, rebuilds: rebuild, options)
        let writer = try options.writer()
        for row in outcome.rows { try writer.write(row) }
        try writer.finish()
        if outcome.isRestored, !report.losses.isEmpty {
            options.note("repair: only indexes were damaged; they have been rebuilt, and no document was lost")
        }
        try outcome.requireWhole(database, dryRun: path != database)
    }

    /// Repairs the database; ^C stops it while nothing has been changed.
    private func repair() throws -> Database.RepairReport {
        let path = database
        UserFiles.narrowMask(toFilesOf: path)
        let stage = CurrentStage()
        CrashReports.explainAborts(
            "the files as they were are in the newest directory \(VisibleText.singleLine(path)).before-repair-N; please "
                + "report this, with a copy of them")
        let report = try AbandonableWork.finishing {
            Result {
                try Database.repair(at: path) { new in
                    stage.value.withLock { $0 = new }
                    return !Interruption.isRequested
                }
            }
        } whenAsked: {
            switch stage.value.withLock({ $0 }) {
            case .backingUp: return false
            case .repairing(let backup), .verifying(let backup):
                StandardError.shared.write(
                    VisibleText.singleLine(
                        "repair: continuing, because a half-repaired database is unusable; a second ^C stops it "
                            + "at once, with the original files in \(backup)") + "\n")
                return true
            }
        }.get()
        Interruption.forgetAnswered()
        return report
    }

    /// The current stage of the repair, shared with the waiting thread.
    private final class CurrentStage: Sendable {
        let value = Mutex(Database.RepairReport.Stage.backingUp)
    }

    /// Repairs a copy of the database, and removes it afterwards.
    private func rehearse() throws {
        let copy = try ScratchDirectory(of: database)
        let path = copy.databasePath
        defer { remove(copy) }
        try copy.copyFiles(of: database)
        let result = try AbandonableWork.run("the repair of a copy; nothing was changed") {
            Result { try Database.repair(at: path) { _ in !Interruption.isRequested } }
        }
        if case .failure(let error as LevelError) = result {
            // The copy is gone when the message is read.
            var failure = CommandError(error)
            failure.message = failure.message.replacing(/; the original files are in .*$/, with: "")
                .replacing(path, with: database)
            failure.hint = failure.hint?.replacing(path, with: database)
            throw failure
        }
        let report = try result.get()
        options.note("repair: \(database) itself was not changed")
        try finish(report, at: path)
    }

    /// Removes the copy, including the backup that the repair made in it.
    private func remove(_ copy: ScratchDirectory) {
        let path = copy.path
        copy.remove()
        // After ^C the repair continues in the copy until the process ends.
        for _ in 0..<100 where FileDescriptor.exists(path) {
            usleep(10_000)
            ScratchDirectory.clearLeftovers(in: FileDescriptor.parent(of: path))
        }
    }
}
