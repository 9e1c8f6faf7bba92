import ArgumentParser
import DocIndex
import LevelKit

/// Creates a document store from a declared schema, or an empty plain database.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create a document store, or an empty plain database.",
        discussion: """
            Example: lkrepl init photos.store --schema schema.json
            With --raw it creates a plain database, for keys and values without documents.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The directory of the store. It must not contain a database.") var database: String
    @Option(name: .long, help: "Read the declaration of collections and indexes from this file.") var schema: String?
    @Flag(name: .long, help: "Create a plain database.") var raw = false

    func validate() throws {
        guard raw == (schema == nil) else {
            throw ValidationError("specify --schema FILE, or --raw for a plain database")
        }
    }

    func run() throws {
        var storeOptions = DocumentStore.Options()
        storeOptions.database.errorIfExists = true
        do {
            guard let schema else {
                let made = try Database.open(at: database, options: storeOptions.database)
                try made.close()
                return options.note("init: created \(made.path), an empty database")
            }
            try makeStore(try ArgumentOrigin.current.text(of: schema), storeOptions)
        } catch let error as LevelError where error.code == .databaseNotFound {
            throw CommandError(.cannotCreate, error.message)
        }
    }

    private func makeStore(_ schema: String, _ storeOptions: DocumentStore.Options) throws {
        let file = try FileDescriptor.openForReading(schema)
        let declared: Schema
        do {
            declared = try Schema(json: try file.readAll(limit: RawArgument.schemaByteLimit, name: schema))
        } catch {
            throw CommandError(error).within(schema)
        }
        let store = try DocumentStore.open(at: database, schema: declared, options: storeOptions)
        try store.close()
        let names = declared.collections.map { "\($0.name) (\($0.indexes.count) indexes)" }
        options.note("init: created \(store.path) with \(names.joined(separator: ", "))")
    }
}
