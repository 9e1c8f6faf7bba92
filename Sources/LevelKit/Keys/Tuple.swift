/// A sequence of typed elements that encodes to a key whose byte order is the order of the values.
///
/// The encoding is FoundationDB's tuple layer (apple/foundationdb, `design/tuple.md`): keys written by its bindings are
/// read here and the other way round, ``TupleElement/descending(_:)`` excepted. A tuple that begins with all elements
/// of another one has a key that begins with the other's key, and comes after it:
///
/// ```swift
/// let key = Tuple(["users", 42, "name"]).packed()
/// let fields = Tuple(["users", 42]).range  // contains the key above
/// ```
public struct Tuple: Sendable, Hashable {
    /// The elements, in order of significance.
    public var elements: [TupleElement]

    /// A tuple of the given elements.
    public init(_ elements: [TupleElement]) {
        self.elements = elements
    }

    /// How deep nested tuples and descending elements may contain one another: 64 levels.
    ///
    /// The depth of nesting is the depth of recursion, so a limit keeps a hostile key from exhausting the stack.
    public static let maximumDepth = 64
}

// MARK: - Packing

extension Tuple {
    /// The key of this tuple.
    ///
    /// - Precondition: Nothing lies deeper than ``maximumDepth``; such a key could not be read again.
    /// - Complexity: O(n) in the bytes of the key.
    public func packed() -> [UInt8] {
        var key: [UInt8] = []
        // Room for an integer or a short word each, so that most keys are allocated once.
        key.reserveCapacity(elements.count * 12)
        TupleEncoder.append(contentsOf: self, to: &key)
        return key
    }

    /// The tuple of a key.
    ///
    /// Packing the result gives `key` again, with the one exception that ``TupleDecoder`` names.
    ///
    /// - Throws: ``TupleError``, with the position of the first element that cannot be read.
    /// - Complexity: O(n) in the bytes of the key.
    public init(packed key: [UInt8]) throws(TupleError) {
        try self.init(packed: key.span)
    }

    /// The tuple of a key that is lent, such as a cursor's.
    ///
    /// - Throws: ``TupleError``, with the position of the first element that cannot be read.
    /// - Complexity: O(n) in the bytes of the key.
    public init(packed key: Span<UInt8>) throws(TupleError) {
        var decoder = TupleDecoder(key)
        self.init(try decoder.decodeRemainingElements())
    }

    /// The keys of all tuples that begin with these elements and have at least one more.
    ///
    /// The key of this tuple itself lies outside. This is not the range of all keys that begin with the packed bytes:
    /// the key of `("a")` is also how the key of `("a\0")` begins.
    public var range: KeyRange {
        let key = packed()
        // Every element begins with a byte from 00 to fe, since ff is no type code.
        return .from(key + [0x00], to: key + [0xff])
    }
}

// MARK: - Order

extension Tuple: Comparable {
    /// Whether `lhs` comes before `rhs`: the order of the packed keys, found without packing.
    ///
    /// - Complexity: O(n) in the bytes of the shorter tuple.
    public static func < (lhs: Tuple, rhs: Tuple) -> Bool { lhs.order(against: rhs) == .before }

    /// Where this tuple lies to `other`: decided by the first elements that differ; a prefix comes first.
    func order(against other: Tuple) -> TupleOrder {
        for (lhs, rhs) in zip(elements, other.elements) {
            let order = lhs.order(against: rhs)
            if order != .same { return order }
        }
        return TupleOrder(elements.count, other.elements.count)
    }
}

// MARK: - Collection

extension Tuple: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    /// Always zero.
    public var startIndex: Int { 0 }

    /// The number of elements.
    public var endIndex: Int { elements.count }

    /// The element at a position.
    public subscript(position: Int) -> TupleElement {
        get { elements[position] }
        set { elements[position] = newValue }
    }

    /// The empty tuple, whose key is empty.
    public init() { self.init([]) }

    /// Replaces the elements at `positions` by others.
    ///
    /// - Complexity: O(n) in the elements moved and put in.
    public mutating func replaceSubrange(_ positions: Range<Int>, with elements: some Collection<TupleElement>) {
        self.elements.replaceSubrange(positions, with: elements)
    }
}

extension Tuple: ExpressibleByArrayLiteral {
    /// A tuple of the listed elements.
    public init(arrayLiteral elements: TupleElement...) { self.init(elements) }
}
