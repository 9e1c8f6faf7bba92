import ArgumentParser
import DocIndex

/// The options that complete a query's condition.
///
/// Programs pass values by these options instead of inserting them into the condition, where they would be parsed.
struct ConditionOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: "Also require this condition, given as JSON such as '{\"rating\": {\"$gte\": 4}}'.")
    var filterJson: String?
    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "NAME=VALUE: Set the parameter :NAME of the condition. VALUE is JSON, or otherwise a string.")
    var param: [String] = []
    @Flag(name: .long, help: "Reject queries that would scan all documents.") var noScan = false
    @Flag(
        name: .long,
        help:
            "Fail, instead of warning, if no document has a field, or if a comparison can never be true."
    )
    var strict = false

    /// The condition of a string, combined with that of `--filter-json`.
    func filter(_ text: String) throws -> Filter {
        let written = try parsed(text)
        // An error of the condition is reported first.
        try requireParameters(usedIn: [text])
        return try withJSON(written)
    }

    /// The condition, combined with that of `--filter-json`.
    private func withJSON(_ written: Filter) throws -> Filter {
        guard let filterJson else { return written }
        let filter = try Filter(selector: ArgumentOrigin.current.text(of: ProtectedArgument.plain(filterJson)))
        return written == .all ? filter : .and([written, filter])
    }

    /// The condition of a string.
    ///
    /// - Throws: ``CommandError`` with advice if it cannot be read.
    private func parsed(_ text: String) throws -> Filter {
        do {
            return try Filter(parsing: text, parameters: try parameters())
        } catch let error as DocIndexError where error.code == .invalidQuery {
            var failure = CommandError(error)
            if failure.message.contains("is bound") {
                failure.hint = "--param NAME=VALUE binds a value"
            } else {
                failure.hint = failure.hint ?? ConditionAdvice.hint(for: text, failure.message)
            }
            throw failure
        }
    }

    /// The condition of a string without parameters.
    static func parsedPlain(_ text: String) throws -> Filter {
        do {
            return try Filter(parsing: text)
        } catch let error as DocIndexError where error.code == .invalidQuery {
            var failure = CommandError(error)
            failure.hint = failure.hint ?? ConditionAdvice.hint(for: text, failure.message)
            throw failure
        }
    }

    /// The condition in the remaining arguments of a command.
    func filter(words: [String]) throws -> Filter {
        try filter(ArgumentOrigin.current.expression(of: words))
    }

    /// The condition of an option such as `--where`, combined with that of `--filter-json`.
    func filter(option: String?) throws -> Filter {
        try filter(try option.map { try ArgumentOrigin.current.text(of: ProtectedArgument.plain($0)) } ?? "")
    }

    /// The condition in the remaining arguments and the one of an option, combined by AND.
    ///
    /// - Parameter others: Other arguments that may use the parameters, such as assignments.
    func filter(words: [String], option: String?, besides others: [String] = []) throws -> Filter {
        var texts = [try ArgumentOrigin.current.expression(of: words)]
        if let option { texts.append(try ArgumentOrigin.current.text(of: ProtectedArgument.plain(option))) }
        let parts = try texts.map { try parsed($0) }
        try requireParameters(usedIn: texts + others)
        let first = try withJSON(parts[0])
        return parts.count == 1 ? first : .and([first, parts[1]])
    }

    /// Rejects parameters that no text uses: the name of one is probably misspelt.
    private func requireParameters(usedIn texts: [String]) throws {
        for name in try parameters().keys.sorted() where !texts.contains(where: { $0.contains(":\(name)") }) {
            throw CommandError(
                .usage, "--param \(name) is not used: there is no :\(name) in the condition",
                hint: "a condition uses it as in rating >= :\(name)")
        }
    }

    /// The query options that correspond to the flags.
    var queryOptions: Query.Options { Query.Options(refusesScan: noScan) }

    /// The values of `--param` by name.
    func parameters() throws -> [String: DocumentValue] {
        var parameters: [String: DocumentValue] = [:]
        for argument in param {
            let text = try ArgumentOrigin.current.text(of: ProtectedArgument.plain(argument))
            guard let split = text.firstIndex(of: "="), split > text.startIndex else {
                throw CommandError(
                    .usage, "--param takes NAME=VALUE, not \(text)", hint: "for example --param least=4")
            }
            let name = String(text[..<split])
            guard parameters[name] == nil else { throw CommandError(.usage, "--param \(name) is given twice") }
            let value = String(text[text.index(after: split)...])
            parameters[name] = (try? JSONParser(notation: .dump).parse(Array(value.utf8))) ?? .string(value)
        }
        return parameters
    }
}
