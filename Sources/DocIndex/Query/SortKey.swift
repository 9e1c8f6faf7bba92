extension Query {
    /// One key of the order of results.
    public struct SortKey: Sendable, Hashable {
        /// What is compared.
        public enum Key: Sendable, Hashable {
            /// The value at a path.
            case field(FieldPath)
            /// The distance of the nearest location from a point. Documents without a location are infinitely far away.
            case distance(GeoField, to: GeoPoint)
            /// How well the searches of the condition find the document; those that stand under NOT do not count.
            case score
        }

        /// What is compared.
        public var key: Key
        /// Whether larger values come first.
        public var isDescending: Bool

        /// An order by a key.
        public init(_ key: Key, isDescending: Bool = false) {
            self.key = key
            self.isDescending = isDescending
        }

        /// An order by a field.
        public init(_ path: FieldPath, isDescending: Bool = false) {
            self.init(.field(path), isDescending: isDescending)
        }

        /// Smaller values first: missing, `null`, `false`, `true`, numbers, texts, dates, bytes; then arrays, then objects,
        /// each of which are all equal.
        public static func ascending(_ path: FieldPath) -> SortKey { SortKey(path) }
        /// Larger values first.
        public static func descending(_ path: FieldPath) -> SortKey { SortKey(path, isDescending: true) }
        /// What is nearest to a point first.
        public static func nearest(_ field: GeoField, to center: GeoPoint) -> SortKey {
            SortKey(.distance(field, to: center))
        }
        /// What a search finds best first.
        public static var bestFirst: SortKey { SortKey(.score, isDescending: true) }
    }
}

extension Query.SortKey: CustomStringConvertible {
    /// The key in the notation of the shell; a distance in words.
    public var description: String {
        switch key {
        case .field(let path): (isDescending ? "-" : "") + path.description
        case .distance(let field, let center):
            "\(isDescending ? "-" : "")distance(\(field), \(center.latitude), \(center.longitude))"
        case .score: (isDescending ? "-" : "") + Self.scoreNotation
        }
    }
}

extension Query.SortKey {
    /// The score in the notation of the shell. No path is written like that.
    private static let scoreNotation = "@score"

    /// Sort keys in the notation of the shell: fields with commas between them, `-` before one that is descending; `-@score`
    /// puts what a search finds best first.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public static func parse(_ text: String) throws -> [Query.SortKey] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let isDescending = part.hasPrefix("-")
            if (isDescending ? part.dropFirst() : part) == scoreNotation[...] {
                return Query.SortKey(.score, isDescending: isDescending)
            }
            do {
                return Query.SortKey(
                    try FieldPath(parsing: String(isDescending ? part.dropFirst() : part)), isDescending: isDescending)
            } catch {
                throw DocIndexError(.invalidQuery, "cannot sort by \(part): \(error)")
            }
        }
    }
}
