internal import LevelKit

/// Makes one segment of neighbours, slice by slice: their lists one behind the other, without what has died.
///
/// Which slots are dropped is decided when the merge begins, so that all terms agree. Between slices nothing is held
/// open: each goes on behind the last term. What it writes is not read until the structure names the new segment, and
/// what it reads never changes, so neither readers nor other writers notice.
struct SegmentMerger {
    let index: TextIndex
    /// The segments that are merged, side by side.
    let inputs: [TextSegment]
    /// The number of the new segment.
    let number: UInt32
    private let dead: [DeadSlots?]
    /// Documents that stay.
    let documentCount: UInt32
    private var writer: SegmentWriter
    private var lastTerm: [UInt8]?
    private var list = PostingList()

    init(database: Database, index: TextIndex, inputs: [TextSegment], number: UInt32, view: TextView) {
        self.index = index
        self.inputs = inputs
        self.number = number
        dead = view.dead
        let lower = inputs.first?.lower ?? 0
        let upper = inputs.last?.upper ?? 0
        // Slots that died before a segment was written are dead as well, and in no list.
        documentCount = upper - lower - UInt32(view.deadCount(lower..<upper))
        writer = SegmentWriter(database: database, index: index, number: number, lower: lower, slots: view.slots)
    }

    /// Merges the next terms, until about as many bytes are written.
    ///
    /// - Returns: whether all terms are done.
    mutating func advance(byteCount budget: Int) throws -> Bool {
        let goal = writer.byteCount + budget
        var sources: [Source] = []
        for input in inputs {
            let reader = SegmentReader(reader: writer.database, index: index, segment: input)
            let source = try Source(reader, behind: lastTerm)
            if source.term != nil { sources.append(source) }
        }
        while writer.byteCount < goal {
            var smallest: [UInt8]?
            for source in sources {
                if let term = source.term, smallest.map(term.lexicographicallyPrecedes) != false { smallest = term }
            }
            guard let term = smallest else {
                try writer.write()
                return true
            }
            list.removeAll()
            var correction: Int64 = 0
            var dropped: Int64 = 0
            // In the order of slots, because the segments are.
            for source in sources where source.term == term {
                correction += source.record?.correction ?? 0
                try append(source, term, &dropped)
                try source.advance()
            }
            correction -= dropped
            if list.count > 0 || correction != 0 { try writer.add(term, list, correction: correction) }
            lastTerm = term
        }
        try writer.write()
        return false
    }

    private mutating func append(_ source: Source, _ term: [UInt8], _ dropped: inout Int64) throws {
        guard let record = source.record else { return }
        try source.reader.forEachPosting(of: record, term: term) { slot, frequency, fields, positions in
            if dead[Int(slot / TextStructure.chunkSlotCount)]?.contains(slot) == true {
                dropped += 1
            } else {
                list.append(slot: slot, frequency: frequency, fields: fields, positions: positions)
            }
        }
    }

    /// The segment, when all terms are done.
    var segment: TextSegment {
        TextSegment(
            number: number, lower: inputs.first?.lower ?? 0, upper: inputs.last?.upper ?? 0,
            documentCount: documentCount, byteCount: UInt64(writer.byteCount))
    }

    /// The terms of one segment, one after the other.
    private final class Source {
        let reader: SegmentReader
        private var cursor: Cursor
        private let prefixCount: Int
        private(set) var term: [UInt8]?
        private(set) var record: TermRecord?

        init(_ reader: SegmentReader, behind term: [UInt8]?) throws {
            self.reader = reader
            let prefix = TextKeyspace.terms.segment(reader.index.number, reader.segment.number)
            prefixCount = prefix.count
            var range = KeyRange.prefix(prefix)
            if let term {
                range.lower = .excluded(TextKeyspace.terms.term(reader.index.number, reader.segment.number, term))
            }
            cursor = try reader.reader.cursor(in: range, reverse: false, fillsCache: false)
            try advance()
        }

        func advance() throws {
            guard try cursor.advance() else {
                term = nil
                record = nil
                return
            }
            guard let term = TextKeyspace.term(in: cursor.key, at: prefixCount) else {
                throw reader.damage("a term cannot be read")
            }
            self.term = term
            let bytes = cursor.value.copied()
            record = try reader.record(bytes.span)
        }
    }
}
