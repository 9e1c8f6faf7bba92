import ArgumentParser
import DocIndex

/// Finds documents by the words in their texts.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find documents by words, the best first.",
        discussion: """
            Example: lkrepl search photos.store photos 'snow OR ice' --where 'rating >= 3' --limit 5
            All words must occur; OR between alternatives, - or NOT before what must not, "a phrase" in quotes.
            The best are known when all that match were compared; from then on rows come one by one. The columns of csv and \
            tsv are those of all rows; --fields names them, so that they need not be looked for first.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The words.") var words: [String]
    @Option(name: .customLong("where"), parsing: .unconditional, help: "A condition that must hold as well.")
    var condition: String?
    @Option(name: .long, parsing: .unconditional, help: "How many at most.") var limit = 20
    @Flag(name: .long, help: "Show the score of each document.") var score = false
    @Flag(name: .long, help: "Show where the words are: the texts around them, with ** before and behind each.")
    var highlight = false
    @Flag(name: .long, help: "Print how many there are, and nothing else.") var count = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let words = try ArgumentOrigin.current.expression(of: words, keepsDoubleQuotes: true)
        let query = try TextQuery(parsing: words)
        let predicate = try conditions.predicate(option: condition)
        let selection = try shape.selection()
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            let fields = selection.paths
            try conditions.requireSound(Query(predicate), fields: fields, in: collection)
            func warn(foundSomething: Bool) throws {
                try conditions.warn(
                    of: Query(predicate, limit: limit), fields: fields, in: collection, foundSomething: foundSomething,
                    options)
            }
            if count {
                let output = StandardOutput()
                let count = try collection.searchCount(query, where: predicate)
                try output.write("\(count)\n")
                try output.flush()
                return try warn(foundSomething: count > 0)
            }
            var found = false
            let highlighter = highlight ? TextHighlighter(query, in: collection) : nil
            let leading = score ? ["score"] : []
            let trailing = highlight ? [TextHighlighter.column] : []
            let writer = try selection.writer(
                options, leading: leading, trailing: trailing,
                learnt: try columns(of: query, predicate, selection, in: collection).map { leading + $0 + trailing })
            func write(_ document: Document, leading: DocumentObject) throws {
                found = true
                var row = selection.row(document, leading: leading)
                if let highlighter {
                    row[TextHighlighter.column] = .array(
                        highlighter.snippets(of: document.content).map { .string($0) })
                }
                try writer.write(row)
            }
            if score {
                try collection.forEachHit(query, where: predicate, limit: limit, options: conditions.queryOptions) {
                    hit in
                    let rounded = (hit.score * 1000).rounded() / 1000
                    try write(hit.document, leading: ["score": .double(rounded)])
                    return true
                }
            } else {
                // The order of the best is known before the first is written; each document is read as it is written.
                let found = Query(
                    .and([.search(try TextCondition(parsing: words)), predicate]), sort: [.bestFirst], limit: limit)
                try collection.forEach(matching: found, options: conditions.queryOptions) { document in
                    try write(document, leading: [:])
                    return true
                }
            }
            try writer.finish()
            try warn(foundSomething: found)
        }
    }

    /// The columns of the hits, where their form has them first and they are not given: learnt by a search of its own, so
    /// that many rows need not be held until the last of them is known. `nil` where they are few, or not needed.
    private func columns(
        of query: TextQuery, _ predicate: Predicate, _ selection: RowSelection, in collection: DocumentCollection
    ) throws -> [String]? {
        guard limit > 1000, selection.hasOpenColumns, try [.csv, .tsv].contains(options.outputMode()) else {
            return nil
        }
        var titles = ColumnTitles()
        try collection.forEachHit(query, where: predicate, limit: limit, options: conditions.queryOptions) { hit in
            try Interruption.check()
            titles.add(selection.row(hit.document))
            return true
        }
        return titles.names
    }
}

/// The texts of a document in which the words of a search were found, with these words marked.
struct TextHighlighter {
    /// The column that has them.
    static let column = "highlights"
    /// Stands before and behind a word, as in Markdown.
    private static let mark = "**"

    private let query: TextQuery
    private let fields: [FieldPath]
    private let marking = TextMarking(before: mark, after: mark)

    /// Marks what a query finds in the fields of the text index of a collection.
    init(_ query: TextQuery, in collection: DocumentCollection) {
        self.query = query
        fields = collection.definition.indexes.first { $0.kind == .text }?.fields ?? []
    }

    /// The parts of texts that have words of the query; none of texts that have none.
    func snippets(of document: DocumentObject) -> [String] {
        var snippets: [String] = []
        for field in fields {
            field.forEachElement(in: document) { value in
                guard let text = value.stringValue else { return }
                let unmarked = TextMarking(before: "", after: "").snippet(of: text, for: query)
                let snippet = marking.snippet(of: text, for: query)
                if !snippet.utf8.elementsEqual(unmarked.utf8) { snippets.append(snippet) }
            }
        }
        return snippets
    }
}
