/// Numbers terms in the order in which they come: a hash table with open addressing over one buffer of bytes.
///
/// A dictionary of arrays would allocate for each lookup; this is the inner loop of indexing. Most terms have no more than
/// eight bytes, so that comparing one number compares them.
struct TermTable {
    private struct Entry {
        /// The first eight bytes, the first of them the highest, with zeros behind a shorter term: has the order of terms.
        let head: UInt64
        let start: UInt32
        let count: UInt32
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The hash of a term in the upper half, its number plus one in the lower; 0 is free. As many places as a power of two.
    private var places: [UInt64] = [UInt64](repeating: 0, count: 1024)

    var count: Int { entries.count }

    /// The bytes of the term of a number.
    func term(_ number: UInt32) -> ArraySlice<UInt8> {
        let entry = entries[Int(number)]
        return bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)]
    }

    /// Whether one term comes before another, byte by byte.
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

    /// The first two bytes of a term as a number, a term of one byte with a zero behind it: has the order of terms.
    func firstBytes(_ number: UInt32) -> Int { Int(entries[Int(number)].head >> 48) }

    /// The number of a term; `nil` if it is not there.
    func number(of term: Span<UInt8>) -> UInt32? {
        let head = Self.head(of: term)
        let place = find(term, head, Self.hash(term, head))
        return places[place] == 0 ? nil : UInt32(truncatingIfNeeded: places[place]) - 1
    }

    /// The number of a term, which is added if it is new.
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

    /// Eight bytes as a number.
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
