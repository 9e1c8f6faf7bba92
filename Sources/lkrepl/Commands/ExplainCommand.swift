import ArgumentParser
import DocIndex
import LevelKit

/// Shows how a query is executed.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show how find, search, facets or distinct are executed.",
        discussion: """
            Example: lkrepl explain photos.store photos 'rating >= 4 and keywords has sea' --sort -taken --limit 10
            To explain another command than find, write it before the collection, and its arguments after it: explain \
            photos.store search photos 'snow OR ice' --where 'rating >= 3', or facets photos exif.model. The query is \
            executed, to count keys and documents read; with --plan it is only planned.
            """)

    /// The commands that can be explained.
    enum Question: String, CaseIterable {
        case find, search, facets, distinct
    }

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection, optionally preceded by find, search, facets or distinct.") var collection: String
    @Argument(help: "The condition, the words or the fields. Default: all documents.") var condition: [String] = []
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: "Set the condition, as in search, facets and distinct.")
    var filter: String?
    @Option(name: .long, parsing: .unconditional, help: "Sort by these fields, as in find.") var sort: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit: Int?
    @Flag(name: .long, help: "Read the words of a search as search --box does.") var box = false
    @Flag(name: .long, help: "Show the plan, and do not run the query.") var plan = false

    func run() throws {
        try Session.with(database, options) { session in
            let (question, name, words) = try question(session)
            let source = try session.selection(name)
            let row =
                switch question {
                case .find: try explainFind(source, words)
                case .search: try explainSearch(source, words)
                case .facets, .distinct: try explainValues(source, words, question)
                }
            let mode = try options.outputMode()
            // A single row is easier to read as a list of lines.
            let writer = ResultWriter(mode: mode == .table && options.mode == nil ? .line : mode)
            try writer.write(row)
            try writer.finish()
        }
    }

    /// The command to explain, its collection and the remaining words. A collection with a command's name takes
    /// precedence.
    private func question(_ session: Session) throws -> (Question, collection: String, words: [String]) {
        let isCollection = try session.collections().contains { $0.name.hasSameBytes(as: collection) }
        guard !isCollection, let question = Question(rawValue: collection) else {
            return (.find, collection, condition)
        }
        guard let name = condition.first else {
            throw CommandError(
                .usage, "explain \(collection) needs a collection", hint: "use explain DB \(collection) COLLECTION …")
        }
        return (question, ProtectedArgument.plain(name), Array(condition.dropFirst()))
    }

    // MARK: - Questions

    private func explainFind(_ source: DocumentSelection, _ words: [String]) throws -> DocumentObject {
        let query = Query(
            try conditions.filter(words: words, option: filter),
            sort: try sort.map { try Query.SortKey.parse(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0))) }
                ?? [],
            limit: limit)
        return try explain(try source.query(query), in: source.collection)
    }

    private func explain(_ query: Query, in collection: DocumentCollection) throws -> DocumentObject {
        let chosen = try collection.plan(query, options: conditions.queryOptions)
        var row: DocumentObject = ["plan": .string(chosen.description), "index": Self.indexes(chosen.access)]
        let ranges = chosen.keyRanges
        if !ranges.isEmpty { row["ranges"] = .array(ranges.map { .string(Self.notation($0)) }) }
        row["estimatedKeys"] = .int(Int64(chosen.estimate.keyCount))
        row["estimatedDocs"] = .int(Int64(chosen.estimate.documentCount))
        row["sortsInMemory"] = .bool(chosen.ordering != .found)
        if plan { return row }
        let explanation = try collection.explain(query, options: conditions.queryOptions)
        row["keysExamined"] = .int(Int64(explanation.actual.keysExamined))
        row["docsExamined"] = .int(Int64(explanation.actual.documentsExamined))
        row["returned"] = .int(Int64(explanation.actual.resultCount))
        row["ms"] = Self.milliseconds(explanation.actual.duration)
        if !explanation.rejections.isEmpty {
            row["notUsed"] = .array(explanation.rejections.map { .string("\($0)") })
        }
        if let advice = explanation.advice { row["advice"] = .string(advice) }
        return row
    }

    private func explainSearch(_ source: DocumentSelection, _ words: [String]) throws -> DocumentObject {
        let text = try ArgumentOrigin.current.expression(of: words, keepsDoubleQuotes: true)
        let collection = source.collection
        let query: TextQuery =
            try box ? collection.findingCompounds(.searchBox(collection.searchBox(text))) : TextQuery(parsing: text)
        let condition = try source.filter(try conditions.filter(option: filter))
        let index = collection.definition.indexes.first { $0.kind == .text }?.name
        var plan = "the words in index \(index ?? "of texts"), the best first"
        if condition != .all { plan += "; of each that can be among them, whether \(condition)" }
        var row: DocumentObject = ["plan": .string(plan), "index": index.map { .string($0) } ?? .null]
        if self.plan { return row }
        let start = ContinuousClock.now
        let hits = try collection.search(query, where: condition, limit: limit ?? 20)
        let time = ContinuousClock.now - start
        row["matches"] = .int(Int64(try collection.count(matching: query)))
        row["returned"] = .int(Int64(hits.count))
        row["ms"] = Self.milliseconds(time)
        return row
    }

    /// Explains facets and distinct: the index that answers them, or the query that finds the documents.
    private func explainValues(
        _ source: DocumentSelection, _ words: [String], _ question: Question
    ) throws -> DocumentObject {
        let collection = source.collection
        let paths = try words.map {
            try FieldPath.argument(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)))
        }
        guard !paths.isEmpty else {
            throw CommandError(.usage, "explain \(question) needs a field", hint: "name its path, such as exif.model")
        }
        let condition = try source.filter(try conditions.filter(option: filter))
        let indexes = try paths.map { path in
            question == .facets
                ? try collection.indexCounting(path, where: condition)
                : try collection.indexListing(path, where: condition)
        }
        guard !indexes.contains(nil) else { return try explain(Query(condition), in: collection) }
        let names = indexes.compactMap { $0 }
        var row: DocumentObject = [
            "plan": .string("values of the keys of \(names.joined(separator: ", ")); no document is read"),
            "index": names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) }),
        ]
        if plan { return row }
        let start = ContinuousClock.now
        let count =
            question == .facets
            ? try collection.facets(paths, where: condition).reduce(0) { $0 + $1.count }
            : try paths.reduce(0) { $0 + (try collection.distinct($1, where: condition).count) }
        row["docsExamined"] = 0
        row["returned"] = .int(Int64(count))
        row["ms"] = Self.milliseconds(ContinuousClock.now - start)
        return row
    }

    // MARK: - Parts

    private static func milliseconds(_ time: Duration) -> DocumentValue {
        .double((time / .milliseconds(1) * 1000).rounded() / 1000)
    }

    private static func indexes(_ access: Plan.Access) -> DocumentValue {
        switch access {
        case .ranges(let scan): .string(scan.index)
        case .ordered(let scan, let filter):
            if let filter { .array([.string(scan.index), indexes(filter)]) } else { .string(scan.index) }
        case .nearest(let index, _): .string(index)
        case .search(let scan): .string(scan.index)
        case .ranked(let scan, let filter):
            if let filter { .array([.string(scan.index), indexes(filter)]) } else { .string(scan.index) }
        case .union(let parts), .intersection(let parts): .array(parts.map(indexes))
        case .nothing, .scan, .ids: .null
        }
    }

    /// A key range in the notation that `scan` accepts.
    private static func notation(_ range: KeyRange) -> String {
        var words: [String] = []
        switch range.lower {
        case .unbounded: break
        case .included(let key): words.append("--from \(ByteNotation.print(key, form: .hex))")
        case .excluded(let key): words.append("--after \(ByteNotation.print(key, form: .hex))")
        }
        switch range.upper {
        case .unbounded: break
        case .included(let key): words.append("--upto \(ByteNotation.print(key, form: .hex))")
        case .excluded(let key): words.append("--to \(ByteNotation.print(key, form: .hex))")
        }
        return words.joined(separator: " ")
    }
}
