/// Turns values into document bodies.
///
/// The layout stores the length of an array before its content. So there are two passes: the first computes the
/// lengths, innermost first, the second writes. Each value is visited twice, however deep it lies.
public enum BodyEncoder {
    /// The body of `value`.
    ///
    /// Equal values have equal bodies, and a body decodes to an equal value.
    ///
    /// - Throws: ``BodyError`` with the code `tooDeep`, if the value is nested beyond ``DocumentValue/maximumDepth``.
    /// - Complexity: O(*n*) in the size of the value.
    public static func encode(_ value: DocumentValue) throws(BodyError) -> [UInt8] {
        var body: [UInt8] = []
        try append(value, to: &body)
        return body
    }

    /// Appends the body of `value` to `bytes`, which stay as they are if it throws; see ``encode(_:)``.
    public static func append(_ value: DocumentValue, to bytes: inout [UInt8]) throws(BodyError) {
        var lengths = BodyLengths()
        let byteCount = try lengths.measure(value)
        // Exactly, but never less than double: appending body after body must not copy all of them each time.
        let needed = bytes.count + 1 + byteCount
        if needed > bytes.capacity { bytes.reserveCapacity(bytes.isEmpty ? needed : max(needed, 2 * bytes.capacity)) }
        bytes.append(BodyFormat.version)
        var writer = BodyWriter(lengths: lengths)
        writer.write(value, to: &bytes)
    }
}

/// The first pass: the length of each array and object, in the order in which they begin.
private struct BodyLengths {
    private(set) var lengths: [Int] = []
    private var depth = 0

    /// The number of bytes of `value`, its tag included.
    mutating func measure(_ value: DocumentValue) throws(BodyError) -> Int {
        switch value {
        case .null, .bool: return 1
        case .int(let value): return 1 + BodyFormat.varintByteCount(BodyFormat.zigzag(value))
        case .double: return 9
        case .string(let value): return 1 + Self.prefixed(value.utf8.count)
        case .bytes(let value): return 1 + Self.prefixed(value.count)
        case .array(let elements):
            let place = try open()
            var length = Self.varint(elements.count)
            for position in elements.indices { length += try measure(elements[position]) }
            return close(place, length: length)
        case .object(let object):
            let place = try open()
            var length = Self.varint(object.count)
            for position in object.indices {
                let member = object[position]
                length += Self.prefixed(member.name.utf8.count)
                length += try measure(member.value)
            }
            return close(place, length: length)
        }
    }

    private mutating func open() throws(BodyError) -> Int {
        guard depth < DocumentValue.maximumDepth else { throw BodyError(.tooDeep, at: 0) }
        depth += 1
        lengths.append(0)
        return lengths.count - 1
    }

    private mutating func close(_ place: Int, length: Int) -> Int {
        depth -= 1
        lengths[place] = length
        return 1 + Self.prefixed(length)
    }

    private static func varint(_ value: Int) -> Int { BodyFormat.varintByteCount(UInt64(value)) }

    private static func prefixed(_ length: Int) -> Int { varint(length) + length }
}

/// The second pass.
private struct BodyWriter {
    private let lengths: [Int]
    private var next = 0

    init(lengths: BodyLengths) {
        self.lengths = lengths.lengths
    }

    mutating func write(_ value: DocumentValue, to body: inout [UInt8]) {
        switch value {
        case .null: body.append(BodyFormat.Tag.null)
        case .bool(let value): body.append(value ? BodyFormat.Tag.true : BodyFormat.Tag.false)
        case .int(let value):
            body.append(BodyFormat.Tag.int)
            body.appendVarint(BodyFormat.zigzag(value))
        case .double(let value):
            body.append(BodyFormat.Tag.double)
            let bits = value.storedBitPattern
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                body.append(UInt8(truncatingIfNeeded: bits >> shift))
            }
        case .string(let value):
            body.append(BodyFormat.Tag.string)
            body.appendPrefixed(value)
        case .bytes(let value):
            body.append(BodyFormat.Tag.bytes)
            body.appendVarint(UInt64(value.count))
            body.append(contentsOf: value)
        case .array(let elements):
            open(BodyFormat.Tag.array, count: elements.count, in: &body)
            for position in elements.indices { write(elements[position], to: &body) }
        case .object(let object):
            open(BodyFormat.Tag.object, count: object.count, in: &body)
            for position in object.indices {
                let member = object[position]
                body.appendPrefixed(member.name)
                write(member.value, to: &body)
            }
        }
    }

    private mutating func open(_ tag: UInt8, count: Int, in body: inout [UInt8]) {
        body.append(tag)
        body.appendVarint(UInt64(lengths[next]))
        next += 1
        body.appendVarint(UInt64(count))
    }
}

extension [UInt8] {
    /// Appends a varint; see ``BodyFormat``.
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the length of the UTF-8 form as a varint, and the form.
    fileprivate mutating func appendPrefixed(_ string: String) {
        let bytes = string.utf8Span.span
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
