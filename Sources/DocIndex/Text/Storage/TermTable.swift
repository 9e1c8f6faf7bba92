/// Numbers terms in the order in which they come: a hash table with open addressing over one buffer of bytes.
///
/// A dictionary of arrays would allocate for each lookup; this is the inner loop of indexing.
struct TermTable {
    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []
    private var hashes: [UInt32] = []
    /// Numbers plus one; 0 is free. As many places as a power of two.
    private var places: [UInt32] = [UInt32](repeating: 0, count: 1024)

    var count: Int { ends.count }

    /// The bytes of the term of a number.
    func term(_ number: UInt32) -> ArraySlice<UInt8> {
        bytes[(number == 0 ? 0 : Int(ends[Int(number) - 1]))..<Int(ends[Int(number)])]
    }

    /// Whether one term comes before another, byte by byte.
    func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
        var (left, right) = (start(a), start(b))
        let (leftEnd, rightEnd) = (Int(ends[Int(a)]), Int(ends[Int(b)]))
        while left < leftEnd, right < rightEnd {
            if bytes[left] != bytes[right] { return bytes[left] < bytes[right] }
            left += 1
            right += 1
        }
        return right < rightEnd
    }

    private func start(_ number: UInt32) -> Int { number == 0 ? 0 : Int(ends[Int(number) - 1]) }

    /// The first two bytes of a term as a number, a term of one byte with a zero behind it: has the order of terms.
    func firstBytes(_ number: UInt32) -> Int {
        let start = start(number)
        let count = Int(ends[Int(number)]) - start
        return (count > 0 ? Int(bytes[start]) << 8 : 0) | (count > 1 ? Int(bytes[start + 1]) : 0)
    }

    /// The number of a term; `nil` if it is not there.
    func number(of term: Span<UInt8>) -> UInt32? {
        let hash = Self.hash(term)
        let place = find(term, hash)
        return places[place] == 0 ? nil : places[place] - 1
    }

    /// The number of a term, which is added if it is new.
    mutating func insert(_ term: Span<UInt8>) -> UInt32 {
        let hash = Self.hash(term)
        let place = find(term, hash)
        if places[place] != 0 { return places[place] - 1 }
        unsafe term.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        ends.append(UInt32(bytes.count))
        hashes.append(hash)
        places[place] = UInt32(ends.count)
        if ends.count * 2 > places.count { grow() }
        return UInt32(ends.count - 1)
    }

    private func find(_ term: Span<UInt8>, _ hash: UInt32) -> Int {
        let mask = places.count - 1
        var place = Int(hash) & mask
        while places[place] != 0 {
            let number = Int(places[place]) - 1
            if hashes[number] == hash, isEqual(number, term) { return place }
            place = (place + 1) & mask
        }
        return place
    }

    private func isEqual(_ number: Int, _ term: Span<UInt8>) -> Bool {
        let start = number == 0 ? 0 : Int(ends[number - 1])
        guard Int(ends[number]) - start == term.count else { return false }
        for index in term.indices where bytes[start + index] != term[index] { return false }
        return true
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: places.count * 4)
        let mask = places.count - 1
        for (number, hash) in hashes.enumerated() {
            var place = Int(hash) & mask
            while places[place] != 0 { place = (place + 1) & mask }
            places[place] = UInt32(number + 1)
        }
    }

    private static func hash(_ term: Span<UInt8>) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        for index in term.indices { hash = (hash ^ UInt32(term[index])) &* 0x0100_0193 }
        return hash ^ hash >> 15
    }
}
