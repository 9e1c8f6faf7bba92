/// Types whose properties are fields of documents, so that conditions are written with key paths.
///
/// ```swift
/// extension Photo: QueryableDocument {
///     static var fields: [PartialKeyPath<Photo>: FieldPath] { [\.rating: "rating", \.camera: "exif.model"] }
/// }
/// let best = \Photo.rating >= 4 && (\Photo.camera).isIn("X100V", "GR III")
/// ```
public protocol QueryableDocument {
    /// The field of each property that conditions are written about.
    static var fields: [PartialKeyPath<Self>: FieldPath] { get }
}

extension QueryableDocument {
    /// The field of a property.
    ///
    /// - Precondition: it is among ``fields``.
    public static func path(_ property: PartialKeyPath<Self>) -> FieldPath {
        guard let path = fields[property] else {
            preconditionFailure("\(Self.self).fields has no field for \(property); add it")
        }
        return path
    }
}

/// A Swift value that is compared with values of documents.
public protocol DocumentValueConvertible {
    /// The value.
    var documentValue: DocumentValue { get }
}

extension Bool: DocumentValueConvertible {
    /// The truth value.
    public var documentValue: DocumentValue { .bool(self) }
}

extension Int: DocumentValueConvertible {
    /// The integer.
    public var documentValue: DocumentValue { .int(Int64(self)) }
}

extension Int64: DocumentValueConvertible {
    /// The integer.
    public var documentValue: DocumentValue { .int(self) }
}

extension Double: DocumentValueConvertible {
    /// The number.
    public var documentValue: DocumentValue { .double(self) }
}

extension String: DocumentValueConvertible {
    /// The text.
    public var documentValue: DocumentValue { .string(self) }
}

extension DocumentDate: DocumentValueConvertible {
    /// The date.
    public var documentValue: DocumentValue { .date(self) }
}

extension DocumentValue: DocumentValueConvertible {
    /// The value itself.
    public var documentValue: DocumentValue { self }
}

extension Optional: DocumentValueConvertible where Wrapped: DocumentValueConvertible {
    /// The value; `null` if there is none.
    public var documentValue: DocumentValue { self?.documentValue ?? .null }
}

// MARK: - Operators

extension KeyPath where Root: QueryableDocument, Value: DocumentValueConvertible {
    /// The value is this one.
    public static func == (path: KeyPath, value: Value) -> Predicate { path.compared(.equal, value) }
    /// The value is another one, or there is none.
    public static func != (path: KeyPath, value: Value) -> Predicate { .not(path.compared(.equal, value)) }
    /// The value is smaller.
    public static func < (path: KeyPath, value: Value) -> Predicate { path.compared(.less, value) }
    /// The value is smaller or the same.
    public static func <= (path: KeyPath, value: Value) -> Predicate { path.compared(.lessOrEqual, value) }
    /// The value is larger.
    public static func > (path: KeyPath, value: Value) -> Predicate { path.compared(.greater, value) }
    /// The value is larger or the same.
    public static func >= (path: KeyPath, value: Value) -> Predicate { path.compared(.greaterOrEqual, value) }

    private func compared(_ comparison: Predicate.Comparison, _ value: Value) -> Predicate {
        .compare(Root.path(self), comparison, value.documentValue)
    }

    /// The value is one of these.
    public func isIn(_ values: Value...) -> Predicate { .isIn(Root.path(self), values.map(\.documentValue)) }

    /// The value lies in a range, both ends included.
    public func isIn(_ range: ClosedRange<Value>) -> Predicate where Value: Comparable {
        .between(Root.path(self), range.lowerBound.documentValue, range.upperBound.documentValue)
    }
}

extension KeyPath where Root: QueryableDocument {
    /// There is a value, `null` included.
    public var exists: Predicate { .exists(Root.path(self)) }
    /// There is none.
    public var isMissing: Predicate { .not(.exists(Root.path(self))) }
    /// Smaller values first.
    public var ascending: Query.SortKey { .ascending(Root.path(self)) }
    /// Larger values first.
    public var descending: Query.SortKey { .descending(Root.path(self)) }
    /// The text begins with another.
    public func hasPrefix(_ text: String) -> Predicate { .hasPrefix(Root.path(self), text) }
    /// The text contains another.
    public func contains(_ text: String) -> Predicate { .contains(Root.path(self), text) }
}

extension KeyPath where Root: QueryableDocument, Value: Sequence, Value.Element: DocumentValueConvertible {
    /// An element is this value.
    public func has(_ value: Value.Element) -> Predicate {
        .compare(Root.path(self).eachElement, .equal, value.documentValue)
    }
}

extension Predicate {
    /// Both hold. Several in a row, or one for each turn of a loop, are one condition with many parts and not a nested one.
    public static func && (left: Predicate, right: Predicate) -> Predicate {
        guard case .and(var parts) = left, !parts.isEmpty else { return .and([left, right]) }
        parts.append(right)
        return .and(parts)
    }

    /// One of them holds, or both. Several in a row, or one for each turn of a loop, are one condition with many parts and
    /// not a nested one.
    public static func || (left: Predicate, right: Predicate) -> Predicate {
        guard case .or(var parts) = left, !parts.isEmpty else { return .or([left, right]) }
        parts.append(right)
        return .or(parts)
    }

    /// It does not hold. Applied twice, it gives the condition itself.
    public static prefix func ! (part: Predicate) -> Predicate {
        if case .not(let inner) = part { return inner }
        return .not(part)
    }
}
