#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Tuple.Element: Comparable, Hashable {
    /// Returns whether `lhs` sorts before `rhs`, in the order of the encoded bytes. Compares without encoding.
    ///
    /// - Complexity: O(n) in the bytes of the shorter value.
    public static func < (lhs: Tuple.Element, rhs: Tuple.Element) -> Bool { lhs.order(against: rhs) == .before }

    /// Returns whether both have the same encoding.
    ///
    /// - Complexity: O(n) in the bytes of the shorter value.
    public static func == (lhs: Tuple.Element, rhs: Tuple.Element) -> Bool { lhs.order(against: rhs) == .same }

    /// Hashes the value. Elements with the same encoding have the same hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .null: break
        case .bytes(let value): hasher.combine(value)
        // Coarser than equality: canonically equivalent strings with different bytes collide, which is allowed for a
        // hash.
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

/// The order of a value relative to another.
enum TupleOrder {
    case before, same, after

    /// Compares two values of a type whose order is the order of its encoding.
    init<Value: Comparable>(_ lhs: Value, _ rhs: Value) {
        self = lhs < rhs ? .before : (lhs == rhs ? .same : .after)
    }

    /// Compares two byte strings as unsigned bytes. A prefix sorts first.
    init(bytes lhs: Span<UInt8>, _ rhs: Span<UInt8>) {
        for index in 0..<min(lhs.count, rhs.count) where lhs[index] != rhs[index] {
            self = lhs[index] < rhs[index] ? .before : .after
            return
        }
        self.init(lhs.count, rhs.count)
    }
}

extension Tuple.Element {
    /// Returns the order of this element relative to `other`.
    func order(against other: Tuple.Element) -> TupleOrder {
        switch (self, other) {
        case (.bytes(let lhs), .bytes(let rhs)): TupleOrder(bytes: lhs.span, rhs.span)
        // UTF-8 bytes sort like scalars. String's `<` compares normalized strings instead.
        case (.string(let lhs), .string(let rhs)): TupleOrder(bytes: lhs.utf8Span.span, rhs.utf8Span.span)
        case (.tuple(let lhs), .tuple(let rhs)): lhs.order(against: rhs)
        case (.int(let lhs), .int(let rhs)): TupleOrder(lhs, rhs)
        case (.int(let lhs), .bigInteger(let rhs)): TupleOrder(Tuple.BigInteger(lhs), rhs)
        case (.bigInteger(let lhs), .int(let rhs)): TupleOrder(lhs, Tuple.BigInteger(rhs))
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

// The transformation of design/tuple.md: if the sign bit is set, flips all bits, otherwise only the sign bit. Unsigned
// order of the result is numeric order, and the mapping is injective.

extension Float {
    /// The bits, transformed so that unsigned comparison is numeric comparison.
    var orderedBits: UInt32 { bitPattern >> 31 == 1 ? ~bitPattern : bitPattern ^ (1 << 31) }

    /// The inverse of ``orderedBits``.
    init(orderedBits: UInt32) {
        self.init(bitPattern: orderedBits >> 31 == 1 ? orderedBits ^ (1 << 31) : ~orderedBits)
    }
}

extension Double {
    /// The bits, transformed so that unsigned comparison is numeric comparison.
    var orderedBits: UInt64 { bitPattern >> 63 == 1 ? ~bitPattern : bitPattern ^ (1 << 63) }

    /// The inverse of ``orderedBits``.
    init(orderedBits: UInt64) {
        self.init(bitPattern: orderedBits >> 63 == 1 ? orderedBits ^ (1 << 63) : ~orderedBits)
    }
}

extension UUID {
    /// The 16 bytes in network order (RFC 9562).
    var networkBytes: InlineArray<16, UInt8> {
        let u = uuid
        return [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
    }

    /// Creates a UUID from 16 bytes in network order.
    init(networkBytes b: InlineArray<16, UInt8>) {
        self.init(
            uuid: (b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15])
        )
    }
}
