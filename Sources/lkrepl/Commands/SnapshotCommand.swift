import ArgumentParser
import DocIndex
import LevelKit

/// Copies the current state of a database.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Copy the current state of the database, even while another process writes.",
        discussion: """
            Example: lkrepl snapshot app.db app-copy.db
            Tables, which never change, are shared with the copy by hard links if possible; --copy copies them too. \
            Attached files are shared in the same way. The copy is an ordinary database. Exit code 65 if attached \
            files are missing in it, because they are missing in the original; each is a row.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The directory to create.") var directory: String
    @Flag(
        name: .long, help: "Copy the tables too, so that the copy survives damage to the original's disk blocks.")
    var copy = false

    func run() throws {
        let directory = try ArgumentOrigin.current.text(of: directory)
        try DatabaseAccess.requireNoPackage(database)
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
                + HumanNumber.counted(report.linkedTableCount, "table")
                + " shared, \(report.copiedTableCount) copied\(attached)")
        if NewFile.packing(of: directory) != nil {
            options.note("snapshot: the copy is a directory; tar -czf FILE \(ShellWord.quoted(directory)) packs it")
        }
        try reportLostContents(of: report.path)
    }

    /// Lists the attached files that the copy lacks.
    private func reportLostContents(of path: String) throws {
        // The copy of a damaged database, or of one with a different order of keys, is as it is: verify says more.
        guard let session = try? Session(path: path, access: DatabaseAccess(isExclusive: false, isQuiet: true)) else {
            return options.note(
                "snapshot: the copy was made, but its attached files could not be checked; run verify on the copy to see why"
            )
        }
        defer { try? session.close() }
        guard (try? session.isDocumentStore()) ?? false else { return }
        let writer = try options.writer(columns: ["sha256", "bytes", "problem"])
        var lostCount = 0
        let attachments = try session.attachments()
        try attachments.forEachContent { info in
            guard let problem = try attachments.problem(of: info, readsContent: false) else { return }
            lostCount += 1
            try writer.write([
                "sha256": .string(info.digest.description), "bytes": .int(info.byteCount),
                "problem": .string(problem),
            ])
        }
        try writer.finish(tellsOfNothing: false)
        guard lostCount > 0 else { return }
        throw CommandError(
            .badData, "snapshot: the copy lacks \(AttachCommand.count(lostCount)), like the original",
            hint: Remedy.ofLostContents)
    }
}
