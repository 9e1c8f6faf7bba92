/// The keys that consist of a prefix and a tuple: a separate part of a database.
///
/// ```swift
/// let photos = Subspace(["photos"])
/// let key = photos.pack([2019, "IMG_0231"])
/// let byYear = photos["by year"]  // lies within photos
/// ```
///
/// A subspace corresponds to a subspace in FoundationDB's bindings, and its keys are the same bytes. Two things are
/// stricter here:
/// - `contains(_:)` also checks the byte after the prefix. The key of `("a")` is also a prefix of the key of
///   `("a\0")`, so a plain prefix comparison would find the second key in the subspace of the first.
/// - ``range`` starts with the prefix itself, because ``pack(_:)`` of the empty tuple returns it. A key is therefore in
///   the range if and only if the subspace contains it.
///
/// Two subspaces either have no key in common, or one contains the other. Subspaces made from tuples of equal length
/// are never nested by accident. With raw prefixes, check ``isDisjoint(with:)``. ``Keyspace`` needs neither, because
/// its prefix is assigned.
public struct Subspace: Sendable, Hashable {
    /// The prefix of all keys of the subspace.
    public let prefix: [UInt8]

    /// Creates the subspace of a raw prefix. Without a prefix, it contains all tuples.
    ///
    /// A raw prefix may also be a prefix of unrelated keys; see ``isDisjoint(with:)``.
    public init(prefix: [UInt8] = []) {
        self.prefix = prefix
    }

    /// Creates the subspace of all tuples that start with `tuple`.
    public init(_ tuple: Tuple) {
        self.init(prefix: tuple.packed())
    }

    /// Returns the subspace of all tuples in this one that start with `element`.
    public subscript(element: Tuple.Element) -> Subspace { nested([element]) }

    /// Returns the subspace of all tuples in this one that start with `tuple`.
    public func nested(_ tuple: Tuple) -> Subspace {
        Subspace(prefix: pack(tuple))
    }
}

// MARK: - Keys

extension Subspace {
    /// Returns the key of a tuple.
    ///
    /// - Complexity: O(n) in the bytes of the key.
    public func pack(_ tuple: Tuple) -> [UInt8] {
        var key = prefix
        TupleEncoder.append(contentsOf: tuple, to: &key)
        return key
    }

    /// Decodes the tuple of a key.
    ///
    /// - Returns: the tuple after the prefix, or `nil` if the subspace does not contain the key.
    /// - Throws: ``TupleError``, with the position in the whole key, if the bytes after the prefix are not a tuple.
    /// - Complexity: O(n) in the bytes of the key.
    public func unpack(_ key: [UInt8]) throws(TupleError) -> Tuple? {
        try unpack(key.span)
    }

    /// Decodes the tuple of a borrowed key, such as a cursor's.
    ///
    /// - Returns: the tuple after the prefix, or `nil` if the subspace does not contain the key.
    /// - Throws: ``TupleError``, with the position in the whole key, if the bytes after the prefix are not a tuple.
    /// - Complexity: O(n) in the bytes of the key.
    public func unpack(_ key: Span<UInt8>) throws(TupleError) -> Tuple? {
        guard contains(key) else { return nil }
        var decoder = TupleDecoder(key, from: prefix.count)
        return Tuple(try decoder.decodeRemainingElements())
    }

    /// Returns whether a key is in ``range``: it starts with the prefix, and a tuple may start after it.
    public func contains(_ key: [UInt8]) -> Bool { contains(key.span) }

    /// Returns whether a borrowed key is in ``range``.
    public func contains(_ key: Span<UInt8>) -> Bool {
        guard key.count >= prefix.count else { return false }
        for index in prefix.indices where key[index] != prefix[index] { return false }
        // Elements never start with `ff`. After a `00` at the end of the prefix, `ff` would make that byte a part of
        // the element.
        return key.count == prefix.count || key[prefix.count] != TupleCode.escape
    }

    /// The range of all keys of the subspace, including the prefix itself.
    public var range: KeyRange { .range(from: prefix, to: prefix + [TupleCode.escape]) }

    /// Returns whether the subspaces have no key in common. Otherwise one contains the other.
    public func isDisjoint(with other: Subspace) -> Bool {
        !contains(other.prefix) && !other.contains(prefix)
    }
}
