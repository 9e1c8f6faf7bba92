/// Assigns numbers to terms in insertion order: a hash table with open addressing over one byte buffer.
///
/// This is the inner loop of indexing, and a dictionary of arrays would allocate for each lookup. Most terms have at
/// most eight bytes, so that a single comparison of integers is enough.
struct TermTable {
    private struct Entry {
        /// The first eight bytes in big-endian order, padded with zeros; sorts like the terms.
        let head: UInt64
        let start: UInt32
        let count: UInt32
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The hash of a term in the upper half, its number plus one in the lower half; 0 is free. The count is a power of
    /// two.
    private var places: [UInt64] = [UInt64](repeating: 0, count: 1024)

    var count: Int { entries.count }

    /// Returns the bytes of the term with a number.
    func term(_ number: UInt32) -> ArraySlice<UInt8> {
        let entry = entries[Int(number)]
        return bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)]
    }

    /// Returns whether one term sorts before another, byte by byte.
    func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
        let (left, right) = (entries[Int(a)], entries[Int(b)])
        if left.head != right.head { return left.head < right.head }
        var offset = Self.headByteCount
        while offset < min(Int(left.count), Int(right.count)) {
            let (first, second) = (bytes[Int(left.start) + offset], bytes[Int(right.start) + offset])
            if first != second { return first < second }
            offset += 1
        }
        return left.count < right.count
    }

    /// Returns the first two bytes of a term as a number, padded with a zero; sorts like the terms.
    func firstBytes(_ number: UInt32) -> Int { Int(entries[Int(number)].head >> 48) }

    /// Returns the number of a term; `nil` if the table does not contain it.
    func number(of term: Span<UInt8>) -> UInt32? {
        let head = Self.head(of: term)
        let place = find(term, head, Self.hash(term, head))
        return places[place] == 0 ? nil : UInt32(truncatingIfNeeded: places[place]) - 1
    }

    /// Returns the number of a term, and adds the term if it is new.
    mutating func insert(_ term: Span<UInt8>) -> UInt32 {
        let head = Self.head(of: term)
        let hash = Self.hash(term, head)
        let place = find(term, head, hash)
        if places[place] != 0 { return UInt32(truncatingIfNeeded: places[place]) - 1 }
        entries.append(Entry(head: head, start: UInt32(bytes.count), count: UInt32(term.count)))
        unsafe term.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        places[place] = UInt64(hash) << 32 | UInt64(entries.count)
        if entries.count * 2 > places.count { grow() }
        return UInt32(entries.count - 1)
    }

    private func find(_ term: Span<UInt8>, _ head: UInt64, _ hash: UInt32) -> Int {
        let mask = places.count - 1
        var place = Int(hash) & mask
        while places[place] != 0 {
            if UInt32(truncatingIfNeeded: places[place] >> 32) == hash,
                isEqual(Int(UInt32(truncatingIfNeeded: places[place])) - 1, term, head)
            {
                return place
            }
            place = (place + 1) & mask
        }
        return place
    }

    private func isEqual(_ number: Int, _ term: Span<UInt8>, _ head: UInt64) -> Bool {
        let entry = entries[number]
        guard entry.head == head, Int(entry.count) == term.count else { return false }
        var offset = Self.headByteCount
        while offset < term.count {
            if bytes[Int(entry.start) + offset] != term[offset] { return false }
            offset += 1
        }
        return true
    }

    private mutating func grow() {
        let old = places
        places = [UInt64](repeating: 0, count: old.count * 2)
        let mask = places.count - 1
        for entry in old where entry != 0 {
            var place = Int(entry >> 32) & mask
            while places[place] != 0 { place = (place + 1) & mask }
            places[place] = entry
        }
    }

    // MARK: - Bytes as numbers

    private static let headByteCount = 8

    @inline(__always)
    private static func head(of term: Span<UInt8>) -> UInt64 {
        if term.count >= headByteCount { return word(term, 0) }
        var head: UInt64 = 0
        for index in term.indices { head = head << 8 | UInt64(term[index]) }
        return head << UInt64(8 * (headByteCount - term.count))
    }

    /// Returns eight bytes as a number.
    private static func word(_ term: Span<UInt8>, _ offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + headByteCount <= term.count)
        return unsafe term.withUnsafeBufferPointer { term in
            let bytes = UnsafeRawBufferPointer(term)
            return unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    @inline(__always)
    private static func hash(_ term: Span<UInt8>, _ head: UInt64) -> UInt32 {
        var hash = (head ^ UInt64(term.count)) &* 0x9e37_79b9_7f4a_7c15
        var offset = headByteCount
        while offset < term.count {
            // The last eight bytes overlap those before them.
            hash = (hash ^ hash >> 32 ^ word(term, min(offset, term.count - headByteCount))) &* 0xff51_afd7_ed55_8ccd
            offset += headByteCount
        }
        hash = (hash ^ hash >> 32) &* 0xc4ce_b9fe_1a85_ec53
        return UInt32(truncatingIfNeeded: hash >> 32)
    }
}
