/// A snapshot of a text index: its segments, its deleted slots, and the visible part of the pending words.
///
/// A value type: the writer makes a new view for each batch. The objects it refers to never change in the range visible
/// to this view.
package struct TextIndexReader: Sendable {
    package internal(set) var structure: TextStructure
    package internal(set) var slots: SlotTable
    /// The deleted slots of each chunk; `nil` if there are none.
    package internal(set) var deleted: [DeletedSlots?]
    /// The smallest row of each chunk; the smaller row of two documents with equal scores ranks first.
    var smallestRows: [UInt32]
    var pending: InMemoryIndex
    /// The pending documents that are currently written to a segment; `nil` if there are none.
    var frozen: Frozen?
    /// The number of documents deleted since the last flush began.
    var tombstoneCount: UInt32 = 0
    /// Whether rows ascend with slots, so that slot order is row order.
    var isInRowOrder = true
    var largestRow: UInt32 = 0

    init(weights: [UInt32]) {
        structure = TextStructure()
        slots = SlotTable(capacity: 64)
        deleted = []
        smallestRows = []
        pending = InMemoryIndex(weights: weights)
    }

    /// A log of pending documents that no longer grows, and the number of documents deleted up to then.
    struct Frozen: Sendable {
        let pending: InMemoryIndex
        let limit: InMemoryIndex.Limit
    }

    /// The first slot whose words are in ``pending``.
    var firstPendingSlot: UInt32 { frozen?.limit.slot ?? structure.pendingSlot }

    /// The documents that are not in a segment, in slot order: their log, their slots, and the visible part of the log.
    var unwritten: [(pending: InMemoryIndex, slots: Range<UInt32>, limit: InMemoryIndex.Limit)] {
        let newest = InMemoryIndex.Limit(slot: structure.nextSlot, tombstoneCount: tombstoneCount)
        let last = (pending, firstPendingSlot..<structure.nextSlot, newest)
        guard let frozen else { return [last] }
        return [(frozen.pending, structure.pendingSlot..<frozen.limit.slot, frozen.limit), last]
    }

    package func isDeleted(_ slot: UInt32) -> Bool {
        deleted[Int(slot / TextStructure.chunkSlotCount)]?.contains(slot) ?? false
    }

    /// Returns a lower bound of the rows of a range of slots, which must not be empty.
    ///
    /// - Complexity: O(*chunks*) of the range; O(1) if rows ascend with slots.
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

    /// Returns the number of deleted slots in a range.
    func deletedCount(_ range: Range<UInt32>) -> Int {
        var count = 0
        var slot = range.lowerBound
        while slot < range.upperBound {
            let chunk = slot / TextStructure.chunkSlotCount
            let left = TextStructure.chunkSlotCount - slot % TextStructure.chunkSlotCount
            let upper = slot + min(left, range.upperBound - slot)
            if let deleted = deleted[Int(chunk)] {
                if upper - slot == TextStructure.chunkSlotCount {
                    count += deleted.count
                } else {
                    for slot in slot..<upper where deleted.contains(slot) { count += 1 }
                }
            }
            slot = upper
        }
        return count
    }

    /// Assigns the next slot to a document.
    mutating func append(row: UInt32, norm: UInt8) -> UInt32 {
        let slot = structure.nextSlot
        if Int(slot) >= slots.capacity { slots = SlotTable(slots, capacity: Int(slot) + 1) }
        slots.set(slot, row: row, norm: norm)
        note(row: row, slot: slot)
        structure.nextSlot += 1
        return slot
    }

    /// Updates the smallest and largest rows for a slot that is in the table; slots must ascend.
    mutating func note(row: UInt32, slot: UInt32) {
        let chunk = Int(slot / TextStructure.chunkSlotCount)
        if chunk == deleted.count {
            deleted.append(nil)
            smallestRows.append(row)
        }
        smallestRows[chunk] = min(smallestRows[chunk], row)
        if slot > 0, row <= largestRow { isInRowOrder = false }
        largestRow = max(largestRow, row)
    }

    mutating func delete(_ slot: UInt32) {
        let chunk = Int(slot / TextStructure.chunkSlotCount)
        var chunkOfDeleted = deleted[chunk] ?? DeletedSlots()
        chunkOfDeleted.insert(slot)
        deleted[chunk] = chunkOfDeleted
    }
}
