/// The definition of an index: its name, its kind, and its components.
public struct IndexDefinition: Sendable, Hashable {
    /// The kinds of index.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Finds documents by equality, range and order of values.
        case value
        /// Finds documents by the words in their text fields.
        case text
        /// Finds documents by location on the earth.
        case geo
        /// Finds documents by the similarity of vectors that a program has computed.
        case vector
    }

    /// The measures of the similarity of two vectors.
    public enum Similarity: String, Sendable, Hashable, CaseIterable {
        /// The cosine of the angle between them.
        case cosine
    }

    /// The name, unique within the collection.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// The components of the keys, most significant first. An index of kind `geo` has the path of a location, or the
    /// paths of latitude and longitude.
    public var components: [IndexDefinition.Component]
    /// The condition of a partial index; `nil` for all documents.
    public var condition: IndexDefinition.Condition?
    /// Whether documents without a value at the first component are left out.
    public var isSparse = false
    /// Whether no two documents may have the same values.
    public var isUnique = false
    /// Whether uniqueness also applies to missing values and `null`. If not, entries that contain one of them never
    /// conflict.
    public var nullsAreEqual = false
    /// The paths whose values are stored in the index, so that they can be read without the document.
    public var covered: [FieldPath] = []
    /// Whether the entries of each distinct value are counted.
    public var countsValues = false
    /// For text indexes: the path to the language of a document, as a name or an ISO 639 code, such as `german` or
    /// `de`; `nil` if all documents have the languages of the analyzers. Fields whose analyzer has a language use that
    /// of the document instead, if it is one of ``documentLanguages``.
    public var languageField: FieldPath?
    /// The languages that ``languageField`` can choose, at most eight. Searched words are stemmed in each of them.
    public var documentLanguages: [TextAnalyzer.Language] = []

    /// For vector indexes: the number of dimensions of each vector, from 2 to 4,096; `nil` for other kinds.
    public var dimensions: Int?
    /// The numbers of dimensions that an index can have.
    static let dimensionRange = 2...4096
    /// For vector indexes: the measure of similarity.
    public var similarity = Similarity.cosine

    /// Creates an index of a kind over components.
    public init(_ name: String, kind: Kind, components: [IndexDefinition.Component]) {
        self.name = name
        self.kind = kind
        self.components = components
    }

    /// Creates an index of a kind over fields.
    public init(_ name: String, kind: Kind, fields: [FieldPath]) {
        self.init(name, kind: kind, components: fields.map { IndexDefinition.Component($0) })
    }

    /// The paths of the components.
    public var fields: [FieldPath] { components.map(\.path) }

    /// Every path that affects the entries of a document, except for those in the condition.
    var inputPaths: [FieldPath] {
        (geoField?.inputPaths ?? fields) + covered + (languageField.map { [$0] } ?? [])
    }

    /// The place of the locations in an index of kind `geo`; `nil` for other kinds, and for an invalid number of
    /// fields.
    var geoField: GeoField? {
        guard kind == .geo else { return nil }
        let fields = self.fields
        return switch fields.count {
        case 1: .location(fields[0])
        case 2: .coordinates(latitude: fields[0], longitude: fields[1])
        default: nil
        }
    }
}

// MARK: - Declarations in Swift

extension IndexDefinition {
    /// Creates a value index. With several components, documents are ordered by the first, then by the second, and so
    /// on.
    ///
    /// Every document is in the index, whatever its values: missing fields, null, true, numbers, strings and dates each
    /// have their place in the order. A path with `[]` gives one entry for each distinct element. Components that lead
    /// through the same array take their values from the same element. Elements of different arrays are combined with
    /// each other, up to 1,000 entries per document.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - components: The components of its keys, most significant first.
    ///   - condition: The condition of a partial index; `nil` for all documents.
    ///   - sparse: Whether documents without a value at the first component are left out.
    ///   - unique: Whether no two documents may have the same values. Entries that contain a missing value or `null`
    ///     are exempt, unless `nullsEqual` is true.
    ///   - nullsEqual: Whether missing values and `null` are equal to themselves in a unique index.
    ///   - covered: The paths whose values are stored in the index.
    ///   - counts: Whether the entries of each distinct value are counted.
    public static func value(
        _ name: String, on components: IndexDefinition.Component..., where condition: IndexDefinition.Condition? = nil,
        sparse: Bool = false,
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

    /// Creates a text index over several fields. Values that are not strings are ignored.
    ///
    /// Each field may have a weight and an analyzer: `.field("title", weight: 3, analyzer: .language(.english))`.
    public static func text(_ name: String, on fields: IndexDefinition.Component...) -> IndexDefinition {
        IndexDefinition(name, kind: .text, components: fields)
    }

    /// Creates a text index over documents in several languages; see ``languageField``.
    ///
    /// ```swift
    /// .text("text", on: .field("caption", analyzer: .language(.english)), language: "lang", among: [.english,
    /// .german])
    /// ```
    public static func text(
        _ name: String, on fields: IndexDefinition.Component..., language path: FieldPath,
        among languages: [TextAnalyzer.Language]
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .text, components: fields)
        definition.languageField = path
        definition.documentLanguages = languages
        return definition
    }

    /// Returns the analyzer of a field for a document: with the language of the document, if the index declares that.
    /// Use it to mark matches; see ``TextMarking``.
    public func analyzer(of component: IndexDefinition.Component, for document: DocumentObject) -> TextAnalyzer {
        guard let languageField else { return component.analyzer }
        let languages = DocumentLanguages(path: languageField, languages: documentLanguages)
        return component.analyzer.inLanguage(languages.language(of: document))
    }

    /// Creates an index of locations at one path, each of them `{"lat": …, "lon": …}`,
    /// `{"latitude": …, "longitude": …}`, `[longitude, latitude]` or a GeoJSON point (RFC 7946). The last two have the
    /// longitude first. A string with a position as exiftool prints it is a location too; see ``GeoPoint/init(_:)``.
    public static func geo(
        _ name: String, on path: FieldPath, where condition: IndexDefinition.Condition? = nil, sparse: Bool = false
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .geo, fields: [path])
        definition.condition = condition
        definition.isSparse = sparse
        return definition
    }

    /// Creates an index of locations whose latitude and longitude are at two paths: numbers, or strings such as
    /// `48 deg 51' 28.20" N`. It works on exiftool's `GPS:GPSLatitude` and `GPS:GPSLongitude`, whose hemisphere is in
    /// separate tags; see ``GeoField/coordinates(latitude:longitude:)``.
    public static func geo(
        _ name: String, latitude: FieldPath, longitude: FieldPath, where condition: IndexDefinition.Condition? = nil,
        sparse: Bool = false
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .geo, fields: [latitude, longitude])
        definition.condition = condition
        definition.isSparse = sparse
        return definition
    }

    /// Creates an index of vectors, such as the embeddings that a model computes from pictures. A vector is an array of
    /// numbers, or a string with the base64 of 32-bit floats, least significant byte first. A document whose field is
    /// missing or `null` is not in the index. A document with any other value, or with another number of dimensions, is
    /// rejected.
    ///
    /// ```swift
    /// .vector("embedding", on: "embedding", dimensions: 512)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - path: The path of the vector, without `[]`.
    ///   - dimensions: The number of dimensions of each vector, from 2 to 4,096.
    ///   - similarity: The measure of similarity.
    ///   - condition: The condition of a partial index; `nil` for all documents.
    public static func vector(
        _ name: String, on path: FieldPath, dimensions: Int, similarity: Similarity = .cosine,
        where condition: IndexDefinition.Condition? = nil
    ) -> IndexDefinition {
        var definition = IndexDefinition(name, kind: .vector, fields: [path])
        definition.dimensions = dimensions
        definition.similarity = similarity
        definition.condition = condition
        return definition
    }
}
