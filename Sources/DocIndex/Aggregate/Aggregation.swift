/// A computation over many documents, optionally in groups.
///
/// ```swift
/// let byCamera = try photos.summarize(
///     .init(by: [.value("camera"), .datePart("taken", .year)], [.count, .average("iso")]), where: "rating >= 4")
/// ```
public struct Aggregation: Sendable, Hashable {
    /// A property by which documents are grouped.
    public enum GroupKey: Sendable, Hashable {
        /// The value at a path. With `[]`, a document belongs to the group of each distinct element, and to none if the
        /// array is empty.
        case value(FieldPath)
        /// A part of the date at a path, as in ``Filter/hasDatePart(_:_:_:)``, for histograms.
        case datePart(FieldPath, DocumentDate.Part)
        /// The lower end of the range that contains the number at a path. Ranges begin at multiples of the width.
        case range(FieldPath, width: Double)

        /// The path whose values decide.
        public var path: FieldPath {
            switch self {
            case .value(let path), .datePart(let path, _), .range(let path, _): path
            }
        }
    }

    /// A value that is computed for each group.
    public enum Measure: Sendable, Hashable {
        /// The number of documents.
        case count
        /// The sum of the numbers at a path; 0 if there are none.
        case sum(FieldPath)
        /// The average of the numbers at a path; `null` if there are none.
        case average(FieldPath)
        /// The smallest value at a path, in the order of results; `null` if there is none.
        case minimum(FieldPath)
        /// The largest value at a path, in the order of results; `null` if there is none.
        case maximum(FieldPath)
        /// The number of distinct values at a path.
        case distinctCount(FieldPath)

        var path: FieldPath? {
            switch self {
            case .count: nil
            case .sum(let path), .average(let path), .minimum(let path), .maximum(let path), .distinctCount(let path):
                path
            }
        }
    }

    /// The keys of the groups; empty for a single group of all documents.
    public var keys: [GroupKey]
    /// The measures to compute for each group.
    public var measures: [Measure]
    /// The maximum number of groups. If there are more, the aggregation throws `queryTooLarge`.
    public var groupLimit: Int

    /// Creates an aggregation.
    public init(by keys: [GroupKey] = [], _ measures: [Measure] = [.count], groupLimit: Int = 1_000_000) {
        self.keys = keys
        self.measures = measures
        self.groupLimit = groupLimit
    }

    /// A group in the result.
    public struct Group: Sendable, Hashable {
        /// The values of the keys; `nil` for documents without a value.
        public let key: [DocumentValue?]
        /// The computed values, in the order of the measures.
        public let values: [DocumentValue]
    }

    var tooManyGroups: DocIndexError {
        DocIndexError(
            .queryTooLarge, "the result has more than \(groupLimit) groups; narrow the condition or raise the limit")
    }

    func validate() throws {
        for case .range(let path, let width) in keys where !(width > 0 && width.isFinite) {
            throw DocIndexError(.invalidQuery, "the width of ranges of \(path) is \(width); it must be greater than 0")
        }
    }
}

extension DocumentCollection {
    /// A value and the number of documents that contain it.
    public struct Facet: Sendable, Hashable {
        /// The value. Whole numbers are integers, even if they are stored as doubles.
        public let value: DocumentValue
        /// The number of documents.
        public let count: Int
    }
}
