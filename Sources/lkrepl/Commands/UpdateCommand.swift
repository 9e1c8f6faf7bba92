import ArgumentParser
import DocIndex

/// Changes all documents of a condition.
struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change all documents that satisfy a condition.",
        discussion: """
            Example: lkrepl update --write --yes photos.store photos WHERE 'keywords has snow' SET 'rating = 5'
            Assignments, applied in order: field = value, field ?= value (only if absent), keywords += river (adds to \
            an array or a number), keywords -= river, keywords river -> stream (renames an element), caption -> title \
            (renames a field), REMOVE field, caption TEXT teh -> the (within a string), subject BELOW a -> b (a \
            keyword and all below it). people[].name reaches every element. Values as in conditions; (a, b) is a list.
            The change is one commit up to --batch-bytes: all or nothing. Scripts use --where and --set, and pass \
            values with --param. --dry-run shows documents before and after.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var change: BulkChangeOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "WHERE and the condition, SET and the assignments.") var clause: [String] = []
    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: "Assignments, instead of the words after SET; can be repeated.")
    var assignments: [String] = []
    @Option(
        name: .long, parsing: .unconditional,
        help: "Assignments as JSON, such as '{\"$set\": {\"rating\": 5}, \"$add\": {\"keywords\": \"river\"}}'.")
    var setJson: String?

    func run() throws {
        if !change.dryRun { try options.requireWrite("update") }
        let (filter, update) = try parsed()
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let collection = source.collection
            let chosen = try source.filter(filter)
            let doubts = try AssignmentAdvice(update, collection).doubts(isStrict: conditions.strict)
            try change.run(
                "update", "updated", of: chosen, doubts, in: collection, session: session, options, conditions
            ) { options, progress in
                try collection.update(where: chosen, update, options: options, progress: progress)
            }
        }
    }

    /// The condition and the assignments.
    private func parsed() throws -> (Filter, DocumentUpdate) {
        var failure: (any Error)?
        for clauses in try ChangeClauses.splits(of: clause, in: "update", hasAssignments: true) {
            do {
                let filter = try change.filter(
                    words: clauses.condition, besides: assignments + (clauses.assignments ?? []), conditions, "update",
                    collection)
                return (filter, try update(words: clauses.assignments))
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? CommandError(.usage, "update needs assignments after SET")
    }

    private func parsed(_ text: String, _ parameters: [String: DocumentValue]) throws -> DocumentUpdate {
        do {
            return try DocumentUpdate(parsing: text, parameters: parameters)
        } catch let error as DocIndexError where error.code == .invalidUpdate {
            var failure = CommandError(error)
            failure.hint = failure.hint ?? AssignmentAdvice.hint(for: text)
            throw failure
        }
    }

    private func update(words: [String]?) throws -> DocumentUpdate {
        var update = DocumentUpdate([])
        let parameters = try conditions.parameters()
        if let words {
            update = try parsed(ArgumentOrigin.current.expression(of: words), parameters)
        }
        for argument in assignments {
            let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(argument))
            update.assignments += try parsed(text, parameters).assignments
        }
        if let setJson {
            let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(setJson))
            update.assignments += try DocumentUpdate(json: text).assignments
        }
        guard !update.assignments.isEmpty else {
            throw CommandError(
                .usage, "update needs assignments",
                hint: "for example: update photos WHERE keywords has snow SET rating = 5, keywords += winter")
        }
        return update
    }
}
