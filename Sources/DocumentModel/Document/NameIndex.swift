/// The positions of the members of a large object by name: an open-addressing hash table that does not store the names.
///
/// It stores only positions; each operation gets a closure that reads the name at a position. The hash is seeded per
/// process (`Hasher`), so that crafted documents cannot cause collisions.
struct NameIndex: Sendable {
    /// Up to this many members, comparing names sequentially is as fast and needs no memory.
    static let linearSearchLimit = 32

    /// Position + 1 by hash; 0 for a free slot. The count is a power of two and at least twice the number of names.
    private var slots: [UInt32] = []
    private var nameCount = 0

    /// Whether no name has been inserted.
    var isEmpty: Bool { nameCount == 0 }

    /// Returns the position of `name`; `nil` if it was not inserted.
    ///
    /// - Complexity: O(1) on average.
    func position(of name: String, nameAt: (Int) -> String) -> Int? {
        guard !isEmpty else { return nil }
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] != 0 {
            let position = Int(slots[slot] - 1)
            if nameAt(position).hasSameBytes(as: name) { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Inserts the names at all positions below `count` that have not been inserted yet.
    ///
    /// - Precondition: the names are unique.
    /// - Complexity: O(1) on average for each name, amortized.
    mutating func insert(lastOf count: Int, nameAt: (Int) -> String) {
        if 2 * count > slots.count {
            var capacity = 64
            while capacity < 2 * count { capacity *= 2 }
            // Twice as large as needed, so that the next inserts do not grow it again immediately.
            slots = Array(repeating: 0, count: 2 * capacity)
            nameCount = 0
        }
        for position in nameCount..<count {
            var slot = Self.hash(nameAt(position)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(position + 1)
        }
        nameCount = count
    }

    private static func hash(_ name: String) -> Int {
        var hasher = Hasher()
        name.hashBytes(into: &hasher)
        return hasher.finalize()
    }
}
