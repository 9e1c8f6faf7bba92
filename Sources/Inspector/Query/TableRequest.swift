internal import DocIndex
internal import DocSync

/// The part of a collection's documents that a request wants to see.
struct TableRequest: Sendable {
    /// The parameters that a list of documents has.
    static let names = ["where", "sort", "fields", "limit", "after"]
    /// The largest number of documents in a list.
    static let largestCount = 1000

    let filter: Filter
    /// The condition as it was written.
    let condition: String
    let sort: [Query.SortKey]
    /// The wanted fields; `nil` for a choice, or for whole documents.
    let fields: [FieldPath]?
    let limit: Int
    let position: DocumentCollection.Page.Token?

    init(_ parameters: Parameters, usualCount: Int) throws {
        filter = try parameters.filter()
        condition = parameters["where"] ?? ""
        sort = try parameters.sort()
        fields = try parameters.paths("fields")
        limit = try parameters.number("limit", in: 1...Self.largestCount) ?? usualCount
        position = parameters.position()
    }

    var query: Query { Query(filter, sort: sort, limit: limit) }

    /// Runs a query of a page; its problems name the position.
    func reading<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            throw Problem(error, hasPosition: position != nil)
        }
    }
}

extension Plan.Execution {
    /// An explanation of the query, for people.
    var summary: String {
        let documents = HumanNumber.counted(documentsExamined, "document")
        return "read \(HumanNumber.counted(keysExamined, "key")) and \(documents) in \(millisecondsText)"
    }

    /// The time in milliseconds, rounded to microseconds.
    var milliseconds: Double { ((duration / .milliseconds(1)) * 1000).rounded() / 1000 }

    private var millisecondsText: String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\(HumanNumber.grouped(tenths / 10)).\(tenths % 10) ms"
    }
}
