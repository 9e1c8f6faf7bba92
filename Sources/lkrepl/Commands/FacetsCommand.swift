import ArgumentParser
import DocIndex

/// Counts how often each value of given fields occurs.
struct FacetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facets", abstract: "Count the values of fields, most frequent first.",
        discussion: """
            Example: lkrepl facets photos.store photos keywords[] exif.model --where 'rating >= 4' --top 5
            A path with [] counts each distinct element of an array once per document. Without a condition, an index \
            on the field alone supplies the counts, and no document is read.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "Paths of fields.") var fields: [String]
    @Option(
        name: .customLong("where"), parsing: .unconditional, help: "Count only documents that match this condition.")
    var condition: String?
    @Option(name: .long, parsing: .unconditional, help: "Print this many values of each field.") var top = 20

    func validate() throws {
        guard top >= 0 else { throw ValidationError("--top must be 0 or more") }
    }

    func run() throws {
        let paths = try fields.map {
            try FieldPath.argument(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)))
        }
        let filter = try conditions.filter(option: condition)
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            try conditions.requireSound(Query(filter), fields: paths, in: collection)
            let facets = try collection.facets(paths, where: filter, limit: top, options: conditions.queryOptions)
            let writer = try options.writer()
            for (path, values) in zip(paths, facets) {
                for facet in values {
                    try writer.write([
                        "field": .string(path.description), "value": facet.value, "count": .int(Int64(facet.count)),
                    ])
                }
            }
            try writer.finish()
            try conditions.warn(
                of: Query(filter), fields: paths, in: collection, foundSomething: facets.contains { !$0.isEmpty },
                options)
        }
    }
}
