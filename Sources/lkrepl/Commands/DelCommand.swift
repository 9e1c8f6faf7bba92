import ArgumentParser
import LevelKit

/// Deletes keys.
struct DelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "del", abstract: "Delete keys. Exit code 1 if a key does not exist.",
        discussion: "Example: lkrepl del --write --ignore-missing app.db user/9. For documents, use lkrepl doc del.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The keys.") var keys: [String]
    @Flag(name: .long, help: "Ignore keys that do not exist.") var ignoreMissing = false
    @Flag(name: [.customShort("n"), .long], help: "Show which keys exist, and delete none.") var dryRun = false

    func run() throws {
        if !dryRun { try options.requireWrite("del") }
        try Session.with(database, options) { session in
            if !dryRun { try RawArgument.refuseDocumentStore(session, "del") }
            let view = try view.view(of: session)
            let keys = try keys.map { try view.key(of: ProtectedArgument.plain($0)) }
            let found = try keys.filter { try session.database.contains($0) }
            if dryRun {
                let names = found.map { view.text(of: $0) }.joined(separator: " ")
                options.note("del: would delete \(found.count) of \(keys.count)" + (found.isEmpty ? "" : ": \(names)"))
            } else if !found.isEmpty {
                try session.database.write { batch in
                    for key in found { try batch.delete(key) }
                }
            }
            guard !ignoreMissing, let missing = keys.first(where: { !found.contains($0) }) else { return }
            if keys.count == 1 { throw CommandError.noKey(missing, in: database) }
            throw CommandError(
                .no,
                "\(dryRun ? "would delete" : "deleted") \(found.count) of \(keys.count) keys; "
                    + "there is no key \(view.text(of: missing)) in \(database)",
                hint: "--ignore-missing accepts that")
        }
    }
}
