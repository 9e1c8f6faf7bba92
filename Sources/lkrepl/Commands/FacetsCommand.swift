import ArgumentParser
import DocIndex

/// Counts how often each value of given fields occurs.
struct FacetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facets", abstract: "Count the values of fields, most frequent first.",
        discussion: """
            Example: lkrepl facets photos.store photos keywords[] exif.model --where 'rating >= 4' --top 5
            month(taken), year(taken), day(taken), weekday(taken), hour(taken), yearMonth(taken) and yearMonthDay(taken) \
            count parts of dates; timeline counts them in chronological order. \
            A path with [] counts each distinct element of an array once per document. Without a condition, an index \
            on the field alone supplies the counts, and no document is read.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "Field paths, or date parts such as year(taken).") var fields: [String]
    @Option(
        name: .customLong("where"), parsing: .unconditional, help: "Count only documents that match this condition.")
    var condition: String?
    @Option(name: .long, parsing: .unconditional, help: "Print this many values of each field.") var top = 20

    @Flag(
        name: .long, help: "Add a row for documents without a value; in JSON it has \"missing\": true.")
    var missing = false

    func validate() throws {
        guard top >= 0 else { throw ValidationError("--top must be 0 or more") }
    }

    func run() throws {
        let keys = try fields.map { field in
            let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(field))
            guard !text.contains(where: { "=<>".contains($0) }) || !text.contains(" ") else {
                throw CommandError(
                    .usage, "\(text) is a condition, and facets needs the path of a field",
                    hint: "name a field, and add --where \(ShellWord.quoted(text))")
            }
            return try Aggregation.GroupKey(parsing: text)
        }
        let condition = try conditions.filter(option: condition)
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let collection = source.collection
            let filter = try source.filter(condition)
            let paths = keys.map(\.path)
            try conditions.requireSound(Query(filter), fields: paths, in: collection)
            let lists = try collection.facets(
                by: keys, where: filter, limit: top, countsMissing: missing, options: conditions.queryOptions)
            let writer = try options.writer()
            for (key, list) in zip(keys, lists) {
                for facet in list.facets {
                    try writer.write([
                        "field": .string(key.description), "value": facet.value, "count": .int(Int64(facet.count)),
                    ])
                }
                if missing {
                    var row: DocumentObject = [
                        "field": .string(key.description), "value": .null, "count": .int(Int64(list.missingCount)),
                    ]
                    if try options.isForPeople() { row["value"] = "not set" } else { row["missing"] = true }
                    try writer.write(row)
                }
            }
            try writer.finish()
            for (key, list) in zip(keys, lists) where list.facets.contains(where: { $0.value.kind == .array }) {
                options.note("facets: \(key) holds lists, each counted as a whole; \(key)[] counts their elements")
            }
            for (key, list) in zip(keys, lists) where list.facets.isEmpty {
                guard case .datePart(let path, _) = key else { continue }
                options.note("facets: \(path) has no dates in these documents")
            }
            try conditions.warn(
                of: Query(filter), fields: paths, in: collection,
                foundSomething: lists.contains { !$0.facets.isEmpty || $0.missingCount > 0 }, options)
        }
    }
}

extension GlobalOptions {
    /// Whether the output is for people rather than programs.
    func isForPeople() throws -> Bool { try [.table, .line].contains(outputMode()) }
}
