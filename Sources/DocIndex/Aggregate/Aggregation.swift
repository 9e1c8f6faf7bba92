/// What is asked about many documents together.
///
/// ```swift
/// let byCamera = try photos.summarize(
///     .init(by: [.value("camera"), .datePart("taken", .year)], [.count, .average("iso")]), where: "rating >= 4")
/// ```
public struct Aggregation: Sendable, Hashable {
    /// By what documents are put together.
    public enum GroupKey: Sendable, Hashable {
        /// The value at a path. With `[]`, a document belongs to the group of each distinct element, and to none if there is
        /// no element.
        case value(FieldPath)
        /// A part of the date at a path, as in ``Predicate/hasDatePart(_:_:_:)``: a histogram.
        case datePart(FieldPath, DatePart)
        /// The lower end of the range that the number at a path lies in: ranges begin at multiples of the width.
        case range(FieldPath, width: Double)

        var path: FieldPath {
            switch self {
            case .value(let path), .datePart(let path, _), .range(let path, _): path
            }
        }
    }

    /// What is computed for each group.
    public enum Measure: Sendable, Hashable {
        /// The documents.
        case count
        /// The sum of the numbers at a path; 0 if there are none.
        case sum(FieldPath)
        /// Their average; `null` if there are none.
        case average(FieldPath)
        /// The smallest value at a path, in the order of results; `null` if there is none.
        case minimum(FieldPath)
        /// The largest.
        case maximum(FieldPath)
        /// How many distinct values there are at a path.
        case distinctCount(FieldPath)

        var path: FieldPath? {
            switch self {
            case .count: nil
            case .sum(let path), .average(let path), .minimum(let path), .maximum(let path), .distinctCount(let path):
                path
            }
        }
    }

    /// The keys of groups; empty for one group of all.
    public var keys: [GroupKey]
    /// What is computed.
    public var measures: [Measure]
    /// Groups that are kept in memory at most; more are refused.
    public var groupLimit: Int

    /// An aggregation.
    public init(by keys: [GroupKey] = [], _ measures: [Measure] = [.count], groupLimit: Int = 1_000_000) {
        self.keys = keys
        self.measures = measures
        self.groupLimit = groupLimit
    }

    /// A group of the result.
    public struct Group: Sendable, Hashable {
        /// The values of the keys; `nil` where a document has nothing there.
        public let key: [DocumentValue?]
        /// What was computed, in the order of the measures.
        public let values: [DocumentValue]
    }

    var tooManyGroups: DocIndexError {
        DocIndexError(
            .queryTooLarge, "there are more than \(groupLimit) groups; narrow the condition or raise the limit")
    }

    func validate() throws {
        for case .range(let path, let width) in keys where !(width > 0 && width.isFinite) {
            throw DocIndexError(.invalidQuery, "the width of ranges of \(path) is \(width); give more than 0")
        }
    }
}

/// A value and how many documents have it.
public struct Facet: Sendable, Hashable {
    /// The value; of equal numbers, a whole one comes as an integer.
    public let value: DocumentValue
    /// The documents.
    public let count: Int
}
