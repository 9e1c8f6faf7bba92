import ArgumentParser
import DocIndex

/// Lists indexes.
struct IndexesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "indexes", abstract: "List indexes with their fields and sizes.",
        discussion: "Example: lkrepl indexes photos.store photos")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection. Default: all.") var collection: String?

    func run() throws {
        try Session.with(database, options) { session in
            let collections = try collection.map { [try session.collection($0)] } ?? session.collections()
            let failed = try session.store().failedIndexes
            let writer = try options.writer()
            var unfinishedNames: [String] = []
            for collection in collections {
                let unfinished = Set(collection.unfinishedIndexNames)
                let sizes = Dictionary(
                    try collection.indexSizes().map { ($0.name, $0.byteCount) }, uniquingKeysWith: { $1 })
                for index in collection.definition.indexes {
                    var traits: [String] = []
                    if index.isUnique { traits.append("unique") }
                    if index.isSparse { traits.append("sparse") }
                    if let dimensions = index.dimensions { traits.append("\(dimensions) dimensions") }
                    if let condition = index.condition { traits.append("where \(condition)") }
                    if failed.contains(where: { $0.collection == collection.name && $0.index == index.name }) {
                        traits.append("could not be built")
                    }
                    if unfinished.contains(index.name) {
                        traits.append("unfinished")
                        unfinishedNames.append("\(index.name) of \(collection.name)")
                    }
                    try writer.write([
                        "collection": .string(collection.name), "index": .string(index.name),
                        "kind": .string(index.kind.rawValue),
                        "fields": .array(index.fields.map { .string($0.description) }),
                        "traits": .array(traits.map { .string($0) }),
                        "bytes": .int(Int64(clamping: sizes[index.name] ?? 0)),
                    ])
                }
            }
            try writer.finish()
            guard !unfinishedNames.isEmpty else { return }
            options.note(
                "indexes: the build of \(unfinishedNames.joined(separator: ", ")) is unfinished; to continue, run "
                    + "migrate --write without a file")
        }
    }
}
