public import LevelKit

/// How a query is answered: which keys are read, and what is done with the documents they lead to.
///
/// A plan never decides what the answer is: what its indexes do not decide by themselves is asked of each document, and the
/// order of results is that of the query, whichever way they were found.
public struct Plan: Sendable, Hashable {
    /// Where the rows come from.
    public indirect enum Access: Sendable, Hashable {
        /// Nowhere: no document can satisfy the condition.
        case nothing
        /// Every document of the collection, in the order of rows.
        case scan
        /// The entries of an index in some ranges of keys.
        case ranges(IndexScan)
        /// Documents by their ids, which the map from ids to rows finds.
        case ids(IDScan)
        /// The rows of several, each once.
        case union([Access])
        /// The rows that all of them have. The first is read whole; what the others are for is to leave out documents
        /// before they are read.
        case intersection([Access])
        /// The entries of an index in the order that is asked for, perhaps only those among the rows of another access.
        case walk(IndexWalk, filter: Access?)
        /// The locations of an index, the nearest first.
        case nearest(index: String, GeoPoint)
        /// What the searches of the condition find, in the order of rows.
        case search(TextScan)
        /// What they find, the best first, perhaps only among the rows of another access.
        case ranked(TextScan, filter: Access?)
    }

    /// What is done about the order of results.
    public enum Ordering: String, Sendable, Hashable {
        /// Nothing: they are found in the order that is asked for.
        case found
        /// The first of them are kept while documents are read.
        case top
        /// All of them are sorted.
        case sort
    }

    /// Where the rows come from.
    public let access: Access
    /// What is done about the order.
    public let ordering: Ordering
    /// Whether the rows of the access are the answer, so that counting them needs no document.
    public let isExact: Bool
    /// What was expected when the plan was chosen.
    public let estimate: Estimate
    /// What is asked of each document: the parts of the condition that the access does not decide by itself. Normalized.
    let residual: Predicate
    /// The way that is taken where a scan meets too few results; `nil` where there is none.
    var fallback: Fallback?

    /// Another way to the same rows, in the same order.
    struct Fallback: Sendable, Hashable {
        let access: Access
        /// What it was expected to cost, in nanoseconds.
        let cost: Double
    }

    /// The parts of a cost, as they were expected.
    public struct Estimate: Sendable, Hashable {
        /// Index entries, and keys of documents in a scan.
        public var keyCount: Int
        /// Documents that are read.
        public var documentCount: Int
        /// Documents in the answer.
        public var rowCount: Int
        /// The time, in microseconds.
        public var microseconds: Int
    }

    /// What tells the plan apart from others of the same query, whatever the estimates: the way, and the names of the
    /// indexes. Stays the same from one run to the next.
    public var identity: String { access.identity }

    /// The indexes that are read, in the order of the plan.
    public var indexNames: [String] { access.indexNames }
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
        case .walk(let walk, nil): "walk(\(walk.index))"
        case .walk(let walk, let filter?): "walk(\(walk.index);\(filter.identity))"
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
        case .walk(let walk, let filter): [walk.index] + (filter?.indexNames ?? [])
        case .nearest(let index, _): [index]
        case .search(let scan): [scan.index]
        case .ranked(let scan, let filter): [scan.index] + (filter?.indexNames ?? [])
        }
    }
}

/// The entries of an index in some ranges of its keys.
public struct IndexScan: Sendable, Hashable {
    /// The name of the index.
    public let index: String
    /// The ranges of keys, apart; in the order of the conditions, not of the keys.
    public let ranges: [KeyRange]
    /// What the ranges say, as conditions.
    public var conditions: [String] { used.map(\.description) }
    /// What is asked of each entry before its document is read, as conditions.
    public var filterConditions: [String] {
        filters.compactMap { if case .component(_, let predicate) = $0 { predicate.description } else { nil } }
    }
    /// The conditions that the ranges say. Texts are made of them where somebody looks.
    let used: [Predicate]
    /// Entries that were expected.
    public internal(set) var estimatedEntryCount: Int
    let filters: [EntryFilter]
    /// Whether each range holds the entries of one value, so that their rows rise and a row is found with one seek.
    let hasRisingRows: Bool
}

/// Documents by their ids.
public struct IDScan: Sendable, Hashable {
    /// The ranges of keys of the map from ids to rows, apart and ascending; one for each id that is asked for by itself.
    public let ranges: [KeyRange]
    /// What the ranges say, as conditions.
    public var conditions: [String] { used.map(\.description) }
    let used: [Predicate]
    /// Ids that are asked for by themselves; `nil` where ranges are.
    let ids: [DocumentID]?
    /// Ids that were expected.
    public let estimatedCount: Int
}

/// The entries of an index in the order of their values.
public struct IndexWalk: Sendable, Hashable {
    /// A part of the walk: entries that have the same beginning.
    struct Run: Sendable, Hashable {
        let range: KeyRange
        /// The bytes of keys before those that decide about the order.
        let prefix: [UInt8]
    }

    /// The name of the index.
    public let index: String
    /// Whether larger keys come first.
    public let isDescending: Bool
    /// What the walk is restricted to, as conditions.
    public var conditions: [String] { used.map(\.description) }
    let used: [Predicate]
    let runs: [Run]
    /// The components that decide about the order, behind those that are the same within a run.
    let sortComponents: Range<Int>
    let filters: [EntryFilter]
    /// The ranges of keys, one for each run.
    public var ranges: [KeyRange] { runs.map(\.range) }
}

/// What the text index finds.
public struct TextScan: Sendable, Hashable {
    /// The name of the index.
    public let index: String
    /// What is looked for, as conditions.
    public var conditions: [String] { used.map(\.description) }
    let used: [Predicate]
    /// Documents that were expected, never less than there are.
    public let estimatedMatchCount: Int
    let query: TextQuery
}

/// What an entry must satisfy before its document is read.
enum EntryFilter: Sendable, Hashable {
    /// The value of a component satisfies a condition on its path.
    case component(Int, Predicate)
    /// The location is not farther than this from a point, in meters.
    case near(GeoPoint, Double)
    /// The location is in a box.
    case within(GeoBox)
}
