import ArgumentParser
import DocIndex

/// Finds documents by a condition.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find documents by a condition.",
        discussion: """
            Example: lkrepl find photos.store photos 'rating >= 4 and keywords has sea' --sort -taken --limit 10
            Conditions: = != < <= > >= ^= (begins with) *= (contains), IN (a, b), BETWEEN a AND b, HAS (an element is), \
            EXISTS, MISSING, MATCHES /pattern/, NEAR lat,lon,km, joined by AND, OR, NOT and parentheses. A program passes \
            values by --param least=4 for rating >= :least, or the whole condition as JSON by --filter-json.
            Rows come as they are found; with --sort, where no index has that order, when all were compared.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The condition; every document without one.") var condition: [String] = []
    @Option(
        name: .long, parsing: .unconditional,
        help: """
            Fields to sort by, with commas; - before one for larger values first; natural(file) puts IMG_2 before IMG_10, \
            ci(title) takes no notice of case.
            """)
    var sort: String?
    @Option(name: .long, parsing: .unconditional, help: "How many at most.") var limit: Int?
    @Option(name: .long, parsing: .unconditional, help: "How many to leave out first.") var skip = 0
    @Flag(name: .long, help: "Print how many there are, and nothing else.") var count = false
    @Flag(name: .long, help: "Print nothing; exit code 1 if there is none.") var exists = false
    @Flag(name: .long, help: "Tell on standard error how the answer was found.") var explain = false

    func validate() throws {
        guard !count || !exists else { throw ValidationError("--count and --exists exclude each other") }
    }

    func run() throws {
        var query = Query(
            try conditions.predicate(words: condition),
            sort: try sort.map { try Query.SortKey.parse(ArgumentOrigin.current.text(of: Invocation.plain($0))) } ?? [],
            limit: limit, offset: skip)
        let selection = try shape.selection()
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            let fields = selection.paths
            try conditions.requireSound(query, fields: fields, in: collection)
            var found = 0
            if exists {
                if query.limit != 0 { query.limit = 1 }
                found = try answer(query, in: collection) { _ in }
            } else if count {
                found = try countOfAnswer(query, in: collection)
                try write(found)
            } else {
                let writer = try selection.writer(options, learnt: try columns(of: query, selection, in: collection))
                found = try answer(query, in: collection) { try writer.write(selection.row($0)) }
                try writer.finish()
            }
            try conditions.warn(of: query, fields: fields, in: collection, foundSomething: found > 0, options)
            if exists, found == 0 { throw CommandFailure.silent(.no) }
        }
    }

    /// The columns of the answer, where its form has them first and they are not given: learnt by a pass of its own, so that
    /// the rows need not be held until the last of them is known. `nil` where they are not needed.
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

    /// Calls `body` with each document of the answer, tells how it was found if that is asked for; how many there are.
    private func answer(
        _ query: Query, in collection: DocumentCollection, _ body: (Document) throws -> Void
    ) throws -> Int {
        let explanation = try collection.forEach(matching: query, options: conditions.queryOptions) { document in
            try body(document)
            return true
        }
        let text =
            "plan: \(explanation.plan); read \(explanation.keysExamined) keys and "
            + "\(explanation.documentsExamined) documents for \(explanation.resultCount) results"
        if explain { options.note(text) } else { options.detail(text) }
        return explanation.resultCount
    }

    /// How many documents the answer has. Without a window there may be an index that knows without reading one.
    private func countOfAnswer(_ query: Query, in collection: DocumentCollection) throws -> Int {
        guard query.limit == nil, query.offset == 0, !explain, !options.verbose else {
            return try answer(query, in: collection) { _ in }
        }
        return try collection.count(where: query.predicate, options: conditions.queryOptions)
    }

    private func write(_ count: Int) throws {
        let output = StandardOutput()
        try output.write("\(count)\n")
        try output.flush()
    }
}
