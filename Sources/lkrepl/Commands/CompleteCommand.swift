import ArgumentParser
import DocIndex

/// Completes the last word of a search.
struct CompleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Complete the last word of a search from the text index.",
        discussion: """
            Example: lkrepl complete photos.store photos 'old bri' --limit 5
            Words in documents that also contain the words before come first, then those in the most documents. Words \
            are shown as documents write them. Exit code 1 if no word begins with the letters.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The words; the last one is completed.") var words: [String]
    @Option(name: .long, parsing: .unconditional, help: "Print at most this many words.") var limit = 10

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let text = try ArgumentOrigin.current.expression(of: words, keepsDoubleQuotes: true)
        try Session.with(database, options) { session in
            let found = try session.collection(collection).completions(of: text, limit: limit)
            let writer = try options.writer(columns: ["word", "docs"])
            for word in found {
                try writer.write(["word": .string(word.written), "docs": .int(Int64(word.documentCount))])
            }
            try writer.finish()
            if found.isEmpty { throw CommandError.silent(.no) }
        }
    }
}
