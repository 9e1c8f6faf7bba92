/// Positions of a word in one document, in a buffer that is reused for the next document.
@safe final class PositionBuffer {
    private(set) var positions: UnsafeMutablePointer<TextPosition>
    private(set) var count = 0
    private var capacity = 0

    init() { unsafe positions = .allocate(capacity: 0) }

    deinit { unsafe positions.deallocate() }

    @inline(__always)
    subscript(index: Int) -> TextPosition {
        precondition(index >= 0 && index < count)
        return unsafe positions[index]
    }

    func removeAll() { count = 0 }

    @inline(__always)
    func append(_ position: TextPosition) {
        if count == capacity { grow(to: count + 1) }
        unsafe (positions + count).initialize(to: position)
        count += 1
    }

    func append(contentsOf other: PositionBuffer) {
        if other.count == 0 { return }
        grow(to: count + other.count)
        unsafe (positions + count).initialize(from: other.positions, count: other.count)
        count += other.count
    }

    /// Removes all positions for which `isKept` returns `false`.
    @inline(__always)
    func filter(_ isKept: (TextPosition) -> Bool) {
        var kept = 0
        for index in 0..<count where unsafe isKept(positions[index]) {
            unsafe positions[kept] = positions[index]
            kept += 1
        }
        count = kept
    }

    func sort() {
        var all = unsafe UnsafeMutableBufferPointer(start: positions, count: count)
        unsafe all.sort()
    }

    private func grow(to needed: Int) {
        if needed <= capacity { return }
        capacity = max(16, 2 * capacity, needed)
        let larger = UnsafeMutablePointer<TextPosition>.allocate(capacity: capacity)
        unsafe larger.initialize(from: positions, count: count)
        unsafe positions.deallocate()
        unsafe positions = larger
    }
}

/// Reads the encoded positions of consecutive postings one after the other, from its own copy.
///
/// Most phrase searches read few postings of many blocks, and skip those in between.
@safe final class PositionReader {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity = 0
    private var count = 0
    private var offset = 0

    init() { unsafe bytes = .allocate(capacity: 0) }

    deinit { unsafe bytes.deallocate() }

    /// Starts reading these positions.
    func take(_ encoded: Span<UInt8>) {
        if encoded.count > capacity {
            unsafe bytes.deallocate()
            capacity = max(256, 2 * encoded.count)
            unsafe bytes = .allocate(capacity: capacity)
        }
        count = encoded.count
        offset = 0
        unsafe encoded.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { unsafe bytes.initialize(from: start, count: source.count) }
        }
    }

    /// Skips the positions of a number of fields. Returns `false` if they are corrupt.
    func skip(fields: Int) -> Bool {
        var left = fields
        // The lowest bit of a varint's first byte is the lowest bit of the number. It is 0 for the last position of a
        // field. Skips eight bytes at a time as long as all fields that end among them are to be skipped.
        var isInside: UInt64 = 0
        while left > 8, offset + 8 <= count {
            let word = unsafe UInt64(
                littleEndian: UnsafeRawPointer(bytes + offset).loadUnaligned(as: UInt64.self))
            let isFollowed = (word >> 7) & 0x0101_0101_0101_0101
            let isLater = isFollowed << 8 | isInside
            let ends = ~word & 0x0101_0101_0101_0101 & ~isLater
            // Adds up the eight bytes.
            left -= Int((ends &* 0x0101_0101_0101_0101) >> 56)
            isInside = isFollowed >> 56
            offset += 8
        }
        if isInside == 1, !skipRest() { return false }
        while left > 0 {
            guard offset < count else { return false }
            let byte = unsafe bytes[offset]
            if byte & 1 == 0 { left -= 1 }
            offset += 1
            if byte >= 0x80, !skipRest() { return false }
        }
        return true
    }

    /// Skips the remaining bytes of a varint.
    private func skipRest() -> Bool {
        while offset < count {
            let byte = unsafe bytes[offset]
            offset += 1
            if byte < 0x80 { return true }
        }
        return false
    }

    /// Appends the positions of the current posting in the wanted fields, without moving on. Returns `false` if they are
    /// corrupt.
    func read(fields: UInt32, in wanted: UInt32, into positions: PositionBuffer) -> Bool {
        var offset = offset
        var rest = fields
        while rest != 0 {
            let field = rest.trailingZeroBitCount
            rest &= rest - 1
            let isWanted = wanted >> UInt32(field) & 1 == 1
            var position: UInt64 = 0
            while true {
                guard offset < count else { return false }
                var value = unsafe UInt64(bytes[offset])
                offset += 1
                if value >= 0x80 {
                    value &= 0x7f
                    var shift: UInt64 = 7
                    while true {
                        guard offset < count, shift < 35 else { return false }
                        let byte = unsafe UInt64(bytes[offset])
                        offset += 1
                        value |= (byte & 0x7f) << shift
                        if byte < 0x80 { break }
                        shift += 7
                    }
                }
                position += value >> 1
                guard position <= UInt64(TextPosition.positionLimit) else { return false }
                if isWanted { positions.append(TextPosition(field: field, position: UInt32(position))) }
                if value & 1 == 0 { break }
            }
        }
        return true
    }
}
