/// One end of a ``KeyRange``.
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
/// A range whose lower end lies above its upper end is empty; it is never an error.
public struct KeyRange: Sendable, Hashable {
    /// The end with the smaller keys.
    public var lower: KeyBound
    /// The end with the larger keys.
    public var upper: KeyBound

    /// The range between two bounds; without arguments, every key.
    public init(lower: KeyBound = .unbounded, upper: KeyBound = .unbounded) {
        self.lower = lower
        self.upper = upper
    }

    /// Every key of the database.
    public static let all = KeyRange()

    /// Every key that begins with `prefix`, the key `prefix` itself included.
    ///
    /// The upper end is the prefix with its last byte that is not `0xff` incremented and the rest cut off. A prefix
    /// of `0xff` bytes alone (and the empty one) has no such successor: the range then runs to the end.
    ///
    /// Meaningful under bytewise order only: a custom comparator may scatter the keys of one prefix.
    public static func prefix(_ prefix: [UInt8]) -> KeyRange {
        KeyRange(
            lower: prefix.isEmpty ? .unbounded : .included(prefix),
            upper: successor(ofPrefix: prefix).map(KeyBound.excluded) ?? .unbounded
        )
    }

    /// Keys from `lower`, which is contained, up to `upper`, which is not.
    public static func from(_ lower: [UInt8], to upper: [UInt8]) -> KeyRange {
        KeyRange(lower: .included(lower), upper: .excluded(upper))
    }

    /// The range that contains `key` alone.
    public static func only(_ key: [UInt8]) -> KeyRange {
        KeyRange(lower: .included(key), upper: .included(key))
    }

    /// The smallest key above every key that begins with `prefix`; `nil` if there is none.
    public static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xff }) else { return nil }
        var key = Array(prefix[...last])
        key[last] += 1
        return key
    }
}
