/// Decodes document bodies.
///
/// Any bytes are safe to decode: everything that ``BodyEncoder`` would not write throws, except for NaN with other
/// bits. Memory use is bounded by the length of the body, and stack use does not depend on it.
package enum BodyDecoder {
    /// Decodes a body.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - names: the table that the body was written with, or a later one.
    /// - Throws: ``BodyError`` with the offset of the invalid byte.
    /// - Complexity: O(*n*); O(*n* log *n*) in the members of an object whose names are not in the order of their
    ///   numbers.
    package static func decode(_ body: Span<UInt8>, names: FieldNames) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        let value = try readValue(&cursor, before: body.count, names)
        guard cursor.offset == body.count else { throw BodyError(.trailingBytes, at: cursor.offset) }
        return value
    }

    /// Decodes a body; see ``decode(_:names:)-(Span<UInt8>,_)``.
    package static func decode(_ body: [UInt8], names: FieldNames) throws(BodyError) -> DocumentValue {
        try decode(body.span, names: names)
    }

    /// Decodes a value, or the digest of an attachment as a string, without the version in front of it.
    package static func value(_ bytes: Span<UInt8>, names: FieldNames) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(bytes)
        return try readValueOrDigest(&cursor, before: bytes.count, names)
    }

    /// Reads the value at the cursor, which must end at or before `limit`.
    package static func readValue(
        _ cursor: inout BodyCursor, before limit: Int, _ names: FieldNames
    ) throws(BodyError) -> DocumentValue {
        let start = cursor.offset
        let tag = try cursor.readByte()
        if let value = try cursor.readScalar(tag: tag, from: start, before: limit) { return value }
        var reader = ContainerReader(limit: limit)
        return try reader.read(&cursor, tag: tag, names)
    }

    /// Reads the value at the cursor like ``readValue(_:before:_:)``, or the digest of an attachment as a string.
    package static func readValueOrDigest(
        _ cursor: inout BodyCursor, before limit: Int, _ names: FieldNames
    ) throws(BodyError) -> DocumentValue {
        guard cursor.offset < limit, cursor.bytes[cursor.offset] == BodyFormat.Tag.digest else {
            return try readValue(&cursor, before: limit, names)
        }
        return .string(try cursor.readDigest(before: limit).description)
    }
}

/// Reads an array or object and everything in it.
private struct ContainerReader: ~Copyable {
    /// An array or object whose items are being read.
    struct Container {
        let isObject: Bool
        let end: Int
        /// The number of remaining items.
        var itemCount: Int
        /// The start of an object's values.
        let valuesStart: Int
        /// The position of an object's first entry, and of its next one.
        let firstEntry: Int
        var nextEntry: Int
    }

    let limit: Int
    private var builder = DocumentBuilder()
    private var containers = MoveStack<Container>()
    /// The members of all open objects in document order, innermost object last.
    private var entries: [BodyObject.Entry] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Reads the value whose tag has just been read.
    mutating func read(
        _ cursor: inout BodyCursor, tag: UInt8, _ names: FieldNames
    ) throws(BodyError) -> DocumentValue {
        try open(&cursor, tag: tag)
        while true {
            // Close completed containers. Then the next item begins; in an object, it starts with its name.
            while containers[containers.count - 1].itemCount == 0 {
                let value = try close(at: cursor.offset)
                if containers.count == 0 { return value }
                builder.add(value)
            }
            containers.updateLast { $0.itemCount -= 1 }
            let innermost = containers[containers.count - 1]
            if innermost.isObject { try beginMember(&cursor, of: innermost, names) }
            let start = cursor.offset
            let tag = try cursor.readByte()
            if let value = try cursor.readScalar(tag: tag, from: start, before: innermost.end) {
                builder.add(value)
            } else {
                try open(&cursor, tag: tag)
            }
        }
    }

    private mutating func close(at offset: Int) throws(BodyError) -> DocumentValue {
        let container = containers.pop()
        guard offset == container.end else { throw BodyError(.lengthNotUsedUp, at: offset) }
        guard container.isObject else { return .array(builder.closeArray()) }
        entries.removeSubrange(container.firstEntry...)
        return .object(builder.closeObject())
    }

    private mutating func open(_ cursor: inout BodyCursor, tag: UInt8) throws(BodyError) {
        let start = cursor.offset - 1
        let end = containers.count == 0 ? limit : containers[containers.count - 1].end
        let depth = containers.count + 1
        guard depth <= DocumentValue.maximumDepth else { throw BodyError(.tooDeep, at: start) }
        if tag == BodyFormat.Tag.array {
            let (end, count) = try cursor.readContainer(before: end)
            builder.openArray(offset: start, depth: depth)
            containers.push(
                Container(isObject: false, end: end, itemCount: count, valuesStart: 0, firstEntry: 0, nextEntry: 0))
        } else {
            let object = try cursor.readObject(tag: tag, before: end)
            builder.openObject(offset: start, depth: depth)
            let first = entries.count
            try object.appendEntries(in: cursor.bytes, at: start, to: &entries)
            cursor.offset = object.valuesStart
            containers.push(
                Container(
                    isObject: true, end: object.end, itemCount: object.count, valuesStart: object.valuesStart,
                    firstEntry: first, nextEntry: first))
        }
    }

    @inline(__always)
    private mutating func beginMember(
        _ cursor: inout BodyCursor, of object: Container, _ names: FieldNames
    ) throws(BodyError) {
        containers.updateLast { $0.nextEntry += 1 }
        let entry = entries[object.nextEntry]
        // Each value must start where the previous one ends.
        guard entry.offset == cursor.offset - object.valuesStart else {
            throw BodyError(.invalidObjectTable, at: cursor.offset)
        }
        if entry.number == BodyFormat.inlineName {
            let start = cursor.offset
            let name = try cursor.readString(before: object.end)
            // A name in the table must be written as its number. Otherwise equal values could have different bodies.
            guard names.number(of: name) == nil, !names.takes(name) else { throw BodyError(.invalidName, at: start) }
            guard builder.beginMember(name) else { throw BodyError(.duplicateName(name), at: start) }
        } else {
            guard let name = names[entry.number] else {
                throw BodyError(.unknownName(entry.number), at: cursor.offset)
            }
            builder.beginUniqueMember(name)
        }
    }
}
