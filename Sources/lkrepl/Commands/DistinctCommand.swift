import ArgumentParser
import DocIndex

/// Lists the distinct values of a field.
struct DistinctCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distinct", abstract: "List the distinct values of a field, in order.",
        discussion: """
            Example: lkrepl distinct photos.store photos exif.model
            With an index on the field, each value costs one seek, and no document is read.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The path of the field.") var field: String
    @Option(name: .customLong("where"), parsing: .unconditional, help: "Use only documents that match this condition.")
    var condition: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many values. Default: all.")
    var limit: Int?

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let path = try FieldPath.argument(ArgumentOrigin.current.text(of: ProtectedArgument.plain(field)))
        let condition = try conditions.filter(option: condition)
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let collection = source.collection
            let filter = try source.filter(condition)
            try conditions.requireSound(Query(filter), fields: [path], in: collection)
            let values = try collection.distinct(
                path, where: filter, limit: limit, options: conditions.queryOptions)
            let writer = try options.writer()
            for value in values { try writer.write(["value": value]) }
            try writer.finish()
            try conditions.warn(
                of: Query(filter), fields: [path], in: collection, foundSomething: !values.isEmpty, options)
        }
    }
}
