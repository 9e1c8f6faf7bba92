import ArgumentParser
import LevelKit

/// Copies the current state of a database.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Copy the current state of the database, even while another process writes.",
        discussion: """
            Example: lkrepl snapshot app.db app-copy.db
            Tables, which never change, are shared with the copy by hard links if possible; --copy copies them too. \
            Attached files are shared in the same way. The copy is an ordinary database.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The directory to create.") var directory: String
    @Flag(
        name: .long, help: "Copy the tables too, so that the copy survives damage to the original's disk blocks.")
    var copy = false

    func run() throws {
        let directory = try ArgumentOrigin.current.text(of: directory)
        let tables: Checkpoint.Tables = copy ? .copied : .linked
        // No lock is needed: a database that another process has open can be copied too.
        let report: Checkpoint
        if let session = Session.shell?.session, session.path == database, !session.isReadOnly {
            report = try session.database.checkpoint(to: directory, tables: tables)
        } else {
            report = try Checkpoint.take(of: database, to: directory, tables: tables)
        }
        let holder = report.holder.map { ", while process \($0) has it open" } ?? ""
        let attached =
            report.attachmentCount == 0 ? "" : ", with \(AttachCommand.count(report.attachmentCount)) attached"
        options.note(
            "snapshot: \(report.path) includes all writes up to \(report.lastSequence)\(holder); "
                + "\(report.linkedTableCount) tables shared, \(report.copiedTableCount) copied\(attached)")
    }
}
