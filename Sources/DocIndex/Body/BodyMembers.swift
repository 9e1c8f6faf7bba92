/// The members of the object in a body, in document order, without their values. An instance is reused for many bodies,
/// so that reading one allocates nothing.
struct BodyMembers {
    /// A member of the object.
    struct Member {
        /// The number of the name.
        let number: Int
        /// Where the value starts and ends in the body.
        let start: Int
        let end: Int
    }

    /// The starts of the values, counted from the first one, above the numbers of the names in 16 bits.
    private var places: [UInt64] = []
    private var valuesStart = 0
    private var end = 0

    /// Reads the table of a body. Values are not examined.
    ///
    /// - Returns: `false` if the value is not an object, or if the table of names lacks a name of a member.
    /// - Throws: ``BodyError`` for a table that ``BodyEncoder`` would not write.
    /// - Complexity: O(*n*) in the members; O(*n* log *n*) if their names are not in the order of their numbers.
    mutating func read(_ body: Span<UInt8>) throws(BodyError) -> Bool {
        places.removeAll(keepingCapacity: true)
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        let start = cursor.offset
        let tag = try cursor.readByte()
        guard BodyFormat.Tag.object...BodyFormat.Tag.lastObject ~= tag else { return false }
        let object = try cursor.readObject(tag: tag, before: body.count)
        guard object.end == body.count else { throw BodyError(.trailingBytes, at: object.end) }
        valuesStart = object.valuesStart
        end = object.end
        var isInOrder = true
        var (previousNumber, previousOffset, largestOffset) = (-1, -1, 0)
        for position in 0..<object.count {
            let number = object.number(at: position, in: body)
            let offset = object.offset(at: position, in: body)
            if number == BodyFormat.inlineName { return false }
            guard number > previousNumber else {
                throw BodyError(.invalidObjectTable, at: object.numbersStart + position * object.numberByteCount)
            }
            if offset < previousOffset { isInOrder = false }
            largestOffset = max(largestOffset, offset)
            (previousNumber, previousOffset) = (number, offset)
            places.append(UInt64(truncatingIfNeeded: offset) << 16 | UInt64(truncatingIfNeeded: number))
        }
        guard tag == BodyFormat.objectTag(largestNumber: max(previousNumber, 0), largestOffset: largestOffset),
            largestOffset < max(object.end - object.valuesStart, 1)
        else { throw BodyError(.invalidObjectTable, at: start) }
        if !isInOrder { sortPlaces() }
        try checkStarts(of: object)
        return true
    }

    /// Throws unless the values begin at the start, and no two of them in one place.
    private func checkStarts(of object: BodyObject) throws(BodyError) {
        var isValid = (places.first.map { $0 >> 16 == 0 } ?? (object.valuesStart == object.end))
        var position = 1
        while position < places.count {
            if places[position] >> 16 == places[position - 1] >> 16 { isValid = false }
            position += 1
        }
        guard isValid else { throw BodyError(.invalidObjectTable, at: object.offsetsStart) }
    }

    private mutating func sortPlaces() {
        if places.count > 32 { return places.sort() }
        var position = 1
        while position < places.count {
            let moving = places[position]
            var place = position
            while place > 0, places[place - 1] > moving {
                places[place] = places[place - 1]
                place -= 1
            }
            places[place] = moving
            position += 1
        }
    }

    /// The number of members of the body that was read.
    var count: Int { places.count }

    /// The number of the name at a position in document order.
    @inline(__always)
    func number(at position: Int) -> Int { Int(truncatingIfNeeded: places[position] & 0xffff) }

    /// The member at a position in document order.
    @inline(__always)
    subscript(position: Int) -> Member {
        let next = position + 1 < places.count ? valuesStart + Int(truncatingIfNeeded: places[position + 1] >> 16) : end
        return Member(
            number: number(at: position), start: valuesStart + Int(truncatingIfNeeded: places[position] >> 16),
            end: next)
    }

    /// Returns the member with a number; `nil` if there is none.
    func member(numbered number: Int) -> Member? {
        var position = 0
        while position < places.count {
            if self.number(at: position) == number { return self[position] }
            position += 1
        }
        return nil
    }

    /// Returns the value of a member of the body that was read.
    ///
    /// - Throws: ``BodyError`` for a value that ``BodyEncoder`` would not write, or that does not end where the next one
    ///   starts.
    static func value(_ member: Member, in body: Span<UInt8>, names: FieldNames) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(body, offset: member.start)
        let value = try BodyDecoder.readValue(&cursor, before: member.end, names)
        guard cursor.offset == member.end else { throw BodyError(.lengthNotUsedUp, at: cursor.offset) }
        return value
    }
}
