import ArgumentParser
import DocIndex

/// Finds documents that share the characteristic words of a document.
struct SimilarCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "similar", abstract: "Find documents similar to a document, most similar first.",
        discussion: """
            Example: lkrepl similar photos.store photos scan-0001 --limit 5 --fields id,title
            Looks for the words that are frequent in the document and rare in others. Exit code 1 if the document does \
            not exist or no other document has such a word.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The document ID.") var id: String
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit = 10
    @Option(name: .long, parsing: .unconditional, help: "Look for this many words of the document.") var terms = 20
    @Flag(name: .long, help: "Show the score of each document.") var score = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
        guard terms >= 1 else { throw ValidationError("--terms must be 1 or more") }
    }

    func run() throws {
        let selection = try shape.selection()
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            let id = try DocumentID.named(id, options) { try collection.document($0) != nil }
            guard let id else { throw CommandError.noDocument(self.id, in: collection.name) }
            let hits = try collection.similar(to: id, limit: limit, wordCount: terms)
            if try shape.printsRawIDs(options) {
                let writer = IDWriter(endsWithZero: shape.endsWithZero)
                for hit in hits { try writer.write(hit.document.id) }
                try writer.finish(isQuiet: options.quiet)
            } else {
                let writer = try selection.writer(
                    options, of: collection, isWide: shape.wide, leading: score ? ["score"] : [])
                for hit in hits {
                    let rounded = (hit.score * 1000).rounded() / 1000
                    try writer.write(selection.row(hit.document, leading: score ? ["score": .double(rounded)] : [:]))
                }
                try writer.finish()
            }
            if hits.isEmpty { throw CommandError.silent(.no) }
        }
    }
}
