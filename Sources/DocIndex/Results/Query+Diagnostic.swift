extension Query {
    /// A probable mistake in a query: a part that matches none of the present documents.
    ///
    /// ```swift
    /// let query = Query(try Filter(parsing: "ratng = 5"))
    /// if try photos.count(where: query.filter) == 0 {
    ///     for diagnostic in try photos.diagnostics(of: query) { print(diagnostic) }
    ///     // no document has a field ratng; did you mean rating?
    /// }
    /// ```
    public struct Diagnostic: Sendable, Hashable {
        /// The kind of problem.
        public enum Problem: Sendable, Hashable {
            /// No document has the field.
            case unknownField
            /// Documents have the field, but no value for which the condition could hold. The associated value is the
            /// kinds of the sampled values.
            case otherKinds(Set<DocumentValue.Kind>)
            /// The condition asks for a location, and no value of the field is one. The associated value is the kinds of
            /// the sampled values.
            case noLocation(Set<DocumentValue.Kind>)
            /// The field contains dates, and the condition compares it with a string that is not a date.
            case notADate
            /// The condition compares numbers, and some values of the field are strings that look like numbers.
            case numbersInStrings
            /// No value satisfies the condition, but some do if case and accents are ignored.
            case otherSpelling
            /// No value satisfies the condition, but an index contains strings that differ from its constant in one or
            /// two characters.
            case similarStrings
        }

        /// The field.
        public let path: FieldPath
        /// The problem with the field.
        public let problem: Problem
        /// The condition in the notation of ``Filter/init(parsing:)``; `nil` for a field that is sorted by, counted or
        /// shown.
        public let condition: String?
        /// Fields or conditions that were probably meant, most likely first; empty if none is similar.
        public let suggestions: [String]
    }
}

extension Query.Diagnostic: CustomStringConvertible {
    /// The kinds of the field's values, such as "year holds numbers".
    package var held: String {
        let names: String
        switch problem {
        case .otherKinds(let kinds), .noLocation(let kinds):
            names = Set(kinds.map(\.plural)).sorted().joined(separator: " and ")
        case .notADate: names = "dates"
        case .unknownField: names = "nothing"
        case .numbersInStrings, .otherSpelling, .similarStrings: names = "strings"
        }
        return "\(path.notation) holds \(names)"
    }

    /// The problem and a suggested correction, in one line.
    public var description: String {
        switch problem {
        case .unknownField:
            return "no document has a field \(path.notation)" + question
        case .otherKinds:
            let isText = suggestions.isEmpty && held == "\(path.notation) holds strings"
            return "\(held), so \(condition ?? path.notation) matches nothing"
                + (isText ? "; strings are ordered by their characters" : question)
        case .noLocation:
            return
                "\(held), none of them a location; a location is two numbers in degrees, or text such as 48 deg 51' "
                + "28.20\" N"
        case .notADate:
            return
                "\(held), but \(condition ?? path.notation) compares it with a string that is "
                + "not a date; write a date such as 2019-06-08"
        case .numbersInStrings:
            return
                "some values of \(path.notation) are strings that look like numbers; "
                + "\(condition ?? path.notation) does not match strings" + question
        case .otherSpelling:
            return
                "\(condition ?? path.notation) matches nothing, but \(path.notation) holds strings that differ only in "
                + "case or accents" + question
        case .similarStrings:
            return "\(condition ?? path.notation) matches nothing, but \(path.notation) holds similar strings"
                + question
        }
    }

    private var question: String {
        switch suggestions.count {
        case 0: ""
        case 1: "; did you mean \(suggestions[0])?"
        default:
            "; did you mean \(suggestions.dropLast().joined(separator: ", ")) or \(suggestions[suggestions.count - 1])?"
        }
    }
}

extension DocumentValue.Kind {
    /// The plural name of the kind.
    fileprivate var plural: String {
        switch self {
        case .null: "null"
        case .bool: "booleans"
        case .int, .double: "numbers"
        case .string: "strings"
        case .bytes: "bytes"
        case .date: "dates"
        case .array: "arrays"
        case .object: "objects"
        case .attachment: "attachments"
        }
    }
}

extension DocumentCollection {
    /// Returns probable mistakes in a query: fields that no document has, and comparisons that cannot hold for any
    /// existing value.
    ///
    /// Call this when a query finds nothing, or before running a query. The findings are certain for the documents
    /// stored now: a field that only a few documents have is not reported as unknown. An empty collection gives no
    /// diagnostics, and full-text searches are not checked.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - fields: Other fields to check, such as those the caller counts, lists or shows.
    ///   - foundSomething: Whether the query has results. If so, conditions that every result satisfies are not
    ///     checked. Conditions that no result satisfies are checked in full; for all others, only field names are.
    /// - Throws: ``DocIndexError`` with `invalidQuery`, `queryTooLarge` or `corruption`; `LevelError`;
    ///   `CancellationError`.
    /// - Complexity: For each condition, one query that stops at the first document with a suitable value. This is fast
    ///   if there is one or an index decides; otherwise O(*n*) in the number of documents. For a string that equals no
    ///   stored value, also one seek for each of the first 10,000 distinct values of an index.
    public func diagnostics(
        of query: Query, fields: [FieldPath] = [], foundSomething: Bool = false
    ) throws -> [Query.Diagnostic] {
        try query.filter.validate()
        guard try count() > 0 else { return [] }
        var diagnosis = QueryDiagnosis(self, names: try reader().collection.names.current)
        try diagnosis.add(query.filter, foundSomething: foundSomething)
        for key in query.sort {
            switch key.key {
            case .field(let path), .place(let path, _): try diagnosis.add(path)
            case .distance(let field, _): for path in field.paths { try diagnosis.add(path) }
            case .score: break
            }
        }
        for path in fields { try diagnosis.add(path) }
        return diagnosis.diagnostics
    }
}
