import ArgumentParser
import LevelKit

/// Prints the pair with the smallest key.
struct FirstCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "first", abstract: "Print the pair with the smallest key. Exit code 1 if there is none.",
        discussion: "Example: lkrepl first app.db --prefix user/")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try RangeEnd(isLast: false, options: options, view: view, range: range).run(on: database)
    }
}
