#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TupleElement: Comparable, Hashable {
    /// Whether `lhs` comes before `rhs`: the order of the encoded bytes, found without encoding.
    ///
    /// - Complexity: O(n) in the bytes of the shorter value.
    public static func < (lhs: TupleElement, rhs: TupleElement) -> Bool { lhs.order(against: rhs) == .before }

    /// Whether both have the same encoding.
    ///
    /// - Complexity: O(n) in the bytes of the shorter value.
    public static func == (lhs: TupleElement, rhs: TupleElement) -> Bool { lhs.order(against: rhs) == .same }

    /// Feeds the value to `hasher`; elements with the same encoding hash alike.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null: break
        case .bytes(let value): hasher.combine(value)
        // Coarser than equality: canonically equivalent strings of different bytes collide, which a hash may do.
        case .string(let value): hasher.combine(value)
        case .tuple(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .bigInteger(let value):
            if let small = Int64(exactly: value) { hasher.combine(small) } else { hasher.combine(value) }
        case .float(let value): hasher.combine(value.bitPattern)
        case .double(let value): hasher.combine(value.bitPattern)
        case .bool(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .versionstamp(let value): hasher.combine(value)
        case .descending(let value): hasher.combine(value)
        }
    }
}

/// How a value lies to another.
enum TupleOrder {
    case before, same, after

    /// The order of two values of a type whose own order is that of its encoding.
    init<Value: Comparable>(_ lhs: Value, _ rhs: Value) {
        self = lhs < rhs ? .before : (lhs == rhs ? .same : .after)
    }

    /// The order of two byte strings, compared from the left as unsigned bytes; a prefix comes first.
    init(bytes lhs: Span<UInt8>, _ rhs: Span<UInt8>) {
        for index in 0..<min(lhs.count, rhs.count) where lhs[index] != rhs[index] {
            self = lhs[index] < rhs[index] ? .before : .after
            return
        }
        self.init(lhs.count, rhs.count)
    }
}

extension TupleElement {
    /// Where this element lies to `other`.
    func order(against other: TupleElement) -> TupleOrder {
        switch (self, other) {
        case (.bytes(let lhs), .bytes(let rhs)): TupleOrder(bytes: lhs.span, rhs.span)
        // The order of UTF-8 bytes is that of scalars. String's own `<` compares normalised text instead.
        case (.string(let lhs), .string(let rhs)): TupleOrder(bytes: lhs.utf8Span.span, rhs.utf8Span.span)
        case (.tuple(let lhs), .tuple(let rhs)): lhs.order(against: rhs)
        case (.int(let lhs), .int(let rhs)): TupleOrder(lhs, rhs)
        case (.int(let lhs), .bigInteger(let rhs)): TupleOrder(BigInteger(lhs), rhs)
        case (.bigInteger(let lhs), .int(let rhs)): TupleOrder(lhs, BigInteger(rhs))
        case (.bigInteger(let lhs), .bigInteger(let rhs)): TupleOrder(lhs, rhs)
        case (.float(let lhs), .float(let rhs)): TupleOrder(lhs.orderedBits, rhs.orderedBits)
        case (.double(let lhs), .double(let rhs)): TupleOrder(lhs.orderedBits, rhs.orderedBits)
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs ? .same : (rhs ? .before : .after)
        case (.uuid(let lhs), .uuid(let rhs)): TupleOrder(bytes: lhs.networkBytes.span, rhs.networkBytes.span)
        case (.versionstamp(let lhs), .versionstamp(let rhs)): TupleOrder(lhs, rhs)
        case (.descending(let lhs), .descending(let rhs)): rhs.order(against: lhs)
        default: TupleOrder(kind, other.kind)
        }
    }
}

// MARK: - Numbers as ordered bits

// The transform of design/tuple.md: with the sign bit set all bits flip, without it the sign bit alone. Unsigned order
// of the result is numeric order, and it maps no two bit patterns to one.

extension Float {
    /// The bits in an order in which unsigned comparison is numeric comparison.
    var orderedBits: UInt32 { bitPattern >> 31 == 1 ? ~bitPattern : bitPattern ^ (1 << 31) }

    /// The inverse of ``orderedBits``.
    init(orderedBits: UInt32) {
        self.init(bitPattern: orderedBits >> 31 == 1 ? orderedBits ^ (1 << 31) : ~orderedBits)
    }
}

extension Double {
    /// The bits in an order in which unsigned comparison is numeric comparison.
    var orderedBits: UInt64 { bitPattern >> 63 == 1 ? ~bitPattern : bitPattern ^ (1 << 63) }

    /// The inverse of ``orderedBits``.
    init(orderedBits: UInt64) {
        self.init(bitPattern: orderedBits >> 63 == 1 ? orderedBits ^ (1 << 63) : ~orderedBits)
    }
}

extension UUID {
    /// The 16 bytes in network order, as RFC 9562 lays them out.
    var networkBytes: InlineArray<16, UInt8> {
        let u = uuid
        return [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
    }

    /// The UUID of 16 bytes in network order.
    init(networkBytes b: InlineArray<16, UInt8>) {
        self.init(
            uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15])
        )
    }
}
