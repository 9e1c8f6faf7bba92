/// One part of the key of an index: where its value comes from, and how the value is put in order.
///
/// ```swift
/// .value("timeline", on: .field("taken", order: .descending, dates: [.exif]), "name")
/// ```
///
/// The rule for every component: a member that is absent, `null`, and a value of another kind than the component is
/// made for are indexed too, each under a code of its own (see `docs/FORMAT.md`). A collation, a separator and date
/// formats concern texts only; all other values are indexed as they are.
public struct IndexComponent: Sendable, Hashable {
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
    /// Which texts are one, and which comes first.
    public var collation: TextCollation
    /// The forms in which texts are read as dates, tried in this order; empty where texts are texts.
    public var dateFormats: [DateFormat]
    /// The part of a date that is indexed in place of the date; `nil` for all of it.
    public var part: DatePart?
    /// What stands between the levels of a hierarchical keyword, as in `Places|France|Paris`; `nil` for texts without
    /// levels.
    public var separator: String?
    /// Of a text index: how texts become the words under which they are found.
    public var analyzer = TextAnalyzer.simple
    /// Of a text index: how much a word counts here, 1 to 100. One that counts twice is scored as if it stood there twice.
    public var weight = 1

    /// A component with its properties.
    public init(
        _ path: FieldPath, order: Order = .ascending, collation: TextCollation = .binary, dates: [DateFormat] = [],
        part: DatePart? = nil, split separator: String? = nil
    ) {
        self.path = path
        self.order = order
        self.collation = collation
        self.dateFormats = dates
        self.part = part
        self.separator = separator
    }

    /// A component with its properties; reads well where indexes are declared.
    public static func field(
        _ path: FieldPath, order: Order = .ascending, collation: TextCollation = .binary, dates: [DateFormat] = [],
        part: DatePart? = nil, split separator: String? = nil
    ) -> IndexComponent {
        IndexComponent(path, order: order, collation: collation, dates: dates, part: part, split: separator)
    }

    /// A field of a text index.
    public static func field(_ path: FieldPath, weight: Int, analyzer: TextAnalyzer = .simple) -> IndexComponent {
        var component = IndexComponent(path)
        component.weight = weight
        component.analyzer = analyzer
        return component
    }

    /// A field of a text index that counts once.
    public static func field(_ path: FieldPath, analyzer: TextAnalyzer) -> IndexComponent {
        field(path, weight: 1, analyzer: analyzer)
    }

    /// Whether values have their own order in this component, or the reverse of it.
    var hasOrderOfValues: Bool { collation == .binary && hasOrderOfTexts }

    /// Whether texts are in the order of the collation, and all other values in their own.
    var hasOrderOfTexts: Bool { dateFormats.isEmpty && part == nil && separator == nil }

    /// Whether nothing but a path was declared.
    var isPathAlone: Bool { isPlainForTexts && analyzer == .simple && weight == 1 }

    /// Whether nothing was declared that only value indexes have.
    var isPlainForTexts: Bool { order == .ascending && hasOrderOfValues }
}

extension IndexComponent: ExpressibleByStringLiteral {
    /// A component that consists of a path.
    ///
    /// - Precondition: the literal is a well-formed path.
    public init(stringLiteral text: String) {
        self.init(FieldPath(stringLiteral: text))
    }
}

/// Which texts an index takes for one, and in which order it puts them.
public enum TextCollation: String, Sendable, Hashable, CaseIterable {
    /// By UTF-8 bytes; only equal texts are one.
    case binary
    /// Upper and lower case are one.
    case caseInsensitive = "ci"
    /// Upper and lower case are one, letters with and without accents are one, and so are the widths of East Asian
    /// letters.
    case caseAndAccentInsensitive = "ci-ai"
    /// As people count: runs of the digits 0 to 9 are ordered as numbers, whatever their length, and the rest without
    /// regard to case. Texts that are alike in that are put in the order of their UTF-8 bytes, so only equal texts
    /// are one: `IMG_2`, `img_2`, `IMG_02`, `IMG_10`.
    case natural
}

/// A form in which a text is read as a date.
public enum DateFormat: String, Sendable, Hashable, CaseIterable {
    /// `2012-06-08`, `2012-06-08T18:02:11`, with a space for the `T`, with or without seconds and a fraction of them,
    /// with or without a zone (`Z`, `+02:00`, `+0200`, `+02`).
    case iso8601
    /// `2012:06:08 18:02:11` as cameras write it, alone, with a fraction of seconds, and with a zone.
    case exif
}

/// A number that is taken from a date, in the zone that the date was written in.
public enum DatePart: String, Sendable, Hashable, CaseIterable {
    /// The year.
    case year
    /// The month, 1 to 12.
    case month
    /// The day of the month, 1 to 31.
    case day
    /// Year times 100 plus month: 201206, for a time line.
    case yearMonth
    /// Month times 100 plus day: 608, for "on this day".
    case monthDay
    /// The day of the week, 1 for Monday to 7 for Sunday, as in ISO 8601.
    case weekday
    /// The hour, 0 to 23.
    case hour
    /// The minute, 0 to 59.
    case minute
}
