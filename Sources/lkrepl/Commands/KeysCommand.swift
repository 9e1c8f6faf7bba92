import ArgumentParser
import LevelKit

/// Prints keys in order.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Print keys in order.",
        discussion: "Example: lkrepl keys app.db --match 'user/*'")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var filter: FilterOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Show the bytes of keys and values too.") var sizes = false

    func run() throws {
        try PairListing(content: sizes ? .sizes : .keys, options: options, view: view, range: range, filter: filter)
            .run(on: database)
    }
}
