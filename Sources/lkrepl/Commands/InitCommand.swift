import ArgumentParser
import DocIndex
import LevelKit

/// Makes a new document store from a declared schema.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a new document store.",
        discussion: "Example: lkrepl init photos.store --schema schema.json")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The directory of the store. It must not hold a database yet.") var database: String
    @Option(name: .long, help: "The file that declares collections and indexes.") var schema: String

    func run() throws {
        let file = try FileDescriptor.openForReading(schema)
        let declared: Schema
        do {
            declared = try Schema(json: try file.readAll())
        } catch {
            throw CommandFailure(error).within(schema)
        }
        var storeOptions = DocumentStore.Options()
        storeOptions.database.errorIfExists = true
        let store: DocumentStore
        do {
            store = try DocumentStore.open(at: database, schema: declared, options: storeOptions)
        } catch let error as LevelError where error.code == .databaseNotFound {
            throw CommandFailure(.cannotCreate, error.message)
        }
        try store.close()
        let names = declared.collections.map { "\($0.name) (\($0.indexes.count) indexes)" }
        options.note("init: made \(store.path) with \(names.joined(separator: ", "))")
    }
}
