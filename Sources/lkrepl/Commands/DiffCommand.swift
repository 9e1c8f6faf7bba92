import ArgumentParser
import DocIndex
import LevelKit

/// Compares two databases.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Print the differences between two databases. Exit code 1 if there are any.",
        discussion: """
            Example: lkrepl diff app.db copy.db
            op is - for entries only in the first, + for entries only in the second, ~ for entries that differ. \
            Document stores are compared by documents and the attached files that documents refer to, which are \
            compared by their digests; with a range or --raw, by stored keys and values. With --revisions, documents \
            that are equal but have other revisions differ too, as in two stores that have not replicated everything.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @Argument(help: "The first database.") var database: String
    @Argument(help: "The second database.") var other: String
    @Flag(name: .long, help: "Compare stored keys and values, even of document stores.") var raw = false
    @Flag(name: .long, help: "Omit values.") var keys = false
    @Flag(name: .long, help: "Also compare the revisions of replicated documents.") var revisions = false

    func run() throws {
        let other = try ArgumentOrigin.current.text(of: other)
        try Session.with(database, options) { first in
            // The second database is opened separately from the shell's, unless both are the same; a database can be
            // opened only once.
            let second = try Session.opened(other, options, beside: first)
            defer { if second !== first { try? second.close() } }
            let isRaw = try raw || range.isGiven || !first.isDocumentStore() || !second.isDocumentStore()
            let view = try view.view(of: first)
            let writer = try DifferenceWriter(options, view: view, hasValues: !keys)
            if isRaw {
                try PairDifference(range: try range.keyRange(view, options)).forEach(
                    between: first.reader, and: second.reader
                ) {
                    try writer.write($0)
                }
            } else {
                try DocumentDifference(first: first, second: second, comparesRevisions: revisions).forEach {
                    try writer.write($0)
                }
                try AttachmentDifference(first: first.attachments(), second: second.attachments()).forEach {
                    try writer.write($0)
                }
            }
            try writer.finish()
            guard writer.isEmpty else { throw CommandError(.no, writer.summary) }
            options.note(writer.summary)
        }
    }
}
