import ArgumentParser
import LevelKit

/// Prints the pair with the largest key.
struct LastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "last", abstract: "Print the pair with the largest key. Exit code 1 if there is none.",
        discussion: "Example: lkrepl last app.db --prefix user/")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The database.") var database: String

    func run() throws {
        try RangeEnd(isLast: true, options: options, view: view, range: range).run(on: database)
    }
}
