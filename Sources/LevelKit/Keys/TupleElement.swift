#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One component of a ``Tuple``.
///
/// Two elements are equal exactly when their encodings are the same bytes. Hence
/// - strings are equal byte by byte: `é` as one scalar and as `e` with a combining accent are different keys, although
///   Swift's `String` calls them equal;
/// - floating-point numbers are equal bit by bit: `-0.0` is not `0.0`, and a NaN is itself;
/// - `float(1)`, `double(1)` and `int(1)` are three different elements.
public enum TupleElement: Sendable {
    /// The absence of a value; comes before everything else.
    case null
    /// A byte string of any content.
    case bytes([UInt8])
    /// Text, kept in the very scalars it is given in: nothing normalises it.
    case string(String)
    /// A tuple in the place of one element.
    case tuple(Tuple)
    /// An integer in the range of `Int64`.
    case int(Int64)
    /// An integer outside the range of `Int64`.
    ///
    /// The decoder never makes one inside that range. One made by hand equals, orders and encodes as the ``int(_:)`` of
    /// its value; ``integer(_:)-(BigInteger)`` picks the right case.
    case bigInteger(BigInteger)
    /// A 32-bit float. All floats come before all doubles.
    case float(Float)
    /// A 64-bit float. Negative zero comes before zero, NaNs lie at both ends by their sign.
    case double(Double)
    /// A truth value, false first.
    case bool(Bool)
    /// A UUID, in the order of its 16 bytes.
    case uuid(UUID)
    /// A versionstamp of FoundationDB.
    case versionstamp(Versionstamp)
    /// An element in reversed order among the descending ones.
    ///
    /// An extension of LevelKit; other implementations of the encoding refuse its type code.
    indirect case descending(TupleElement)

    /// The element of an integer of any size.
    public static func integer(_ value: BigInteger) -> TupleElement {
        if let small = Int64(exactly: value) { .int(small) } else { .bigInteger(value) }
    }

    /// The element of an unsigned integer.
    public static func integer(_ value: UInt64) -> TupleElement {
        if let small = Int64(exactly: value) { .int(small) } else { .bigInteger(BigInteger(value)) }
    }
}

// MARK: - Kind

extension TupleElement {
    /// The type of an element, in the order of the encoding: elements of different kinds order as their kinds.
    public enum Kind: Sendable, Hashable, Comparable, CaseIterable {
        /// No value.
        case null
        /// Bytes.
        case bytes
        /// Text.
        case string
        /// A nested tuple.
        case tuple
        /// An integer of any size.
        case integer
        /// A 32-bit float.
        case float
        /// A 64-bit float.
        case double
        /// A truth value.
        case bool
        /// A UUID.
        case uuid
        /// A versionstamp.
        case versionstamp
        /// An element in reversed order.
        case descending
    }

    /// The type of this element.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bytes: .bytes
        case .string: .string
        case .tuple: .tuple
        case .int, .bigInteger: .integer
        case .float: .float
        case .double: .double
        case .bool: .bool
        case .uuid: .uuid
        case .versionstamp: .versionstamp
        case .descending: .descending
        }
    }
}

extension TupleElement.Kind {
    /// The kind that a type code announces; `nil` for a code that no element has.
    init?(code: UInt8) {
        switch code {
        case TupleCode.null: self = .null
        case TupleCode.bytes: self = .bytes
        case TupleCode.string: self = .string
        case TupleCode.nested: self = .tuple
        case TupleCode.integers, TupleCode.negativeBigInteger, TupleCode.positiveBigInteger: self = .integer
        case TupleCode.float: self = .float
        case TupleCode.double: self = .double
        case TupleCode.boolFalse, TupleCode.boolTrue: self = .bool
        case TupleCode.uuid: self = .uuid
        case TupleCode.versionstamp: self = .versionstamp
        case TupleCode.descending: self = .descending
        default: return nil
        }
    }
}

// MARK: - Literals

extension TupleElement: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension TupleElement: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension TupleElement: ExpressibleByFloatLiteral {
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension TupleElement: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension TupleElement: ExpressibleByNilLiteral {
    /// A null.
    public init(nilLiteral: ()) { self = .null }
}

extension TupleElement: ExpressibleByArrayLiteral {
    /// A nested tuple.
    public init(arrayLiteral elements: TupleElement...) { self = .tuple(Tuple(elements)) }
}
