/// Finds single values in a document body without decoding the rest.
///
/// The results are the same as those of decoding the body and applying the ``FieldPath``. Data off the path is skipped
/// and not checked, so damage there goes unnoticed; ``BodyDecoder`` checks everything. Damage on the path throws an
/// error and never traps.
///
/// To apply a path to many bodies, resolve it once as a ``ResolvedPath``.
package struct BodyReader: ~Escapable {
    package let places: BodyPlaces
    private let names: FieldNames

    /// Creates a reader of `body`, which it borrows.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - names: the table that the body was written with, or a later one.
    /// - Throws: ``BodyError`` if the body is empty or of another version.
    /// - Complexity: O(1).
    @_lifetime(copy body)
    package init(_ body: Span<UInt8>, names: FieldNames) throws(BodyError) {
        places = try BodyPlaces(body)
        self.names = names
    }

    /// Returns the value at `path`; `nil` if there is none. See ``FieldPath/value(in:)-(DocumentObject)``.
    ///
    /// - Throws: ``BodyError`` if the data along the path is damaged.
    /// - Complexity: O(log *n*) in the members of each object along the path, and O(*n*) in the elements of each array
    ///   that the path traverses; independent of the size of skipped data.
    package func value(at path: ResolvedPath) throws(BodyError) -> DocumentValue? {
        try places.value(at: path, names: names)
    }

    /// Returns the value at `path`; see ``value(at:)-(ResolvedPath)``.
    package func value(at path: FieldPath) throws(BodyError) -> DocumentValue? {
        try value(at: ResolvedPath(path, names: names))
    }

    /// Visits each value at `path`, in document order; see ``FieldPath/forEachElement(in:_:)-(DocumentObject,_)``.
    ///
    /// - Throws: ``BodyError`` if the data along the path is damaged, possibly after some visits.
    package func forEachElement(at path: ResolvedPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        _ = try anyElement(at: path) { value in
            body(value)
            return false
        }
    }

    /// Visits each value at `path`; see ``forEachElement(at:_:)-(ResolvedPath,_)``.
    package func forEachElement(at path: FieldPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        try forEachElement(at: ResolvedPath(path, names: names), body)
    }

    /// Returns whether any value at `path` satisfies `condition`. The visit ends at the first one that does.
    ///
    /// - Throws: ``BodyError`` if the data along the path is damaged.
    package func anyElement(
        at path: ResolvedPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try places.anyElement(at: path, names: names, where: condition)
    }

    /// Returns whether any value at `path` satisfies `condition`; see ``anyElement(at:where:)-(ResolvedPath,_)``.
    package func anyElement(
        at path: FieldPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try anyElement(at: ResolvedPath(path, names: names), where: condition)
    }
}
