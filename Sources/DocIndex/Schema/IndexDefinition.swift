/// An index: its name, its kind, and what it is made from.
public struct IndexDefinition: Sendable, Hashable {
    /// The kinds of index.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Finds documents by equality, range and order of values.
        case value
        /// Finds documents by the words in their texts.
        case text
        /// Finds documents by a point on the earth.
        case geo
    }

    /// The name, unique within the collection.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// What keys are made from, the most significant first. Of an index of kind `geo`: the path to a location, or the
    /// path to the latitude and the path to the longitude.
    public var components: [IndexComponent]
    /// Which documents are in the index; `nil` for all.
    public var condition: IndexCondition?
    /// Whether documents without a value at the first component are left out.
    public var isSparse = false
    /// Whether no two documents may have the same values.
    public var isUnique = false
    /// Whether uniqueness holds for missing values and `null` as well; where not, an entry with one of them in it
    /// never conflicts.
    public var nullsAreEqual = false
    /// Paths whose values are stored in the index, to be read without the document.
    public var covered: [FieldPath] = []
    /// Whether the entries of each distinct value are counted.
    public var countsValues = false

    /// An index of a kind over components.
    public init(_ name: String, kind: Kind, components: [IndexComponent]) {
        self.name = name
        self.kind = kind
        self.components = components
    }

    /// An index of a kind over fields.
    public init(_ name: String, kind: Kind, fields: [FieldPath]) {
        self.init(name, kind: kind, components: fields.map { IndexComponent($0) })
    }

    /// The paths of the components.
    public var fields: [FieldPath] { components.map(\.path) }

    /// Every path that decides what a document has in the index, apart from those of the condition.
    var inputPaths: [FieldPath] { fields + covered }
}

// MARK: - Declarations in Swift

extension IndexDefinition {
    /// A value index; with several components, documents are ordered by the first, then the second, and so on.
    ///
    /// Every document is in the index, whatever it holds there: an absent field, null, true, numbers, texts and dates
    /// each have their place in the order. A path with `[]` puts a document there once for each distinct element;
    /// components that go through one array take their values from the same element, and those of different arrays are
    /// combined each with each, up to 1,000 entries for a document.
    ///
    /// - Parameters:
    ///   - condition: which documents the index holds; `nil` for all.
    ///   - sparse: whether documents without a value at the first component are left out.
    ///   - unique: whether no two documents may have the same values. Entries with a missing value or `null` in them
    ///     are exempt, unless `nullsEqual`.
    ///   - covered: paths whose values are stored in the index.
    ///   - counts: whether the entries of each distinct value are counted.
    public static func value(
        _ name: String, on components: IndexComponent..., where condition: IndexCondition? = nil, sparse: Bool = false,
        unique: Bool = false, nullsEqual: Bool = false, cover covered: [FieldPath] = [], counts: Bool = false
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .value, components: components)
        definition.condition = condition
        definition.isSparse = sparse
        definition.isUnique = unique
        definition.nullsAreEqual = nullsEqual
        definition.covered = covered
        definition.countsValues = counts
        return definition
    }

    /// A text index over the texts at several fields; other kinds of values there are passed over.
    ///
    /// Each field may have a weight and an analyzer: `.field("title", weight: 3, analyzer: .language(.english))`.
    public static func text(_ name: String, on fields: IndexComponent...) -> IndexDefinition {
        IndexDefinition(name, kind: .text, components: fields)
    }

    /// An index of locations, each of which is at one path: `{"lat": …, "lon": …}`, `{"latitude": …, "longitude": …}`,
    /// `[longitude, latitude]` or a GeoJSON point (RFC 7946; both have the longitude first).
    public static func geo(
        _ name: String, on path: FieldPath, where condition: IndexCondition? = nil, sparse: Bool = false
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .geo, fields: [path])
        definition.condition = condition
        definition.isSparse = sparse
        return definition
    }

    /// An index of locations, latitude and longitude of which are numbers at two paths.
    public static func geo(
        _ name: String, latitude: FieldPath, longitude: FieldPath, where condition: IndexCondition? = nil,
        sparse: Bool = false
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .geo, fields: [latitude, longitude])
        definition.condition = condition
        definition.isSparse = sparse
        return definition
    }
}
