#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Tuple {
    /// An element of a ``Tuple``.
    ///
    /// Two elements are equal if and only if their encodings are the same bytes. Therefore
    /// - strings are compared byte by byte: `é` as one scalar and as `e` with a combining accent are different keys,
    ///   although they are equal as Swift strings;
    /// - floating-point numbers are compared bit by bit: `-0.0` is not `0.0`, and a NaN equals itself;
    /// - `float(1)`, `double(1)` and `int(1)` are three different elements.
    public enum Element: Sendable {
        /// A missing value. Sorts before everything else.
        case null
        /// A byte string.
        case bytes([UInt8])
        /// A string. It is not normalized.
        case string(String)
        /// A nested tuple.
        case tuple(Tuple)
        /// An integer in the range of `Int64`.
        case int(Int64)
        /// An integer outside the range of `Int64`.
        ///
        /// The decoder never returns a value inside that range in this case. If constructed manually, it equals, sorts
        /// and encodes like the ``int(_:)`` of its value. `integer(_:)` with a `BigInteger` selects the right case.
        case bigInteger(Tuple.BigInteger)
        /// A 32-bit float. All floats sort before all doubles.
        case float(Float)
        /// A 64-bit float. Negative zero sorts before zero, and NaNs sort at both ends by sign.
        case double(Double)
        /// A Boolean; false sorts first.
        case bool(Bool)
        /// A UUID, ordered by its 16 bytes.
        case uuid(UUID)
        /// A versionstamp of FoundationDB.
        case versionstamp(Tuple.Versionstamp)
        /// An element that sorts in reverse among descending elements.
        ///
        /// An extension of LevelKit. Other implementations of the encoding reject its type code.
        indirect case descending(Tuple.Element)

        /// Returns the element for an integer of any size.
        public static func integer(_ value: Tuple.BigInteger) -> Tuple.Element {
            if let small = Int64(exactly: value) { .int(small) } else { .bigInteger(value) }
        }

        /// Returns the element for an unsigned integer.
        public static func integer(_ value: UInt64) -> Tuple.Element {
            if let small = Int64(exactly: value) { .int(small) } else { .bigInteger(Tuple.BigInteger(value)) }
        }
    }
}

// MARK: - Kind

extension Tuple.Element {
    /// The type of an element, in the order of the encoding. Elements of different kinds sort by kind.
    public enum Kind: Sendable, Hashable, Comparable, CaseIterable {
        /// A null.
        case null
        /// A byte string.
        case bytes
        /// A string.
        case string
        /// A nested tuple.
        case tuple
        /// An integer of any size.
        case integer
        /// A 32-bit float.
        case float
        /// A 64-bit float.
        case double
        /// A Boolean.
        case bool
        /// A UUID.
        case uuid
        /// A versionstamp.
        case versionstamp
        /// A descending element.
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

extension Tuple.Element.Kind {
    /// Creates the kind for a type code, or `nil` if the code is unknown.
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

extension Tuple.Element: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Tuple.Element: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Tuple.Element: ExpressibleByFloatLiteral {
    /// Creates a double.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Tuple.Element: ExpressibleByBooleanLiteral {
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Tuple.Element: ExpressibleByNilLiteral {
    /// Creates a null.
    public init(nilLiteral: ()) { self = .null }
}

extension Tuple.Element: ExpressibleByArrayLiteral {
    /// Creates a nested tuple.
    public init(arrayLiteral elements: Tuple.Element...) { self = .tuple(Tuple(elements)) }
}
