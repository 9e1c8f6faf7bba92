/// Encodes values as document bodies.
///
/// It takes one pass over the value, from the end to the beginning; see ``BodyBuffer``.
package enum BodyEncoder {
    /// Encodes a value. Adds missing names to `names`; they must be stored before the body or together with it.
    ///
    /// With the same table, equal values have equal bodies. A body decodes to an equal value.
    ///
    /// - Throws: ``BodyError`` with the code `tooDeep` if the value is nested deeper than
    ///   ``DocumentValue/maximumDepth``, or `tooLarge` if an object takes 4 GiB or more. No names are added then.
    /// - Complexity: O(*n*) in the size of the value; O(*n* log *n*) in the members of an object whose names are not in
    ///   the order of their numbers.
    package static func encode(_ value: DocumentValue, names: inout FieldNames) throws(BodyError) -> [UInt8] {
        var writer = BodyWriter()
        try writer.writeBody(value, &names)
        return writer.bytes.bytes
    }

    /// Appends the body of `value` to `bytes`; see ``encode(_:names:)``. If it throws, `bytes` is unchanged.
    ///
    /// - Returns: the attachments in the value, in document order, each as often as it occurs.
    @discardableResult
    package static func append(
        _ value: DocumentValue, names: inout FieldNames, to bytes: inout [UInt8]
    ) throws(BodyError) -> [Attachment] {
        var writer = BodyWriter()
        try writer.writeBody(value, &names)
        return writer.append(to: &bytes)
    }

    /// Appends the body that a splice makes, which is the one of the changed document; see ``append(_:names:to:)``.
    ///
    /// - Returns: the attachments in the values that the splice sets.
    package static func append(
        _ splice: BodySplice, names: inout FieldNames, to bytes: inout [UInt8]
    ) throws(BodyError) -> [Attachment] {
        var writer = BodyWriter()
        try writer.writeBody(splice, &names)
        return writer.append(to: &bytes)
    }
}

/// Writes a body backwards.
struct BodyWriter: ~Copyable {
    /// A member of an object that is being written. Entries sort like the integer `bits`, in the order of the table: by
    /// number, and members with the same number in document order.
    struct Entry {
        /// The number of the name in the upper 16 bits. The lower bits are the complement of the start of the value,
        /// because values earlier in the body are further from its end.
        private(set) var bits: UInt64

        init(number: Int) { bits = UInt64(truncatingIfNeeded: number) << 48 }

        /// The number of the name.
        var number: Int { Int(truncatingIfNeeded: bits >> 48) }

        /// The start of the value, counted from the end of the body.
        var start: Int {
            get { Int(truncatingIfNeeded: ~bits & 0xffff_ffff_ffff) }
            set { bits = bits & ~0xffff_ffff_ffff | ~UInt64(truncatingIfNeeded: newValue) & 0xffff_ffff_ffff }
        }
    }

    var bytes = BodyBuffer(capacity: 1024)
    /// The attachments that have been written, last one of the document first.
    private(set) var attachments: [Attachment] = []
    /// The members of all objects that are being written, innermost object last.
    private var entries: [Entry] = []
    private var depth = 0
    private var isTooDeep = false
    private var isTooLarge = false

    init() {
        // Enough for most documents, and no allocation for a value that is not an object.
        entries.reserveCapacity(32)
    }

    mutating func writeBody(_ value: DocumentValue, _ names: inout FieldNames) throws(BodyError) {
        let nameCount = names.count
        write(value, &names)
        try closeBody(nameCount: nameCount, &names)
    }

    mutating func writeBody(_ splice: BodySplice, _ names: inout FieldNames) throws(BodyError) {
        let nameCount = names.count
        write(splice, &names)
        try closeBody(nameCount: nameCount, &names)
    }

    private mutating func closeBody(nameCount: Int, _ names: inout FieldNames) throws(BodyError) {
        bytes.prepend(BodyFormat.version)
        guard isTooDeep || isTooLarge else { return }
        names.removeNames(from: nameCount)
        throw BodyError(isTooDeep ? .tooDeep : .tooLarge, at: 0)
    }

    /// Appends the body to `output`, and returns its attachments in document order.
    func append(to output: inout [UInt8]) -> [Attachment] {
        bytes.append(to: &output)
        return attachments.isEmpty ? [] : attachments.reversed()
    }

    // Recursive functions contain nothing but the recursion, because their frames must be small; see
    // `DocumentValue.==`.
    private mutating func write(_ value: DocumentValue, _ names: inout FieldNames) {
        switch value {
        case .array(let elements): write(elements, &names)
        case .object(let object): write(object, &names)
        default: writeScalar(value)
        }
    }

    private mutating func write(_ elements: [DocumentValue], _ names: inout FieldNames) {
        guard open() else { return }
        let end = bytes.count
        let elements = elements.span
        var position = elements.count
        while position > 0 {
            position -= 1
            write(elements[position], &names)
        }
        closeArray(count: elements.count, end: end)
    }

    private mutating func write(_ object: DocumentObject, _ names: inout FieldNames) {
        guard open() else { return }
        let end = bytes.count
        let members = object.memberSpan
        let first = pushEntries(of: members, &names)
        var position = members.count
        while position > 0 {
            position -= 1
            write(members[position].value, &names)
            closeMember(members, position: position, entry: first + position)
        }
        closeObject(first: first, end: end)
    }

    /// Writes an object of which only some members are new.
    private mutating func write(_ splice: BodySplice, _ names: inout FieldNames) {
        guard open() else { return }
        let members = splice.members
        // As for a whole object, new names get their numbers before the names in the values.
        for position in 0..<members.count where splice.isKept(position) {
            entries.append(Entry(number: members[position].number))
        }
        let added = splice.added
        var entry = entries.count + added.count
        let first = pushEntries(of: added.memberSpan, &names)
        while entry > first {
            entry -= 1
            write(added.memberSpan[entry - first].value, &names)
            closeMember(added.memberSpan, position: entry - first, entry: entry)
        }
        // Adjacent values of the stored body are copied together.
        let body = splice.body
        var (start, end) = (members.end, members.end)
        var position = members.count
        while position > 0 {
            position -= 1
            let member = members[position]
            if splice.changes(member.number) {
                bytes.prepend(body.extracting(start..<end))
                (start, end) = (member.start, member.start)
                guard let value = splice.value(ofNumber: member.number) else { continue }
                entry -= 1
                write(value, &names)
                entries[entry].start = bytes.count
            } else {
                entry -= 1
                start = member.start
                entries[entry].start = bytes.count + end - start
            }
        }
        bytes.prepend(body.extracting(start..<end))
        closeObject(first: 0, end: 0)
    }

    /// Opens an array or object. Returns false if it is nested too deep; nothing may be written then.
    private mutating func open() -> Bool {
        guard depth < DocumentValue.maximumDepth else {
            isTooDeep = true
            return false
        }
        depth += 1
        return true
    }

    /// Looks up the names of an object and returns the position of its first entry.
    private mutating func pushEntries(
        of members: Span<DocumentObject.Member>, _ names: inout FieldNames
    ) -> Int {
        let first = entries.count
        for position in members.indices {
            entries.append(Entry(number: names.add(members[position].name) ?? BodyFormat.inlineName))
        }
        return first
    }

    @inline(__always)
    private mutating func closeMember(_ members: Span<DocumentObject.Member>, position: Int, entry: Int) {
        if entries[entry].number == BodyFormat.inlineName {
            let name = members[position].name
            let utf8 = name.utf8Span.span
            bytes.prepend(utf8)
            bytes.prependVarint(UInt64(utf8.count))
        }
        entries[entry].start = bytes.count
    }

    private mutating func closeArray(count: Int, end: Int) {
        depth -= 1
        bytes.prependVarint(UInt64(count))
        bytes.prependVarint(UInt64(bytes.count - end))
        bytes.prepend(BodyFormat.Tag.array)
    }

    /// Writes the header and the table of an object, which precede its values.
    private mutating func closeObject(first: Int, end: Int) {
        depth -= 1
        let valuesStart = bytes.count
        // Before the entries are sorted, the last one has the largest offset.
        let largestOffset = first < entries.count ? valuesStart - entries[entries.count - 1].start : 0
        if largestOffset > Int(UInt32.max) { isTooLarge = true }
        sortEntries(from: first)
        let largestNumber = first < entries.count ? entries[entries.count - 1].number : 0
        let tag = BodyFormat.objectTag(largestNumber: largestNumber, largestOffset: largestOffset)
        let offsetByteCount = BodyFormat.offsetByteCount(ofTag: tag)
        let numberByteCount = BodyFormat.numberByteCount(ofTag: tag)
        var entry = entries.count
        while entry > first {
            entry -= 1
            bytes.prepend(UInt64(valuesStart - entries[entry].start), byteCount: offsetByteCount)
        }
        entry = entries.count
        while entry > first {
            entry -= 1
            bytes.prepend(UInt64(entries[entry].number), byteCount: numberByteCount)
        }
        bytes.prependVarint(UInt64(entries.count - first))
        bytes.prependVarint(UInt64(bytes.count - end))
        bytes.prepend(tag)
        entries.removeSubrange(first...)
    }

    /// Sorts the entries from `first` on into the order of the table.
    private mutating func sortEntries(from first: Int) {
        var entry = first + 1
        while entry < entries.count, entries[entry - 1].number <= entries[entry].number { entry += 1 }
        guard entry < entries.count else { return }
        if entries.count - first > 32 {
            return entries[first...].sort { $0.bits < $1.bits }
        }
        while entry < entries.count {
            let moving = entries[entry]
            var place = entry
            while place > first, entries[place - 1].bits > moving.bits {
                entries[place] = entries[place - 1]
                place -= 1
            }
            entries[place] = moving
            entry += 1
        }
    }

    private mutating func writeScalar(_ value: DocumentValue) {
        switch value {
        case .null, .array, .object: bytes.prepend(BodyFormat.Tag.null)
        case .bool(let value): bytes.prepend(value ? BodyFormat.Tag.true : BodyFormat.Tag.false)
        case .int(let value):
            if 0...BodyFormat.smallIntLimit ~= value {
                bytes.prepend(BodyFormat.Tag.smallInt + UInt8(truncatingIfNeeded: value))
            } else {
                bytes.prependVarint(BodyFormat.zigzag(value))
                bytes.prepend(BodyFormat.Tag.int)
            }
        case .double(let value):
            bytes.prepend(value.storedBitPattern, byteCount: 8)
            bytes.prepend(BodyFormat.Tag.double)
        case .string(let value):
            let utf8 = value.utf8Span.span
            bytes.prepend(utf8)
            if utf8.count <= BodyFormat.shortStringLimit {
                bytes.prepend(BodyFormat.Tag.shortString + UInt8(truncatingIfNeeded: utf8.count))
            } else {
                bytes.prependVarint(UInt64(utf8.count))
                bytes.prepend(BodyFormat.Tag.string)
            }
        case .bytes(let value):
            bytes.prepend(value.span)
            bytes.prependVarint(UInt64(value.count))
            bytes.prepend(BodyFormat.Tag.bytes)
        case .date(let value):
            if let minutes = value.offsetMinutes {
                bytes.prependVarint(BodyFormat.zigzag(Int64(minutes)))
            }
            bytes.prependVarint(BodyFormat.zigzag(value.milliseconds))
            bytes.prepend(value.offsetMinutes == nil ? BodyFormat.Tag.date : BodyFormat.Tag.zonedDate)
        case .attachment(let value): writeAttachment(value)
        }
    }

    @inline(never)
    private mutating func writeAttachment(_ value: Attachment) {
        attachments.append(value)
        let end = bytes.count
        writeScalar(value.name.map { .string($0) } ?? .null)
        writeScalar(.string(value.type))
        writeScalar(.int(value.byteCount))
        bytes.prepend(value.digest.bytes.span)
        bytes.prepend(BodyFormat.Tag.digest)
        bytes.prependVarint(UInt64(bytes.count - end))
        bytes.prepend(BodyFormat.Tag.attachment)
    }
}
