internal import DocIndex
internal import DocSync

/// The parameters of a request. Each may occur once, and unknown ones are refused, so that a mistake is not overlooked.
struct Parameters: Sendable {
    private let values: [(name: String, value: String)]

    /// Reads the parameters of a request.
    ///
    /// - Throws: ``Problem`` for a parameter that is not in `known`, or that occurs twice.
    init(_ target: Target, known: [String]) throws {
        for (position, item) in target.query.enumerated() {
            guard known.contains(item.name) else {
                let names = known.isEmpty ? "it takes none" : "it takes " + known.joined(separator: ", ")
                throw Problem(
                    .badRequest, "The parameter \(item.name.prefix(50)) is unknown here; \(names).",
                    parameter: String(item.name.prefix(50)))
            }
            guard !target.query[..<position].contains(where: { $0.name == item.name }) else {
                throw Problem(
                    .badRequest, "The parameter \(item.name) occurs twice; give it once.", parameter: item.name)
            }
        }
        values = target.query
    }

    /// The value of a parameter; `nil` if it is absent or empty, as a form sends fields that were not filled in.
    subscript(name: String) -> String? {
        values.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// Returns a number in a range; `nil` if the parameter is absent.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(
                .badRequest, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).",
                parameter: name)
        }
        return number
    }

    /// Returns one of several words; `nil` if the parameter is absent.
    func choice(_ name: String, of words: [String]) throws -> String? {
        guard let text = self[name] else { return nil }
        guard words.contains(text) else {
            let allowed = words.count == 1 ? words[0] : "one of \(words.joined(separator: ", "))"
            throw Problem(.badRequest, "\(name) must be \(allowed).", parameter: name)
        }
        return text
    }

    /// Returns the condition of a parameter; the one that every document satisfies if it is absent.
    func filter(_ name: String = "where") throws -> Filter {
        try reading(name) { try Filter(parsing: $0) } ?? .all
    }

    /// Returns the order of a parameter; empty if it is absent.
    func sort(_ name: String = "sort") throws -> [Query.SortKey] {
        try reading(name) { try Query.SortKey.parse($0) } ?? []
    }

    /// Returns the paths of a parameter, separated by commas; `nil` if it is absent.
    func paths(_ name: String, limit: Int = 100) throws -> [FieldPath]? {
        try reading(name) { text in
            let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }
            guard parts.count <= limit else {
                throw Problem(.badRequest, "\(name) has more than \(limit) fields; name fewer.")
            }
            return try parts.map { try FieldPath(parsing: String($0)) }
        }
    }

    /// Returns the position where a page begins; `nil` if the parameter is absent.
    func position() -> DocumentCollection.Page.Token? { self["after"].map { DocumentCollection.Page.Token($0) } }

    /// Reads the value of a parameter, and names it in the problem if it cannot be read.
    func reading<R>(_ name: String, _ read: (String) throws -> R) throws -> R? {
        guard let text = self[name] else { return nil }
        do {
            return try read(text)
        } catch {
            var problem = Problem(error)
            problem.parameter = name
            throw problem
        }
    }
}

extension Problem {
    /// The problem of a query with a position: the query itself has been read, so an invalid query means that the
    /// position does not belong to it.
    init(_ error: any Error, hasPosition: Bool) {
        guard hasPosition, let error = error as? DocIndexError, error.code == .invalidQuery,
            error.message.hasPrefix("the token")
        else {
            self.init(error)
            return
        }
        self.init(.tokenOfAnotherQuery, error.message, parameter: "after")
    }
}
