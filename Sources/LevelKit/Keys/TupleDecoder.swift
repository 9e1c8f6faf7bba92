/// Reads the elements of a tuple key one after the other, without copying the key.
///
/// ```swift
/// var decoder = TupleDecoder(cursor.key)
/// try decoder.skipElement()
/// let identifier = try decoder.decodeInt64()
/// ```
///
/// Any bytes may be read: what is no tuple throws a ``TupleError`` and nothing traps. A read that throws leaves the
/// decoder where it was, so another type can be tried. The decoder borrows the key and is a plain value: a copy reads
/// ahead without moving the original.
///
/// Each tuple is accepted in the one form that ``TupleEncoder`` writes, for a value with two keys would be found under
/// neither. So a string must be UTF-8, a terminator must be there, and an integer must be as short as it can be. One
/// deviation is accepted: `1d 08 ff…` and `0b f7 00…`, the forms of ±(2⁶⁴ − 1) that FoundationDB's Python binding writes
/// in place of `1c ff…` and `0c 00…` (apple/foundationdb#1296).
public struct TupleDecoder: ~Escapable {
    /// The whole key, what lies before the tuple included.
    let key: Span<UInt8>
    /// The position of the next element in the key, in bytes.
    public internal(set) var offset: Int
    /// What the next element is a part of.
    var scope = Scope.tuple
    /// Combined with each byte by exclusive or; `ff` inside a descending element.
    var mask: UInt8 = 0
    /// How many nested tuples and descending elements surround the next element.
    var depth = 0

    /// What surrounds an element; it decides how a null is written and where the elements end.
    enum Scope {
        /// The key; its elements end where the key does.
        case tuple
        /// A nested tuple; its elements end at a terminator, a null is escaped.
        case nested
        /// A descending element, whose content is yet to be read.
        case descending
        /// A descending element, whose content has been read.
        case descendingRead
    }

    /// A decoder of the tuple that begins at a position of a key and runs to its end.
    ///
    /// - Parameters:
    ///   - key: The key, lent for as long as the decoder lives.
    ///   - offset: The number of bytes before the tuple, such as a keyspace's prefix. A position beyond the end is taken
    ///     for the end.
    /// - Precondition: `offset` is not negative.
    @_lifetime(copy key)
    public init(_ key: Span<UInt8>, from offset: Int = 0) {
        precondition(offset >= 0, "A tuple cannot begin \(-offset) bytes before its key.")
        self.key = key
        self.offset = min(offset, key.count)
    }

    /// Whether all elements have been read: of the key, or inside ``decodeNested(_:)`` of the nested tuple.
    ///
    /// A key cut off inside a nested tuple is not at its end; reading on throws.
    public var isAtEnd: Bool {
        switch scope {
        case .tuple: offset == key.count
        case .nested: byte(at: offset) == TupleCode.terminator && byte(at: offset + 1) != TupleCode.escape
        case .descending: false
        case .descendingRead: true
        }
    }

    /// The type of the next element; `nil` at the end and where no element begins.
    public var nextKind: TupleElement.Kind? {
        isAtEnd ? nil : byte(at: offset).flatMap(TupleElement.Kind.init(code:))
    }

    /// Makes sure that all elements have been read.
    ///
    /// - Throws: ``TupleError/Code/trailingElements``.
    public func requireEnd() throws(TupleError) {
        guard isAtEnd else { throw .trailingElements(at: offset) }
    }

    /// Steps over the next element, of whatever type.
    ///
    /// Looks for nothing but the element's end: text that is no UTF-8 and integers in a longer form pass.
    ///
    /// - Throws: ``TupleError`` if the end cannot be found, or if no element is left.
    /// - Complexity: O(1) for elements of a given size, O(n) in the bytes of strings and nested tuples.
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
    /// The byte at a position, mask applied; `nil` beyond the key.
    func byte(at position: Int) -> UInt8? {
        position < key.count ? key[position] ^ mask : nil
    }

    /// The type code of the next element.
    func nextCode() throws(TupleError) -> UInt8 {
        if scope == .tuple {
            guard offset < key.count else { throw .endOfTuple(at: offset) }
        } else {
            guard !isAtEnd else { throw .endOfTuple(at: offset) }
            guard offset < key.count else { throw .unterminated(scope == .nested ? .tuple : .descending, at: offset) }
        }
        return key[offset] ^ mask
    }

    /// The error of finding an element of another type than `expected`.
    func mismatch(_ expected: TupleElement.Kind, _ code: UInt8) -> TupleError {
        guard let found = TupleElement.Kind(code: code) else { return .unknownCode(code, at: offset) }
        return .typeMismatch(expected: expected, found: found, at: offset)
    }

    /// Moves on to the end of an element.
    mutating func advance(to end: Int) {
        offset = end
        if scope == .descending { scope = .descendingRead }
    }

    /// The end of the null at `offset`, which is escaped in a nested tuple.
    var endOfNull: Int { offset + (scope == .nested ? 2 : 1) }

    /// The end of the element at `offset` if `byteCount` bytes follow its code.
    func end(after byteCount: Int, _ kind: TupleElement.Kind) throws(TupleError) -> Int {
        guard key.count - offset > byteCount else { throw .truncated(kind, at: offset) }
        return offset + 1 + byteCount
    }

    /// The number of up to eight bytes, most significant first.
    func word(_ positions: Range<Int>) -> UInt64 {
        let bytes = key.extracting(positions)
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index] ^ mask) }
        return word
    }

    /// How many bytes follow the code of an integer of at most eight bytes.
    static func byteCount(ofInteger code: UInt8) -> Int {
        code < TupleCode.zero ? Int(TupleCode.zero - code) : Int(code - TupleCode.zero)
    }

    /// Where the magnitude of the big integer at `offset` lies, after its length.
    func bigIntegerContent(_ code: UInt8) throws(TupleError) -> Range<Int> {
        guard let length = byte(at: offset + 1) else { throw .truncated(.integer, at: offset) }
        let byteCount = Int(code == TupleCode.negativeBigInteger ? ~length : length)
        let end = try end(after: byteCount + 1, .integer)
        return end - byteCount..<end
    }

    /// Finds the terminator of the byte string or string whose content begins at `start`.
    ///
    /// - Returns: Its position, and how many escaped zeros come before it.
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
