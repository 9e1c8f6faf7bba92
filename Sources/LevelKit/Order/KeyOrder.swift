#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The order of the keys of a database.
///
/// The name of the order is stored with the database. Opening the database with a different order throws
/// `comparatorMismatch`. Prefer keys whose bytes have the desired order (see ``Tuple``): no other program can open a
/// database with a custom order, prefix ranges are meaningless in it, and every comparison costs a call.
public struct KeyOrder: Sendable {
    /// The kind of comparison.
    enum Kind: Sendable {
        case bytewise
        case custom(@Sendable (Span<UInt8>, Span<UInt8>) -> Int)
    }

    /// The name that is stored with the database.
    public let name: String
    let kind: Kind
    /// Whether keys that compare equal have the same bytes, which a Bloom filter requires.
    let distinguishesBytes: Bool

    /// The order of unsigned bytes, in which a prefix sorts before longer keys. This is LevelDB's default.
    public static let bytewise = KeyOrder(
        name: "leveldb.BytewiseComparator", kind: .bytewise, distinguishesBytes: true)

    /// The reverse order of unsigned bytes: the largest key comes first.
    public static let reverseBytewise = KeyOrder(
        name: "levelkit.ReverseBytewiseComparator", kind: .custom { compareBytes($1, $0) }, distinguishesBytes: true)

    /// Creates a custom order.
    ///
    /// - Parameters:
    ///   - name: the name to store with the database. Change it whenever the order changes. It must not start with
    ///     `leveldb.`.
    ///   - compare: returns a negative number, zero or a positive number. It must be a total order over all byte
    ///     sequences, including invalid keys, because LevelDB also compares parts of keys. It is called on LevelDB's
    ///     threads and must not use the database. Keys that compare equal are the same key.
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

    /// Returns a negative number, zero or a positive number if `a` sorts before, equal to or after `b`.
    @inline(__always)
    func compare(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
        switch kind {
        case .bytewise: compareBytes(a, b)
        case .custom(let compare): compare(a, b)
        }
    }
}

extension KeyOrder: Hashable {
    /// Orders are identified by their names, as in LevelDB.
    public static func == (a: KeyOrder, b: KeyOrder) -> Bool { a.name.utf8.elementsEqual(b.name.utf8) }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Compares unsigned bytes (`util/comparator.cc`).
func compareBytes(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
    unsafe a.withUnsafeBufferPointer { a in
        unsafe b.withUnsafeBufferPointer { b in unsafe compareBytes(a, b) }
    }
}

/// Compares bytes like LevelDB's default comparator (`util/comparator.cc`): negative, zero or positive.
@inline(__always)
func compareBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(a.count, b.count)
    if common > 0 {
        let order = unsafe memcmp(a.baseAddress!, b.baseAddress!, common)
        if order != 0 { return Int(order) }
    }
    return a.count - b.count
}
