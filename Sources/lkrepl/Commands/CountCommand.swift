import ArgumentParser
import DocIndex
import LevelKit

/// Counts the documents of a store, or keys.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Count documents, or keys.",
        discussion: """
            Example: lkrepl count photos.store photos 'rating >= 4'
            In a document store, counts documents: all, or those of a collection that match a condition; @best counts \
            those of the album best. In a plain database, and with --keys or a range, counts stored keys.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var filter: FilterOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The database.") var database: String
    @Argument(help: "The collection of a document store. Default: all.") var collection: String?
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Flag(name: .long, help: "Count stored keys, even in a document store.") var keys = false
    @Flag(name: .long, help: "Print a row that includes the bytes of keys and values.") var sizes = false

    func validate() throws {
        guard !selectsKeys || collection == nil else {
            throw ValidationError("a collection and options for keys cannot be combined")
        }
    }

    func run() throws {
        try Session.with(database, options) { session in
            guard try !selectsKeys && session.isDocumentStore() else {
                if let collection {
                    throw CommandError(
                        .usage, "\(database) is a plain database and has no collection \(collection)",
                        hint: "count DB counts its keys; --prefix and other options select keys")
                }
                return try countKeys(session)
            }
            if collection == nil, conditions.filterJson == nil {
                // The library's own collections, such as that of albums, are not meant.
                let counts = try session.collections().filter { !$0.definition.isReserved }.map {
                    ($0.name, try $0.count())
                }
                if counts.count > 1 {
                    options.detail(counts.map { "\($0) \(HumanNumber.grouped($1))" }.joined(separator: ", "))
                }
                return try write(counts.reduce(0) { $0 + $1.1 })
            }
            let source = try session.selection(collection)
            let collection = source.collection
            let query = Query(try source.filter(try conditions.filter(words: condition)))
            try conditions.requireSound(query, in: collection)
            let count = try collection.count(where: query.filter, options: conditions.queryOptions)
            try write(count)
            try conditions.warn(of: query, in: collection, foundSomething: count > 0, options)
        }
    }

    /// Whether an option selects or describes keys.
    private var selectsKeys: Bool {
        keys || sizes || range.isGiven || filter.isGiven || view.isGiven
    }

    private func countKeys(_ session: Session) throws {
        let run = try ScanRun(range: try range.keyRange(try view.view(of: session), options), options: filter)
        var (count, keyByteCount, valueByteCount) = (0, 0, 0)
        try run.forEach(in: session) { key, value in
            count += 1
            keyByteCount += key.count
            valueByteCount += value.count
        }
        guard sizes else { return try write(count) }
        let writer = try options.writer()
        try writer.write([
            "keys": .int(Int64(count)), "keyBytes": .int(Int64(keyByteCount)),
            "valueBytes": .int(Int64(valueByteCount)),
        ])
        try writer.finish()
    }

    private func write(_ count: Int) throws {
        let output = StandardOutput()
        try output.write("\(count)\n")
        try output.flush()
    }
}
