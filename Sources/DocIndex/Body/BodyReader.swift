/// Finds single values in a document body without decoding the rest.
///
/// The answers are those of decoding the body and asking the ``FieldPath``. What lies off the path is passed over by
/// its length and not checked, so damage there goes unnoticed; ``BodyDecoder`` checks all of it. Damage on the path
/// throws, and no bytes make it trap.
public struct BodyReader: ~Escapable {
    private let bytes: Span<UInt8>

    /// A reader of `body`, which it borrows.
    ///
    /// - Throws: ``BodyError`` if the body is empty or of another version.
    /// - Complexity: O(1).
    @_lifetime(copy body)
    public init(_ body: Span<UInt8>) throws(BodyError) {
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        bytes = body
    }

    /// The value `path` leads to; `nil` if it leads nowhere. See ``FieldPath/value(in:)-(DocumentObject)``.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged.
    /// - Complexity: O(*n*) in the number of members passed, independent of their sizes.
    public func value(at path: FieldPath) throws(BodyError) -> DocumentValue? {
        var found: DocumentValue?
        _ = try anyElement(at: path) { value in
            found = value
            return true
        }
        return found
    }

    /// Visits each value `path` leads to, in the order of the document; see
    /// ``FieldPath/forEachElement(in:_:)-(DocumentObject,_)``.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged, perhaps after some visits.
    public func forEachElement(at path: FieldPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        _ = try anyElement(at: path) { value in
            body(value)
            return false
        }
    }

    /// Whether a value `path` leads to satisfies `condition`; the visit ends at the first that does.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged.
    public func anyElement(
        at path: FieldPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        // The version is one byte.
        let root = Place(offset: 1, end: bytes.count, step: 0)
        return try anyElement(from: root, along: path.steps, where: condition)
    }
}

// MARK: - Steps

extension BodyReader {
    /// A value in the body, and the step of a path that comes next.
    private struct Place {
        var offset: Int
        /// Where the innermost array or object around the value ends.
        var end: Int
        var step: Int
    }

    // As in `FieldPath`, it recurses only where there are several ways to go.
    private func anyElement(
        from start: Place, along steps: [FieldPath.Step], where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        guard let place = try withoutBranches(from: start, along: steps) else { return false }
        guard place.step < steps.count else { return condition(try value(at: place)) }
        var next = try firstElement(at: place)
        for _ in 0..<next.count {
            if try anyElement(from: next.place, along: steps, where: condition) { return true }
            try skipElement(at: &next.place)
        }
        return false
    }

    /// Follows the steps that lead to no more than one value: up to the end of the path, or to a `[]` that stands
    /// before an array. `nil` if they lead nowhere.
    private func withoutBranches(
        from start: Place, along steps: [FieldPath.Step]
    ) throws(BodyError) -> Place? {
        var place = start
        while place.step < steps.count {
            guard place.offset < place.end else { throw BodyError(.truncated, at: place.offset) }
            switch (steps[place.step], bytes[place.offset]) {
            case (.name(let name), BodyFormat.Tag.object):
                guard let member = try member(name, at: place) else { return nil }
                place = member
            case (.eachElement, BodyFormat.Tag.array): return place
            case (.name, _), (.eachElement, BodyFormat.Tag.null): return nil
            case (.eachElement, _): place.step += 1
            }
        }
        return place
    }

    private func value(at place: Place) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(bytes, offset: place.offset)
        return try BodyDecoder.readValue(&cursor, before: place.end)
    }

    /// The first element of the array at `array`, and how many there are.
    private func firstElement(at array: Place) throws(BodyError) -> (place: Place, count: Int) {
        var cursor = BodyCursor(bytes, offset: array.offset + 1)
        let (end, count) = try cursor.readContainer(before: array.end)
        return (Place(offset: cursor.offset, end: end, step: array.step + 1), count)
    }

    private func skipElement(at place: inout Place) throws(BodyError) {
        var cursor = BodyCursor(bytes, offset: place.offset)
        try cursor.skipValue(before: place.end)
        place.offset = cursor.offset
    }

    /// The value of the member `name` of the object at `object`; `nil` if there is none.
    private func member(_ name: String, at object: Place) throws(BodyError) -> Place? {
        var cursor = BodyCursor(bytes, offset: object.offset + 1)
        let (end, count) = try cursor.readContainer(before: object.end)
        let wanted = name.utf8Span.span
        for _ in 0..<count {
            let length = try cursor.readLength(before: end)
            let start = cursor.offset
            cursor.offset += length
            if bytes.extracting(start..<cursor.offset).hasSameBytes(as: wanted) {
                return Place(offset: cursor.offset, end: end, step: object.step + 1)
            }
            try cursor.skipValue(before: end)
        }
        return nil
    }
}
