internal import DocIndex

/// Finds the members of an object, or the elements of an array, in text held in memory. It does not parse them, so a
/// value that cannot be read leaves the others readable.
package struct JSONParts: Sendable {
    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        /// The place of the value in the text, without white space around it.
        package let value: Range<Int>
    }

    /// The text that contains the object or array.
    package let text: [UInt8]
    private let end: Int
    private let closer: UInt8
    private var offset: Int
    private var count = 0
    private var isAtEnd = false

    private init(
        _ text: [UInt8], in range: Range<Int>, opener: UInt8, closer: UInt8, expected: String
    ) throws(MessageError) {
        self.text = text
        self.closer = closer
        offset = range.lowerBound
        end = range.upperBound
        skipWhiteSpace()
        guard offset < end else { throw Self.truncated(expected) }
        guard text[offset] == opener else { throw Self.unexpected(expected, at: offset) }
        offset += 1
    }

    /// Prepares to list the members of an object.
    ///
    /// - Parameters:
    ///   - range: the range of the object in the text; `nil` for all of it.
    package static func members(of text: [UInt8], in range: Range<Int>? = nil) throws(MessageError) -> JSONParts {
        try JSONParts(
            text, in: range ?? 0..<text.count, opener: UInt8(ascii: "{"), closer: UInt8(ascii: "}"),
            expected: "an object")
    }

    /// Prepares to list the elements of an array.
    ///
    /// - Parameters:
    ///   - range: the range of the array in the text; `nil` for all of it.
    package static func elements(of text: [UInt8], in range: Range<Int>? = nil) throws(MessageError) -> JSONParts {
        try JSONParts(
            text, in: range ?? 0..<text.count, opener: UInt8(ascii: "["), closer: UInt8(ascii: "]"),
            expected: "an array")
    }

    /// Returns the next member; `nil` after the last one.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed. Values are not checked.
    /// - Complexity: O(*n*) in the length of the member.
    package mutating func nextMember() throws(MessageError) -> Member? {
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
        return Member(name: text, value: try readValue())
    }

    /// Returns the place of the next element; `nil` after the last one.
    ///
    /// - Throws: ``MessageError`` if the structure is malformed. Values are not checked.
    /// - Complexity: O(*n*) in the length of the element.
    package mutating func nextElement() throws(MessageError) -> Range<Int>? {
        try beginItem() ? try readValue() : nil
    }

    /// Moves to the next item. Returns false at the closing bracket.
    private mutating func beginItem() throws(MessageError) -> Bool {
        guard !isAtEnd else { return false }
        skipWhiteSpace()
        guard offset < end else { throw Self.truncated("',' or the closing bracket") }
        if text[offset] == closer {
            offset += 1
            skipWhiteSpace()
            guard offset == end else { throw Self.unexpected("the end of the text", at: offset) }
            isAtEnd = true
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

    private mutating func readValue() throws(MessageError) -> Range<Int> {
        skipWhiteSpace()
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

extension UInt8 {
    /// Whether the byte is white space in JSON.
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
