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
        commandName: "repair", abstract: "Make a damaged database readable again; what is damaged is lost.",
        discussion: """
            Example: lkrepl repair app.db --dry-run
            The last resort: restoring a backup is better. --dry-run repairs a copy and says what that gave. The files as \
            they were stay in a directory beside the database. Each unreadable place is a row with its file, byte and size, \
            how many entries it held, and the keys between which they lay; of a document store, each collection is a row \
            with the documents that are lost. --rebuild makes indexes, ids and counters anew from the documents that are \
            left. Exit code 65 if anything is lost. ^C stops it while these files are copied; behind that it comes to \
            its end first, because half a repair is no database, and says so.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Of a document store, also make everything anew that follows from its documents.")
    var rebuild = false

    func run() throws {
        try RawArgument.refuseShell("repair")
        if confirmation.dryRun { return try rehearse() }
        try options.requireWrite("repair")
        try confirmation.requireName(of: database, "repair \(database), which loses what is damaged", options)
        let report = try repair()
        options.note("repair: the files as they were are in \(report.backupPath)")
        try finish(report, at: database)
    }

    /// Looks at what the repair gave, and says what is lost.
    private func finish(_ report: RepairReport, at path: String) throws {
        let outcome = try RepairOutcome(report, at: path, rebuilds: rebuild, options)
        let writer = try options.writer()
        for row in outcome.rows { try writer.write(row) }
        try writer.finish()
        if outcome.isRestored, !report.losses.isEmpty {
            options.note("repair: only indexes were damaged; they are made anew, and no document is lost")
        }
        try outcome.requireWhole(database, isRehearsal: path != database)
    }

    /// Repairs the database; ^C stops it as long as nothing is changed.
    private func repair() throws -> RepairReport {
        let path = database
        UserFiles.narrowMask(toFilesOf: path)
        let stage = CurrentStage()
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
                        "repair: it comes to its end first, because half a repair is no database; a second ^C ends it at "
                            + "once, and the files as they were are in \(backup)") + "\n")
                return true
            }
        }.get()
        Interruption.forgetAnswered()
        return report
    }

    /// How far the repair has come, for the thread that waits for it.
    private final class CurrentStage: Sendable {
        let value = Mutex(RepairStage.backingUp)
    }

    /// Repairs a copy, which is removed.
    private func rehearse() throws {
        let copy = try ScratchDirectory(of: database)
        let path = copy.databasePath
        defer { remove(copy) }
        try copy.copyFiles(of: database)
        let report = try AbandonableWork.run("the repair of a copy; nothing was changed") {
            Result { try Database.repair(at: path) { _ in !Interruption.isRequested } }
        }.get()
        options.note("repair: \(database) itself was not changed")
        try finish(report, at: path)
    }

    /// Removes the copy, with the backup that the repair made in it.
    private func remove(_ copy: ScratchDirectory) {
        let path = copy.path
        copy.remove()
        // After ^C the repair is still at work on it, until the process ends.
        for _ in 0..<100 where FileDescriptor.exists(path) {
            usleep(10_000)
            ScratchDirectory.clearLeftovers(in: FileDescriptor.parent(of: path))
        }
    }
}
