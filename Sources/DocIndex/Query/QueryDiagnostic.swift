/// A part of a query that looks like a mistake: as the documents are, it cannot match any of them.
///
/// ```swift
/// let query = Query(try Predicate(parsing: "ratng = 5"))
/// if try photos.count(where: query.predicate) == 0 {
///     for diagnostic in try photos.diagnostics(of: query) { print(diagnostic) }
///     // no document has a field ratng; did you mean rating?
/// }
/// ```
public struct QueryDiagnostic: Sendable, Hashable {
    /// What is wrong.
    public enum Problem: Sendable, Hashable {
        /// No document has the field.
        case unknownField
        /// Documents have the field, but no value that the condition could hold for. The kinds are those of the values that
        /// were looked at.
        case otherKinds(Set<DocumentValue.Kind>)
        /// The field holds dates, and the condition compares it with a text that is none.
        case notADate
    }

    /// The field.
    public let path: FieldPath
    /// What is wrong with it.
    public let problem: Problem
    /// The condition in the notation of ``Predicate/init(parsing:)``; `nil` for a field that is sorted by, counted or shown.
    public let condition: String?
    /// Fields or conditions that were probably meant, the most likely first; empty where none is near.
    public let suggestions: [String]
}

extension QueryDiagnostic: CustomStringConvertible {
    /// The problem and what to write instead, in one line.
    public var description: String {
        switch problem {
        case .unknownField:
            return "no document has a field \(path.notation)" + question
        case .otherKinds(let kinds):
            let names = Set(kinds.map(\.plural)).sorted().joined(separator: " and ")
            return "\(path.notation) holds \(names), so \(condition ?? path.notation) matches nothing" + question
        case .notADate:
            return
                "\(path.notation) holds dates, and \(condition ?? path.notation) compares it with a text that is none; "
                + "write a date such as 2019-06-08"
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
    /// What several values of the kind are called.
    fileprivate var plural: String {
        switch self {
        case .null: "null"
        case .bool: "booleans"
        case .int, .double: "numbers"
        case .string: "texts"
        case .bytes: "bytes"
        case .date: "dates"
        case .array: "arrays"
        case .object: "objects"
        }
    }
}

extension DocumentCollection {
    /// What in a query looks like a mistake: fields that no document has, and comparisons that can hold for none of the values
    /// that there are.
    ///
    /// Ask when a query finds nothing, or before it is run. What is reported is certain as of this moment: a field that few
    /// documents have is none that is unknown. An empty collection gives no diagnostics, and searches for words are not looked
    /// at.
    ///
    /// - Parameters:
    ///   - fields: further fields that are counted, listed or shown.
    ///   - foundSomething: whether the query has results. Then the conditions that all of them satisfy are not looked at, and of
    ///     the others the names of fields alone.
    /// - Throws: ``DocIndexError``: `invalidQuery`, `queryTooLarge`, `corruption`; `LevelError`; `CancellationError`.
    /// - Complexity: for each condition one query that ends at the first document with such a value: fast where there is one
    ///   or an index tells, O(*n*) in the documents otherwise.
    public func diagnostics(
        of query: Query, fields: [FieldPath] = [], foundSomething: Bool = false
    ) throws -> [QueryDiagnostic] {
        try query.predicate.validate()
        guard try count() > 0 else { return [] }
        var diagnosis = QueryDiagnosis(self, names: try reader().collection.names.current)
        try diagnosis.add(query.predicate, foundSomething: foundSomething)
        for key in query.sort {
            switch key.key {
            case .field(let path): try diagnosis.add(path)
            case .distance(let field, _): for path in field.paths { try diagnosis.add(path) }
            case .score: break
            }
        }
        for path in fields { try diagnosis.add(path) }
        return diagnosis.diagnostics
    }
}
