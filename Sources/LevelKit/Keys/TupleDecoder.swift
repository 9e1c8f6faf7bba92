/// Reads the elements of a tuple key in order, without copying the key.
///
/// ```swift
/// var decoder = TupleDecoder(cursor.key)
/// try decoder.skipElement()
/// let identifier = try decoder.decodeInt64()
/// ```
///
/// Any bytes may be read: invalid input throws a ``TupleError`` and never traps. A read that throws leaves the position
/// unchanged, so another type can be tried. The decoder borrows the key and is a plain value, so a copy can read ahead
/// without moving the original.
///
/// Only the form that ``TupleEncoder`` writes is accepted, because a value with two possible keys could not be looked
/// up reliably. Strings must be UTF-8, terminators must be present, and integers must be as short as possible. One
/// exception is accepted: `1d 08 ff…` and `0b f7 00…`, the forms of ±(2⁶⁴ − 1) that FoundationDB's Python binding
/// writes instead of `1c ff…` and `0c 00…` (apple/foundationdb#1296).
public struct TupleDecoder: ~Escapable {
    /// The whole key, including the bytes before the tuple.
    let key: Span<UInt8>
    /// The byte offset of the next element in the key.
    public internal(set) var offset: Int
    /// The element that contains the next element.
    var scope = Scope.tuple
    /// Combined with each byte by exclusive or. `ff` inside a descending element.
    var mask: UInt8 = 0
    /// The number of nested tuples and descending elements around the next element.
    var depth = 0

    /// The context of an element. It determines how a null is encoded and where the elements end.
    enum Scope {
        /// The key. Its elements end with the key.
        case tuple
        /// A nested tuple. Its elements end at a terminator, and nulls are escaped.
        case nested
        /// A descending element whose content has not been read.
        case descending
        /// A descending element whose content has been read.
        case descendingRead
    }

    /// Creates a decoder for the tuple from a position of a key to its end.
    ///
    /// - Parameters:
    ///   - key: the key, borrowed for the lifetime of the decoder.
    ///   - offset: the number of bytes before the tuple, such as the length of a keyspace's prefix. A position beyond
    ///     the end counts as the end.
    /// - Precondition: `offset` is not negative.
    @_lifetime(copy key)
    public init(_ key: Span<UInt8>, from offset: Int = 0) {
        precondition(offset >= 0, "A tuple cannot begin \(-offset) bytes before its key.")
        self.key = key
        self.offset = min(offset, key.count)
    }

    /// Whether all elements have been read: of the key, or inside ``decodeNested(_:)`` of the nested tuple.
    ///
    /// Within a nested tuple, the end of a truncated key is not the end, and reading further throws.
    public var isAtEnd: Bool {
        switch scope {
        case .tuple: offset == key.count
        case .nested: byte(at: offset) == TupleCode.terminator && byte(at: offset + 1) != TupleCode.escape
        case .descending: false
        case .descendingRead: true
        }
    }

    /// The type of the next element, or `nil` at the end or if the byte is not a type code.
    public var nextKind: Tuple.Element.Kind? {
        isAtEnd ? nil : byte(at: offset).flatMap(Tuple.Element.Kind.init(code:))
    }

    /// Throws if elements remain.
    ///
    /// - Throws: ``TupleError/Code/trailingElements``.
    public func requireEnd() throws(TupleError) {
        guard isAtEnd else { throw .trailingElements(at: offset) }
    }

    /// Skips the next element, of any type.
    ///
    /// Only searches for the end of the element, so invalid UTF-8 and integers in a longer form are accepted.
    ///
    /// - Throws: ``TupleError`` if the end cannot be found, or if no element is left.
    /// - Complexity: O(1) for elements of fixed size, O(n) in the bytes of strings and nested tuples.
    public mutating func skipElement() throws(TupleError) {
        let code = try nextCode()
        let content = offset + 1
        switch code {
        case TupleCode.null: advance(to: endOfNull)
        case TupleCode.bytes, TupleCode.string: advance(to: try terminator(from: content, of: code).offset + 1)
        case TupleCode.nested: try decodeNested { (_: inout TupleDecoder) throws(TupleError) in }
        case TupleCode.descending: try decodeDescending { (_: inout TupleDecoder) throws(TupleError) in }
        case TupleCode.integers: advance(to: try end(after: TupleDecoder.byteCount(ofInteger: code), .integer))
        case TupleCode.positiveBigInteger, TupleCode.negativeBigInteger:
            advance(to: try bigIntegerContent(code).upperBound)
        case TupleCode.float: advance(to: try end(after: 4, .float))
        case TupleCode.double: advance(to: try end(after: 8, .double))
        case TupleCode.boolFalse, TupleCode.boolTrue: advance(to: content)
        case TupleCode.uuid: advance(to: try end(after: 16, .uuid))
        case TupleCode.versionstamp: advance(to: try end(after: 12, .versionstamp))
        default: throw .unknownCode(code, at: offset)
        }
    }
}

// MARK: - Reading bytes

extension TupleDecoder {
    /// Returns the byte at a position with the mask applied, or `nil` beyond the key.
    func byte(at position: Int) -> UInt8? {
        position < key.count ? key[position] ^ mask : nil
    }

    /// Returns the type code of the next element.
    func nextCode() throws(TupleError) -> UInt8 {
        if scope == .tuple {
            guard offset < key.count else { throw .endOfTuple(at: offset) }
        } else {
            guard !isAtEnd else { throw .endOfTuple(at: offset) }
            guard offset < key.count else { throw .unterminated(scope == .nested ? .tuple : .descending, at: offset) }
        }
        return key[offset] ^ mask
    }

    /// Returns the error for an element of a different type than `expected`.
    func mismatch(_ expected: Tuple.Element.Kind, _ code: UInt8) -> TupleError {
        guard let found = Tuple.Element.Kind(code: code) else { return .unknownCode(code, at: offset) }
        return .typeMismatch(expected: expected, found: found, at: offset)
    }

    /// Moves to the end of an element.
    mutating func advance(to end: Int) {
        offset = end
        if scope == .descending { scope = .descendingRead }
    }

    /// The end of the null at `offset`, which is escaped in a nested tuple.
    var endOfNull: Int { offset + (scope == .nested ? 2 : 1) }

    /// Returns the end of the element at `offset` if `byteCount` bytes follow its code.
    func end(after byteCount: Int, _ kind: Tuple.Element.Kind) throws(TupleError) -> Int {
        guard key.count - offset > byteCount else { throw .truncated(kind, at: offset) }
        return offset + 1 + byteCount
    }

    /// Returns the number in up to eight big-endian bytes.
    func word(_ positions: Range<Int>) -> UInt64 {
        let bytes = key.extracting(positions)
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index] ^ mask) }
        return word
    }

    /// Returns the number of bytes after the code of an integer of at most eight bytes.
    static func byteCount(ofInteger code: UInt8) -> Int {
        code < TupleCode.zero ? Int(TupleCode.zero - code) : Int(code - TupleCode.zero)
    }

    /// Returns the position of the magnitude of the big integer at `offset`, after its length.
    func bigIntegerContent(_ code: UInt8) throws(TupleError) -> Range<Int> {
        guard let length = byte(at: offset + 1) else { throw .truncated(.integer, at: offset) }
        let byteCount = Int(code == TupleCode.negativeBigInteger ? ~length : length)
        let end = try end(after: byteCount + 1, .integer)
        return end - byteCount..<end
    }

    /// Finds the terminator of the byte string or string whose content starts at `start`.
    ///
    /// - Returns: its position, and the number of escaped zeros before it.
    func terminator(from start: Int, of code: UInt8) throws(TupleError) -> (offset: Int, zeroCount: Int) {
        let terminator = TupleCode.terminator ^ mask
        let escape = TupleCode.escape ^ mask
        var position = start
        var zeroCount = 0
        while position < key.count {
            if key[position] == terminator {
                guard position + 1 < key.count, key[position + 1] == escape else { return (position, zeroCount) }
                zeroCount += 1
                position += 1
            }
            position += 1
        }
        throw .unterminated(code == TupleCode.string ? .string : .bytes, at: offset)
    }
}
