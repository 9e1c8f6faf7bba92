/// Distinct byte strings, numbered from 0 in the order in which they were added. Adding a known string allocates nothing.
struct ByteDictionary: Sendable {
    private let hashing = SeededHash()
    private var content: [UInt8] = []
    /// For each string the end of its bytes in ``content``, and above it a part of its hash.
    private var entries: [UInt64] = []
    /// A hash table of the numbers of strings; -1 for free places. At most half full; its size is a power of two.
    private var slots: [Int32] = []

    private static let endBits: UInt64 = 40

    /// The number of strings.
    var count: Int { entries.count }

    /// The memory in bytes.
    var byteCount: Int { content.capacity + entries.capacity * 8 + slots.capacity * 4 }

    /// Returns the bytes of a string.
    subscript(number: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { content.span.extracting(start(of: number)..<end(of: number)) }
    }

    /// Adds a string, unless it is there, and returns its number.
    ///
    /// - Complexity: O(*n*) in its length, amortized.
    mutating func add(_ bytes: Span<UInt8>) -> Int {
        if entries.count * 2 >= slots.count { grow() }
        let hash = hashing.hash(bytes)
        let part = hash >> Self.endBits
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if entries[number] >> Self.endBits == part, self[number].hasSameBytes(as: bytes) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(truncatingIfNeeded: entries.count)
        unsafe bytes.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        entries.append(part << Self.endBits | UInt64(content.count))
        return entries.count - 1
    }

    /// Gives back memory that was reserved for more strings.
    mutating func trim() {
        content = Array(content[...])
        entries = Array(entries[...])
    }

    private func start(of number: Int) -> Int { number == 0 ? 0 : end(of: number - 1) }

    private func end(of number: Int) -> Int { Int(entries[number] & (1 << Self.endBits - 1)) }

    private mutating func grow() {
        slots = Array(repeating: -1, count: max(64, slots.count * 2))
        for number in entries.indices {
            var slot = Int(truncatingIfNeeded: hashing.hash(self[number])) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(truncatingIfNeeded: number)
        }
    }
}
