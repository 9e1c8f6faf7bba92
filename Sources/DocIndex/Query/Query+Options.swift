extension Query {
    /// Options for answering a query. They do not affect the result.
    public struct Options: Sendable {
        /// A plan that must be used. A query without such a plan fails.
        public enum Hint: Sendable, Hashable {
            /// A plan that reads this index, and perhaps others.
            case index(String)
            /// A plan that reads every document.
            case scan
            /// The plan with this ``Plan/identity``.
            case plan(String)
        }

        /// The plan that must be used; `nil` for the cheapest.
        public var hint: Hint?
        /// Whether to reject a query that would read every document, with `scanRefused`.
        public var refusesScan: Bool
        /// The maximum memory for sorting, in bytes. A query that needs more fails; a limit or an index over the sort
        /// keys reduces its need.
        public var sortByteLimit: Int
        /// A closure called with the progress every few thousand steps, on the thread that runs the query.
        public var progress: (@Sendable (Options.Progress) -> Void)?

        /// Creates options.
        public init(
            hint: Hint? = nil, refusesScan: Bool = false, sortByteLimit: Int = 256 << 20,
            progress: (@Sendable (Options.Progress) -> Void)? = nil
        ) {
            self.hint = hint
            self.refusesScan = refusesScan
            self.sortByteLimit = sortByteLimit
            self.progress = progress
        }
    }
}

extension Query.Options.Hint: CustomStringConvertible {
    /// The hint as text.
    public var description: String {
        switch self {
        case .index(let name): "index \(name)"
        case .scan: "scan"
        case .plan(let identity): identity
        }
    }
}

extension Query.Options {
    /// The progress of a query.
    public struct Progress: Sendable, Hashable {
        /// The number of index and document keys read so far.
        public let keysExamined: Int
        /// The number of documents read so far.
        public let documentsExamined: Int
        /// The number of keys estimated when the plan was chosen.
        public let expectedKeyCount: Int

        /// The fraction completed, from 0 to 1, based on the estimate.
        public var fraction: Double { min(1, Double(keysExamined) / Double(max(1, expectedKeyCount))) }
    }
}
