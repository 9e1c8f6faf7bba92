import ArgumentParser
import LevelKit

/// Prints pairs in key order.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Print keys and values in order.",
        discussion: "Example: lkrepl scan app.db --prefix user/ --limit 10")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var filter: FilterOptions
    @Argument(help: "The database.") var database: String
    @Flag(name: .long, help: "Print only keys, like the command keys.") var keys = false
    @Flag(name: .long, help: "Print the bytes of keys and values instead of values.") var sizes = false

    func run() throws {
        try PairListing(
            content: sizes ? .sizes : keys ? .keys : .pairs, options: options, view: view, range: range, filter: filter
        ).run(on: database)
    }
}
