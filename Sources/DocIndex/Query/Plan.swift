public import LevelKit

/// How a query is answered: which keys are read, and what is done with the documents they lead to.
///
/// A plan never decides what the answer is: every document that it reaches is checked against the whole condition.
public struct Plan: Sendable, Hashable, CustomStringConvertible {
    /// Where the rows come from.
    public indirect enum Access: Sendable, Hashable {
        /// Every document of the collection, in the order of ids.
        case scan
        /// The entries of a value index in some ranges of keys.
        case ranges(index: String, ranges: [KeyRange], conditions: [String])
        /// The rows of several, each once.
        case union([Access])
        /// The entries of a value index from one end to the other, because they have the order that is asked for.
        case walk(index: String, isDescending: Bool)
    }

    /// Where the rows come from.
    public let access: Access
    /// Entries that were expected when the plan was chosen; `nil` where nothing was counted.
    public let estimatedEntryCount: Int?
    /// Whether documents are put in order after they were read.
    public let sorts: Bool

    /// The plan in one line.
    public var description: String {
        let estimate = estimatedEntryCount.map { ", about \($0) entries" } ?? ""
        return access.description + estimate + (sorts ? ", then sort" : "")
    }
}

extension Plan.Access: CustomStringConvertible {
    /// The access in words.
    public var description: String {
        switch self {
        case .scan: "scan all documents"
        case .ranges(let index, _, let conditions): "index \(index) (\(conditions.joined(separator: ", ")))"
        case .union(let parts): parts.map(\.description).joined(separator: " or ")
        case .walk(let index, let isDescending): "walk index \(index)\(isDescending ? " backwards" : "")"
        }
    }
}
