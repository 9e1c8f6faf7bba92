extension Query {
    /// One key of the order of results.
    public struct SortKey: Sendable, Hashable {
        /// The value that a sort key compares.
        public enum Key: Sendable, Hashable {
            /// The value at a path.
            case field(FieldPath)
            /// The distance of the nearest location from a point. Documents without a location are infinitely far away.
            case distance(GeoField, to: GeoPoint)
            /// The place of the value at a path in a list, for results in an order chosen by hand. Values that are not
            /// in the list come last.
            case place(FieldPath, in: [DocumentValue])
            /// The score of the document in the searches of the condition, except for searches under NOT.
            case score
        }

        /// The value to compare.
        public var key: Key
        /// The direction.
        public var order: IndexDefinition.Component.Order
        /// The order and equality of strings. Only fields have a collation. An index whose component has the same
        /// collation has this order.
        public var collation: TextCollation

        /// Creates a sort key.
        public init(_ key: Key, order: IndexDefinition.Component.Order = .ascending, collation: TextCollation = .binary)
        {
            self.key = key
            self.order = order
            self.collation = collation
        }

        /// Creates a sort key for a field.
        public init(
            _ path: FieldPath, order: IndexDefinition.Component.Order = .ascending, collation: TextCollation = .binary
        ) {
            self.init(.field(path), order: order, collation: collation)
        }

        /// Orders by a field, smaller values first: missing, `null`, `false`, `true`, numbers, strings, dates, bytes,
        /// arrays, objects.
        ///
        /// - Parameters:
        ///   - path: The field.
        ///   - collation: The collation of strings. With ``TextCollation/natural``, `IMG_2` comes before
        ///     `IMG_10`.
        public static func ascending(_ path: FieldPath, collation: TextCollation = .binary) -> SortKey {
            SortKey(path, collation: collation)
        }
        /// Orders by a field, larger values first.
        public static func descending(_ path: FieldPath, collation: TextCollation = .binary) -> SortKey {
            SortKey(path, order: .descending, collation: collation)
        }
        /// Orders by the distance from a point, nearest first.
        public static func nearest(_ field: GeoField, to center: GeoPoint) -> SortKey {
            SortKey(.distance(field, to: center))
        }
        /// Orders by score, best matches first.
        public static var bestFirst: SortKey { SortKey(.score, order: .descending) }
    }
}

extension Query.SortKey {
    /// Whether larger values come first.
    var isDescending: Bool { order == .descending }
}

extension Query.SortKey: CustomStringConvertible {
    /// The key in the notation of the shell. A distance and a place have a descriptive form instead.
    public var description: String {
        switch key {
        case .field(let path): (isDescending ? "-" : "") + Self.notation(of: path, collation)
        case .distance(let field, let center):
            "\(isDescending ? "-" : "")distance(\(field), \(center.latitude), \(center.longitude))"
        case .place(let path, let values):
            // The values distinguish queries, but there may be many.
            "\(isDescending ? "-" : "")place(\(path), \(values.count) values, \(FNV1a.hash(values.flatMap(OrderedValue.encoded))))"
        case .score: (isDescending ? "-" : "") + Self.scoreNotation
        }
    }
}

extension Query.SortKey {
    /// The score in the notation of the shell. No path has this notation.
    private static let scoreNotation = "@score"

    /// Returns a field with its collation in the notation of the shell.
    private static func notation(of path: FieldPath, _ collation: TextCollation) -> String {
        let text = path.description
        guard collation == .binary else { return "\(collation.rawValue)(\(text))" }
        // A name that could be read as a collation is quoted.
        guard collated(text[...]) != nil, case .name(let name)? = path.steps.first else { return text }
        return "\"\(name)\"\(text.dropFirst(name.count))"
    }

    /// Splits text such as `natural(file)` into collation and path; `nil` for other text.
    private static func collated(_ text: Substring) -> (TextCollation, path: Substring)? {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("),
            let collation = TextCollation(rawValue: String(text[..<open])), collation != .binary
        else { return nil }
        return (collation, text[text.index(after: open)...].dropLast())
    }

    /// The notation here of `taken desc`, `taken asc`, `+taken` and `-rating -taken`; `nil` for other text.
    private static func inOrderOfSQL(_ part: Substring) -> String? {
        if part.hasPrefix("+"), part.count > 1 { return String(part.dropFirst()) }
        let words = part.split(separator: " ")
        guard words.count > 1 else { return nil }
        if words.count == 2, ["asc", "desc"].contains(words[1].lowercased()) {
            return (words[1].lowercased() == "desc" ? "-" : "") + words[0]
        }
        return words.allSatisfy { $0.hasPrefix("-") } ? words.joined(separator: ",") : nil
    }

    /// Parses sort keys in the notation of the shell: fields separated by commas, with `-` before a field in descending
    /// order; `-@score` puts the best matches first. `natural(file)`, `ci(title)` and `ci-ai(title)` order strings by a
    /// ``TextCollation``; a field with such a name must be quoted, and so must one whose name ends like `title desc`.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public static func parse(_ text: String) throws -> [Query.SortKey] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            if let other = inOrderOfSQL(part) {
                throw DocIndexError(.invalidQuery, "cannot sort by \(part); write \(other)")
            }
            let isDescending = part.hasPrefix("-")
            let field = isDescending ? part.dropFirst() : part
            if field == scoreNotation[...] {
                return Query.SortKey(.score, order: isDescending ? .descending : .ascending)
            }
            let (collation, path) = collated(field) ?? (.binary, field)
            do {
                return Query.SortKey(
                    try FieldPath(parsing: String(path)), order: isDescending ? .descending : .ascending,
                    collation: collation)
            } catch {
                throw DocIndexError(.invalidQuery, "cannot sort by \(part): \(error)")
            }
        }
    }
}
