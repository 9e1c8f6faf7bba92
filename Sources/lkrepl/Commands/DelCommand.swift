import ArgumentParser
import LevelKit

/// Deletes keys.
struct DelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "del", abstract: "Delete keys. Exit code 1 if one was not there.",
        discussion: "Example: lkrepl del --write --ignore-missing app.db user/9. For documents: lkrepl doc del.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The keys.") var keys: [String]
    @Flag(name: .long, help: "A key that is not there is no failure.") var ignoreMissing = false

    func run() throws {
        try options.requireWrite("del")
        try Session.with(database, options) { session in
            try RawArgument.refuseDocumentStore(session, "del")
            let view = try view.view(of: session)
            let keys = try keys.map { try view.key(of: Invocation.plain($0)) }
            let found = try keys.count { try session.database.contains($0) }
            try session.database.write { batch in
                for key in keys { try batch.delete(key) }
            }
            if found < keys.count, !ignoreMissing { throw CommandFailure.silent(.no) }
        }
    }
}
