internal import LevelKit

/// Writes pending documents to a segment, slice by slice, while other documents are stored and read.
///
/// At the start, the log of these documents is closed and a new one is opened, and the set of deleted documents is fixed.
/// The segment is not read until the structure contains it; until then the closed log is searched.
struct SegmentFlusher {
    let frozen: TextIndexReader.Frozen
    /// The first slot.
    let lower: UInt32
    /// The number of the segment.
    let number: UInt32
    /// Slots of any segment that were deleted before the flush began; their records are removed when it ends.
    let deletedSlots: [UInt32]
    /// The number of live documents.
    let documentCount: UInt32
    private let deleted: [DeletedSlots?]
    private var contents: InMemoryIndex.Contents
    private var writer: SegmentWriter
    private var pair = 0
    private var terms: [UInt32] = []
    private var position = 0
    private var list = PostingList()

    /// - Parameter view: a view whose ``TextIndexReader/frozen`` is the log to write.
    init(
        database: Database, index: TextIndex, number: UInt32, view: TextIndexReader, frozen: TextIndexReader.Frozen,
        deletedSlots: [UInt32]
    ) {
        self.frozen = frozen
        self.number = number
        self.deletedSlots = deletedSlots
        lower = view.structure.pendingSlot
        deleted = view.deleted
        documentCount = frozen.limit.slot - lower - UInt32(view.deletedCount(lower..<frozen.limit.slot))
        contents = frozen.pending.contents
        writer = SegmentWriter(database: database, index: index, number: number, lower: lower, slots: view.slots)
    }

    /// Writes the next terms until about `budget` bytes are written.
    ///
    /// - Returns: whether all terms are written.
    mutating func advance(byteCount budget: Int) throws -> Bool {
        let goal = writer.byteCount + budget
        while writer.byteCount < goal {
            while position == terms.count {
                guard pair < InMemoryIndex.Contents.pairCount else {
                    try writer.write()
                    return true
                }
                terms = contents.terms(ofPair: pair)
                position = 0
                pair += 1
            }
            let correction = contents.take(
                terms[position],
                isDeleted: { deleted[Int($0 / TextStructure.chunkSlotCount)]?.contains($0) ?? false }, into: &list)
            if list.count > 0 || correction != 0 {
                try writer.add(contents.bytes(of: terms[position]), list, correction: correction)
            }
            position += 1
        }
        try writer.write()
        return false
    }

    /// The segment; valid once all terms are written.
    var segment: TextSegment {
        TextSegment(
            number: number, lower: lower, upper: frozen.limit.slot, documentCount: documentCount,
            byteCount: UInt64(writer.byteCount))
    }
}
