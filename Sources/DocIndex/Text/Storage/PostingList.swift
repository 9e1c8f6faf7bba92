/// The postings of one term, in the order of slots.
struct PostingList {
    /// The documents.
    private(set) var slots: [UInt32] = []
    /// How often the term occurs in each, every occurrence as often as its field weighs.
    private(set) var frequencies: [UInt32] = []
    /// In which fields it occurs: bit *n* for the field *n*.
    private(set) var fields: [UInt32] = []
    /// The encoded positions of all postings, and where those of each end.
    private(set) var positions: [UInt8] = []
    private(set) var positionEnds: [Int] = []

    var count: Int { slots.count }

    mutating func removeAll() {
        slots.removeAll(keepingCapacity: true)
        frequencies.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        positionEnds.removeAll(keepingCapacity: true)
    }

    /// Makes room for so many postings.
    mutating func reserveCapacity(_ count: Int) {
        slots.reserveCapacity(count)
        frequencies.reserveCapacity(count)
        fields.reserveCapacity(count)
        positions.reserveCapacity(count)
        positionEnds.reserveCapacity(count)
    }

    /// Adds a posting, with places in rising order.
    mutating func append(slot: UInt32, frequency: UInt32, places: Span<TextPlace>) {
        let fields = TextPlace.append(places, to: &positions)
        append(slot: slot, frequency: frequency, fields: fields)
    }

    /// Adds a posting whose positions are encoded.
    mutating func append(slot: UInt32, frequency: UInt32, fields: UInt32, positions encoded: Span<UInt8>) {
        unsafe encoded.withUnsafeBufferPointer { unsafe positions.append(contentsOf: $0) }
        append(slot: slot, frequency: frequency, fields: fields)
    }

    private mutating func append(slot: UInt32, frequency: UInt32, fields: UInt32) {
        slots.append(slot)
        frequencies.append(frequency)
        self.fields.append(fields)
        positionEnds.append(positions.count)
    }

    /// The encoded positions of a posting.
    func positionRange(_ index: Int) -> Range<Int> { (index == 0 ? 0 : positionEnds[index - 1])..<positionEnds[index] }
}

/// Where a term occurs in a document: the field, and which word of the field it is.
struct TextPlace: Hashable, Comparable {
    /// The field in the upper five bits, the position in the others.
    var bits: UInt32

    /// The most fields that an index may have.
    static let fieldLimit = 32
    /// The largest position. Words behind it are found, but not in phrases.
    static let positionLimit: UInt32 = 1 << 27 - 1
    /// How many positions are left free between two texts at the same field, so that no phrase reaches across.
    static let gap: UInt32 = 100

    init(field: Int, position: UInt32) { bits = UInt32(field) << 27 | min(position, Self.positionLimit) }

    var field: Int { Int(bits >> 27) }
    var position: UInt32 { bits & Self.positionLimit }

    static func < (a: TextPlace, b: TextPlace) -> Bool { a.bits < b.bits }

    /// Adds the positions of one posting: for each field, the distances between them as varints, each shifted to the
    /// left by one; the lowest bit says whether another follows in the field. Stored on disk, never change.
    ///
    /// - Returns: the fields, as bits.
    static func append(_ places: Span<TextPlace>, to bytes: inout [UInt8]) -> UInt32 {
        var fields: UInt32 = 0
        var previous: UInt32 = 0
        for index in places.indices {
            let place = places[index]
            if fields >> UInt32(place.field) & 1 == 0 {
                fields |= 1 << UInt32(place.field)
                previous = 0
            }
            let isFollowed = index + 1 < places.count && places[index + 1].field == place.field
            let value = UInt64(place.position &- previous) << 1 | (isFollowed ? 1 : 0)
            if value < 0x80 { bytes.append(UInt8(truncatingIfNeeded: value)) } else { Varint.append(value, to: &bytes) }
            previous = place.position
        }
        return fields
    }

    /// Reads the positions of one posting; `nil` if they cannot be read.
    static func read(_ bytes: Span<UInt8>, _ offset: inout Int, fields: UInt32, into places: inout [TextPlace]) -> Bool
    {
        var rest = fields
        while rest != 0 {
            let field = rest.trailingZeroBitCount
            rest &= rest - 1
            var position: UInt64 = 0
            while true {
                guard let value = Varint.read(bytes, &offset), value <= UInt64(UInt32.max) << 1 else { return false }
                position += value >> 1
                guard position <= UInt64(positionLimit) else { return false }
                places.append(TextPlace(field: field, position: UInt32(position)))
                if value & 1 == 0 { break }
            }
        }
        return true
    }

    /// Moves behind the positions of one posting; `false` if they cannot be read.
    static func skip(_ bytes: Span<UInt8>, _ offset: inout Int, fields: UInt32) -> Bool {
        var left = fields.nonzeroBitCount
        while left > 0 {
            // The lowest bit of the first byte of a varint is the lowest bit of the number.
            guard offset < bytes.count else { return false }
            if bytes[offset] & 1 == 0 { left -= 1 }
            while bytes[offset] >= 0x80 {
                offset += 1
                guard offset < bytes.count else { return false }
            }
            offset += 1
        }
        return true
    }
}
