import ArgumentParser
import LevelKit

/// Deletes the keys of a range.
struct DelrangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delrange", abstract: "Delete every key of a range, after saying how many there are.",
        discussion: """
            Example: lkrepl delrange --write --yes app.db --prefix tmp/
            The space comes back with compactions; see compact.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: [.customShort("n"), .long], help: "Tell how many keys there are, and delete none.") var dryRun = false

    func run() throws {
        guard range.isGiven else {
            throw CommandFailure(
                .usage, "delrange needs a range",
                hint: "for every key write --prefix '\"\"'; destroy removes a database")
        }
        if !dryRun { try options.requireWrite("delrange") }
        try Session.with(database, options) { session in
            try RawArgument.refuseDocumentStore(session, "delrange")
            let range = try range.keyRange(try view.view(of: session))
            var count = 0
            var cursor = try session.database.cursor(in: range, reverse: false, fillsCache: false)
            while try cursor.advance() {
                try Interruption.check()
                count += 1
            }
            let what = "\(HumanNumber.grouped(count)) keys"
            guard !dryRun else { return options.note("delrange: would delete \(what)") }
            if count > 0 { try options.confirm("delete \(what) of \(session.path)") }
            let deleted = try session.database.deleteRange(range)
            options.note("delrange: deleted \(HumanNumber.grouped(deleted)) keys")
        }
    }
}
