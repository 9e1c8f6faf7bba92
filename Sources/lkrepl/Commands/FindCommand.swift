import ArgumentParser
import DocIndex

/// Finds documents by a condition.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find documents by a condition.",
        discussion: """
            Example: lkrepl find photos.store photos 'rating >= 4 and keywords has sea' --sort -taken --limit 10
            Conditions: = != < <= > >= ^= (begins with) *= (contains), IN (a, b), BETWEEN a AND b, HAS (an element \
            is), EXISTS, MISSING, MATCHES /pattern/, NEAR lat,lon,km, joined by AND, OR, NOT and parentheses. Programs \
            pass values with --param least=4 for rating >= :least, or the whole condition as JSON with --filter-json.
            Where a collection is expected, @best means the album best, in its own order; see album.
            Rows are printed as they are found; with --sort and no index in that order, after sorting. A table shows \
            the ID and the most informative fields that fit; --wide shows all fields, --fields chooses. --ids prints \
            IDs for other programs: lkrepl find photos.store files 'rating = 5' --ids -0 | xargs -0 exiftool
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Option(
        name: .long, parsing: .unconditional,
        help: """
            Sort by these fields, separated by commas; - before a field sorts it in descending order; natural(file) \
            puts IMG_2 before IMG_10; ci(title) ignores case.
            """)
    var sort: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit: Int?
    @Option(name: .long, parsing: .unconditional, help: "Skip this many first.") var skip = 0
    @Flag(name: .long, help: "Print only the number of documents.") var count = false
    @Flag(name: .long, help: "Print no documents; exit with code 1 if none matches.") var exists = false
    @Flag(name: .long, help: "Print the plan on standard error.") var explain = false

    func validate() throws {
        guard !count || !exists else { throw ValidationError("--count and --exists cannot be combined") }
    }

    func run() throws {
        let selection = try shape.selection()
        try Session.with(database, options) { session in
            // A misplaced argument is a wrong collection before it is a wrong condition.
            let source = try session.selection(collection)
            let collection = source.collection
            var query = try source.query(
                Query(
                    try conditions.filter(words: condition),
                    sort: try sort.map {
                        try Query.SortKey.parse(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)))
                    } ?? [],
                    limit: limit, offset: skip))
            let fields = selection.paths
            try conditions.requireSound(query, fields: fields, in: collection)
            var found = 0
            if exists {
                if query.limit != 0 { query.limit = 1 }
                found = try answer(query, in: collection) { _ in }
            } else if count {
                found = try countOfAnswer(query, in: collection)
                try write(found)
            } else if try shape.printsRawIDs(options) {
                let writer = IDWriter(endsWithZero: shape.endsWithZero)
                found = try answer(query, in: collection) { try writer.write($0.id) }
                try writer.finish(isQuiet: options.quiet)
            } else {
                let writer = try selection.writer(
                    options, of: collection, isWide: shape.wide,
                    learnt: try columns(of: query, selection, in: collection))
                found = try answer(query, in: collection) { try writer.write(selection.row($0)) }
                try writer.finish()
            }
            try conditions.warn(of: query, fields: fields, in: collection, foundSomething: found > 0, options)
            if exists, found == 0 {
                throw options.quiet ? .silent(.no) : CommandError(.no, "no document of \(collection.name) matches")
            }
        }
    }

    /// The columns of the result, if the output format prints them first and `--fields` does not name them. A
    /// separate pass collects them, so that the rows need not be kept in memory. `nil` if they are not needed.
    private func columns(
        of query: Query, _ selection: RowSelection, in collection: DocumentCollection
    ) throws -> [String]? {
        guard selection.hasOpenColumns, try [.csv, .tsv].contains(options.outputMode()) else { return nil }
        var unsorted = query
        if query.limit == nil, query.offset == 0 { unsorted.sort = [] }
        var titles = ColumnTitles()
        try collection.forEach(matching: unsorted, options: conditions.queryOptions) { document in
            try Interruption.check()
            titles.add(selection.row(document))
            return true
        }
        return titles.names
    }

    /// Calls `body` with each document of the result and reports the plan if requested. Returns the number of
    /// documents.
    private func answer(
        _ query: Query, in collection: DocumentCollection, _ body: (Document) throws -> Void
    ) throws -> Int {
        var notations = query.sort.compactMap(SortedNotations.init)
        let explanation = try collection.forEach(matching: query, options: conditions.queryOptions) { document in
            for index in notations.indices { notations[index].add(document.content) }
            try body(document)
            return true
        }
        for note in notations.compactMap(\.note) { options.note(note) }
        let text =
            "plan: \(explanation.plan); \(explanation.workText)"
        if explain { options.note(text) } else { options.detail(text) }
        return explanation.resultCount
    }

    /// The number of documents in the result. Without a limit and an offset, an index may supply it without reading
    /// documents.
    private func countOfAnswer(_ query: Query, in collection: DocumentCollection) throws -> Int {
        guard query.limit == nil, query.offset == 0, !explain, !options.verbose else {
            return try answer(query, in: collection) { _ in }
        }
        return try collection.count(where: query.filter, options: conditions.queryOptions)
    }

    private func write(_ count: Int) throws {
        let output = StandardOutput()
        try output.write("\(count)\n")
        try output.flush()
    }
}
