/// An end of a ``KeyRange``.
public enum KeyBound: Sendable, Hashable {
    /// The range has no limit at this end.
    case unbounded
    /// The range ends at this key and contains it.
    case included([UInt8])
    /// The range ends at this key and does not contain it.
    case excluded([UInt8])
}

/// A contiguous range of keys in comparator order.
///
/// A range whose lower end is above its upper end is empty. It is never an error.
public struct KeyRange: Sendable, Hashable {
    /// The end with the smaller keys.
    public var lower: KeyBound
    /// The end with the larger keys.
    public var upper: KeyBound

    /// Creates a range between two bounds. Without arguments, the range contains every key.
    public init(lower: KeyBound = .unbounded, upper: KeyBound = .unbounded) {
        self.lower = lower
        self.upper = upper
    }

    /// The range of all keys of the database.
    public static let all = KeyRange()

    /// Returns the range of all keys that start with `prefix`, including `prefix` itself.
    ///
    /// The upper end is the prefix cut off after its last byte that is not `0xff`, with that byte incremented. An empty
    /// prefix, or one of `0xff` bytes only, has no such successor, and the range extends to the end.
    ///
    /// Meaningful only in bytewise order, because a custom comparator may scatter the keys with a prefix.
    public static func prefix(_ prefix: [UInt8]) -> KeyRange {
        KeyRange(
            lower: prefix.isEmpty ? .unbounded : .included(prefix),
            upper: successor(ofPrefix: prefix).map(KeyBound.excluded) ?? .unbounded
        )
    }

    /// Returns the range of keys from `lower`, which is included, up to `upper`, which is not.
    public static func from(_ lower: [UInt8], to upper: [UInt8]) -> KeyRange {
        KeyRange(lower: .included(lower), upper: .excluded(upper))
    }

    /// Returns the range that contains only `key`.
    public static func only(_ key: [UInt8]) -> KeyRange {
        KeyRange(lower: .included(key), upper: .included(key))
    }

    /// Returns the smallest key above all keys that start with `prefix`, or `nil` if none exists.
    public static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xff }) else { return nil }
        var key = Array(prefix[...last])
        key[last] += 1
        return key
    }
}
