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
        try Session.with(database, options) { session in
            let view = try view.view(of: session)
            let writer = try PairWriter(options, view: view, meaning: try KeyMeaning(of: session))
            var cursor = try session.reader.cursor(in: try range.keyRange(view), reverse: true, fillsCache: false)
            guard try cursor.advance() else { throw CommandFailure.silent(.no) }
            try writer.write(key: cursor.key.copied(), value: cursor.value.copied())
            try writer.finish()
        }
    }
}
