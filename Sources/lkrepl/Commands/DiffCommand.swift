import ArgumentParser
import DocIndex
import LevelKit

/// Compares two databases.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Print what differs between two databases. Exit code 1 if anything does.",
        discussion: """
            Example: lkrepl diff app.db copy.db
            op is - for what only the first has, + for what only the second has, ~ for what differs. Of two document stores \
            the documents are compared; with a range or --raw, the keys and values as they are stored.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The first database.") var database: String
    @Argument(help: "The second database.") var other: String
    @Flag(name: .long, help: "Keys and values as they are stored, also of document stores.") var raw = false
    @Flag(name: .long, help: "Print no values.") var keys = false

    func run() throws {
        let other = try ArgumentOrigin.current.text(of: other)
        try Session.with(database, options) { first in
            // The second is never the shell's own: it may be the same database, which can be opened once.
            let second = try Session.opened(other, options, beside: first)
            defer { if second !== first { try? second.close() } }
            let isRaw = try raw || range.isGiven || !first.isDocumentStore() || !second.isDocumentStore()
            let view = try view.view(of: first)
            let writer = try DifferenceWriter(options, view: view, hasValues: !keys)
            if isRaw {
                try PairDifference(range: try range.keyRange(view)).forEach(between: first.reader, and: second.reader) {
                    try writer.write($0)
                }
            } else {
                try DocumentDifference(first: first, second: second).forEach { try writer.write($0) }
            }
            try writer.finish()
            options.note(writer.summary)
            if !writer.isEmpty { throw CommandFailure.silent(.no) }
        }
    }
}
