import ArgumentParser
import DocIndex
import LevelKit

/// Deletes a database.
struct DestroyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy", abstract: "Delete a database and everything in it.",
        discussion: """
            Example: lkrepl destroy --write copy.db --confirm copy.db
            Attached files are deleted as well. Files that do not belong to LevelDB or the store are kept. \
            This cannot be undone.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var confirmation: ConfirmationOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try RawArgument.refuseShell("destroy")
        try DatabaseAccess.requireNoPackage(database)
        if !confirmation.dryRun { try options.requireWrite("destroy") }
        // A slash or a period at the end would follow the link.
        var name = database
        while name.count > 1, name.hasSuffix("/") || name.hasSuffix("/.") { name.removeLast() }
        if FileDescriptor.isLink(name) {
            let target = FileDescriptor.resolvingLinks(name)
            throw CommandError(
                .usage, "\(database) is a link to \(target); nothing was deleted",
                hint: "name \(target) itself, and remove the link with rm")
        }
        if !confirmation.dryRun { DatabaseReplacement.clearLeftovers(of: database) }
        let manifest = try Self.manifest(of: database)
        let size = FileDescriptor.directoryByteCount(database)
        let tables = HumanNumber.counted(manifest.tables.count, "table")
        var what = "\(HumanNumber.counted(size.files, "file")) (\(HumanNumber.byteCount(size.bytes)), \(tables))"
        let attached = Self.attachedFiles(of: database)
        if attached.files > 0 {
            what +=
                " and \(AttachCommand.count(attached.files)) attached (\(HumanNumber.byteCount(attached.bytes)))"
        }
        guard !confirmation.dryRun else { return options.note("destroy: would delete \(what)") }
        try confirmation.requireName(of: database, "delete the database \(database), \(what)", options)
        let left = try Database.destroy(at: database)
        options.note(
            left.isEmpty
                ? "destroy: deleted \(database)"
                : "destroy: deleted the database in \(database); kept files that do not belong to LevelDB: "
                    + left.joined(separator: ", "))
    }

    private static func manifest(of database: String) throws -> Manifest {
        do {
            return try Manifest(ofDatabaseAt: database)
        } catch {
            guard error.code == .corruption else { throw error }
            var failure = CommandError(error)
            failure.hint =
                "destroy deletes only what it recognizes as a database; remove the directory with rm -r if nothing in it "
                + "is needed"
            throw failure
        }
    }

    /// The attached files that are not in the database. They are counted even if it is damaged.
    private static func attachedFiles(of database: String) -> (bytes: Int, files: Int) {
        let directory = database + "/attachments"
        return FileDescriptor.names(in: directory).filter { $0.utf8.count == 2 }.reduce((0, 0)) { sum, name in
            let part = FileDescriptor.directoryByteCount(directory + "/" + name)
            return (sum.0 + part.bytes, sum.1 + part.files)
        }
    }
}
