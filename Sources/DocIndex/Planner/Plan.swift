public import LevelKit

/// A plan for answering a query: which keys are read, and what is done with the documents that they lead to.
///
/// The plan does not affect the result. Conditions that its indexes do not decide are evaluated on each document, and
/// results have the order of the query whichever way they were found.
public struct Plan: Sendable, Hashable {
    /// The source of the rows.
    package indirect enum Access: Sendable, Hashable {
        /// No rows: no document can satisfy the condition.
        case nothing
        /// Every document of the collection, in the order of rows.
        case scan
        /// The entries of an index in some key ranges.
        case ranges(Plan.IndexScan)
        /// Documents by ID, through the map from IDs to rows.
        case ids(Plan.IDScan)
        /// The rows of any of several accesses, without duplicates.
        case union([Access])
        /// The rows that all of several accesses have. The first access is read completely; the others rule out
        /// documents before they are read.
        case intersection([Access])
        /// The entries of an index in the requested order, optionally only those among the rows of another access.
        case ordered(Plan.OrderedIndexScan, filter: Access?)
        /// The locations of an index, nearest first.
        case nearest(index: String, GeoPoint)
        /// The matches of the condition's searches, in the order of rows.
        case search(Plan.TextScan)
        /// The matches of the condition's searches, best first, optionally only those among the rows of another access.
        case ranked(Plan.TextScan, filter: Access?)
    }

    /// How results are put in order.
    public enum Ordering: String, Sendable, Hashable {
        /// Results are found in the requested order.
        case found
        /// The first results are kept while documents are read.
        case top
        /// All results are sorted.
        case sort
    }

    /// The source of the rows.
    package let access: Access
    /// How results are put in order.
    public let ordering: Ordering
    /// Whether the rows of the access are exactly the result, so that counting them reads no documents.
    public let isExact: Bool
    /// The estimates made when the plan was chosen.
    public let estimate: Estimate
    /// The parts of the condition that the access does not decide, evaluated on each document. Normalized.
    let residual: Filter
    /// The access to switch to when a scan finds too few results; `nil` if there is none.
    var fallback: Fallback?

    /// An alternative access with the same rows in the same order.
    struct Fallback: Sendable, Hashable {
        let access: Access
        /// The estimated cost, in nanoseconds.
        let cost: Double
    }

    /// The estimated parts of the cost.
    public struct Estimate: Sendable, Hashable {
        /// The number of index entries, and of document keys in a scan.
        public var keyCount: Int
        /// The number of documents read.
        public var documentCount: Int
        /// The number of documents in the result.
        public var rowCount: Int
        /// The time, in microseconds.
        public var microseconds: Int
    }

    /// The kind of access and the names of the indexes, which distinguish the plan from other plans of the same query.
    /// Independent of estimates and stable across runs.
    public var identity: String { access.identity }

    /// The names of the indexes that are read, in the order of the plan.
    public var indexNames: [String] { access.indexNames }

    /// The key ranges that are read from value indexes and from the map of IDs, in the order of the plan. Empty for a scan
    /// of the collection, a search, and the nearest locations.
    public var keyRanges: [KeyRange] { access.keyRanges }
}

extension Plan.Access {
    var identity: String {
        switch self {
        case .nothing: "nothing"
        case .scan: "scan"
        case .ranges(let scan): "index(\(scan.index))"
        case .ids: "ids"
        case .union(let parts): "union(\(parts.map(\.identity).joined(separator: ",")))"
        case .intersection(let parts): "intersection(\(parts.map(\.identity).joined(separator: ",")))"
        case .ordered(let scan, nil): "ordered(\(scan.index))"
        case .ordered(let scan, let filter?): "ordered(\(scan.index);\(filter.identity))"
        case .nearest(let index, _): "nearest(\(index))"
        case .search(let scan): "search(\(scan.index))"
        case .ranked(let scan, nil): "ranked(\(scan.index))"
        case .ranked(let scan, let filter?): "ranked(\(scan.index);\(filter.identity))"
        }
    }

    var indexNames: [String] {
        switch self {
        case .nothing, .scan, .ids: []
        case .ranges(let scan): [scan.index]
        case .union(let parts), .intersection(let parts): parts.flatMap(\.indexNames)
        case .ordered(let scan, let filter): [scan.index] + (filter?.indexNames ?? [])
        case .nearest(let index, _): [index]
        case .search(let scan): [scan.index]
        case .ranked(let scan, let filter): [scan.index] + (filter?.indexNames ?? [])
        }
    }

    var keyRanges: [KeyRange] {
        switch self {
        case .ranges(let scan): scan.ranges
        case .ids(let scan): scan.ranges
        case .union(let parts), .intersection(let parts): parts.flatMap(\.keyRanges)
        case .ordered(let scan, let filter): scan.ranges + (filter?.keyRanges ?? [])
        case .ranked(_, let filter): filter?.keyRanges ?? []
        case .nothing, .scan, .nearest, .search: []
        }
    }
}

extension Plan {
    /// The entries of an index in some key ranges.
    package struct IndexScan: Sendable, Hashable {
        /// The name of the index.
        package let index: String
        /// The key ranges: disjoint, in the order of the conditions rather than of the keys.
        package let ranges: [KeyRange]
        /// The conditions that the ranges represent.
        package var conditions: [String] { used.map(\.description) }
        /// The conditions evaluated on each entry before its document is read.
        package var filterConditions: [String] {
            filters.compactMap { if case .component(_, let filter) = $0 { filter.description } else { nil } }
        }
        /// The conditions that the ranges represent. They are formatted only on demand.
        let used: [Filter]
        /// The estimated number of entries.
        package internal(set) var estimatedEntryCount: Int
        let filters: [EntryFilter]
        /// Whether each range holds the entries of a single value, so that rows ascend within it and a row is found
        /// with one seek.
        let hasRisingRows: Bool
    }
}

extension Plan {
    /// Documents by ID.
    package struct IDScan: Sendable, Hashable {
        /// The key ranges in the map from IDs to rows: disjoint and ascending, one for each ID if single IDs are
        /// requested.
        package let ranges: [KeyRange]
        /// The conditions that the ranges represent.
        package var conditions: [String] { used.map(\.description) }
        let used: [Filter]
        /// The requested IDs; `nil` if the plan reads ranges of IDs.
        let ids: [DocumentID]?
        /// The estimated number of IDs.
        package let estimatedCount: Int
    }
}

extension Plan {
    /// The entries of an index in the order of their values.
    package struct OrderedIndexScan: Sendable, Hashable {
        /// A part of the scan: entries with a common key prefix.
        struct Run: Sendable, Hashable {
            let range: KeyRange
            /// The key bytes before the sort components.
            let prefix: [UInt8]
        }

        /// The name of the index.
        package let index: String
        /// Whether larger keys come first.
        package let isDescending: Bool
        /// The conditions that restrict the scan.
        package var conditions: [String] { used.map(\.description) }
        let used: [Filter]
        let runs: [Run]
        /// The components that determine the order. They follow the components that are constant within a run.
        let sortComponents: Range<Int>
        let filters: [EntryFilter]
        /// The key ranges, one for each run.
        package var ranges: [KeyRange] { runs.map(\.range) }
    }
}

extension Plan {
    /// The matches found by the text index.
    package struct TextScan: Sendable, Hashable {
        /// The name of the index.
        package let index: String
        /// The search conditions.
        package var conditions: [String] { used.map(\.description) }
        let used: [Filter]
        /// An upper bound on the number of matching documents.
        package let estimatedMatchCount: Int
        let query: TextQuery
    }
}

/// A condition that an entry must satisfy before its document is read.
enum EntryFilter: Sendable, Hashable {
    /// The value of a component satisfies a condition on its path.
    case component(Int, Filter)
    /// The location is at most this far from a point, in meters.
    case near(GeoPoint, Double)
    /// The location is in a box.
    case within(GeoBox)
}

extension Query.Options.Hint {
    func admits(_ plan: Plan) -> Bool {
        switch self {
        case .index(let name): plan.indexNames.contains { $0.hasSameBytes(as: name) }
        case .scan: plan.identity == "scan" || plan.identity == "nothing"
        case .plan(let identity): plan.identity.hasSameBytes(as: identity)
        }
    }
}
