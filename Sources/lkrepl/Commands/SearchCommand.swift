import ArgumentParser
import DocIndex

/// Finds documents by words in their text fields.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find documents by words, best matches first.",
        discussion: """
            Example: lkrepl search photos.store photos 'snow OR ice' --where 'rating >= 3' --limit 5
            All words must occur; OR separates alternatives, - or NOT excludes a word, quotes enclose "a phrase".
            With --box the words are read as in a search engine: documents with all words come first, then those with \
            most, then those with any, and a word that hardly any document contains also finds similar ones.
            All matches are scored before the first row is printed. The columns of csv and tsv are those of all rows; \
            with --fields they are known without a separate pass.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The words.") var words: [String]
    @Option(name: .customLong("where"), parsing: .unconditional, help: "Also require this condition.")
    var condition: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit = 20
    @Flag(name: .long, help: "Find documents with any of the words, those with all of them first.") var box = false
    @Flag(name: .long, help: "Show the score of each document.") var score = false
    @Flag(name: .long, help: "Show excerpts around the words, with ** before and after each word.")
    var highlight = false
    @Flag(name: .long, help: "Print only the number of documents.") var count = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let words = try ArgumentOrigin.current.expression(of: words, keepsDoubleQuotes: true)
        let strict = box ? nil : try TextQuery(parsing: words)
        let selection = try shape.selection()
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let collection = source.collection
            let filter = try source.filter(try conditions.filter(option: condition))
            let query = try strict ?? collection.findingCompounds(.searchBox(collection.searchBox(words)))
            let advice = SearchAdvice(
                text: words, query: query, filter: filter, collection: collection, options: options)
            advice.noteOperators()
            try advice.noteStemmer()
            let fields = selection.paths
            try conditions.requireSound(Query(filter), fields: fields, in: collection)
            func warn(foundSomething: Bool) throws {
                try conditions.warn(
                    of: Query(filter, limit: limit), fields: fields, in: collection, foundSomething: foundSomething,
                    options)
                if !foundSomething, limit > 0 || count { try advice.adviseAfterNothing() }
            }
            if count {
                let output = StandardOutput()
                let count = try collection.count(matching: query, where: filter)
                try output.write("\(count)\n")
                try output.flush()
                return try warn(foundSomething: count > 0)
            }
            var found = false
            let highlighter = highlight ? TextHighlighter(query, in: collection) : nil
            let leading = score ? ["score"] : []
            let trailing = highlight ? [TextHighlighter.column] : []
            let ids = try shape.printsRawIDs(options) ? IDWriter(endsWithZero: shape.endsWithZero) : nil
            let writer =
                ids != nil
                ? nil
                : try selection.writer(
                    options, of: collection, isWide: shape.wide, leading: leading, trailing: trailing,
                    learnt: try columns(of: query, filter, selection, in: collection)
                        .map { leading + $0 + trailing })
            func write(_ document: Document, leading: DocumentObject) throws {
                found = true
                if let ids { return try ids.write(document.id) }
                var row = selection.row(document, leading: leading)
                if let highlighter {
                    row[TextHighlighter.column] = .array(
                        highlighter.snippets(of: document.content).map { .string($0) })
                }
                try writer?.write(row)
            }
            if score {
                try collection.forEachHit(query, where: filter, limit: limit, options: conditions.queryOptions) {
                    hit in
                    let rounded = (hit.score * 1000).rounded() / 1000
                    try write(hit.document, leading: ["score": .double(rounded)])
                    return true
                }
            } else {
                // The ranking is complete before the first row; each document is read when it is written.
                let found = Query(
                    .and([.search(try search(query, words)), filter]), sort: [.bestFirst], limit: limit)
                try collection.forEach(matching: found, options: conditions.queryOptions) { document in
                    try write(document, leading: [:])
                    return true
                }
            }
            if let ids { try ids.finish(isQuiet: options.quiet) } else { try writer?.finish() }
            try warn(foundSomething: found)
        }
    }

    /// The search as a condition.
    private func search(_ query: TextQuery, _ words: String) throws -> Filter.Search {
        guard case .searchBox(let box) = query else { return try Filter.Search(parsing: words) }
        return Filter.Search(box, text: words)
    }

    /// The columns of the hits, if the output format prints them first and `--fields` does not name them. A
    /// separate search collects them, so that many rows need not be kept in memory. `nil` for few rows, or if the
    /// columns are not needed.
    private func columns(
        of query: TextQuery, _ filter: Filter, _ selection: RowSelection, in collection: DocumentCollection
    ) throws -> [String]? {
        guard limit > 1000, selection.hasOpenColumns, try [.csv, .tsv].contains(options.outputMode()) else {
            return nil
        }
        var titles = ColumnTitles()
        try collection.forEachHit(query, where: filter, limit: limit, options: conditions.queryOptions) { hit in
            try Interruption.check()
            titles.add(selection.row(hit.document))
            return true
        }
        return titles.names
    }
}

/// Finds the strings of a document that contain words of a search, and marks these words.
struct TextHighlighter {
    /// The name of the column.
    static let column = "highlights"
    /// The mark before and after a word, as in Markdown.
    private static let mark = "**"

    private let query: TextQuery
    private let index: IndexDefinition?
    private let marking = TextMarking(before: mark, after: mark)

    /// Creates a highlighter for the fields of the collection's text index.
    init(_ query: TextQuery, in collection: DocumentCollection) {
        self.query = query
        index = collection.definition.indexes.first { $0.kind == .text }
    }

    /// Excerpts of the strings that contain words of the query.
    func snippets(of document: DocumentObject) -> [String] {
        var snippets: [String] = []
        guard let index else { return [] }
        for component in index.components {
            let analyzer = index.analyzer(of: component, for: document)
            component.path.forEachElement(in: document) { value in
                guard let text = value.stringValue else { return }
                let unmarked = TextMarking(before: "", after: "").snippet(of: text, for: query, analyzer: analyzer)
                let snippet = marking.snippet(of: text, for: query, analyzer: analyzer)
                if !snippet.hasSameBytes(as: unmarked) { snippets.append(snippet) }
            }
        }
        return snippets
    }
}
