import ArgumentParser
import DocIndex

/// Finds documents with the same values.
struct DuplicatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates", abstract: "Find documents that have the same values in one or more fields.",
        discussion: """
            Example: lkrepl duplicates photos.store photos 'yearMonthDay(taken)' exif.model
            Each row has the common values, the number of documents and their IDs, in the order in which they were \
            first stored. A document without a value in one of the fields, or with null, is not a duplicate. Exit code \
            1 if there are none.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "Paths of fields, or parts of dates such as yearMonthDay(taken).") var fields: [String]
    @Option(
        name: .customLong("where"), parsing: .unconditional, help: "Compare only documents that match this condition.")
    var condition: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many groups. Default: all.")
    var limit: Int?

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let keys = try fields.map {
            try Aggregation.GroupKey(parsing: ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)))
        }
        let condition = try conditions.filter(option: condition)
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let filter = try source.filter(condition)
            let collection = source.collection
            let paths = keys.map(\.path)
            try conditions.requireSound(Query(filter), fields: paths, in: collection)
            let found = try collection.duplicates(by: keys, where: filter, options: conditions.queryOptions)
            let writer = try options.writer(columns: keys.map(\.description) + ["count", "ids"])
            for group in found.prefix(limit ?? .max) {
                var row = DocumentObject()
                for (key, value) in zip(keys, group.values) { row[key.description] = value }
                row["count"] = .int(Int64(group.ids.count))
                row["ids"] = .array(group.ids.map(\.value))
                try writer.write(row)
            }
            try writer.finish()
            try conditions.warn(
                of: Query(filter), fields: paths, in: collection, foundSomething: !found.isEmpty, options)
            if found.isEmpty { throw CommandError.silent(.no) }
        }
    }
}
