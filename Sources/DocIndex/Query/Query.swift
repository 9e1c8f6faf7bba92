/// A query on a collection: which documents, in which order, and how many.
///
/// ```swift
/// let query = Query(try Filter(parsing: "rating >= 4 and keywords has sea"), sort: [.descending("taken")], limit: 20)
/// ```
///
/// A query does not specify how it is answered; see ``Plan``. Its result does not depend on the available indexes.
public struct Query: Sendable, Hashable {
    /// The condition that documents must satisfy.
    public var filter: Filter
    /// The order of the results. Documents with equal keys, or all documents without keys, are in the order in which
    /// they were first stored.
    public var sort: [SortKey]
    /// The maximum number of results; `nil` for all.
    public var limit: Int?
    /// The number of results skipped at the beginning. Skipped results still have to be found;
    /// ``DocumentCollection/page(_:after:options:)`` is cheaper.
    public var offset: Int

    /// Creates a query.
    public init(_ filter: Filter = .all, sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0) {
        self.filter = filter
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    func validate() throws {
        try filter.validate()
        if let limit, limit < 0 {
            throw DocIndexError(.invalidQuery, "the limit is \(limit); it must be 0 or more")
        }
        guard offset >= 0 else { throw DocIndexError(.invalidQuery, "the offset is \(offset); it must be 0 or more") }
        for key in sort {
            if key.collation != .binary {
                guard case .field = key.key else {
                    throw DocIndexError(.invalidQuery, "\(key) does not sort strings; omit the collation")
                }
            }
            if case .score = key.key, filter.scoringQuery == nil {
                throw DocIndexError(
                    .invalidQuery, "sorting by score needs a search in the condition, such as SEARCH \"fog\"")
            }
            let path: FieldPath
            switch key.key {
            case .field(let field), .place(let field, _): path = field
            case .distance, .score: continue
            }
            guard path.hasArrayStep || path.steps.isEmpty else { continue }
            throw DocIndexError(
                .invalidQuery, "cannot sort by \(path): a document has several values there; name one field")
        }
    }
}

// MARK: - Codable

extension Query: Codable {
    private enum Keys: String, CodingKey { case condition, sort, limit, offset }

    /// Decodes a saved query: the condition in the notation of ``Filter/init(parsing:)``, and `sort`, `limit` and
    /// `offset`.
    ///
    /// - Throws: `DecodingError`; ``DocIndexError`` with `invalidQuery` for an invalid condition.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        self.init(
            try Filter(parsing: try values.decodeIfPresent(String.self, forKey: .condition) ?? ""),
            sort: try values.decodeIfPresent([SortKey].self, forKey: .sort) ?? [],
            limit: try values.decodeIfPresent(Int.self, forKey: .limit),
            offset: try values.decodeIfPresent(Int.self, forKey: .offset) ?? 0)
        try validate()
    }

    /// Encodes the query in the format of ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Keys.self)
        try values.encode(filter.description, forKey: .condition)
        if !sort.isEmpty { try values.encode(sort, forKey: .sort) }
        try values.encodeIfPresent(limit, forKey: .limit)
        if offset != 0 { try values.encode(offset, forKey: .offset) }
    }
}

extension Query.SortKey: Codable {
    private enum Keys: String, CodingKey {
        case field, collation, distance, latitude, longitude, place, values, score, descending
    }

    /// Decodes a sort key: `field` with an optional `collation`; or `distance` with one or two paths, `latitude` and
    /// `longitude`; or `place` with a path and `values` in extended JSON; or `score` with the value true. Each can have
    /// `descending`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        let order: IndexDefinition.Component.Order =
            try values.decodeIfPresent(Bool.self, forKey: .descending) == true ? .descending : .ascending
        if let field = try values.decodeIfPresent(String.self, forKey: .field) {
            let name = try values.decodeIfPresent(String.self, forKey: .collation) ?? TextCollation.binary.rawValue
            guard let collation = TextCollation(rawValue: name) else {
                throw DocIndexError(
                    .invalidQuery,
                    "unknown collation \(name); the collations are "
                        + TextCollation.allCases.map(\.rawValue).joined(separator: ", "))
            }
            self.init(try FieldPath(parsing: field), order: order, collation: collation)
            return
        }
        if try values.decodeIfPresent(Bool.self, forKey: .score) == true {
            self.init(.score, order: order)
            return
        }
        if let field = try values.decodeIfPresent(String.self, forKey: .place) {
            let list = try values.decode([DocumentValue].self, forKey: .values)
            self.init(.place(try FieldPath(parsing: field), in: list), order: order)
            return
        }
        let paths = try values.decode([String].self, forKey: .distance).map { try FieldPath(parsing: $0) }
        let latitude = try values.decode(Double.self, forKey: .latitude)
        let longitude = try values.decode(Double.self, forKey: .longitude)
        guard paths.count == 1 || paths.count == 2, let center = GeoPoint(latitude: latitude, longitude: longitude)
        else {
            throw DocIndexError(
                .invalidQuery, "a distance needs one or two paths, and a valid latitude and longitude")
        }
        let field =
            paths.count == 1
            ? GeoField.location(paths[0]) : .coordinates(latitude: paths[0], longitude: paths[1])
        self.init(.distance(field, to: center), order: order)
    }

    /// Encodes the key in the format of ``init(from:)``.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Keys.self)
        switch key {
        case .field(let path):
            try values.encode(path.description, forKey: .field)
            if collation != .binary { try values.encode(collation.rawValue, forKey: .collation) }
        case .distance(let field, let center):
            try values.encode(field.paths.map(\.description), forKey: .distance)
            try values.encode(center.latitude, forKey: .latitude)
            try values.encode(center.longitude, forKey: .longitude)
        case .place(let path, let list):
            try values.encode(path.description, forKey: .place)
            try values.encode(list, forKey: .values)
        case .score: try values.encode(true, forKey: .score)
        }
        if isDescending { try values.encode(true, forKey: .descending) }
    }
}
