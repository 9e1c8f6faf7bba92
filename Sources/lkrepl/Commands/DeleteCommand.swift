import ArgumentParser
import DocIndex

/// Deletes all documents of a condition.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete all documents that satisfy a condition.",
        discussion: """
            Example: lkrepl delete --write --yes photos.store photos WHERE 'rating = 1 and album missing'
            Conditions are those of find. Scripts use --where, and pass values with --param. A deletion of up to \
            --batch-bytes is one atomic commit; a larger one is written in parts. --dry-run shows the first 20 documents. \
            doc del deletes documents by their IDs.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var change: BulkChangeOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "WHERE and the condition.") var clause: [String] = []

    func run() throws {
        if !change.dryRun { try options.requireWrite("delete") }
        let clauses = try ChangeClauses.splits(of: clause, in: "delete", hasAssignments: false)[0]
        let filter = try change.filter(words: clauses.condition, conditions, "delete", collection)
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let collection = source.collection
            let chosen = try source.filter(filter)
            try change.run(
                "delete", "deleted", of: chosen, in: collection, session: session, options, conditions
            ) { options, progress in
                try collection.delete(where: chosen, options: options, progress: progress)
            }
        }
    }
}
