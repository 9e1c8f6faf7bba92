/// Positions of the members of one large object by name: an open-addressing hash table without the names.
///
/// It stores positions only; each operation is given a way to read the name at a position. The hash is seeded per
/// process (`Hasher`), so that a document made to collide costs its reader nothing.
struct NameIndex: Sendable {
    /// Up to this many members, comparing names one after the other is as fast and needs no memory.
    static let linearSearchLimit = 32

    /// Position + 1 by hash, 0 where free. The count is a power of two and at least twice the number of names.
    private var slots: [UInt32] = []
    private var nameCount = 0

    /// Whether no name has been inserted.
    var isEmpty: Bool { nameCount == 0 }

    /// The position of `name`; `nil` if it was not inserted.
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

    /// Inserts the names at the positions from the number inserted so far up to `count`.
    ///
    /// - Precondition: the names are unique.
    /// - Complexity: O(1) on average for each name, amortized.
    mutating func insert(lastOf count: Int, nameAt: (Int) -> String) {
        if 2 * count > slots.count {
            var capacity = 64
            while capacity < 2 * count { capacity *= 2 }
            // One step larger than needed: the next inserts shall not grow it again at once.
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
