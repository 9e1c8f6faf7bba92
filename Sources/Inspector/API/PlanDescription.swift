internal import DocIndex

/// The plan of a query and what it read, as JSON.
enum PlanDescription {
    static func json(_ execution: Plan.Execution) -> DocumentValue {
        [
            "description": .string(execution.plan.description),
            "indexes": .array(execution.plan.indexNames.map { .string($0) }),
            "keysExamined": .int(Int64(execution.keysExamined)),
            "documentsExamined": .int(Int64(execution.documentsExamined)),
            "returned": .int(Int64(execution.resultCount)),
        ]
    }
}
