/// A change of some members of the object in a stored body. The other members keep their encoded form.
struct BodySplice {
    /// The stored record, which ends with the body.
    let record: [UInt8]
    /// The offset of the body in the record.
    let bodyStart: Int
    /// The names of the members that are replaced, added or removed.
    let names: [String]
    /// The members with these names after the change. New ones follow the others of the document in this order, and
    /// missing ones are removed.
    let new: DocumentObject
}

extension DocumentObject {
    /// Returns the members with some names, in the order of the object.
    func members(named names: [String]) -> DocumentObject {
        var found = DocumentObject()
        for member in self where names.contains(where: { $0.hasSameBytes(as: member.name) }) {
            found[member.name] = member.value
        }
        return found
    }
}

/// Writes the bodies that splices give, with buffers that are reused.
struct BodySplicer {
    /// An encoded value in the new body.
    private struct Part {
        let number: Int
        let isNew: Bool
        /// The place of the value in the stored body, or in that of the new members.
        let start: Int
        let end: Int
    }

    private var stored = BodyMembers()
    private var replaced = BodyMembers()
    /// The values of the new body, in document order.
    private var parts: [Part] = []
    /// The numbers of names above the offsets of values in 48 bits, in the order of the table.
    private var table: [UInt64] = []
    private var numbers: [Int] = []
    /// Keeps the memory of encoded new members.
    private var buffer: [UInt8] = []

    /// Appends the body after a change. It is the one that ``BodyEncoder`` writes for the changed document. New names
    /// are added to `names`.
    ///
    /// - Returns: the attachments in the new members, in document order, each as often as it occurs.
    /// - Throws: ``BodyError`` for a corrupt body or a change that cannot be stored; see ``BodyEncoder``. Nothing is
    ///   appended then.
    /// - Complexity: O(*n*) in the size of the body, and O(*n* *m*) in its members and those that change.
    mutating func append(
        _ splice: BodySplice, names: inout FieldNames, to bytes: inout [UInt8]
    ) throws(BodyError) -> [Attachment] {
        var replacement: [UInt8] = []
        swap(&replacement, &buffer)
        defer { swap(&replacement, &buffer) }
        replacement.removeAll(keepingCapacity: true)
        let attachments = try BodyEncoder.append(.object(splice.new), names: &names, to: &replacement)
        let body = splice.record.span.extracting(splice.bodyStart..<splice.record.count)
        guard try stored.read(body), try replaced.read(replacement.span) else {
            try Self.appendWhole(splice, names: &names, to: &bytes)
            return attachments
        }
        numbers.removeAll(keepingCapacity: true)
        for name in splice.names {
            if let number = names.number(of: name) { numbers.append(number) }
        }
        collectParts()
        let largestOffset = fillTable()
        guard largestOffset <= Int(UInt32.max) else { throw BodyError(.tooLarge, at: 0) }
        write(body, replacement.span, largestOffset: largestOffset, to: &bytes)
        return attachments
    }

    /// Decodes and encodes the whole document, for members whose names have no numbers.
    private static func appendWhole(
        _ splice: BodySplice, names: inout FieldNames, to bytes: inout [UInt8]
    ) throws(BodyError) {
        let body = splice.record.span.extracting(splice.bodyStart..<splice.record.count)
        guard case .object(var content) = try BodyDecoder.decode(body, names: names) else {
            throw BodyError(.invalidObjectTable, at: 0)
        }
        for name in splice.names where splice.new[name] == nil { content[name] = nil }
        for member in splice.new { content[member.name] = member.value }
        try BodyEncoder.append(.object(content), names: &names, to: &bytes)
    }

    /// Collects the values of the new body: replaced ones keep their places, and added ones follow.
    private mutating func collectParts() {
        parts.removeAll(keepingCapacity: true)
        for position in 0..<stored.count {
            let member = stored[position]
            if !numbers.contains(member.number) {
                parts.append(Part(number: member.number, isNew: false, start: member.start, end: member.end))
            } else if let new = replaced.member(numbered: member.number) {
                parts.append(Part(number: new.number, isNew: true, start: new.start, end: new.end))
            }
        }
        for position in 0..<replaced.count where stored.member(numbered: replaced.number(at: position)) == nil {
            let new = replaced[position]
            parts.append(Part(number: new.number, isNew: true, start: new.start, end: new.end))
        }
    }

    /// Fills the table of the new body, and returns the offset of its last value.
    private mutating func fillTable() -> Int {
        table.removeAll(keepingCapacity: true)
        var (offset, last) = (0, 0)
        for part in parts {
            last = offset
            insert(UInt64(truncatingIfNeeded: part.number) << 48 | UInt64(truncatingIfNeeded: offset))
            offset += part.end - part.start
        }
        if table.count > Self.insertionLimit { table.sort() }
        return last
    }

    /// The number of entries up to which the table is kept in order while it is filled.
    private static let insertionLimit = 32

    @inline(__always)
    private mutating func insert(_ entry: UInt64) {
        table.append(entry)
        guard table.count <= Self.insertionLimit else { return }
        var place = table.count - 1
        while place > 0, table[place - 1] > entry {
            table[place] = table[place - 1]
            place -= 1
        }
        table[place] = entry
    }

    private func write(
        _ body: Span<UInt8>, _ replacement: Span<UInt8>, largestOffset: Int, to bytes: inout [UInt8]
    ) {
        let largestNumber = table.last.map { Int(truncatingIfNeeded: $0 >> 48) } ?? 0
        let tag = BodyFormat.objectTag(largestNumber: largestNumber, largestOffset: largestOffset)
        let numberByteCount = BodyFormat.numberByteCount(ofTag: tag)
        let offsetByteCount = BodyFormat.offsetByteCount(ofTag: tag)
        let valueByteCount = parts.last.map { largestOffset + $0.end - $0.start } ?? 0
        let length =
            Varint.byteCount(of: UInt64(table.count)) + table.count * (numberByteCount + offsetByteCount)
            + valueByteCount
        bytes.reserveCapacity(bytes.count + length + 12)
        bytes.append(BodyFormat.version)
        bytes.append(tag)
        Varint.append(UInt64(length), to: &bytes)
        Varint.append(UInt64(table.count), to: &bytes)
        for entry in table { Self.append(entry >> 48, byteCount: numberByteCount, to: &bytes) }
        for entry in table { Self.append(entry, byteCount: offsetByteCount, to: &bytes) }
        // Adjacent values of the stored body are copied together.
        var position = 0
        while position < parts.count {
            let first = parts[position]
            var end = first.end
            position += 1
            while position < parts.count, parts[position].isNew == first.isNew, parts[position].start == end {
                end = parts[position].end
                position += 1
            }
            bytes.append(contentsOf: (first.isNew ? replacement : body).extracting(first.start..<end))
        }
    }

    /// Appends the lowest bytes of an integer, little-endian.
    @inline(__always)
    private static func append(_ value: UInt64, byteCount: Int, to bytes: inout [UInt8]) {
        var rest = value
        for _ in 0..<byteCount {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
