/// A contiguous range of the keys of a ``KeySchema``, given as values.
///
/// For keys that consist of a camera, a year and an ID, `KeySchema<(String, Int, String)>`:
///
/// ```swift
/// .all
/// .prefix("Leica")                                // one camera
/// .prefix("Leica", 2019)                          // and one year
/// .range("Leica", 2010..<2020)                    // and some years
/// .range("L"...)                                  // some cameras
/// .range("Leica", 2019, .startingWith("IMG_"))    // some IDs
/// .range(from: ("Leica", 2019, ""), to: ("Leica", 2019, "IMG_5"))
/// .prefix("Leica").after(lastKeyOfThePage)
/// ```
///
/// A range of values (the `.range` examples without labels) contains the same keys whatever the direction of the
/// component. `from`, `to`, `after` and `before` follow the order of the keys: for a descending component, `from` is the larger
/// value.
///
/// Strings in a range of values are ordered by their UTF-8 bytes, like the keys, and not like Swift's `String`. A range
/// whose lower end is above its upper end is empty. It is never an error.
public struct TypedKeyRange<Key: Sendable>: Sendable {
    /// The range before a schema converts it to bytes.
    enum Content: Sendable {
        /// The keys with these first components.
        case prefix([any KeyElementCodable])
        /// The keys with these first components whose next component is between two values.
        case values(
            [any KeyElementCodable], lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>)
        /// The keys between two keys, in key order.
        case keys(lower: KeyBound<Key>, upper: KeyBound<Key>)
    }

    /// A part that is cut off.
    enum Cut: Sendable {
        /// Everything up to and including a key.
        case after(Key)
        /// Everything from a key on.
        case before(Key)
    }

    let content: Content
    private(set) var cuts: [Cut] = []

    init(content: Content) {
        self.content = content
    }

    /// The range of all keys.
    public static var all: TypedKeyRange { TypedKeyRange(content: .prefix([])) }

    /// Returns the keys from `lower`, which is included, up to `upper`, which is not. An omitted end is unbounded.
    public static func range(from lower: Key? = nil, to upper: Key? = nil) -> TypedKeyRange {
        TypedKeyRange(
            content: .keys(
                lower: lower.map(KeyBound.included) ?? .unbounded,
                upper: upper.map(KeyBound.excluded) ?? .unbounded))
    }

    /// Returns the keys after `lower` and, if given, before `upper`. For the next page of a listing.
    public static func range(after lower: Key, to upper: Key? = nil) -> TypedKeyRange {
        TypedKeyRange(
            content: .keys(lower: .excluded(lower), upper: upper.map(KeyBound.excluded) ?? .unbounded))
    }

    /// Returns the range that contains only `key`.
    public static func only(_ key: Key) -> TypedKeyRange {
        TypedKeyRange(content: .keys(lower: .included(key), upper: .included(key)))
    }

    /// Returns the keys that start with `lead`, followed by a value in `interval`.
    static func values<Value: KeyElementCodable>(
        _ lead: [any KeyElementCodable], _ interval: some ComponentInterval<Value>
    ) -> TypedKeyRange {
        let bounds = interval.componentBounds
        return TypedKeyRange(content: .values(lead, lower: bounds.lower, upper: bounds.upper))
    }
}

// MARK: - Pages

extension TypedKeyRange {
    /// Returns the part of this range after `key`, in key order.
    ///
    /// For the next page of a listing: `key` is the last key of the page before. It need not exist any more.
    public func after(_ key: Key) -> TypedKeyRange {
        var range = self
        range.cuts.append(.after(key))
        return range
    }

    /// Returns the part of this range before `key`, in key order.
    ///
    /// For the next page of a listing in descending order: `key` is the last key of the page before.
    public func before(_ key: Key) -> TypedKeyRange {
        var range = self
        range.cuts.append(.before(key))
        return range
    }
}

// MARK: - Bytes

// Elements never start with ff, and a key that starts with some components continues with another element or ends. The
// keys that start with components encoded as P are therefore the keys from P, included, up to P ff, excluded. Keys that
// share only the bytes of P, such as the key of "a\0" for the prefix "a", are at P ff or above.
extension TypedKeyRange {
    /// Returns the byte range, with `prefix` before each key.
    func resolved(by schema: KeySchema<Key>, prefix: [UInt8]) -> KeyRange {
        var range = resolvedContent(by: schema, prefix)
        for cut in cuts {
            var key = prefix
            switch cut {
            case .after(let bound):
                schema.append(bound, to: &key)
                range = range.after(key)
            case .before(let bound):
                schema.append(bound, to: &key)
                range = range.before(key)
            }
        }
        return range
    }

    private func resolvedContent(by schema: KeySchema<Key>, _ prefix: [UInt8]) -> KeyRange {
        switch content {
        case .prefix(let lead):
            let start = Self.start(of: lead, schema, prefix)
            return .range(from: start, to: start + [TupleCode.escape])
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

    /// Returns the bytes of the first components of a key.
    private static func start(
        of lead: [any KeyElementCodable], _ schema: KeySchema<Key>, _ prefix: [UInt8]
    ) -> [UInt8] {
        var start = prefix
        for (value, component) in zip(lead, schema.components) { value.append(component.direction, to: &start) }
        return start
    }

    private static func span(
        _ start: [UInt8], from first: KeyBound<any KeyElementCodable>,
        to last: KeyBound<any KeyElementCodable>, _ direction: KeyDirection
    ) -> KeyRange {
        span(start, from: first, to: last) { $0.append(direction, to: &$1) }
    }

    /// Returns the keys with the prefix `start` between two bounds, in key order.
    private static func span<Value>(
        _ start: [UInt8], from first: KeyBound<Value>, to last: KeyBound<Value>,
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
        return .range(from: lower, to: upper)
    }
}
