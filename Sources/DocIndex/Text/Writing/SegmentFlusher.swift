internal import LevelKit

/// Writes pending documents as a segment, slice by slice, while others are stored and read.
///
/// When it begins, the log of these documents is closed and another one opened. Which of them are dead is decided then. What
/// it writes is not read until the structure names the segment; until then the closed log answers.
struct SegmentFlusher {
    let frozen: TextView.Frozen
    /// The first slot.
    let lower: UInt32
    /// The number of the segment.
    let number: UInt32
    /// Slots of any segment that died before it began, and whose records go when it ends.
    let killed: [UInt32]
    /// Documents that are alive.
    let documentCount: UInt32
    private let dead: [DeadSlots?]
    private var contents: PendingIndex.Contents
    private var writer: SegmentWriter
    private var pair = 0
    private var terms: [UInt32] = []
    private var position = 0
    private var list = PostingList()

    /// - Parameter view: with what is written as ``TextView/frozen``.
    init(
        database: Database, index: TextIndex, number: UInt32, view: TextView, frozen: TextView.Frozen, killed: [UInt32]
    ) {
        self.frozen = frozen
        self.number = number
        self.killed = killed
        lower = view.structure.pendingSlot
        dead = view.dead
        documentCount = frozen.limit.slot - lower - UInt32(view.deadCount(lower..<frozen.limit.slot))
        contents = frozen.pending.contents
        writer = SegmentWriter(database: database, index: index, number: number, lower: lower, slots: view.slots)
    }

    /// Writes the next terms, until about as many bytes are written.
    ///
    /// - Returns: whether all terms are done.
    mutating func advance(byteCount budget: Int) throws -> Bool {
        let goal = writer.byteCount + budget
        while writer.byteCount < goal {
            while position == terms.count {
                guard pair < PendingIndex.Contents.pairCount else {
                    try writer.write()
                    return true
                }
                terms = contents.terms(ofPair: pair)
                position = 0
                pair += 1
            }
            let correction = contents.take(
                terms[position],
                isDead: { dead[Int($0 / TextStructure.chunkSlotCount)]?.contains($0) ?? false }, into: &list)
            if list.count > 0 || correction != 0 {
                try writer.add(contents.bytes(of: terms[position]), list, correction: correction)
            }
            position += 1
        }
        try writer.write()
        return false
    }

    /// The segment, when all terms are done.
    var segment: TextSegment {
        TextSegment(
            number: number, lower: lower, upper: frozen.limit.slot, documentCount: documentCount,
            byteCount: UInt64(writer.byteCount))
    }
}
