/// Turns document bodies back into values.
///
/// Any bytes are safe to decode: what is not a body as ``BodyEncoder`` writes it throws, but for a NaN of other bits.
/// Memory is bounded by the length of the body, and the stack does not grow with it.
public enum BodyDecoder {
    /// The value of `body`.
    ///
    /// - Throws: ``BodyError`` with the byte that is wrong.
    /// - Complexity: O(*n*).
    public static func decode(_ body: Span<UInt8>) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        let value = try readValue(&cursor, before: body.count)
        guard cursor.offset == body.count else { throw BodyError(.trailingBytes, at: cursor.offset) }
        return value
    }

    /// The value of `body`; see ``decode(_:)-(Span<UInt8>)``.
    public static func decode(_ body: [UInt8]) throws(BodyError) -> DocumentValue {
        try decode(body.span)
    }

    /// An array or object whose items are being read.
    private struct Container {
        let isObject: Bool
        let end: Int
        /// The items still to come.
        var itemCount: Int
    }

    /// Reads the value at the cursor, which must end no later than `limit`.
    static func readValue(_ cursor: inout BodyCursor, before limit: Int) throws(BodyError) -> DocumentValue {
        var builder = DocumentBuilder()
        var containers = MoveStack<Container>()
        while true {
            let end = containers.count == 0 ? limit : containers[containers.count - 1].end
            let start = cursor.offset
            if let value = try readScalar(&cursor, before: end) {
                if containers.count == 0 { return value }
                builder.add(value)
            } else {
                // The tag has not been read: it is that of an array or object, or unknown.
                let container = try openContainer(&cursor, before: end)
                let depth = containers.count + 1
                guard depth <= DocumentValue.maximumDepth else { throw BodyError(.tooDeep, at: start) }
                if container.isObject {
                    builder.openObject(offset: start, depth: depth)
                } else {
                    builder.openArray(offset: start, depth: depth)
                }
                containers.push(container)
            }
            // Close what is complete; then the next item begins, in an object with its name.
            while containers[containers.count - 1].itemCount == 0 {
                let container = containers.pop()
                guard cursor.offset == container.end else { throw BodyError(.lengthNotUsedUp, at: cursor.offset) }
                let value: DocumentValue =
                    container.isObject ? .object(builder.closeObject()) : .array(builder.closeArray())
                if containers.count == 0 { return value }
                builder.add(value)
            }
            containers.updateLast { $0.itemCount -= 1 }
            let innermost = containers[containers.count - 1]
            if innermost.isObject {
                let start = cursor.offset
                let name = try cursor.readString(before: innermost.end)
                guard builder.beginMember(name) else { throw BodyError(.duplicateName(name), at: start) }
            }
        }
    }

    /// Reads a scalar; `nil`, without having read anything, if there is none at the cursor.
    @inline(__always)
    private static func readScalar(
        _ cursor: inout BodyCursor, before end: Int
    ) throws(BodyError) -> DocumentValue? {
        let start = cursor.offset
        let value: DocumentValue
        switch try cursor.readByte() {
        case BodyFormat.Tag.null: value = .null
        case BodyFormat.Tag.false: value = .bool(false)
        case BodyFormat.Tag.true: value = .bool(true)
        case BodyFormat.Tag.int: value = .int(try cursor.readInt())
        case BodyFormat.Tag.double: value = .double(try cursor.readDouble())
        case BodyFormat.Tag.string: value = .string(try cursor.readString(before: end))
        case BodyFormat.Tag.bytes: value = .bytes(try cursor.readBytes(before: end))
        default:
            cursor.offset = start
            return nil
        }
        guard cursor.offset <= end else { throw BodyError(.lengthBeyondEnd, at: start) }
        return value
    }

    private static func openContainer(
        _ cursor: inout BodyCursor, before end: Int
    ) throws(BodyError) -> Container {
        let start = cursor.offset
        let tag = try cursor.readByte()
        guard tag == BodyFormat.Tag.array || tag == BodyFormat.Tag.object else {
            throw BodyError(.unsupportedTag(tag), at: start)
        }
        let (end, count) = try cursor.readContainer(before: end)
        return Container(isObject: tag == BodyFormat.Tag.object, end: end, itemCount: count)
    }
}
