import ArgumentParser
import DocIndex
import LevelKit

/// Salvages a damaged database.
struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Make a damaged database readable again; what is damaged is lost.",
        discussion: """
            Example: lkrepl repair app.db --dry-run
            The last resort: restoring a backup is better. --dry-run repairs a copy and says what that gave. The files as \
            they were stay in a directory beside the database.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try RawArgument.refuseShell("repair")
        if confirmation.dryRun { return try rehearse() }
        try options.requireWrite("repair")
        try confirmation.requireName(of: database, "repair \(database), which loses what is damaged", options)
        let report = try Database.repair(at: database)
        try write(report)
        options.note("repair: the files as they were are in \(report.backupPath)")
        try requireSound(report)
    }

    /// Repairs a copy, which is removed.
    private func rehearse() throws {
        let copy = try ScratchDirectory(of: database)
        defer { copy.remove() }
        try copy.copyFiles(of: database)
        let report = try Database.repair(at: copy.path)
        defer { FileDescriptor.removeDatabase(report.backupPath) }
        try write(report)
        options.note("repair: \(database) itself was not changed")
        try requireSound(report)
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
