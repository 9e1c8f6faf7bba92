/// The keys that begin with a prefix and go on as a tuple: a part of a database that nothing else writes to.
///
/// ```swift
/// let photos = Subspace(["photos"])
/// let key = photos.pack([2019, "IMG_0231"])
/// let byYear = photos["by year"]  // lies within photos
/// ```
///
/// A subspace is as in FoundationDB's bindings, and its keys are the same bytes. Two things are stricter here:
/// - ``contains(_:)`` looks at the byte after the prefix. The key of `("a")` is also how the key of `("a\0")` begins,
///   so a plain comparison of prefixes would find the second in the subspace of the first.
/// - ``range`` begins with the key that is the prefix itself, since ``pack(_:)`` of the empty tuple gives it. Hence a
///   key is in the range exactly if the subspace contains it.
///
/// Two subspaces either have no key in common or one contains the other. Subspaces made of tuples of one length are
/// never nested by accident; with raw prefixes, ask ``isDisjoint(with:)``. ``Keyspace`` needs neither: its prefix is
/// assigned.
public struct Subspace: Sendable, Hashable {
    /// The bytes that every key of the subspace begins with.
    public let prefix: [UInt8]

    /// The subspace of a raw prefix; without one, of all tuples.
    ///
    /// A raw prefix may be the beginning of other keys in any way; see ``isDisjoint(with:)``.
    public init(prefix: [UInt8] = []) {
        self.prefix = prefix
    }

    /// The subspace of all tuples that begin with `tuple`.
    public init(_ tuple: Tuple) {
        self.init(prefix: tuple.packed())
    }

    /// The subspace of all tuples in this one that begin with `element`.
    public subscript(element: TupleElement) -> Subspace { nested([element]) }

    /// The subspace of all tuples in this one that begin with `tuple`.
    public func nested(_ tuple: Tuple) -> Subspace {
        Subspace(prefix: pack(tuple))
    }
}

// MARK: - Keys

extension Subspace {
    /// The key of a tuple.
    ///
    /// - Complexity: O(n) in the bytes of the key.
    public func pack(_ tuple: Tuple) -> [UInt8] {
        var key = prefix
        TupleEncoder.append(contentsOf: tuple, to: &key)
        return key
    }

    /// The tuple of a key.
    ///
    /// - Returns: the tuple behind the prefix; `nil` if the subspace does not contain the key.
    /// - Throws: ``TupleError``, with the position in the whole key, if what follows the prefix is no tuple.
    /// - Complexity: O(n) in the bytes of the key.
    public func unpack(_ key: [UInt8]) throws(TupleError) -> Tuple? {
        try unpack(key.span)
    }

    /// The tuple of a key that is lent, such as a cursor's.
    ///
    /// - Returns: the tuple behind the prefix; `nil` if the subspace does not contain the key.
    /// - Throws: ``TupleError``, with the position in the whole key, if what follows the prefix is no tuple.
    /// - Complexity: O(n) in the bytes of the key.
    public func unpack(_ key: Span<UInt8>) throws(TupleError) -> Tuple? {
        guard contains(key) else { return nil }
        var decoder = TupleDecoder(key, from: prefix.count)
        return Tuple(try decoder.decodeRemainingElements())
    }

    /// Whether a key lies in ``range``: it begins with the prefix, and what follows may begin a tuple.
    public func contains(_ key: [UInt8]) -> Bool { contains(key.span) }

    /// Whether a key that is lent lies in ``range``.
    public func contains(_ key: Span<UInt8>) -> Bool {
        guard key.count >= prefix.count else { return false }
        for index in prefix.indices where key[index] != prefix[index] { return false }
        // No element begins with ff: behind a `00` at the end of the prefix it would make that a part of the element.
        return key.count == prefix.count || key[prefix.count] != TupleCode.escape
    }

    /// All keys of the subspace, the prefix itself included.
    public var range: KeyRange { .from(prefix, to: prefix + [TupleCode.escape]) }

    /// Whether no key lies in both subspaces; if one does, one of the subspaces contains the other.
    public func isDisjoint(with other: Subspace) -> Bool {
        !contains(other.prefix) && !other.contains(prefix)
    }
}
