import ArgumentParser
import DocIndex

/// The options that say which documents are meant, besides the condition itself.
///
/// Programs use these and put no values into the text of a condition: what they hold is never read as notation.
struct ConditionOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "A condition as JSON, such as '{\"rating\": {\"$gte\": 4}}', which must hold as well.")
    var filterJson: String?
    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "NAME=VALUE: what :NAME stands for in the condition. VALUE is JSON, or else a text.")
    var param: [String] = []
    @Flag(name: .long, help: "Refuse what would have to look at every document.") var noScan = false
    @Flag(
        name: .long,
        help:
            "Fail where otherwise a warning says that no document has a field, or that a comparison can hold for no value."
    )
    var strict = false

    /// The condition of a text, with what the options add to it.
    func predicate(_ text: String) throws -> Predicate {
        let written = try Predicate(parsing: text, parameters: try parameters())
        guard let filterJson else { return written }
        let filter = try Predicate(selector: ArgumentOrigin.current.text(of: Invocation.plain(filterJson)))
        return written == .all ? filter : .and([written, filter])
    }

    /// The condition of the words behind a command.
    func predicate(words: [String]) throws -> Predicate {
        try predicate(ArgumentOrigin.current.expression(of: words))
    }

    /// The condition of an option such as `--where`; that of the options alone without one.
    func predicate(option: String?) throws -> Predicate {
        try predicate(try option.map { try ArgumentOrigin.current.text(of: Invocation.plain($0)) } ?? "")
    }

    /// The condition of the words behind a command and of an option, both of which must hold.
    func predicate(words: [String], option: String?) throws -> Predicate {
        let first = try predicate(words: words)
        guard let option else { return first }
        let text = try ArgumentOrigin.current.text(of: Invocation.plain(option))
        return .and([first, try Predicate(parsing: text, parameters: try parameters())])
    }

    /// How queries are to be answered.
    var queryOptions: QueryOptions { QueryOptions(refusesScan: noScan) }

    private func parameters() throws -> [String: DocumentValue] {
        var parameters: [String: DocumentValue] = [:]
        for argument in param {
            let text = try ArgumentOrigin.current.text(of: Invocation.plain(argument))
            guard let split = text.firstIndex(of: "="), split > text.startIndex else {
                throw CommandFailure(
                    .usage, "--param takes NAME=VALUE, and this is \(text)", hint: "for example --param least=4")
            }
            let name = String(text[..<split])
            guard parameters[name] == nil else { throw CommandFailure(.usage, "--param \(name) is given twice") }
            let value = String(text[text.index(after: split)...])
            parameters[name] = (try? JSONParser(isExtended: true).parse(Array(value.utf8))) ?? .string(value)
        }
        return parameters
    }
}
