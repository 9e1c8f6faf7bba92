/// A text index at one moment: which segments there are, which slots are dead, and how far the pending words are seen.
///
/// A value: the writer makes a new one for each batch. What it refers to is never changed where this view can see it.
struct TextView: Sendable {
    var structure: TextStructure
    var slots: SlotTable
    /// The dead slots of each chunk; `nil` where there are none.
    var dead: [DeadSlots?]
    /// The smallest row in each chunk: decides which of two documents with equal scores comes first.
    var smallestRows: [UInt32]
    var pending: PendingIndex
    /// Pending documents that are being written as a segment; `nil` if none are.
    var frozen: Frozen?
    /// How many documents died since the last flush began.
    var killCount: UInt32 = 0
    /// Whether rows rise with slots, so that the order of slots is the order of rows.
    var isInRowOrder = true
    var largestRow: UInt32 = 0

    init(weights: [UInt32]) {
        structure = TextStructure()
        slots = SlotTable(capacity: 64)
        dead = []
        smallestRows = []
        pending = PendingIndex(weights: weights)
    }

    /// Pending documents to which no more are added, and those that died up to then.
    struct Frozen: Sendable {
        let pending: PendingIndex
        let limit: PendingIndex.Limit
    }

    /// The first slot whose words are in ``pending``.
    var firstPendingSlot: UInt32 { frozen?.limit.slot ?? structure.pendingSlot }

    /// What is in no segment yet, in the order of slots: whose words, which slots, how far it is seen.
    var unwritten: [(pending: PendingIndex, slots: Range<UInt32>, limit: PendingIndex.Limit)] {
        let newest = PendingIndex.Limit(slot: structure.nextSlot, killCount: killCount)
        let last = (pending, firstPendingSlot..<structure.nextSlot, newest)
        guard let frozen else { return [last] }
        return [(frozen.pending, structure.pendingSlot..<frozen.limit.slot, frozen.limit), last]
    }

    func isDead(_ slot: UInt32) -> Bool { dead[Int(slot / TextStructure.chunkSlotCount)]?.contains(slot) ?? false }

    /// A row that is not above those of a range of slots, which must not be empty.
    ///
    /// - Complexity: O(*chunks*) of the range; O(1) where rows rise with slots.
    func smallestRow(_ range: Range<UInt32>) -> UInt64 {
        let first = Int(range.lowerBound / TextStructure.chunkSlotCount)
        var row = smallestRows[first]
        if isInRowOrder { return UInt64(row) }
        let last = Int((range.upperBound - 1) / TextStructure.chunkSlotCount)
        var chunk = first + 1
        while chunk <= last {
            row = min(row, smallestRows[chunk])
            chunk += 1
        }
        return UInt64(row)
    }

    /// How many slots of a range are dead.
    func deadCount(_ range: Range<UInt32>) -> Int {
        var count = 0
        var slot = range.lowerBound
        while slot < range.upperBound {
            let chunk = slot / TextStructure.chunkSlotCount
            let left = TextStructure.chunkSlotCount - slot % TextStructure.chunkSlotCount
            let upper = slot + min(left, range.upperBound - slot)
            if let dead = dead[Int(chunk)] {
                if upper - slot == TextStructure.chunkSlotCount {
                    count += dead.count
                } else {
                    for slot in slot..<upper where dead.contains(slot) { count += 1 }
                }
            }
            slot = upper
        }
        return count
    }

    /// Gives the next slot to a document.
    mutating func append(row: UInt32, norm: UInt8) -> UInt32 {
        let slot = structure.nextSlot
        if Int(slot) >= slots.capacity { slots = SlotTable(slots, capacity: Int(slot) + 1) }
        slots.set(slot, row: row, norm: norm)
        note(row: row, slot: slot)
        structure.nextSlot += 1
        return slot
    }

    /// Takes the row of a slot into account that is in the table; slots must rise.
    mutating func note(row: UInt32, slot: UInt32) {
        let chunk = Int(slot / TextStructure.chunkSlotCount)
        if chunk == dead.count {
            dead.append(nil)
            smallestRows.append(row)
        }
        smallestRows[chunk] = min(smallestRows[chunk], row)
        if slot > 0, row <= largestRow { isInRowOrder = false }
        largestRow = max(largestRow, row)
    }

    mutating func kill(_ slot: UInt32) {
        let chunk = Int(slot / TextStructure.chunkSlotCount)
        var chunkOfDead = dead[chunk] ?? DeadSlots()
        chunkOfDead.insert(slot)
        dead[chunk] = chunkOfDead
    }
}
