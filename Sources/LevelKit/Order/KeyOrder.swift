/// The order of the keys of a database.
///
/// The name of the order is stored with the database; opening it with another is a `comparatorMismatch`. Prefer keys
/// whose bytes have the order you want (see ``Tuple``): a database in an order of your own can be opened by no other
/// program, ranges by prefix mean nothing in it, and every comparison costs a call.
public struct KeyOrder: Sendable {
    /// How an order compares.
    enum Kind: Sendable {
        case bytewise
        case custom(@Sendable (Span<UInt8>, Span<UInt8>) -> Int)
    }

    /// The name that is stored with the database.
    public let name: String
    let kind: Kind
    /// Whether keys that compare equal have the same bytes, which a Bloom filter needs.
    let distinguishesBytes: Bool

    /// The order of unsigned bytes, a prefix before what it begins: LevelDB's own.
    public static let bytewise = KeyOrder(
        name: "leveldb.BytewiseComparator", kind: .bytewise, distinguishesBytes: true)

    /// The order of unsigned bytes, backwards: the largest key comes first.
    public static let reverseBytewise = KeyOrder(
        name: "levelkit.ReverseBytewiseComparator", kind: .custom { compareBytes($1, $0) }, distinguishesBytes: true)

    /// An order of your own.
    ///
    /// - Parameters:
    ///   - name: stored with the database; change it whenever the order changes. Not one that begins with `leveldb.`.
    ///   - compare: negative, zero or positive. It must be a total order over all byte sequences, those included that
    ///     are no valid key of yours: LevelDB compares parts of keys too. It is called from LevelDB's threads, and must
    ///     not use the database. Keys that compare equal are one key.
    public static func custom(
        _ name: String, compare: @escaping @Sendable (Span<UInt8>, Span<UInt8>) -> Int
    ) -> KeyOrder {
        KeyOrder(name: name, kind: .custom(compare), distinguishesBytes: false)
    }

    private init(name: String, kind: Kind, distinguishesBytes: Bool) {
        self.name = name
        self.kind = kind
        self.distinguishesBytes = distinguishesBytes
    }

    /// Negative, zero or positive, as `a` comes before, with or behind `b`.
    @inline(__always)
    func compare(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
        switch kind {
        case .bytewise: compareBytes(a, b)
        case .custom(let compare): compare(a, b)
        }
    }
}

extension KeyOrder: Hashable {
    /// Orders are told apart by their names, as LevelDB does.
    public static func == (a: KeyOrder, b: KeyOrder) -> Bool { a.name.utf8.elementsEqual(b.name.utf8) }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The order of unsigned bytes (`util/comparator.cc`).
func compareBytes(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
    unsafe a.withUnsafeBufferPointer { a in
        unsafe b.withUnsafeBufferPointer { b in unsafe compareBytes(a, b) }
    }
}
