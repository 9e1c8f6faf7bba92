import ArgumentParser
import LevelKit

/// Copies a database as it is at one moment.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Make a copy of the database as it is now, also while another process writes.",
        discussion: """
            Example: lkrepl snapshot app.db app-copy.db
            Tables, which never change, are shared with the copy by hard links where that is possible; --copy shares \
            nothing. The copy is a database like any other.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The directory to make.") var directory: String
    @Flag(
        name: .long, help: "Copy the tables too, so that the copy outlives damage to the disk blocks of the original.")
    var copy = false

    func run() throws {
        let directory = try ArgumentOrigin.current.text(of: directory)
        let tables: Checkpoint.Tables = copy ? .copied : .linked
        // No lock is needed: what another process has open is copied as well.
        let report: CheckpointReport
        if let session = Session.shell?.session, session.path == database, !session.isReadOnly {
            report = try session.database.checkpoint(to: directory, tables: tables)
        } else {
            report = try Checkpoint.take(of: database, to: directory, tables: tables)
        }
        let holder = report.holder.map { ", while process \($0) has it open" } ?? ""
        options.note(
            "snapshot: \(report.path) holds write \(report.lastSequence) and all before it\(holder); "
                + "\(report.linkedTableCount) tables shared, \(report.copiedTableCount) copied")
    }
}
