/// The position of a term in a document: the field, and the index of the word in the field.
package struct TextPosition: Hashable, Comparable {
    /// The field in the upper five bits, the position in the others.
    package internal(set) var bits: UInt32

    /// The maximum number of fields of an index.
    package static let fieldLimit = 32
    /// The largest position. Words after it are found, but not in phrases.
    static let positionLimit: UInt32 = 1 << 27 - 1
    /// The number of positions between two strings in the same field, so that no phrase matches across both.
    package static let gap: UInt32 = 100

    init(field: Int, position: UInt32) { bits = UInt32(field) << 27 | min(position, Self.positionLimit) }

    package var field: Int { Int(bits >> 27) }
    var position: UInt32 { bits & Self.positionLimit }

    package static func < (a: TextPosition, b: TextPosition) -> Bool { a.bits < b.bits }

    /// Appends the positions of one posting: for each field, the distances between positions as varints, each shifted
    /// left by one. The lowest bit says whether another position follows in the field. Part of the on-disk format; must
    /// not change.
    ///
    /// - Returns: the fields, as bits.
    static func append(_ positions: Span<TextPosition>, to bytes: inout [UInt8]) -> UInt32 {
        var fields: UInt32 = 0
        var previous: UInt32 = 0
        for index in 0..<positions.count {
            let next = positions[index]
            if fields >> UInt32(next.field) & 1 == 0 {
                fields |= 1 << UInt32(next.field)
                previous = 0
            }
            // Not `&&`, whose closure Swift 6.3.1 fails to compile here.
            let following = index + 1 < positions.count ? positions[index + 1].field : nil
            let value = UInt64(next.position &- previous) << 1 | (following == next.field ? 1 : 0)
            if value < 0x80 { bytes.append(UInt8(truncatingIfNeeded: value)) } else { Varint.append(value, to: &bytes) }
            previous = next.position
        }
        return fields
    }

    /// Reads the positions of one posting. Returns `false` if they are corrupt.
    package static func read(
        _ bytes: Span<UInt8>, _ offset: inout Int, fields: UInt32, into positions: inout [TextPosition]
    ) -> Bool {
        var rest = fields
        while rest != 0 {
            let field = rest.trailingZeroBitCount
            rest &= rest - 1
            var position: UInt64 = 0
            while true {
                guard let value = Varint.read(bytes, &offset), value <= UInt64(UInt32.max) << 1 else { return false }
                position += value >> 1
                guard position <= UInt64(positionLimit) else { return false }
                positions.append(TextPosition(field: field, position: UInt32(position)))
                if value & 1 == 0 { break }
            }
        }
        return true
    }

    /// Skips the positions of one posting. Returns `false` if they are corrupt.
    static func skip(_ bytes: Span<UInt8>, _ offset: inout Int, fields: UInt32) -> Bool {
        var left = fields.nonzeroBitCount
        while left > 0 {
            // The lowest bit of a varint's first byte is the lowest bit of the number.
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
