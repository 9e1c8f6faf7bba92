/// The order of values.
enum ValueOrder {
    /// Returns a negative number, zero or a positive number; `nil` for values that are not comparable: values of
    /// different kinds, unequal arrays or objects, and NaN with a different number.
    static func compare(_ a: DocumentValue, _ b: DocumentValue) -> Int? {
        switch (a, b) {
        case (.int(let a), .int(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.double(let a), .double(let b)): compare(a, b)
        case (.int(let a), .double(let b)): compare(a, b)
        case (.double(let a), .int(let b)): compare(b, a).map { -$0 }
        case (.string(let a), .string(let b)): compare(a.utf8Span.span, b.utf8Span.span)
        case (.bytes(let a), .bytes(let b)): compare(a.span, b.span)
        case (.date(let a), .date(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.attachment, .attachment): compare(OrderedValue.encoded(a).span, OrderedValue.encoded(b).span)
        case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
        case (.null, .null): 0
        case (.array(let first), .array(let second)): first.count == second.count && isSame(a, b) ? 0 : nil
        case (.object(let first), .object(let second)): first.count == second.count && isSame(a, b) ? 0 : nil
        default: nil
        }
    }

    /// Returns whether two arrays or objects have equal content: numbers are compared by value regardless of kind,
    /// members by name regardless of order.
    private static func isSame(_ a: DocumentValue, _ b: DocumentValue) -> Bool {
        OrderedValue.encoded(a) == OrderedValue.encoded(b)
    }

    /// Returns a negative number, zero or a positive number for any two values: by kind first, as in index keys; NaN
    /// before all other numbers; arrays and objects in the order of ``OrderedValue``.
    static func collate(_ a: DocumentValue, _ b: DocumentValue) -> Int {
        let kinds = (rank(a), rank(b))
        if kinds.0 != kinds.1 { return kinds.0 < kinds.1 ? -1 : 1 }
        switch a {
        case .array, .object: return compare(OrderedValue.encoded(a).span, OrderedValue.encoded(b).span)
        default: break
        }
        if let order = compare(a, b) { return order }
        // Two numbers, one of them NaN.
        return a.numberValue?.isNaN == true ? -1 : 1
    }

    private static func rank(_ value: DocumentValue) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .double: 2
        case .string: 3
        case .date: 4
        case .bytes: 5
        case .attachment: 6
        case .array: 7
        case .object: 8
        }
    }

    private static func compare(_ a: Double, _ b: Double) -> Int? {
        if a.isNaN || b.isNaN { return a.isNaN && b.isNaN ? 0 : nil }
        return a < b ? -1 : a > b ? 1 : 0
    }

    /// Compares exactly: integers beyond 2^53 are not rounded to doubles.
    private static func compare(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let floor = b.rounded(.down)
        let whole = Int64(floor)
        if a != whole { return a < whole ? -1 : 1 }
        return floor < b ? -1 : 0
    }

    /// Compares bytes lexicographically, eight at a time while they are equal.
    static func compare(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
        let common = min(a.count, b.count)
        let (left, right) = unsafe (a.bytes, b.bytes)
        var position = 0
        while position &+ 8 <= common {
            // In bounds: the loop condition.
            let x = unsafe left.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let y = unsafe right.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            if x != y { break }
            position &+= 8
        }
        while position < common {
            if a[position] != b[position] { return Int(a[position]) - Int(b[position]) }
            position &+= 1
        }
        return a.count - b.count
    }
}
