/// A type whose properties correspond to document fields, so that conditions can be written with key paths.
///
/// ```swift
/// extension Photo: QueryableDocument {
///     static var fields: [PartialKeyPath<Photo>: FieldPath] { [\.rating: "rating", \.camera: "exif.model"] }
/// }
/// let best = \Photo.rating >= 4 && (\Photo.camera).isIn("X100V", "GR III")
/// ```
public protocol QueryableDocument {
    /// The field of each property used in conditions.
    ///
    /// It is written by hand, because Swift offers no reliable way from a key path to the name of a coding key.
    static var fields: [PartialKeyPath<Self>: FieldPath] { get }
}

extension QueryableDocument {
    /// Returns the field of a property.
    ///
    /// - Precondition: The property is in ``fields``.
    public static func path(_ property: PartialKeyPath<Self>) -> FieldPath {
        guard let path = fields[property] else {
            preconditionFailure("\(Self.self).fields has no field for \(property); add it")
        }
        return path
    }
}

/// A Swift type whose values can be compared with document values.
public protocol DocumentValueConvertible {
    /// The document value.
    var documentValue: DocumentValue { get }
}

extension Bool: DocumentValueConvertible {
    /// The Boolean as a document value.
    public var documentValue: DocumentValue { .bool(self) }
}

extension Int: DocumentValueConvertible {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension Int64: DocumentValueConvertible {
    /// The integer as a document value.
    public var documentValue: DocumentValue { .int(self) }
}

extension Double: DocumentValueConvertible {
    /// The number as a document value.
    public var documentValue: DocumentValue { .double(self) }
}

extension String: DocumentValueConvertible {
    /// The string as a document value.
    public var documentValue: DocumentValue { .string(self) }
}

extension DocumentDate: DocumentValueConvertible {
    /// The date as a document value.
    public var documentValue: DocumentValue { .date(self) }
}

extension DocumentValue: DocumentValueConvertible {
    /// The value itself.
    public var documentValue: DocumentValue { self }
}

extension Optional: DocumentValueConvertible where Wrapped: DocumentValueConvertible {
    /// The wrapped value; `null` for `nil`.
    public var documentValue: DocumentValue { self?.documentValue ?? .null }
}

extension Filter {
    /// A property whose strings are compared by a collation; see `ignoringCase`.
    public struct FoldedProperty: Sendable {
        let path: FieldPath
        let collation: TextCollation

        /// Returns the condition that the string equals `text`.
        public static func == (property: FoldedProperty, text: String) -> Filter {
            .folded(property.path, property.collation, .compare(.equal, text))
        }

        /// Returns the condition that the string differs from `text` or is missing.
        public static func != (property: FoldedProperty, text: String) -> Filter { .not(property == text) }

        /// Returns the condition that the string is one of `texts`.
        public func isIn(_ texts: String...) -> Filter { .folded(path, collation, .isIn(texts)) }

        /// Returns the condition that the string begins with `text`.
        public func hasPrefix(_ text: String) -> Filter { .folded(path, collation, .hasPrefix(text)) }

        /// Returns the condition that the string contains `text`.
        public func contains(_ text: String) -> Filter { .folded(path, collation, .contains(text)) }

        /// Returns the condition that an element of the array equals `text`.
        public func has(_ text: String) -> Filter { .folded(path.eachElement, collation, .compare(.equal, text)) }
    }
}

// MARK: - Operators

extension KeyPath where Root: QueryableDocument, Value: DocumentValueConvertible {
    /// Returns the condition that the value equals `value`.
    public static func == (path: KeyPath, value: Value) -> Filter { path.compared(.equal, value) }
    /// Returns the condition that the value differs from `value` or is missing.
    public static func != (path: KeyPath, value: Value) -> Filter { .not(path.compared(.equal, value)) }
    /// Returns the condition that the value is less than `value`.
    public static func < (path: KeyPath, value: Value) -> Filter { path.compared(.less, value) }
    /// Returns the condition that the value is less than or equal to `value`.
    public static func <= (path: KeyPath, value: Value) -> Filter { path.compared(.lessOrEqual, value) }
    /// Returns the condition that the value is greater than `value`.
    public static func > (path: KeyPath, value: Value) -> Filter { path.compared(.greater, value) }
    /// Returns the condition that the value is greater than or equal to `value`.
    public static func >= (path: KeyPath, value: Value) -> Filter { path.compared(.greaterOrEqual, value) }

    private func compared(_ comparison: Filter.Comparison, _ value: Value) -> Filter {
        .compare(Root.path(self), comparison, value.documentValue)
    }

    /// Returns the condition that the value is one of `values`.
    public func isIn(_ values: Value...) -> Filter { .isIn(Root.path(self), values.map(\.documentValue)) }

    /// Returns the condition that the value is in a range.
    public func isIn(_ range: ClosedRange<Value>) -> Filter where Value: Comparable {
        .between(Root.path(self), range.lowerBound.documentValue, range.upperBound.documentValue)
    }
}

extension KeyPath where Root: QueryableDocument {
    /// The condition that a value exists, including `null`.
    public var exists: Filter { .exists(Root.path(self)) }
    /// The condition that the value is missing.
    public var isMissing: Filter { .not(.exists(Root.path(self))) }
    /// Returns the condition that the string begins with `text`.
    public func hasPrefix(_ text: String) -> Filter { .hasPrefix(Root.path(self), text) }
    /// Returns the condition that the string contains `text`.
    public func contains(_ text: String) -> Filter { .contains(Root.path(self), text) }

    /// The property, compared without case: `(\Photo.title).ignoringCase == "fog"`.
    public var ignoringCase: Filter.FoldedProperty {
        Filter.FoldedProperty(path: Root.path(self), collation: .caseInsensitive)
    }
    /// The property, compared without case and accents: `(\Photo.city).ignoringCaseAndAccents.hasPrefix("mun")`.
    public var ignoringCaseAndAccents: Filter.FoldedProperty {
        Filter.FoldedProperty(path: Root.path(self), collation: .caseAndAccentInsensitive)
    }
}

extension KeyPath where Root: QueryableDocument, Value: Sequence, Value.Element: DocumentValueConvertible {
    /// Returns the condition that an element equals `value`.
    public func has(_ value: Value.Element) -> Filter {
        .compare(Root.path(self).eachElement, .equal, value.documentValue)
    }
}

extension Filter {
    /// Returns the conjunction of two conditions. A chain of `&&`, or one in a loop, gives a flat list of parts instead
    /// of nested conditions.
    public static func && (left: Filter, right: Filter) -> Filter {
        guard case .and(let parts) = left, !parts.content.isEmpty else { return .and([left, right]) }
        return .and(parts.appending(right))
    }

    /// Returns the disjunction of two conditions. A chain of `||`, or one in a loop, gives a flat list of parts instead
    /// of nested conditions.
    public static func || (left: Filter, right: Filter) -> Filter {
        guard case .or(let parts) = left, !parts.content.isEmpty else { return .or([left, right]) }
        return .or(parts.appending(right))
    }

    /// Returns the negation of a condition. Negating twice gives the original condition.
    public static prefix func ! (part: Filter) -> Filter {
        if case .not(let inner) = part { return inner.content }
        return .not(part)
    }
}
