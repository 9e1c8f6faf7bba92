package import DocIndex

/// Reads the members of an object, or the elements of an array, in text held in memory. A value that cannot be read
/// leaves the others readable.
///
/// A value is taken by ``skipValue()``, ``parseValue(_:)``, or ``enterObject()`` or ``enterArray()`` and
/// ``leave(_:)``. Each scans a valid value once.
package struct JSONParts: Sendable {
    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        /// The place of the value in the text, without whitespace around it.
        package let value: Range<Int>
    }

    /// The text that contains the object or array.
    package let text: [UInt8]
    private let end: Int
    private let closer: UInt8
    private var offset: Int
    private var count = 0
    private var isAtEnd = false
    /// Whether the object or array is part of another one.
    private let isNested: Bool

    private init(
        _ text: [UInt8], in range: Range<Int>, isNested: Bool = false, isObject: Bool
    ) throws(MessageError) {
        let opener = isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")
        let expected = isObject ? "an object" : "an array"
        self.text = text
        self.isNested = isNested
        closer = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        offset = range.lowerBound
        end = range.upperBound
        skipWhiteSpace()
        guard offset < end else { throw Self.truncated(expected) }
        guard text[offset] == opener else { throw Self.unexpected(expected, at: offset) }
        offset += 1
    }

    /// Prepares to list the members of an object.
    package static func members(of text: [UInt8]) throws(MessageError) -> JSONParts {
        try JSONParts(text, in: 0..<text.count, isObject: true)
    }

    /// Prepares to list the elements of an array.
    package static func elements(of text: [UInt8]) throws(MessageError) -> JSONParts {
        try JSONParts(text, in: 0..<text.count, isObject: false)
    }

    /// Returns the next member; `nil` after the last one.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed. Values are not checked.
    /// - Complexity: O(*n*) in the length of the member.
    package mutating func nextMember() throws(MessageError) -> Member? {
        guard let name = try nextName() else { return nil }
        return Member(name: name, value: try skipValue())
    }

    /// Returns the name of the next member, whose value must be taken next; `nil` after the last one.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed.
    package mutating func nextName() throws(MessageError) -> String? {
        guard try beginItem() else { return nil }
        guard offset < end else { throw Self.truncated("a name") }
        guard text[offset] == UInt8(ascii: "\"") else { throw Self.unexpected("a name", at: offset) }
        let name: (value: DocumentValue, byteCount: Int)
        do throws(JSONError) {
            name = try JSONParser().parsePrefix(of: text.span.extracting(offset..<end))
        } catch {
            guard error.code != .unexpectedEnd else { throw Self.truncated("the end of a name") }
            throw MessageError(.malformed, "A name in a JSON message is malformed: \(error.message)")
        }
        guard case .string(let text) = name.value else { throw Self.unexpected("a name", at: offset) }
        offset += name.byteCount
        skipWhiteSpace()
        guard offset < end else { throw Self.truncated("':' after a name") }
        guard self.text[offset] == UInt8(ascii: ":") else { throw Self.unexpected("':' after a name", at: offset) }
        offset += 1
        skipWhiteSpace()
        return text
    }

    /// Moves to the next element, which must be taken next. Returns false after the last one.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed.
    package mutating func moveToElement() throws(MessageError) -> Bool { try beginItem() }

    /// Moves to the next item. Returns false at the closing bracket.
    private mutating func beginItem() throws(MessageError) -> Bool {
        guard !isAtEnd else { return false }
        skipWhiteSpace()
        guard offset < end else { throw Self.truncated("',' or the closing bracket") }
        if text[offset] == closer {
            offset += 1
            isAtEnd = true
            if !isNested {
                skipWhiteSpace()
                guard offset == end else { throw Self.unexpected("the end of the text", at: offset) }
            }
            return false
        }
        if count > 0 {
            guard text[offset] == UInt8(ascii: ",") else {
                throw Self.unexpected("',' or the closing bracket", at: offset)
            }
            offset += 1
            skipWhiteSpace()
        }
        count += 1
        return true
    }

    private mutating func skipWhiteSpace() {
        while offset < end, text[offset].isJSONSpace { offset += 1 }
    }

    private static func truncated(_ expected: String) -> MessageError {
        MessageError(.truncated, "A JSON message ends where \(expected) is expected; check that it is complete.")
    }

    private static func unexpected(_ expected: String, at offset: Int) -> MessageError {
        MessageError(.malformed, "A JSON message is malformed at byte \(offset): expected \(expected).")
    }
}

// MARK: - Values

extension JSONParts {
    /// Skips the value, and returns its place.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed. The value is not checked.
    /// - Complexity: O(*n*) in the length of the value.
    package mutating func skipValue() throws(MessageError) -> Range<Int> {
        let start = offset
        var scanner = JSONElementScanner()
        var position = JSONError.Position(offset: offset)
        // Copies, because a span of `text` prevents changes to the rest of `self`.
        let text = text
        var scanned = offset
        let isComplete: Bool
        do throws(JSONError) {
            isComplete = try scanner.scan(text.span.extracting(..<end), from: &scanned, position: &position)
        } catch {
            throw MessageError(.malformed, "A JSON message is malformed at byte \(error.offset): \(error.message)")
        }
        offset = scanned
        guard isComplete else { throw Self.truncated("the end of a value") }
        return start..<offset
    }

    /// Parses the value. If this fails, the value is skipped.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed, so that the end of the value is unknown.
    /// - Complexity: O(*n*) in the length of the value.
    package mutating func parseValue(
        _ parser: JSONParser = JSONParser()
    ) throws(MessageError) -> Result<DocumentValue, JSONError> {
        if let (value, byteCount) = try? parser.parsePrefix(of: text.span.extracting(offset..<end)),
            endsItem(at: offset + byteCount)
        {
            offset += byteCount
            return .success(value)
        }
        let place = try skipValue()
        do throws(JSONError) {
            return .success(try parser.parse(text.span.extracting(place)))
        } catch {
            return .failure(error)
        }
    }

    /// Returns whether an item can end at an offset.
    private func endsItem(at offset: Int) -> Bool {
        var offset = offset
        while offset < end, text[offset].isJSONSpace { offset += 1 }
        return offset < end && (text[offset] == UInt8(ascii: ",") || text[offset] == closer)
    }

    /// Prepares to list the members of the value, an object; ``leave(_:)`` continues after it.
    ///
    /// After an error, ``skipValue()`` continues after it.
    package func enterObject() throws(MessageError) -> JSONParts {
        try JSONParts(text, in: offset..<end, isNested: true, isObject: true)
    }

    /// Prepares to list the elements of the value, an array; see ``enterObject()``.
    package func enterArray() throws(MessageError) -> JSONParts {
        try JSONParts(text, in: offset..<end, isNested: true, isObject: false)
    }

    /// Continues after an object or array that was entered and read to its end.
    package mutating func leave(_ inner: JSONParts) { offset = inner.offset }
}

extension UInt8 {
    /// Whether the byte is whitespace in JSON.
    var isJSONSpace: Bool {
        switch self {
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
        default: false
        }
    }
}

extension MessageError {
    /// Creates the error for a value of a message that cannot be read.
    init(_ error: JSONError, in what: String) {
        self.init(.malformed, "\(what) is malformed, \(error.description)")
    }
}
