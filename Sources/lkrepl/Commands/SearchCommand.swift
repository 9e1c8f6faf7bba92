import ArgumentParser
import DocIndex

/// Finds documents by the words in their texts.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find documents by words, the best first.",
        discussion: """
            Example: lkrepl search photos.store photos 'snow OR ice' --where 'rating >= 3' --limit 5
            All words must occur; OR between alternatives, - or NOT before what must not, "a phrase" in quotes.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The words.") var words: [String]
    @Option(name: .customLong("where"), parsing: .unconditional, help: "A condition that must hold as well.")
    var condition: String?
    @Option(name: .long, help: "How many at most.") var limit = 20
    @Flag(name: .long, help: "Show the score of each document.") var score = false
    @Flag(name: .long, help: "Print how many there are, and nothing else.") var count = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let words = try ArgumentOrigin.current.expression(of: words, keepsDoubleQuotes: true)
        let query = try TextQuery(parsing: words)
        let predicate =
            try condition.map {
                try Predicate(parsing: ArgumentOrigin.current.text(of: Invocation.plain($0)))
            } ?? .all
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            if count {
                let output = StandardOutput()
                try output.write("\(try collection.searchCount(query, where: predicate))\n")
                return try output.flush()
            }
            let writer = try shape.writer(options, leading: score ? ["score"] : [])
            for hit in try collection.search(query, where: predicate, limit: limit) {
                let rounded = (hit.score * 1000).rounded() / 1000
                try writer.write(try shape.row(hit.document, leading: score ? ["score": .double(rounded)] : [:]))
            }
            try writer.finish()
        }
    }
}
