extension Plan {
    /// How a query was answered.
    public struct Execution: Sendable, Hashable {
        /// The plan.
        public let plan: Plan
        /// The number of index entries and document keys read.
        public let keysExamined: Int
        /// The number of documents read and checked.
        public let documentsExamined: Int
        /// The number of documents in the result.
        public let resultCount: Int
        /// Whether the planned access was abandoned because it found too few results. The remaining results then came
        /// from reading all candidate rows.
        public let didSwitchAccess: Bool
        /// The time from choosing the plan to the last result, including time spent by the caller.
        public let duration: Duration
    }
}

extension Plan.Execution {
    /// A summary of what was read, such as `read 12 keys and 1 document for 1 result`.
    package var workText: String {
        let documents = HumanNumber.counted(documentsExamined, "document")
        let results = HumanNumber.counted(resultCount, "result")
        return "read \(HumanNumber.counted(keysExamined, "key")) and \(documents) for \(results)"
    }
}
