import ArgumentParser
import DocIndex

/// Lists collections with their document counts and indexes.
struct CollectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections", abstract: "List collections and their indexes.",
        discussion: "Example: lkrepl collections photos.store")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String

    func run() throws {
        try Session.with(database, options) { session in
            let writer = try options.writer()
            for collection in try session.collections() {
                let indexes = collection.definition.indexes.map { index in
                    "\(index.name) (\(index.fields.map(\.description).joined(separator: ", ")))"
                }
                try writer.write([
                    "collection": .string(collection.name), "documents": .int(Int64(try collection.count())),
                    "id": .string(collection.definition.idField), "indexes": .array(indexes.map { .string($0) }),
                ])
            }
            try writer.finish()
        }
    }
}
