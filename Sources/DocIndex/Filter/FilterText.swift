/// A condition in the notation of ``Filter/init(parsing:)``, written as a string literal. Interpolated values are bound
/// as values. They are never read as notation, whatever characters they contain.
///
/// ```swift
/// let best = try photos.find("rating >= \(stars) and keywords has \(word)", sort: "-taken")
/// ```
///
/// A value may be interpolated wherever the notation allows a value; around it are spaces, parentheses, commas or
/// operators, but no quotes:
/// - A string is compared as a string, even if it looks like a date. After `MATCHES`, it is a regular expression; after
///   `SEARCH`, a search query.
/// - A `Date` or ``DocumentDate`` is an instant: `=` means the same millisecond, whatever the time zone, in a date or
///   in a string that contains one.
/// - An array stands for a list: `year in \(years)`. After `=` it is compared as an array.
/// - An enumeration with raw values is its raw value.
/// - An optional is an error at compile time, because `nil` could mean `MISSING` or `= null`: a property that is `nil`
///   is stored as no member at all. Unwrap it, and write what is meant for `nil`.
/// - `\(field: path)` is the path of a field, either a ``FieldPath`` or a string in its notation.
///
/// A literal cannot throw, so the condition is read when it is used: by a query, or by ``Filter/init(_:)``. An error
/// then has the position in ``description``, which shows the bound values.
public struct FilterText: Sendable {
    /// A part of the text.
    enum Part: Sendable {
        case notation(String)
        case value(DocumentValue)
        case path(FieldPath)
        /// A path that has not been parsed yet.
        case writtenPath(String)
    }

    let parts: [Part]

    /// Creates a condition from a string in the notation, such as a saved search. Nothing in it is bound.
    public init(_ notation: String) { parts = [.notation(notation)] }

    /// Reads the condition.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position.
    func parse() throws -> Filter {
        var parser = try FilterParser(try source(of: .condition))
        let filter = try parser.parse()
        try filter.validate()
        return filter
    }

    /// Returns the text with its bound values.
    ///
    /// - Throws: ``DocIndexError`` with the position of a path that is not well-formed.
    func source(of subject: QuerySource.Subject) throws -> QuerySource {
        var source = QuerySource(subject: subject)
        for part in parts {
            switch part {
            case .notation(let text): source.append(text)
            case .value(let value): source.append(.value(value))
            case .path(let path): source.append(.path(path))
            case .writtenPath(let text):
                do {
                    source.append(.path(try FieldPath(parsing: text)))
                } catch {
                    throw source.fault("\(text) is not a valid path: \(error)", at: source.scalars.count)
                }
            }
        }
        return source
    }
}

extension Filter {
    /// Reads a condition with bound values.
    ///
    /// ```swift
    /// let filter = try Filter("year between \(first) and \(last)")
    /// ```
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of the error in ``FilterText/description``,
    ///   also for a bound value where no value may stand.
    public init(_ text: FilterText) throws { self = try text.parse() }
}

// MARK: - Literals

extension FilterText: ExpressibleByStringInterpolation {
    /// Creates a condition without bound values.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a condition from a literal with bound values.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Collects the parts of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        var parts: [Part] = []

        /// Creates an empty text.
        public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

        /// Appends notation.
        public mutating func appendLiteral(_ literal: String) {
            if !literal.isEmpty { parts.append(.notation(literal)) }
        }

        /// Binds a value.
        public mutating func appendInterpolation(_ value: some FilterValue) {
            parts.append(.value(value.documentValue))
        }

        /// Binds the raw value of an enumeration, or of another type with raw values.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: FilterValue {
            parts.append(.value(value.rawValue.documentValue))
        }

        /// Binds a value whose type defines how it is stored.
        public mutating func appendInterpolation<Value: RawRepresentable & FilterValue>(_ value: Value)
        where Value.RawValue: FilterValue {
            parts.append(.value(value.documentValue))
        }

        /// Binds an array of raw values.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ values: [Value])
        where Value.RawValue: FilterValue {
            parts.append(.value(.array(values.map(\.rawValue.documentValue))))
        }

        /// Inserts the path of a field.
        public mutating func appendInterpolation(field path: FieldPath) { parts.append(.path(path)) }

        /// Inserts the path of a field in the notation of ``FieldPath/init(parsing:)``. A path that is not well-formed
        /// makes the condition invalid.
        public mutating func appendInterpolation(field path: String) { parts.append(.writtenPath(path)) }

        /// Inserts the field of a property.
        public mutating func appendInterpolation<Root: QueryableDocument>(field property: PartialKeyPath<Root>) {
            parts.append(.path(Root.path(property)))
        }

        /// Optionals cannot be bound; see ``FilterText``.
        @available(*, unavailable, message: "unwrap the optional; for nil, write MISSING, or = null, as you mean it")
        public mutating func appendInterpolation<Value>(_ value: Value?) {}
    }
}

extension FilterText: CustomStringConvertible {
    /// The notation with the bound values in their places, for people. Long values are abbreviated.
    public var description: String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .notation(let notation): text += notation
            case .value(let value): text += QuerySource.Bound.value(value).shown
            case .path(let path): text += path.notation
            case .writtenPath(let path): text += path
            }
        }
    }
}
