import ArgumentParser
import DocIndex
import LevelKit

/// Counts keys.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count keys, or the documents of a collection.",
        discussion: """
            Example: lkrepl count photos.store photos 'rating >= 4'
            Without a collection, count counts keys: lkrepl count app.db --prefix user/. @best counts the documents of \
            the album best.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The collection. Default: count keys.") var collection: String?
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Flag(name: .long, help: "Print a row that includes the bytes of keys and values.") var sizes = false

    func run() throws {
        if let collection { return try countDocuments(in: collection) }
        try Session.with(database, options) { session in
            let run = try ScanRun(range: try range.keyRange(try view.view(of: session)), options: filter)
            var (count, keyByteCount, valueByteCount) = (0, 0, 0)
            try run.forEach(in: session) { key, value in
                count += 1
                keyByteCount += key.count
                valueByteCount += value.count
            }
            guard sizes else {
                let output = StandardOutput()
                try output.write("\(count)\n")
                return try output.flush()
            }
            let writer = try options.writer()
            try writer.write([
                "keys": .int(Int64(count)), "keyBytes": .int(Int64(keyByteCount)),
                "valueBytes": .int(Int64(valueByteCount)),
            ])
            try writer.finish()
        }
    }

    private func countDocuments(in name: String) throws {
        let condition = try conditions.filter(words: condition)
        try Session.with(database, options) { session in
            let source = try session.selection(name)
            let filter = try source.filter(condition)
            try conditions.requireSound(Query(filter), in: source.collection)
            let count = try source.collection.count(where: filter, options: conditions.queryOptions)
            let output = StandardOutput()
            try output.write("\(count)\n")
            try output.flush()
            try conditions.warn(of: Query(filter), in: source.collection, foundSomething: count > 0, options)
        }
    }
}
