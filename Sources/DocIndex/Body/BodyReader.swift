/// Finds single values in a document body without decoding the rest.
///
/// The answers are those of decoding the body and asking the ``FieldPath``. What lies off the path is passed over and not
/// checked, so damage there goes unnoticed; ``BodyDecoder`` checks all of it. Damage on the path throws, and no bytes
/// make it trap.
///
/// A path that is asked of many bodies is best resolved once, as ``ResolvedPath``.
public struct BodyReader: ~Escapable {
    let places: BodyPlaces
    private let names: FieldNames

    /// A reader of `body`, which it borrows.
    ///
    /// - Parameter names: the table the body was written with, or a later one.
    /// - Throws: ``BodyError`` if the body is empty or of another version.
    /// - Complexity: O(1).
    @_lifetime(copy body)
    public init(_ body: Span<UInt8>, names: FieldNames) throws(BodyError) {
        places = try BodyPlaces(body)
        self.names = names
    }

    /// The value `path` leads to; `nil` if it leads nowhere. See ``FieldPath/value(in:)-(DocumentObject)``.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged.
    /// - Complexity: O(log *n*) in the members of each object on the way, and O(*n*) in the elements of an array that
    ///   the path goes through; independent of the sizes of what is passed over.
    public func value(at path: ResolvedPath) throws(BodyError) -> DocumentValue? {
        try places.value(at: path, names: names)
    }

    /// The value `path` leads to; see ``value(at:)-(ResolvedPath)``.
    public func value(at path: FieldPath) throws(BodyError) -> DocumentValue? {
        try value(at: ResolvedPath(path, names: names))
    }

    /// Visits each value `path` leads to, in the order of the document; see
    /// ``FieldPath/forEachElement(in:_:)-(DocumentObject,_)``.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged, perhaps after some visits.
    public func forEachElement(at path: ResolvedPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        _ = try anyElement(at: path) { value in
            body(value)
            return false
        }
    }

    /// Visits each value `path` leads to; see ``forEachElement(at:_:)-(ResolvedPath,_)``.
    public func forEachElement(at path: FieldPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        try forEachElement(at: ResolvedPath(path, names: names), body)
    }

    /// Whether a value `path` leads to satisfies `condition`; the visit ends at the first that does.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged.
    public func anyElement(
        at path: ResolvedPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try places.anyElement(at: path, names: names, where: condition)
    }

    /// Whether a value `path` leads to satisfies `condition`; see ``anyElement(at:where:)-(ResolvedPath,_)``.
    public func anyElement(
        at path: FieldPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try anyElement(at: ResolvedPath(path, names: names), where: condition)
    }
}
