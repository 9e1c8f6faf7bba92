/// An end of a ``KeyRange`` or of a ``ComponentInterval``.
public enum KeyBound<Key> {
    /// The range has no limit at this end.
    case unbounded
    /// The range ends at this key and contains it.
    case included(Key)
    /// The range ends at this key and does not contain it.
    case excluded(Key)
}

extension KeyBound {
    /// The key at this end, whether the range contains it or not; `nil` for no limit.
    package var key: Key? {
        switch self {
        case .unbounded: nil
        case .included(let key), .excluded(let key): key
        }
    }
}

extension KeyBound: Sendable where Key: Sendable {}
extension KeyBound: Equatable where Key: Equatable {}
extension KeyBound: Hashable where Key: Hashable {}

/// A contiguous range of keys in comparator order.
///
/// ```swift
/// .all
/// .prefix("photo/")
/// .range(from: "photo/1", to: "photo/5")          // without photo/5
/// .prefix("photo/").after(lastKeyOfThePage)
/// .only("photo/1")
/// ```
///
/// A range whose lower end is above its upper end is empty. It is never an error. ``TypedKeyRange`` is the range of
/// typed keys.
public struct KeyRange: Sendable, Hashable {
    /// The end with the smaller keys.
    public var lower: KeyBound<[UInt8]>
    /// The end with the larger keys.
    public var upper: KeyBound<[UInt8]>

    /// Creates a range between two bounds. Without arguments, the range contains every key.
    public init(lower: KeyBound<[UInt8]> = .unbounded, upper: KeyBound<[UInt8]> = .unbounded) {
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

    /// Returns the range of all keys that start with `prefix`, such as a string; see ``prefix(_:)-([UInt8])``.
    public static func prefix(_ prefix: some ByteRepresentable) -> KeyRange {
        .prefix(prefix.byteArray)
    }

    /// Returns the keys from `lower`, which is included, up to `upper`, which is not. An omitted end is unbounded.
    public static func range<Key: ByteRepresentable>(from lower: Key? = nil, to upper: Key? = nil) -> KeyRange {
        KeyRange(
            lower: lower.map { .included($0.byteArray) } ?? .unbounded,
            upper: upper.map { .excluded($0.byteArray) } ?? .unbounded)
    }

    /// Returns the keys after `lower` and, if given, before `upper`. For the next page of a listing.
    public static func range<Key: ByteRepresentable>(after lower: Key, to upper: Key? = nil) -> KeyRange {
        KeyRange(
            lower: .excluded(lower.byteArray), upper: upper.map { .excluded($0.byteArray) } ?? .unbounded)
    }

    /// Returns the range that contains only `key`.
    public static func only(_ key: some ByteRepresentable) -> KeyRange {
        KeyRange(lower: .included(key.byteArray), upper: .included(key.byteArray))
    }

    /// Returns the smallest key above all keys that start with `prefix`, or `nil` if none exists.
    public static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != 0xff }) else { return nil }
        var key = Array(prefix[...last])
        key[last] += 1
        return key
    }
}

// MARK: - Pages

extension KeyRange {
    /// Returns the part of this range after `key`, in the order of the bytes.
    ///
    /// For the next page of a listing: `key` is the last key of the page before. It need not exist any more.
    public func after(_ key: some ByteRepresentable) -> KeyRange {
        let key = key.byteArray
        switch lower {
        case .included(let bound) where compareBytes(bound.span, key.span) > 0: return self
        case .excluded(let bound) where compareBytes(bound.span, key.span) > 0: return self
        default: return KeyRange(lower: .excluded(key), upper: upper)
        }
    }

    /// Returns the part of this range before `key`, in the order of the bytes.
    ///
    /// For the next page of a listing in descending order: `key` is the last key of the page before.
    public func before(_ key: some ByteRepresentable) -> KeyRange {
        let key = key.byteArray
        switch upper {
        case .included(let bound) where compareBytes(bound.span, key.span) < 0: return self
        case .excluded(let bound) where compareBytes(bound.span, key.span) < 0: return self
        default: return KeyRange(lower: lower, upper: .excluded(key))
        }
    }
}
