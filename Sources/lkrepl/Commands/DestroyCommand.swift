import ArgumentParser
import LevelKit

/// Deletes a database.
struct DestroyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy", abstract: "Delete a database and everything in it.",
        discussion: """
            Example: lkrepl destroy --write copy.db --confirm copy.db
            Files that do not belong to LevelDB are kept. This cannot be undone.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try RawArgument.refuseShell("destroy")
        if !confirmation.dryRun { try options.requireWrite("destroy") }
        if !confirmation.dryRun { DatabaseReplacement.clearLeftovers(of: database) }
        let manifest = try Manifest(ofDatabaseAt: database)
        let size = FileDescriptor.directoryByteCount(database)
        let what = "\(size.files) files with \(HumanNumber.byteCount(size.bytes)) (\(manifest.tables.count) tables)"
        guard !confirmation.dryRun else { return options.note("destroy: would delete \(what)") }
        try confirmation.requireName(of: database, "delete the database \(database), \(what)", options)
        let left = try Database.destroy(at: database)
        options.note(
            left.isEmpty
                ? "destroy: deleted \(database)"
                : "destroy: deleted the database in \(database); kept files that do not belong to LevelDB: "
                    + left.joined(separator: ", "))
    }
}
