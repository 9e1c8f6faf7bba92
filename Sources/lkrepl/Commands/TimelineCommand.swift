import ArgumentParser
import DocIndex

/// Counts documents by year, month or day.
struct TimelineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Count documents by year, month or day, in chronological order.",
        discussion: """
            Example: lkrepl timeline photos.store photos taken --by month 'rating >= 4'
            Dates are date values, and strings such as 2012-06-08T18:02:11 or 2012:06:08 18:02:11. Each date counts in \
            its own time zone. The last row, if there is one, is for documents without a date; its period is null. \
            Without a condition, an index on the field supplies the counts, and no document is read.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The path of the date.") var field: String
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Option(name: .long, help: "Set the length of the periods: year, month or day.") var by = "month"
    @Flag(name: .long, help: "Add rows for periods without documents, between the first and the last one.")
    var gaps = false

    func run() throws {
        guard let unit = DocumentCollection.Timeline.Unit(rawValue: by) else {
            throw CommandError(.usage, "unknown period \(by)", hint: "use year, month or day")
        }
        let path = try FieldPath(parsing: ArgumentOrigin.current.text(of: ProtectedArgument.plain(field)))
        let condition = try conditions.filter(words: condition)
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let filter = try source.filter(condition)
            let collection = source.collection
            try conditions.requireSound(Query(filter), fields: [path], in: collection)
            let timeline = try collection.timeline(
                path, by: unit, where: filter, fillsGaps: gaps, options: conditions.queryOptions)
            let writer = try options.writer(columns: ["period", "count"])
            for entry in timeline.entries {
                try writer.write(["period": .string("\(entry.period)"), "count": .int(Int64(entry.count))])
            }
            // Values of a different kind, such as a year as a number, are not dates.
            let others = Filter.and([filter, .exists(path), .not(.hasKind(path, [.null]))])
            let hasOthers =
                try timeline.entries.isEmpty && timeline.missingCount > 0
                && collection.exists(matching: others, options: conditions.queryOptions)
            if timeline.missingCount > 0 {
                let name = hasOthers ? "no date" : "not set"
                let period = try options.isForPeople() ? DocumentValue.string(name) : .null
                try writer.write(["period": period, "count": .int(Int64(timeline.missingCount))])
            }
            try writer.finish()
            if hasOthers {
                options.note(
                    "warning: no value of \(path) is a date; facets \(collection.name) \(path) counts the documents by value"
                )
            }
            let isEmpty = timeline.entries.isEmpty && timeline.missingCount == 0
            try conditions.warn(of: Query(filter), fields: [path], in: collection, foundSomething: !isEmpty, options)
        }
    }
}
