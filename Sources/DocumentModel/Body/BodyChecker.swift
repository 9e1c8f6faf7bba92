/// Checks values in a body without decoding them. Keeps its memory, so that most checks allocate nothing.
package struct BodyChecker {
    /// An array or object whose items are being checked.
    private struct Container {
        var isObject = false
        let end: Int
        /// The number of remaining items.
        var itemCount: Int
        /// The start of an object's values.
        var valuesStart = 0
        /// The position of an object's first entry, and of its next one.
        var firstEntry = 0
        var nextEntry = 0
    }

    private var containers: [Container] = []
    /// The members of all open objects in document order, innermost object last.
    private var entries: [BodyObject.Entry] = []

    package init() {}

    /// Checks the values of all members of a body.
    ///
    /// - Throws: ``BodyError`` for a body that ``BodyDecoder`` refuses, and for names that are not in the table.
    /// - Complexity: O(*n*) in the size of the body. Stack use does not depend on it.
    package mutating func check(_ members: BodyMembers, in body: Span<UInt8>, _ names: FieldNames) throws(BodyError) {
        let nameCount = names.count
        for position in 0..<members.count {
            let member = members[position]
            guard member.number < nameCount else { throw BodyError(.unknownName(member.number), at: member.start) }
            var cursor = BodyCursor(body, offset: member.start)
            try checkValue(at: &cursor, before: member.end, nameCount: nameCount)
        }
    }

    /// Checks the value at the cursor, which must end at `end`.
    private mutating func checkValue(
        at cursor: inout BodyCursor, before end: Int, nameCount: Int
    ) throws(BodyError) {
        containers.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        var innermost = Container(end: end, itemCount: 1)
        while true {
            while innermost.itemCount == 0 {
                guard cursor.offset == innermost.end else { throw BodyError(.lengthNotUsedUp, at: cursor.offset) }
                guard let outer = containers.popLast() else { return }
                if innermost.isObject { entries.removeSubrange(innermost.firstEntry...) }
                innermost = outer
            }
            innermost.itemCount -= 1
            if innermost.isObject {
                let entry = entries[innermost.nextEntry]
                innermost.nextEntry += 1
                guard entry.number < nameCount else { throw BodyError(.unknownName(entry.number), at: cursor.offset) }
                // Each value must start where the previous one ends.
                guard entry.offset == cursor.offset - innermost.valuesStart else {
                    throw BodyError(.invalidObjectTable, at: cursor.offset)
                }
            }
            let start = cursor.offset
            let tag = try cursor.readByte()
            if BodyFormat.isContainer(tag) {
                let inner = try open(&cursor, tag: tag, before: innermost.end)
                containers.append(innermost)
                innermost = inner
            } else {
                try cursor.checkScalar(tag: tag, from: start, before: innermost.end)
            }
        }
    }

    private mutating func open(_ cursor: inout BodyCursor, tag: UInt8, before end: Int) throws(BodyError) -> Container {
        let start = cursor.offset - 1
        // The members of a document are within an object.
        guard containers.count + 2 <= DocumentValue.maximumDepth else { throw BodyError(.tooDeep, at: start) }
        if tag == BodyFormat.Tag.array {
            let (end, count) = try cursor.readContainer(before: end)
            return Container(end: end, itemCount: count)
        }
        let object = try cursor.readObject(tag: tag, before: end)
        let first = entries.count
        try object.appendEntries(in: cursor.bytes, at: start, to: &entries)
        cursor.offset = object.valuesStart
        return Container(
            isObject: true, end: object.end, itemCount: object.count, valuesStart: object.valuesStart,
            firstEntry: first, nextEntry: first)
    }
}

extension BodyCursor {
    /// Moves past a scalar at `start`, whose tag has just been read. Throws as ``readScalar(tag:from:before:)`` does.
    @inline(__always)
    fileprivate mutating func checkScalar(tag: UInt8, from start: Int, before end: Int) throws(BodyError) {
        switch tag {
        case BodyFormat.Tag.shortString..., BodyFormat.Tag.string:
            offset = start
            let text = try readTextRange(before: end)
            guard tag != BodyFormat.Tag.string || text.count > BodyFormat.shortStringLimit else {
                throw BodyError(.notShortest, at: start)
            }
            try checkText(text)
        case BodyFormat.Tag.bytes: offset += try readLength(before: end)
        default:
            guard try readScalar(tag: tag, from: start, before: end) != nil else {
                throw BodyError(.unsupportedTag(tag), at: start)
            }
        }
    }

    private func checkText(_ range: Range<Int>) throws(BodyError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw BodyError(.invalidUTF8, at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }
}
