import ArgumentParser
import DocIndex

/// Suggests other words for misspelled ones.
struct SuggestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest", abstract: "Suggest words of the text index for misspelled ones.",
        discussion: """
            Example: lkrepl suggest photos.store photos 'snwo brige'
            Each row has a word that no document contains, or hardly any, a similar word, and the numbers of documents \
            that contain them. Exit code 1 if there is nothing to suggest.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The words.") var words: [String]
    @Option(name: .long, parsing: .unconditional, help: "Suggest at most this many words for each word.") var limit = 5

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let text = try ArgumentOrigin.current.expression(of: words, keepsDoubleQuotes: true)
        try Session.with(database, options) { session in
            let corrections = try session.collection(collection).corrections(of: text, limit: limit)
            let writer = try options.writer(columns: ["word", "docs", "suggestion", "suggestionDocs"])
            for correction in corrections {
                for word in correction.suggestions {
                    try writer.write([
                        "word": .string(correction.word), "docs": .int(Int64(correction.documentCount)),
                        "suggestion": .string(word.written), "suggestionDocs": .int(Int64(word.documentCount)),
                    ])
                }
            }
            try writer.finish()
            if corrections.isEmpty { throw CommandError.silent(.no) }
        }
    }
}
