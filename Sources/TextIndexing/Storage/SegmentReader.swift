package import LevelKit

/// Reads the terms and postings of one segment.
package struct SegmentReader: Sendable {
    let reader: any KeyValueReader
    let index: TextIndex
    let segment: TextSegment

    package init(reader: any KeyValueReader, index: TextIndex, segment: TextSegment) {
        self.reader = reader
        self.index = index
        self.segment = segment
    }

    /// Returns the record of a term; `nil` if no document of the segment contains it.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    func record(_ term: [UInt8]) throws -> TermRecord? {
        let key = TextIndexKey.terms.term(index.number, segment.number, term)
        guard let bytes = try reader.value(forKey: key) else { return nil }
        return try record(bytes.span)
    }

    package func record(_ bytes: Span<UInt8>) throws -> TermRecord {
        guard let record = TermRecord(bytes, segment: segment, hasFields: index.hasFields) else {
            throw damage("the record of a term cannot be read")
        }
        return record
    }

    /// Returns a group of a term whose postings fill at least one block.
    func group(_ number: Int, of record: TermRecord, term: [UInt8]) throws -> PostingGroup {
        guard case .long(let groups, let first) = record.postings else { throw damage("a term has no groups") }
        if number == 0 { return first }
        let key = Self.key(.groups, index.number, segment.number, term, number)
        guard let bytes = try reader.value(forKey: key),
            let group = PostingGroup(
                bytes.span, group: groups[number], hasFields: index.hasFields, count: record.count(ofGroup: number))
        else { throw damage("a group of postings is missing or cannot be read") }
        return group
    }

    /// Returns the encoded positions of a group.
    func positions(_ number: Int, of group: PostingGroup, term: [UInt8]) throws -> [UInt8] {
        let key = Self.key(.positions, index.number, segment.number, term, number)
        guard let bytes = try reader.value(forKey: key), bytes.count == group.blocks.last?.positionEnd else {
            throw damage("the positions of a term are missing or cannot be read")
        }
        return bytes
    }

    static func key(_ kind: TextIndexKey, _ index: UInt32, _ segment: UInt32, _ term: [UInt8], _ group: Int) -> [UInt8]
    {
        var key = kind.term(index, segment, term)
        TupleEncoder.append(Int64(group), to: &key)
        return key
    }

    package func damage(_ what: String) -> DocIndexError {
        DocIndexError.damagedTextIndex(index.name, "\(what) (segment \(segment.number))")
    }

    /// Calls `body` with each posting of a term in slot order, with its encoded positions.
    package func forEachPosting(
        of record: TermRecord, term: [UInt8],
        _ body: (_ slot: UInt32, _ frequency: UInt32, _ fields: UInt32, _ positions: Span<UInt8>) throws -> Void
    ) throws {
        switch record.postings {
        case .none: return
        case .short(let plain):
            var offset = 0
            let positions = plain.positions.span
            for index in plain.slots.indices {
                let start = offset
                guard TextPosition.skip(positions, &offset, fields: plain.fields[index]) else {
                    throw damage("positions cannot be read")
                }
                try body(
                    plain.slots[index], plain.frequencies[index], plain.fields[index],
                    positions.extracting(start..<offset))
            }
            guard offset == positions.count else { throw damage("there are extra bytes after the positions of a term") }
        case .long(let groups, _):
            let buffer = BlockBuffer()
            for number in groups.indices {
                let group = try group(number, of: record, term: term)
                let positions = try positions(number, of: group, term: term)
                buffer.use(group)
                for block in group.blocks.indices {
                    guard buffer.read(block: block) else { throw damage("a block of postings cannot be read") }
                    var offset = group.blocks[block].positionOffset
                    let span = positions.span
                    for index in 0..<buffer.count {
                        let start = offset
                        let fields = buffer.fieldSet(at: index)
                        guard TextPosition.skip(span, &offset, fields: fields) else {
                            throw damage("positions cannot be read")
                        }
                        unsafe try body(
                            buffer.slots[index], buffer.frequencies[index], fields, span.extracting(start..<offset))
                    }
                    guard offset == group.blocks[block].positionEnd else {
                        throw damage("the positions of a block end in the wrong place")
                    }
                }
            }
        }
    }
}
