/// How a query is to be answered, which changes nothing about the answer.
public struct QueryOptions: Sendable {
    /// A plan that must be used. A query for which there is no such plan is refused.
    public enum Hint: Sendable, Hashable {
        /// One that reads this index, and perhaps others.
        case index(String)
        /// One that looks at every document.
        case scan
        /// The one of this ``Plan/identity``.
        case plan(String)

        func admits(_ plan: Plan) -> Bool {
            switch self {
            case .index(let name): plan.indexNames.contains { $0.hasSameBytes(as: name) }
            case .scan: plan.identity == "scan" || plan.identity == "nothing"
            case .plan(let identity): plan.identity.hasSameBytes(as: identity)
            }
        }
    }

    /// The plan that must be used; `nil` to take the cheapest.
    public var hint: Hint?
    /// Whether a query that would look at every document is refused.
    public var refusesScan: Bool
    /// The memory that sorting may take, in bytes. A query that needs more is refused; a limit or an index over the sort
    /// keys makes it need less.
    public var sortByteLimit: Int
    /// Told how far the query has come, every few thousand steps, on the thread that runs it.
    public var progress: (@Sendable (QueryProgress) -> Void)?

    /// Options.
    public init(
        hint: Hint? = nil, refusesScan: Bool = false, sortByteLimit: Int = 256 << 20,
        progress: (@Sendable (QueryProgress) -> Void)? = nil
    ) {
        self.hint = hint
        self.refusesScan = refusesScan
        self.sortByteLimit = sortByteLimit
        self.progress = progress
    }
}

extension QueryOptions.Hint: CustomStringConvertible {
    /// The hint in words.
    public var description: String {
        switch self {
        case .index(let name): "index \(name)"
        case .scan: "scan"
        case .plan(let identity): identity
        }
    }
}

/// How far a query has come.
public struct QueryProgress: Sendable, Hashable {
    /// Keys of indexes and documents that were read.
    public let keysExamined: Int
    /// Documents that were read.
    public let documentsExamined: Int
    /// Keys that were expected when the plan was chosen.
    public let expectedKeyCount: Int

    /// The share that is done, from 0 to 1, as far as the expectation was right.
    public var fraction: Double { min(1, Double(keysExamined) / Double(max(1, expectedKeyCount))) }
}
