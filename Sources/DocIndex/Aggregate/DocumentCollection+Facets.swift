extension DocumentCollection {
    /// The facets of one key, and the number of documents without a value.
    public struct FacetList: Sendable, Hashable {
        /// The values with their counts, the most frequent first.
        public let facets: [Facet]
        /// The number of documents without a value at the path, or for a part of a date, without a date. Documents with
        /// `null` are without a date but not without a value. 0 if it was not requested.
        public let missingCount: Int
    }

    /// Returns the facets of several keys, such as `camera`, `keywords[]` or `year(taken)`.
    ///
    /// ```swift
    /// let list = try photos.facets(by: [.datePart("taken", .year)], countsMissing: true)[0]
    /// ```
    ///
    /// All counts come from one snapshot.
    ///
    /// - Parameters:
    ///   - keys: the keys.
    ///   - filter: the condition that the counted documents satisfy.
    ///   - limit: the maximum number of values of each key; `nil` for all.
    ///   - countsMissing: whether documents without a value are counted too.
    ///   - options: the hint, the limits and the progress of the queries.
    /// - Throws: the errors of ``summarize(_:where:options:)``.
    /// - Complexity: that of ``facets(_:where:limit:options:)-([FieldPath],_,_,_)`` for all paths together, and of
    ///   ``summarize(_:where:options:)`` for each other key. Counting missing values adds a query for each path.
    public func facets(
        by keys: [Aggregation.GroupKey], where filter: Filter = .all, limit: Int? = nil, countsMissing: Bool = false,
        options: Query.Options = Query.Options()
    ) throws -> [FacetList] {
        let view = try pinnedToNewest()
        let paths = keys.compactMap { key -> FieldPath? in if case .value(let path) = key { path } else { nil } }
        var values = try paths.isEmpty ? [] : view.facets(paths, where: filter, limit: limit, options: options)
        return try keys.map { key in
            if case .value(let path) = key {
                let missing = countsMissing ? try view.countMissing(path, filter, options) : 0
                return FacetList(facets: values.removeFirst(), missingCount: missing)
            }
            let groups = try view.summarize(Aggregation(by: [key]), where: filter, options: options)
            let (facets, missing) = Self.split(groups)
            // A document with an empty array belongs to no group.
            let empty = countsMissing && key.path.hasArrayStep ? try view.countMissing(key.path, filter, options) : 0
            return FacetList(
                facets: Self.ranked(facets, limit: limit), missingCount: countsMissing ? missing + empty : 0)
        }
    }

    private func countMissing(_ path: FieldPath, _ filter: Filter, _ options: Query.Options) throws -> Int {
        let missing = Filter.not(.exists(path))
        return try count(where: filter.isAll ? missing : .and([filter, missing]), options: options)
    }

    /// Separates the groups of a single key and a single count into values and the number of documents without one.
    static func split(_ groups: [Aggregation.Group]) -> (facets: [Facet], missingCount: Int) {
        var facets: [Facet] = []
        var missing = 0
        for group in groups {
            let count = Int(clamping: group.values.first?.intValue ?? 0)
            if let value = group.key.first ?? nil {
                facets.append(Facet(value: value, count: count))
            } else {
                missing += count
            }
        }
        return (facets, missing)
    }
}
