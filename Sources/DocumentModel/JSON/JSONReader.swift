/// Parses the structure of JSON text in one pass. Strings, numbers and extended forms are in separate files.
///
/// It is a loop rather than a recursion; see ``DocumentBuilder``.
struct JSONReader: ~Copyable, ~Escapable {
    let bytes: Span<UInt8>
    let options: JSONParser
    /// The offset of the next byte to read.
    var offset = 0
    var builder = DocumentBuilder()

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, options: JSONParser) {
        self.bytes = bytes
        self.options = options
    }

    /// Reads one value and leaves `offset` after it.
    mutating func readValue() throws(JSONError) -> DocumentValue {
        try refuseByteOrderMark()
        skipWhiteSpace()
        if offset == bytes.count { throw failure(.empty) }
        while true {
            // After a non-empty array or object has been opened, its first value follows.
            guard var value = try readScalarOrOpen() else { continue }
            while true {
                guard let innermost = builder.innermost else { return value }
                builder.add(value)
                guard try endsAfterItem(inObject: innermost.isObject) else { break }
                value = try close(innermost)
            }
        }
    }

    /// Throws if anything but whitespace remains.
    mutating func expectEnd() throws(JSONError) {
        skipWhiteSpace()
        if offset < bytes.count { throw failure(.trailingContent(bytes[offset])) }
    }

    /// Returns the error for `fault` at `offset` or another position.
    func failure(_ fault: JSONProblem, at place: Int? = nil) -> JSONError {
        JSONError(fault, at: options.start.advanced(by: place ?? offset, in: bytes))
    }
}

// MARK: - Structure

extension JSONReader {
    /// Reads and returns a scalar or an empty container; `nil` if it opened a non-empty container.
    private mutating func readScalarOrOpen() throws(JSONError) -> DocumentValue? {
        guard offset < bytes.count else { throw failure(.endOfInput(expected: "a value")) }
        switch bytes[offset] {
        case UInt8(ascii: "\""):
            return .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try readNumber()
        case UInt8(ascii: "{"):
            return try openObject()
        case UInt8(ascii: "["):
            return try openArray()
        case UInt8(ascii: "t"):
            try expectLiteral("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expectLiteral("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expectLiteral("null")
            return .null
        case let closer where closer == UInt8(ascii: "]") && builder.innermost?.isObject == false:
            // Empty arrays are handled elsewhere, so a comma precedes the bracket.
            throw failure(.trailingComma(closer: closer))
        case let found:
            throw failure(.unexpected(found, expected: "a value"))
        }
    }

    private mutating func openArray() throws(JSONError) -> DocumentValue? {
        let depth = builder.depth + (nextIsLiteral ? 0 : 1)
        guard depth <= options.maximumDepth else { throw failure(.tooDeep) }
        let start = offset
        offset += 1
        skipWhiteSpace()
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "]") {
            offset += 1
            return .array([])
        }
        guard offset < bytes.count else { throw failure(.endOfInput(expected: "a value or ']'")) }
        builder.openArray(offset: start, depth: depth)
        return nil
    }

    private mutating func openObject() throws(JSONError) -> DocumentValue? {
        let isLiteral = nextIsLiteral
        let depth = builder.depth + (isLiteral ? 0 : 1)
        let start = offset
        try checkDepthOfObject(depth)
        offset += 1
        skipWhiteSpace()
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "}") {
            guard depth <= options.maximumDepth else { throw failure(.tooDeep, at: start) }
            offset += 1
            return .object(DocumentObject())
        }
        builder.openObject(offset: start, depth: depth, isLiteral: isLiteral)
        try readName(expected: "a name in double quotes or '}'")
        return nil
    }

    /// Reads a name and the colon, and leaves `offset` before the value.
    private mutating func readName(expected: String) throws(JSONError) {
        guard offset < bytes.count else { throw failure(.endOfInput(expected: expected)) }
        guard bytes[offset] == UInt8(ascii: "\"") else {
            throw failure(.unexpected(bytes[offset], expected: expected))
        }
        let start = offset
        let name = try readString()
        guard builder.beginMember(name) else { throw failure(.duplicateName(name), at: start) }
        if options.notation != .plain { try checkExtendedName() }
        skipWhiteSpace()
        guard offset < bytes.count else { throw failure(.endOfInput(expected: "':' after a name")) }
        guard bytes[offset] == UInt8(ascii: ":") else {
            throw failure(.unexpected(bytes[offset], expected: "':' after a name"))
        }
        offset += 1
        skipWhiteSpace()
    }

    /// Reads the separator after an item. Returns true at the closing bracket, and false before the next value.
    private mutating func endsAfterItem(inObject isInObject: Bool) throws(JSONError) -> Bool {
        skipWhiteSpace()
        let closer = isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        guard offset < bytes.count else {
            throw failure(.endOfInput(expected: isInObject ? "',' or '}'" : "',' or ']'"))
        }
        let found = bytes[offset]
        if found == closer {
            offset += 1
            return true
        }
        guard found == UInt8(ascii: ",") else {
            throw failure(.unexpected(found, expected: isInObject ? "',' or '}'" : "',' or ']'"))
        }
        offset += 1
        skipWhiteSpace()
        if isInObject {
            if offset < bytes.count, bytes[offset] == closer { throw failure(.trailingComma(closer: closer)) }
            try readName(expected: "a name in double quotes")
        }
        return false
    }

    private mutating func close(_ container: DocumentBuilder.Frame) throws(JSONError) -> DocumentValue {
        guard container.isObject else { return .array(builder.closeArray()) }
        let object = builder.closeObject()
        return options.notation != .plain ? try interpret(object, from: container) : .object(object)
    }

    private mutating func expectLiteral(_ literal: StaticString) throws(JSONError) {
        for position in 0..<literal.utf8CodeUnitCount {
            guard offset < bytes.count else { throw failure(.endOfInput(expected: "the rest of '\(literal)'")) }
            let expected = unsafe literal.utf8Start[position]
            guard bytes[offset] == expected else {
                throw failure(.unexpected(bytes[offset], expected: "the rest of '\(literal)'"))
            }
            offset += 1
        }
    }
}

// MARK: - Between the tokens

extension JSONReader {
    @inline(__always)
    private mutating func skipWhiteSpace() {
        while offset < bytes.count, bytes[offset] <= 0x20 {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): offset += 1
            default: return
            }
        }
    }

    private func refuseByteOrderMark() throws(JSONError) {
        guard bytes.count >= 2 else { return }
        let isUTF8 = bytes.count >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf
        let isUTF16 = (bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff)
        if isUTF8 || isUTF16 { throw failure(.byteOrderMark) }
    }
}
