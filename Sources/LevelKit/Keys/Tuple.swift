/// A sequence of typed elements that encodes to a key. Keys sort bytewise in the order of their values.
///
/// The encoding is FoundationDB's tuple layer (apple/foundationdb, `design/tuple.md`). It is compatible in both
/// directions, except for ``Tuple/Element/descending(_:)``. If a tuple starts with all elements of another one, its key
/// starts with the other's key and sorts after it:
///
/// ```swift
/// let key = Tuple(["users", 42, "name"]).packed()
/// let fields = Tuple(["users", 42]).range  // contains the key above
/// ```
public struct Tuple: Sendable, Hashable {
    /// The elements, most significant first.
    public var elements: [Tuple.Element]

    /// Creates a tuple.
    public init(_ elements: [Tuple.Element]) {
        self.elements = elements
    }

    /// The maximum nesting depth of tuples and descending elements: 64 levels.
    ///
    /// Decoding recurses at each level, so the limit keeps a malicious key from exhausting the stack.
    public static let maximumDepth = 64
}

// MARK: - Packing

extension Tuple {
    /// Returns the key of this tuple.
    ///
    /// - Precondition: the nesting does not exceed ``maximumDepth``. A deeper key could not be decoded.
    /// - Complexity: O(n) in the bytes of the key.
    public func packed() -> [UInt8] {
        var key: [UInt8] = []
        // Space for an integer or a short word each, so that most keys need a single allocation.
        key.reserveCapacity(elements.count * 12)
        TupleEncoder.append(contentsOf: self, to: &key)
        return key
    }

    /// Decodes the tuple of a key.
    ///
    /// Packing the result returns `key` again, with the exception described at ``TupleDecoder``.
    ///
    /// - Throws: ``TupleError``, with the position of the first unreadable element.
    /// - Complexity: O(n) in the bytes of the key.
    public init(packed key: [UInt8]) throws(TupleError) {
        try self.init(packed: key.span)
    }

    /// Decodes the tuple of a borrowed key, such as a cursor's.
    ///
    /// - Throws: ``TupleError``, with the position of the first unreadable element.
    /// - Complexity: O(n) in the bytes of the key.
    public init(packed key: Span<UInt8>) throws(TupleError) {
        var decoder = TupleDecoder(key)
        self.init(try decoder.decodeRemainingElements())
    }

    /// The range of all tuples that start with these elements and have at least one more.
    ///
    /// It does not contain the key of this tuple itself. It differs from the range of all keys that start with the
    /// packed bytes, because the key of `("a")` is also a prefix of the key of `("a\0")`.
    public var range: KeyRange {
        let key = packed()
        // Every element starts with a byte from 00 to fe, because ff is not a type code.
        return .range(from: key + [0x00], to: key + [0xff])
    }
}

// MARK: - Order

extension Tuple: Comparable {
    /// Returns whether `lhs` sorts before `rhs`, in the order of the packed keys. Compares without packing.
    ///
    /// - Complexity: O(n) in the bytes of the shorter tuple.
    public static func < (lhs: Tuple, rhs: Tuple) -> Bool { lhs.order(against: rhs) == .before }

    /// Returns the order relative to `other`, determined by the first elements that differ. A prefix sorts first.
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

    /// Accesses the element at a position.
    public subscript(position: Int) -> Tuple.Element {
        get { elements[position] }
        set { elements[position] = newValue }
    }

    /// Creates the empty tuple, whose key is empty.
    public init() { self.init([]) }

    /// Replaces the elements at `positions`.
    ///
    /// - Complexity: O(n) in the elements moved and inserted.
    public mutating func replaceSubrange(_ positions: Range<Int>, with elements: some Collection<Tuple.Element>) {
        self.elements.replaceSubrange(positions, with: elements)
    }
}

extension Tuple: ExpressibleByArrayLiteral {
    /// Creates a tuple from an array literal.
    public init(arrayLiteral elements: Tuple.Element...) { self.init(elements) }
}
