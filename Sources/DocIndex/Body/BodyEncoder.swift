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
        let byteCount = lengths.measure(value)
        guard !lengths.isTooDeep else { throw BodyError(.tooDeep, at: 0) }
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
    /// Whether the value is nested beyond the limit; it is not measured in full then.
    private(set) var isTooDeep = false
    private var depth = 0

    /// The number of bytes of `value`, its tag included.
    mutating func measure(_ value: DocumentValue) -> Int {
        switch value {
        case .array(let elements): measure(elements)
        case .object(let object): measure(object)
        default: measureScalar(value)
        }
    }

    // Apart from the recursion, whose frames must be small; see `DocumentValue.==`.
    private func measureScalar(_ value: DocumentValue) -> Int {
        switch value {
        case .null, .bool, .array, .object: 1
        case .int(let value): 1 + BodyFormat.varintByteCount(BodyFormat.zigzag(value))
        case .double: 9
        case .string(let value): 1 + Self.prefixed(value.utf8.count)
        case .bytes(let value): 1 + Self.prefixed(value.count)
        }
    }

    private mutating func measure(_ elements: [DocumentValue]) -> Int {
        guard let place = open() else { return 0 }
        var length = Self.varint(elements.count)
        var position = 0
        while position < elements.count {
            length += measure(elements[position])
            position += 1
        }
        return close(place, length: length)
    }

    private mutating func measure(_ object: DocumentObject) -> Int {
        guard let place = open() else { return 0 }
        var length = Self.varint(object.count)
        var position = 0
        while position < object.count {
            length += Self.prefixed(object[position].name.utf8.count)
            length += measure(object[position].value)
            position += 1
        }
        return close(place, length: length)
    }

    /// Makes room for the length of an array or object; `nil` if it lies too deep.
    private mutating func open() -> Int? {
        guard depth < DocumentValue.maximumDepth else {
            isTooDeep = true
            return nil
        }
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
        case .array(let elements): write(elements, to: &body)
        case .object(let object): write(object, to: &body)
        default: writeScalar(value, to: &body)
        }
    }

    private mutating func write(_ elements: [DocumentValue], to body: inout [UInt8]) {
        open(BodyFormat.Tag.array, count: elements.count, in: &body)
        var position = 0
        while position < elements.count {
            write(elements[position], to: &body)
            position += 1
        }
    }

    private mutating func write(_ object: DocumentObject, to body: inout [UInt8]) {
        open(BodyFormat.Tag.object, count: object.count, in: &body)
        var position = 0
        while position < object.count {
            body.appendPrefixed(object[position].name)
            write(object[position].value, to: &body)
            position += 1
        }
    }

    private func writeScalar(_ value: DocumentValue, to body: inout [UInt8]) {
        switch value {
        case .null, .array, .object: body.append(BodyFormat.Tag.null)
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
