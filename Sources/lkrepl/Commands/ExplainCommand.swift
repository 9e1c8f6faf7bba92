import ArgumentParser
import DocIndex
import LevelKit

/// Tells how a question is answered.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell how a condition is answered, and what that reads.",
        discussion: """
            Example: lkrepl explain photos.store photos 'rating >= 4 and keywords has sea' --sort -taken --limit 10
            The question is answered, to count what is read; --plan stops before that.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The condition; every document without one.") var condition: [String] = []
    @Option(name: .long, parsing: .unconditional, help: "Fields to sort by, as of find.") var sort: String?
    @Option(name: .long, help: "How many at most.") var limit: Int?
    @Flag(name: .long, help: "Show the plan alone.") var plan = false

    func run() throws {
        let query = Query(
            try Predicate(parsing: ArgumentOrigin.current.expression(of: condition)),
            sort: try sort.map { try Query.SortKey.parse(ArgumentOrigin.current.text(of: Invocation.plain($0))) } ?? [],
            limit: limit)
        try Session.with(database, options) { session in
            let collection = try session.collection(collection)
            let chosen = try collection.plan(query)
            var row: DocumentObject = ["plan": .string(chosen.description), "index": Self.indexes(chosen.access)]
            let ranges = Self.ranges(chosen.access)
            if !ranges.isEmpty { row["ranges"] = .array(ranges.map { .string($0) }) }
            row["estimatedKeys"] = .int(Int64(chosen.estimate.keyCount))
            row["estimatedDocs"] = .int(Int64(chosen.estimate.documentCount))
            row["sortsInMemory"] = .bool(chosen.ordering != .found)
            if !plan {
                let explanation = try collection.explain(query)
                let time = explanation.actual.duration / .milliseconds(1)
                row["keysExamined"] = .int(Int64(explanation.actual.keysExamined))
                row["docsExamined"] = .int(Int64(explanation.actual.documentsExamined))
                row["returned"] = .int(Int64(explanation.actual.resultCount))
                row["ms"] = .double((time * 1000).rounded() / 1000)
                if !explanation.rejections.isEmpty {
                    row["notUsed"] = .array(explanation.rejections.map { .string("\($0)") })
                }
                if let advice = explanation.advice { row["advice"] = .string(advice) }
            }
            let mode = try options.outputMode()
            // One row is read more easily downwards.
            let writer = ResultWriter(mode: mode == .table && options.mode == nil ? .line : mode)
            try writer.write(row)
            try writer.finish()
        }
    }

    private static func indexes(_ access: Plan.Access) -> DocumentValue {
        switch access {
        case .ranges(let scan): .string(scan.index)
        case .walk(let walk, let filter):
            if let filter { .array([.string(walk.index), indexes(filter)]) } else { .string(walk.index) }
        case .nearest(let index, _): .string(index)
        case .search(let scan): .string(scan.index)
        case .ranked(let scan, let filter):
            if let filter { .array([.string(scan.index), indexes(filter)]) } else { .string(scan.index) }
        case .union(let parts), .intersection(let parts): .array(parts.map(indexes))
        case .nothing, .scan: .null
        }
    }

    /// The ranges of keys in the notation that `scan` takes.
    private static func ranges(_ access: Plan.Access) -> [String] {
        switch access {
        case .ranges(let scan): scan.ranges.map(notation)
        case .walk(let walk, let filter): walk.ranges.map(notation) + (filter.map(ranges) ?? [])
        case .union(let parts), .intersection(let parts): parts.flatMap(ranges)
        case .nothing, .scan, .nearest, .search, .ranked(_, nil): []
        case .ranked(_, let filter?): ranges(filter)
        }
    }

    private static func notation(_ range: KeyRange) -> String {
        var words: [String] = []
        switch range.lower {
        case .unbounded: break
        case .included(let key): words.append("--from \(ByteNotation.print(key, form: .hex))")
        case .excluded(let key): words.append("--after \(ByteNotation.print(key, form: .hex))")
        }
        switch range.upper {
        case .unbounded: break
        case .included(let key): words.append("--upto \(ByteNotation.print(key, form: .hex))")
        case .excluded(let key): words.append("--to \(ByteNotation.print(key, form: .hex))")
        }
        return words.joined(separator: " ")
    }
}
