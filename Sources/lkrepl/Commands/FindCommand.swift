import ArgumentParser
import DocIndex

/// Finds documents by a condition.
struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find documents by a condition.",
        discussion: """
            Example: lkrepl find photos.store photos 'rating >= 4 and keywords has sea' --sort -taken --limit 10
            Conditions: = != < <= > >= ^= (begins with) *= (contains), IN (a, b), BETWEEN a AND b, HAS (an element is),
            EXISTS, MISSING, joined by AND, OR, NOT and parentheses.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The condition; every document without one.") var condition: [String] = []
    @Option(
        name: .long, parsing: .unconditional,
        help: "Fields to sort by, with commas; - before one for larger values first.")
    var sort: String?
    @Option(name: .long, help: "How many at most.") var limit: Int?
    @Option(name: .long, help: "How many to leave out first.") var skip = 0
    @Flag(name: .long, help: "Print how many there are, and nothing else.") var count = false
    @Flag(name: .long, help: "Tell on standard error how the answer was found.") var explain = false

    func run() throws {
        let condition = try ArgumentOrigin.current.expression(of: condition)
        let query = Query(
            try Predicate(parsing: condition),
            sort: try sort.map { try Query.SortKey.parse(ArgumentOrigin.current.text(of: Invocation.plain($0))) } ?? [],
            limit: limit, offset: skip)
        try Session.with(database) { session in
            let collection = try session.collection(collection)
            let writer = try shape.writer(options, isSilent: count)
            let explanation = try collection.forEach(matching: query) { document in
                if !count { try writer.write(try shape.row(document)) }
                return true
            }
            if count {
                let output = StandardOutput()
                try output.write("\(explanation.resultCount)\n")
                try output.flush()
            } else {
                try writer.finish()
            }
            if explain {
                options.note(
                    "plan: \(explanation.plan); read \(explanation.keysExamined) keys and "
                        + "\(explanation.documentsExamined) documents for \(explanation.resultCount) results")
            }
        }
    }
}

/// Which members of documents are shown.
struct RowShape: ParsableArguments {
    @Option(name: .long, help: "Paths of fields to show, with commas between them.")
    var fields: String?

    @Flag(name: .long, help: "Show ids, and nothing else, one a line.")
    var ids = false

    /// A writer with the columns that were asked for.
    func writer(_ options: GlobalOptions, isSilent: Bool = false, leading: [String] = []) throws -> ResultWriter {
        if isSilent { return ResultWriter(mode: .jsonl) }
        let names = try paths()?.map(\.description)
        return try options.writer(columns: ids ? ["id"] : names.map { leading + $0 })
    }

    /// A document as a row.
    func row(_ document: Document, leading: DocumentObject = [:]) throws -> DocumentObject {
        if ids { return ["id": document.id.value] }
        var row = leading
        guard let paths = try paths() else {
            for member in document.content { row[member.name] = member.value }
            return row
        }
        for path in paths {
            if path.hasArrayStep {
                var elements: [DocumentValue] = []
                path.forEachElement(in: document.content) { elements.append($0) }
                row[path.description] = .array(elements)
            } else if let value = document[path] {
                row[path.description] = value
            }
        }
        return row
    }

    private func paths() throws -> [FieldPath]? {
        try fields.map { try ArgumentOrigin.current.text(of: $0) }?.split(separator: ",").map {
            try FieldPath(parsing: String($0))
        }
    }
}
