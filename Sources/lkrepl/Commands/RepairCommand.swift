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
            they were stay in a directory beside the database. ^C stops it while these files are copied; behind that it comes to \
            its end first, because half a repair is no database, and says so.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try RawArgument.refuseShell("repair")
        if confirmation.dryRun { return try rehearse() }
        try options.requireWrite("repair")
        try confirmation.requireName(of: database, "repair \(database), which loses what is damaged", options)
        let report = try repair()
        try write(report)
        options.note("repair: the files as they were are in \(report.backupPath)")
        try requireSound(report)
    }

    /// Repairs the database; ^C stops it as long as nothing is changed.
    private func repair() throws -> RepairReport {
        let path = database
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
        try write(report)
        options.note("repair: \(database) itself was not changed")
        try requireSound(report)
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

    private func write(_ report: RepairReport) throws {
        let writer = try options.writer()
        let rows: [(String, DocumentValue)] = [
            ("keys", .int(Int64(clamping: report.verification.keyCount))),
            ("bytes left out", .int(Int64(clamping: report.droppedByteCount))),
            ("order of keys known", .bool(report.isOrderChecked)),
            ("files moved to lost", .array(report.archivedNames.map { .string($0) })),
            ("files that were obsolete", .array(report.obsoleteNames.map { .string($0) })),
            ("problems left", .array(report.verification.problems.map { .string($0.description) })),
        ]
        for (what, value) in rows { try writer.write(["what": .string(what), "value": value]) }
        for message in report.messages { try writer.write(["what": "message", "value": .string(message.description)]) }
        try writer.finish()
    }

    private func requireSound(_ report: RepairReport) throws {
        guard report.verification.isSound else {
            throw CommandFailure(
                .badData, "\(report.verification.problems.count) problems are left", hint: "restore a backup")
        }
    }
}
