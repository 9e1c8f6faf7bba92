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
        var cursor = BodyCursor(bytes, offset: 1)
        return try anyElement(&cursor, before: bytes.count, of: path.steps, from: 0, where: condition)
    }
}

// MARK: - Steps

extension BodyReader {
    /// The recursion is as deep as the path, which is bounded. The cursor is left anywhere in the value.
    private func anyElement(
        _ cursor: inout BodyCursor, before end: Int, of steps: [FieldPath.Step], from first: Int,
        where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        guard first < steps.count else { return condition(try BodyDecoder.readValue(&cursor, before: end)) }
        guard cursor.offset < end else { throw BodyError(.truncated, at: cursor.offset) }
        let tag = bytes[cursor.offset]
        switch (steps[first], tag) {
        case (.name(let name), BodyFormat.Tag.object):
            guard let end = try findMember(name, &cursor, before: end) else { return false }
            return try anyElement(&cursor, before: end, of: steps, from: first + 1, where: condition)
        case (.name, _), (.eachElement, BodyFormat.Tag.null):
            return false
        case (.eachElement, BodyFormat.Tag.array):
            cursor.offset += 1
            let (end, count) = try cursor.readContainer(before: end)
            for _ in 0..<count {
                var element = BodyCursor(bytes, offset: cursor.offset)
                if try anyElement(&element, before: end, of: steps, from: first + 1, where: condition) { return true }
                try cursor.skipValue(before: end)
            }
            return false
        case (.eachElement, _):
            return try anyElement(&cursor, before: end, of: steps, from: first + 1, where: condition)
        }
    }

    /// Moves the cursor from an object to the value of its member `name` and returns where the object ends; `nil` if
    /// it has no such member.
    private func findMember(
        _ name: String, _ cursor: inout BodyCursor, before end: Int
    ) throws(BodyError) -> Int? {
        cursor.offset += 1
        let (end, count) = try cursor.readContainer(before: end)
        let wanted = name.utf8Span.span
        for _ in 0..<count {
            let length = try cursor.readLength(before: end)
            let start = cursor.offset
            cursor.offset += length
            if bytes.extracting(start..<cursor.offset).hasSameBytes(as: wanted) { return end }
            try cursor.skipValue(before: end)
        }
        return nil
    }
}
