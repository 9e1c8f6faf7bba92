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
        /// In which order texts are, and which are equal; of a field alone. An index whose component has the same collation
        /// has this order.
        public var collation: TextCollation

        /// An order by a key.
        public init(_ key: Key, isDescending: Bool = false, collation: TextCollation = .binary) {
            self.key = key
            self.isDescending = isDescending
            self.collation = collation
        }

        /// An order by a field.
        public init(_ path: FieldPath, isDescending: Bool = false, collation: TextCollation = .binary) {
            self.init(.field(path), isDescending: isDescending, collation: collation)
        }

        /// Smaller values first: missing, `null`, `false`, `true`, numbers, texts, dates, bytes; then arrays, then objects,
        /// each of which are all equal.
        ///
        /// - Parameter collation: of texts; with ``TextCollation/natural``, `IMG_2` comes before `IMG_10`.
        public static func ascending(_ path: FieldPath, collation: TextCollation = .binary) -> SortKey {
            SortKey(path, collation: collation)
        }
        /// Larger values first.
        public static func descending(_ path: FieldPath, collation: TextCollation = .binary) -> SortKey {
            SortKey(path, isDescending: true, collation: collation)
        }
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
        case .field(let path): (isDescending ? "-" : "") + Self.notation(of: path, collation)
        case .distance(let field, let center):
            "\(isDescending ? "-" : "")distance(\(field), \(center.latitude), \(center.longitude))"
        case .score: (isDescending ? "-" : "") + Self.scoreNotation
        }
    }
}

extension Query.SortKey {
    /// The score in the notation of the shell. No path is written like that.
    private static let scoreNotation = "@score"

    /// A field with its collation in the notation of the shell.
    private static func notation(of path: FieldPath, _ collation: TextCollation) -> String {
        let text = path.description
        guard collation == .binary else { return "\(collation.rawValue)(\(text))" }
        // A name that would be taken for a collation stands in quotes.
        guard collated(text[...]) != nil, case .name(let name)? = path.steps.first else { return text }
        return "\"\(name)\"\(text.dropFirst(name.count))"
    }

    /// The collation and the path that a text names, such as `natural(file)`; `nil` for other texts.
    private static func collated(_ text: Substring) -> (TextCollation, path: Substring)? {
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("),
            let collation = TextCollation(rawValue: String(text[..<open])), collation != .binary
        else { return nil }
        return (collation, text[text.index(after: open)...].dropLast())
    }

    /// Sort keys in the notation of the shell: fields with commas between them, `-` before one that is descending; `-@score`
    /// puts what a search finds best first. `natural(file)`, `ci(title)` and `ci-ai(title)` put texts in the order of a
    /// ``TextCollation``; a field that has such a name stands in quotes.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`.
    public static func parse(_ text: String) throws -> [Query.SortKey] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let isDescending = part.hasPrefix("-")
            let field = isDescending ? part.dropFirst() : part
            if field == scoreNotation[...] { return Query.SortKey(.score, isDescending: isDescending) }
            let (collation, path) = collated(field) ?? (.binary, field)
            do {
                return Query.SortKey(
                    try FieldPath(parsing: String(path)), isDescending: isDescending, collation: collation)
            } catch {
                throw DocIndexError(.invalidQuery, "cannot sort by \(part): \(error)")
            }
        }
    }
}
