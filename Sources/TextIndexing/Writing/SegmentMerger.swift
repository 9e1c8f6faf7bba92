internal import LevelKit

/// Merges adjacent segments into one, slice by slice: concatenates the lists of each term and drops deleted documents.
///
/// The deleted slots are fixed when the merge begins, so that all terms agree. Nothing is kept open between slices: each
/// slice continues after the last term. The output is not read until the structure contains the new segment, and the
/// input never changes, so readers and other writers are not affected.
struct SegmentMerger {
    let index: TextIndex
    /// The adjacent segments to merge.
    let inputs: [TextSegment]
    /// The number of the new segment.
    let number: UInt32
    private let deleted: [DeletedSlots?]
    /// The number of documents in the new segment.
    let documentCount: UInt32
    private var writer: SegmentWriter
    private var lastTerm: [UInt8]?
    private var list = PostingList()

    init(database: Database, index: TextIndex, inputs: [TextSegment], number: UInt32, view: TextIndexReader) {
        self.index = index
        self.inputs = inputs
        self.number = number
        deleted = view.deleted
        let lower = inputs.first?.lower ?? 0
        let upper = inputs.last?.upper ?? 0
        // Slots that were deleted before a segment was written are counted as deleted too, and are in no list.
        documentCount = upper - lower - UInt32(view.deletedCount(lower..<upper))
        writer = SegmentWriter(database: database, index: index, number: number, lower: lower, slots: view.slots)
    }

    /// Merges the next terms until about `budget` bytes are written.
    ///
    /// - Returns: whether all terms are merged.
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
            // In slot order, because the segments are.
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
            if deleted[Int(slot / TextStructure.chunkSlotCount)]?.contains(slot) == true {
                dropped += 1
            } else {
                list.append(slot: slot, frequency: frequency, fields: fields, positions: positions)
            }
        }
    }

    /// The segment; valid once all terms are merged.
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
            let prefix = TextIndexKey.terms.segment(reader.index.number, reader.segment.number)
            prefixCount = prefix.count
            var range = KeyRange.prefix(prefix)
            if let term {
                range.lower = .excluded(TextIndexKey.terms.term(reader.index.number, reader.segment.number, term))
            }
            cursor = try reader.reader.cursor(in: range, cache: .bypass)
            try advance()
        }

        func advance() throws {
            guard try cursor.advance() else {
                term = nil
                record = nil
                return
            }
            guard let term = TextIndexKey.term(in: cursor.key, at: prefixCount) else {
                throw reader.damage("a term cannot be read")
            }
            self.term = term
            let bytes = cursor.value.copied()
            record = try reader.record(bytes.span)
        }
    }
}
