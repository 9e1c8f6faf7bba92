extension DocumentCollection {
    /// A document and its distance from a point.
    public struct Neighbor: Sendable, Hashable {
        /// The document.
        public let document: Document
        /// The distance in meters of the nearest location of the document.
        public let meters: Double
    }

    /// Returns the documents nearest to a point, nearest first. Documents without a location are left out. Documents at
    /// the same distance are in the order in which they were first stored.
    ///
    /// ```swift
    /// for neighbor in try photos.nearest(.location("gps"), to: lisbon, within: 2000, limit: 10) {
    ///     print(neighbor.document.id, Int(neighbor.meters))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - field: the place of the location in a document.
    ///   - center: the point.
    ///   - meters: the maximum distance; `nil` for any.
    ///   - filter: an additional condition.
    ///   - limit: the maximum number of documents; `nil` for all.
    ///   - options: the hint, the limits and the progress of the query.
    /// - Throws: ``DocIndexError`` with `invalidQuery` for a negative distance or limit; the errors of
    ///   ``find(_:options:)``.
    /// - Complexity: with an index of the kind `geo` over the field, growing circles are read until the limit is
    ///   reached; otherwise that of the plan.
    public func nearest(
        _ field: GeoField, to center: GeoPoint, within meters: Double? = nil, where filter: Filter = .all,
        limit: Int? = 20, options: Query.Options = Query.Options()
    ) throws -> [Neighbor] {
        var neighbors: [Neighbor] = []
        try forEachNeighbor(field, of: center, within: meters, where: filter, limit: limit, options: options) {
            neighbors.append($0)
            return true
        }
        return neighbors
    }

    /// Calls `body` with each document of ``nearest(_:to:within:where:limit:options:)``, nearest first, until it
    /// returns `false`.
    ///
    /// - Returns: the plan that was used, and how much was read.
    /// - Throws: what `body` throws; the errors of ``nearest(_:to:within:where:limit:options:)``.
    @discardableResult
    public func forEachNeighbor(
        _ field: GeoField, of center: GeoPoint, within meters: Double? = nil, where filter: Filter = .all,
        limit: Int? = 20, options: Query.Options = Query.Options(), _ body: (Neighbor) throws -> Bool
    ) throws -> Plan.Execution {
        let query = Query(
            nearest: field, to: center, within: meters, where: filter, limit: limit)
        return try forEach(matching: query, options: options) { document in
            let distance = field.distance(in: document.content, to: center)
            return try body(Neighbor(document: document, meters: distance))
        }
    }
}

extension Query {
    /// Creates the query for the documents with a location, nearest to a point first.
    ///
    /// - Parameters:
    ///   - field: the field that contains the location.
    ///   - center: the point.
    ///   - meters: the maximum distance; `nil` for any.
    ///   - filter: a further condition.
    ///   - limit: the maximum number of documents; `nil` for all.
    public init(
        nearest field: GeoField, to center: GeoPoint, within meters: Double? = nil, where filter: Filter = .all,
        limit: Int? = nil
    ) {
        // Nothing is farther away than half the circumference.
        let near = Filter.isNear(field, center, meters: meters ?? .pi * GeoPoint.earthRadius + 1)
        self.init(filter.isAll ? near : .and([near, filter]), sort: [.nearest(field, to: center)], limit: limit)
    }
}
