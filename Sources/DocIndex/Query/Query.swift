/// What is asked of a collection: which documents, in which order, how many.
///
/// ```swift
/// let query = Query(try Predicate(parsing: "rating >= 4 and keywords has sea"), sort: [.descending("taken")], limit: 20)
/// ```
///
/// A query says nothing of how it is answered; see ``Plan``. Its answer does not depend on the indexes there are.
public struct Query: Sendable, Hashable {
    /// Which documents.
    public var predicate: Predicate
    /// In which order. Equal documents, and all where there is no key, come in the order in which they were first stored.
    public var sort: [SortKey]
    /// How many at most; `nil` for all.
    public var limit: Int?
    /// How many are left out at the beginning. They are found all the same; see ``DocumentCollection/page(_:after:)`` for
    /// what costs less.
    public var offset: Int

    /// A query.
    public init(_ predicate: Predicate = .all, sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0) {
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    func validate() throws {
        try predicate.validate()
        if let limit, limit < 0 {
            throw DocIndexError(.invalidQuery, "the limit is \(limit); give 0 or more")
        }
        guard offset >= 0 else { throw DocIndexError(.invalidQuery, "the offset is \(offset); give 0 or more") }
        for key in sort {
            if key.collation != .binary {
                guard case .field = key.key else {
                    throw DocIndexError(.invalidQuery, "\(key) has no texts to put in order; leave the collation out")
                }
            }
            if case .score = key.key, predicate.scoringQuery == nil {
                throw DocIndexError(
                    .invalidQuery, "an order by score needs a search in the condition, such as SEARCH \"fog\"")
            }
            guard case .field(let path) = key.key, path.hasArrayStep || path.steps.isEmpty else { continue }
            throw DocIndexError(
                .invalidQuery, "cannot sort by \(path): a document has several values there; name one field")
        }
    }
}

// MARK: - Codable

extension Query: Codable {
    private enum Keys: String, CodingKey { case condition, sort, limit, offset }

    /// A saved query: the condition in the notation of ``Predicate/init(parsing:)``, the rest under its names.
    ///
    /// - Throws: `DecodingError`; ``DocIndexError`` with `invalidQuery` for a condition that cannot be read.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        self.init(
            try Predicate(parsing: try values.decodeIfPresent(String.self, forKey: .condition) ?? ""),
            sort: try values.decodeIfPresent([SortKey].self, forKey: .sort) ?? [],
            limit: try values.decodeIfPresent(Int.self, forKey: .limit),
            offset: try values.decodeIfPresent(Int.self, forKey: .offset) ?? 0)
        try validate()
    }

    /// Writes the query as ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Keys.self)
        try values.encode(predicate.description, forKey: .condition)
        if !sort.isEmpty { try values.encode(sort, forKey: .sort) }
        try values.encodeIfPresent(limit, forKey: .limit)
        if offset != 0 { try values.encode(offset, forKey: .offset) }
    }
}

extension Query.SortKey: Codable {
    private enum Keys: String, CodingKey { case field, collation, distance, latitude, longitude, score, descending }

    /// Reads a key: `field`, perhaps with a `collation`, or `distance` with one or two paths, `latitude` and `longitude`, or
    /// `score` that is true; and `descending`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        let isDescending = try values.decodeIfPresent(Bool.self, forKey: .descending) ?? false
        if let field = try values.decodeIfPresent(String.self, forKey: .field) {
            let name = try values.decodeIfPresent(String.self, forKey: .collation) ?? TextCollation.binary.rawValue
            guard let collation = TextCollation(rawValue: name) else {
                throw DocIndexError(
                    .invalidQuery,
                    "there is no collation \(name); there are "
                        + TextCollation.allCases.map(\.rawValue).joined(separator: ", "))
            }
            self.init(try FieldPath(parsing: field), isDescending: isDescending, collation: collation)
            return
        }
        if try values.decodeIfPresent(Bool.self, forKey: .score) == true {
            self.init(.score, isDescending: isDescending)
            return
        }
        let paths = try values.decode([String].self, forKey: .distance).map { try FieldPath(parsing: $0) }
        let latitude = try values.decode(Double.self, forKey: .latitude)
        let longitude = try values.decode(Double.self, forKey: .longitude)
        guard paths.count == 1 || paths.count == 2, let center = GeoPoint(latitude: latitude, longitude: longitude)
        else {
            throw DocIndexError(
                .invalidQuery, "a distance has one path or two, and a latitude and longitude on the earth")
        }
        let field =
            paths.count == 1
            ? GeoField.location(paths[0]) : .coordinates(latitude: paths[0], longitude: paths[1])
        self.init(.distance(field, to: center), isDescending: isDescending)
    }

    /// Writes the key as ``init(from:)`` reads it.
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
        case .score: try values.encode(true, forKey: .score)
        }
        if isDescending { try values.encode(true, forKey: .descending) }
    }
}
