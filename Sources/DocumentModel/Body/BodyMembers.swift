/// The members of the object in a body, in document order, without their values.
package struct BodyMembers {
    /// A member of the object.
    package struct Member {
        /// The number of the name.
        package let number: Int
        /// Where the value starts and ends in the body.
        package let start: Int
        package let end: Int
    }

    private var entries: [BodyObject.Entry] = []
    private let valuesStart: Int
    /// The end of the last value, and of the body.
    let end: Int

    /// Reads the table of a body. The values are not examined; see ``BodyChecker``.
    ///
    /// - Throws: ``BodyError`` for a value that is not an object, or a table that ``BodyEncoder`` would not write.
    /// - Complexity: O(*n*) in the members; O(*n* log *n*) if their names are not in the order of their numbers.
    package init(_ body: Span<UInt8>) throws(BodyError) {
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        let start = cursor.offset
        let object = try cursor.readObject(tag: try cursor.readByte(), before: body.count)
        guard object.end == body.count else { throw BodyError(.trailingBytes, at: object.end) }
        valuesStart = object.valuesStart
        end = object.end
        try object.appendEntries(in: body, at: start, to: &entries)
        // No gap before the first value, and none that starts after the end.
        guard (entries.first?.offset ?? end - valuesStart) == 0, (entries.last?.offset ?? 0) <= end - valuesStart else {
            throw BodyError(.invalidObjectTable, at: object.offsetsStart)
        }
    }

    /// The number of members.
    package var count: Int { entries.count }

    /// The member at a position in document order.
    package subscript(position: Int) -> Member {
        let next = position + 1 < entries.count ? valuesStart + entries[position + 1].offset : end
        return Member(number: entries[position].number, start: valuesStart + entries[position].offset, end: next)
    }

    /// Returns whether there is a member with a number.
    func contains(number: Int) -> Bool { entries.contains { $0.number == number } }
}
