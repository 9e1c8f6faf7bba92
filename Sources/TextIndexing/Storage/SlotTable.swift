/// The row and the norm of each slot, in memory.
///
/// Neither changes once it is written, and readers only access slots that existed when they started. Thus a single
/// writer may add slots without a lock while others read. A full table is copied to a larger one; readers keep the old
/// table as long as they need it.
@safe package final class SlotTable: @unchecked Sendable {
    // Unchecked: the only writer writes a slot once, before it publishes a view that contains the slot under a lock.
    private let rows: UnsafeMutablePointer<UInt32>
    private let norms: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = max(64, capacity)
        unsafe rows = .allocate(capacity: self.capacity)
        unsafe norms = .allocate(capacity: self.capacity)
        unsafe rows.initialize(repeating: 0, count: self.capacity)
        unsafe norms.initialize(repeating: 0, count: self.capacity)
    }

    /// Creates a table with the same slots and at least twice the capacity.
    init(_ other: SlotTable, capacity: Int) {
        self.capacity = max(capacity, 2 * other.capacity)
        unsafe rows = .allocate(capacity: self.capacity)
        unsafe norms = .allocate(capacity: self.capacity)
        unsafe rows.initialize(from: other.rows, count: other.capacity)
        unsafe norms.initialize(from: other.norms, count: other.capacity)
        unsafe (rows + other.capacity).initialize(repeating: 0, count: self.capacity - other.capacity)
        unsafe (norms + other.capacity).initialize(repeating: 0, count: self.capacity - other.capacity)
    }

    deinit {
        unsafe rows.deallocate()
        unsafe norms.deallocate()
    }

    package func row(_ slot: UInt32) -> UInt32 {
        precondition(Int(slot) < capacity)
        return unsafe rows[Int(slot)]
    }

    @inline(__always)
    package func norm(_ slot: UInt32) -> UInt8 {
        precondition(Int(slot) < capacity)
        return unsafe norms[Int(slot)]
    }

    func set(_ slot: UInt32, row: UInt32, norm: UInt8) {
        precondition(Int(slot) < capacity)
        unsafe rows[Int(slot)] = row
        unsafe norms[Int(slot)] = norm
    }
}

/// The deleted slots of one chunk. Never changed in place: a writer makes a copy with more.
package struct DeletedSlots: Sendable, Hashable {
    private(set) var words: [UInt64] = [UInt64](repeating: 0, count: Int(TextStructure.chunkSlotCount) / 64)
    private(set) var count = 0

    init() {}

    @inline(__always)
    func contains(_ slot: UInt32) -> Bool {
        let bit = slot % TextStructure.chunkSlotCount
        return words[Int(bit >> 6)] >> UInt64(bit & 63) & 1 == 1
    }

    mutating func insert(_ slot: UInt32) {
        if contains(slot) { return }
        let bit = slot % TextStructure.chunkSlotCount
        words[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
        count += 1
    }

    /// 512 bytes; the first slot is the lowest bit of the first byte. Part of the on-disk format; must not change.
    var encoded: [UInt8] { words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } } }

    init?(encoded: [UInt8]) {
        guard encoded.count == words.count * 8 else { return nil }
        for (index, byte) in encoded.enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(8 * (index % 8))
            count += byte.nonzeroBitCount
        }
    }
}
