extension IndexDefinition {
    /// One component of an index key: the path of its value, and how the value is ordered.
    ///
    /// ```swift
    /// .value("timeline", on: .field("taken", order: .descending, dates: [.exif]), "name")
    /// ```
    ///
    /// Every component also indexes missing members, `null`, and values of other kinds than it is meant for, each with
    /// a separate code (see `docs/FORMAT.md`). A collation, a separator and date formats apply only to strings; all
    /// other values are indexed unchanged.
    public struct Component: Sendable, Hashable {
        /// The direction of one component.
        public enum Order: String, Sendable, Hashable, CaseIterable {
            /// Smaller values first.
            case ascending = "asc"
            /// Larger values first.
            case descending = "desc"
        }

        /// The path to the value.
        public var path: FieldPath
        /// The direction.
        public var order: Order
        /// The order and equality of strings.
        public var collation: TextCollation
        /// The formats in which strings are read as dates, in the order in which they are tried; empty if strings are
        /// not read as dates.
        public var dateFormats: [DocumentDate.Format]
        /// The part of a date that is indexed; `nil` for the whole date.
        public var part: DocumentDate.Part?
        /// The separator between the levels of a hierarchical keyword, such as `Places|France|Paris`; `nil` for strings
        /// without levels.
        public var separator: String?
        /// For text indexes: how the text is split into searchable words.
        public var analyzer = TextAnalyzer.simple
        /// For text indexes: the weight of a word in this field, 1 to 100. A word with weight 2 is scored as if it
        /// occurred twice.
        public var weight = 1

        /// Creates a component with its properties.
        public init(
            _ path: FieldPath, order: Order = .ascending, collation: TextCollation = .binary,
            dates: [DocumentDate.Format] = [],
            part: DocumentDate.Part? = nil, split separator: String? = nil
        ) {
            self.path = path
            self.order = order
            self.collation = collation
            self.dateFormats = dates
            self.part = part
            self.separator = separator
        }

        /// Creates a component with its properties, for use in index declarations.
        public static func field(
            _ path: FieldPath, order: Order = .ascending, collation: TextCollation = .binary,
            dates: [DocumentDate.Format] = [],
            part: DocumentDate.Part? = nil, split separator: String? = nil
        ) -> Component {
            Component(path, order: order, collation: collation, dates: dates, part: part, split: separator)
        }

        /// Creates a field of a text index.
        public static func field(_ path: FieldPath, weight: Int, analyzer: TextAnalyzer = .simple) -> Component {
            var component = Component(path)
            component.weight = weight
            component.analyzer = analyzer
            return component
        }

        /// Creates a field of a text index with weight 1.
        public static func field(_ path: FieldPath, analyzer: TextAnalyzer) -> Component {
            field(path, weight: 1, analyzer: analyzer)
        }

        /// Whether all values have their natural order or its reverse.
        var hasOrderOfValues: Bool { collation == .binary && hasOrderOfTexts }

        /// Whether strings are ordered by the collation, and all other values have their own order.
        var hasOrderOfTexts: Bool { dateFormats.isEmpty && part == nil && separator == nil }

        /// Whether only a path was declared.
        var isPathAlone: Bool { isPlainForTexts && analyzer == .simple && weight == 1 }

        /// Whether the component has no properties that are specific to value indexes.
        var isPlainForTexts: Bool { order == .ascending && hasOrderOfValues }
    }
}

extension IndexDefinition.Component: ExpressibleByStringLiteral {
    /// Creates a component from a path.
    ///
    /// - Precondition: The literal is a valid path.
    public init(stringLiteral text: String) {
        self.init(FieldPath(stringLiteral: text))
    }
}
