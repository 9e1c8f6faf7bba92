import Foundation
import LevelKit

/// The order of tuples as the specification defines it in terms of values, without regard to their bytes.
///
/// Written independently of the library and by other means, so that both are unlikely to contain the same mistake.
enum TupleReferenceOrder {
    /// Negative, zero or positive, if `lhs` precedes, equals or follows `rhs`.
    static func compare(_ lhs: Tuple, _ rhs: Tuple) -> Int {
        for (a, b) in zip(lhs.elements, rhs.elements) {
            let order = compare(a, b)
            if order != 0 { return order }
        }
        return lhs.elements.count - rhs.elements.count
    }

    static func compare(_ lhs: Tuple.Element, _ rhs: Tuple.Element) -> Int {
        guard rank(lhs) == rank(rhs) else { return rank(lhs) - rank(rhs) }
        switch (lhs, rhs) {
        case (.bytes(let a), .bytes(let b)): return sequence(a, b)
        case (.string(let a), .string(let b)): return sequence(a.unicodeScalars, b.unicodeScalars)
        case (.tuple(let a), .tuple(let b)): return compare(a, b)
        case (.float(let a), .float(let b)):
            return number(Double(a), Double(b), UInt64(a.bitPattern), UInt64(b.bitPattern))
        case (.double(let a), .double(let b)): return number(a, b, a.bitPattern, b.bitPattern)
        case (.uuid(let a), .uuid(let b)): return sequence(a.uuidString, b.uuidString)
        case (.versionstamp(let a), .versionstamp(let b)):
            return sequence(
                [a.commitVersion, UInt64(a.batchNumber), UInt64(a.userVersion)],
                [b.commitVersion, UInt64(b.batchNumber), UInt64(b.userVersion)]
            )
        case (.descending(let a), .descending(let b)): return -compare(a, b)
        default: return integer(lhs, rhs)
        }
    }

    /// Returns the rank of the type. False and true are separate types.
    private static func rank(_ element: Tuple.Element) -> Int {
        switch element {
        case .null: 0
        case .bytes: 1
        case .string: 2
        case .tuple: 3
        case .int, .bigInteger: 4
        case .float: 5
        case .double: 6
        case .bool(false): 7
        case .bool(true): 8
        case .uuid: 9
        case .versionstamp: 10
        case .descending: 11
        }
    }

    private static func sequence<Items: Sequence>(_ lhs: Items, _ rhs: Items) -> Int where Items.Element: Comparable {
        lhs.lexicographicallyPrecedes(rhs) ? -1 : (rhs.lexicographicallyPrecedes(lhs) ? 1 : 0)
    }

    /// Compares numerically; negative zero before zero, negative NaNs first, positive NaNs last, NaNs by their bits.
    private static func number(_ lhs: Double, _ rhs: Double, _ lhsBits: UInt64, _ rhsBits: UInt64) -> Int {
        func rank(_ value: Double) -> Int { value.isNaN ? (value.sign == .minus ? -1 : 1) : 0 }
        if rank(lhs) != rank(rhs) { return rank(lhs) - rank(rhs) }
        if lhs < rhs { return -1 }
        if lhs > rhs { return 1 }
        if lhsBits == rhsBits { return 0 }
        if lhs.isNaN { return (lhsBits < rhsBits) == (lhs.sign == .plus) ? -1 : 1 }
        return lhs.sign == .minus ? -1 : 1
    }

    /// Compares numerically: by sign, then by the length and the digits of the decimal notation.
    private static func integer(_ lhs: Tuple.Element, _ rhs: Tuple.Element) -> Int {
        if case .int(let a) = lhs, case .int(let b) = rhs { return a < b ? -1 : (a > b ? 1 : 0) }
        let (a, b) = (lhs.description, rhs.description)
        let isNegative = a.hasPrefix("-")
        guard isNegative == b.hasPrefix("-") else { return isNegative ? -1 : 1 }
        let order = a.count != b.count ? a.count - b.count : sequence(a, b)
        return isNegative ? -order : order
    }
}
