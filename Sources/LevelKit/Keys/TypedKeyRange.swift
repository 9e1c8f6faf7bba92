/// A contiguous range of the keys of a ``KeySchema``, in values.
///
/// With keys of a camera, a year and an id, `KeySchema<(String, Int, String)>`:
///
/// ```swift
/// .all
/// .prefix("Leica")                                // one camera
/// .prefix("Leica", 2019)                          // and one year
/// .range("Leica", 2010..<2020)                    // and some years
/// .range("L"...)                                  // some cameras
/// .range(from: ("Leica", 2019, ""), to: ("Leica", 2019, "IMG_5"))
/// .range(after: lastKeyOfThePage)
/// ```
///
/// A range of values, as in the middle, contains the same keys whatever the component's direction. What `from`, `to`
/// and `after` mean follows the order of the keys: where a component is descending, `from` is the larger value.
///
/// Text in a range of values orders by its UTF-8 bytes, like the keys, and not as Swift's `String` does. A range whose
/// lower end lies above its upper end is empty; it is never an error.
public struct TypedKeyRange<Key: Sendable>: Sendable {
    /// What the range is, until a schema turns it into bytes.
    enum Content: Sendable {
        /// Keys whose first components are these.
        case prefix([any KeyElementCodable])
        /// Of these keys, those whose next component lies between two values.
        case values(
            [any KeyElementCodable], lower: ComponentBound<any KeyElementCodable>,
            upper: ComponentBound<any KeyElementCodable>)
        /// Keys between two keys, in the order of keys.
        case keys(lower: ComponentBound<Key>, upper: ComponentBound<Key>)
    }

    let content: Content

    /// Every key.
    public static var all: TypedKeyRange { TypedKeyRange(content: .prefix([])) }

    /// Keys that come at `lower` or after it, and before `upper`; an end that is left out is open.
    public static func range(from lower: Key? = nil, to upper: Key? = nil) -> TypedKeyRange {
        TypedKeyRange(
            content: .keys(
                lower: lower.map(ComponentBound.included) ?? .unbounded,
                upper: upper.map(ComponentBound.excluded) ?? .unbounded))
    }

    /// Keys that come after `lower`; and before `upper`, if it is given. For the next page of a listing.
    public static func range(after lower: Key, to upper: Key? = nil) -> TypedKeyRange {
        TypedKeyRange(
            content: .keys(lower: .excluded(lower), upper: upper.map(ComponentBound.excluded) ?? .unbounded))
    }

    /// The range that contains `key` alone.
    public static func only(_ key: Key) -> TypedKeyRange {
        TypedKeyRange(content: .keys(lower: .included(key), upper: .included(key)))
    }

    /// Keys that begin with `lead` and go on with a value of `interval`.
    static func values<Value: KeyElementCodable>(
        _ lead: [any KeyElementCodable], _ interval: some ComponentInterval<Value>
    ) -> TypedKeyRange {
        let bounds = interval.componentBounds
        return TypedKeyRange(
            content: .values(lead, lower: erased(bounds.lower), upper: erased(bounds.upper)))
    }

    private static func erased(
        _ bound: ComponentBound<some KeyElementCodable>
    ) -> ComponentBound<any KeyElementCodable> {
        switch bound {
        case .unbounded: .unbounded
        case .included(let value): .included(value)
        case .excluded(let value): .excluded(value)
        }
    }
}

// MARK: - Bytes

// No element begins with ff, and every key that begins with some components goes on with an element or ends. So the
// keys that begin with the bytes P of some components are those from P, contained, up to P ff, not contained; keys that
// only begin with the bytes of P, such as those of "a\0" behind "a", lie at P ff or above.
extension TypedKeyRange {
    /// The range of bytes, each key behind `prefix`.
    func resolved(by schema: KeySchema<Key>, prefix: [UInt8]) -> KeyRange {
        switch content {
        case .prefix(let lead):
            let start = Self.start(of: lead, schema, prefix)
            return .from(start, to: start + [TupleCode.escape])
        case .values(let lead, let lower, let upper):
            let start = Self.start(of: lead, schema, prefix)
            switch schema.components[lead.count].direction {
            case .ascending: return Self.span(start, from: lower, to: upper, .ascending)
            case .descending: return Self.span(start, from: upper, to: lower, .descending)
            }
        case .keys(let lower, let upper):
            return Self.span(prefix, from: lower, to: upper) { schema.append($0, to: &$1) }
        }
    }

    /// The bytes of the first components of a key.
    private static func start(
        of lead: [any KeyElementCodable], _ schema: KeySchema<Key>, _ prefix: [UInt8]
    ) -> [UInt8] {
        var start = prefix
        for (value, component) in zip(lead, schema.components) { value.append(component.direction, to: &start) }
        return start
    }

    private static func span(
        _ start: [UInt8], from first: ComponentBound<any KeyElementCodable>,
        to last: ComponentBound<any KeyElementCodable>, _ direction: KeyDirection
    ) -> KeyRange {
        span(start, from: first, to: last) { $0.append(direction, to: &$1) }
    }

    /// The keys behind `start` from one bound to another, in the order of keys.
    private static func span<Value>(
        _ start: [UInt8], from first: ComponentBound<Value>, to last: ComponentBound<Value>,
        _ append: (Value, inout [UInt8]) -> Void
    ) -> KeyRange {
        func before(_ value: Value) -> [UInt8] {
            var key = start
            append(value, &key)
            return key
        }
        let lower =
            switch first {
            case .unbounded: start
            case .included(let value): before(value)
            case .excluded(let value): before(value) + [TupleCode.escape]
            }
        let upper =
            switch last {
            case .unbounded: start + [TupleCode.escape]
            case .included(let value): before(value) + [TupleCode.escape]
            case .excluded(let value): before(value)
            }
        return .from(lower, to: upper)
    }
}
