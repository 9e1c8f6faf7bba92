#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TupleDecoder {
    /// Reads a null.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type.
    public mutating func decodeNull() throws(TupleError) {
        let code = try nextCode()
        guard code == TupleCode.null else { throw mismatch(.null, code) }
        advance(to: endOfNull)
    }

    /// Reads a Boolean.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type.
    public mutating func decodeBool() throws(TupleError) -> Bool {
        let code = try nextCode()
        guard code == TupleCode.boolTrue || code == TupleCode.boolFalse else { throw mismatch(.bool, code) }
        advance(to: offset + 1)
        return code == TupleCode.boolTrue
    }

    /// Reads a 32-bit float.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type, including a
    ///   64-bit float.
    public mutating func decodeFloat() throws(TupleError) -> Float {
        let bits = try decodeWord(TupleCode.float, byteCount: 4, .float)
        return Float(orderedBits: UInt32(truncatingIfNeeded: bits))
    }

    /// Reads a 64-bit float.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type, including a
    ///   32-bit float and an integer.
    public mutating func decodeDouble() throws(TupleError) -> Double {
        Double(orderedBits: try decodeWord(TupleCode.double, byteCount: 8, .double))
    }

    /// Reads a UUID.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type.
    public mutating func decodeUUID() throws(TupleError) -> UUID {
        let code = try nextCode()
        guard code == TupleCode.uuid else { throw mismatch(.uuid, code) }
        let end = try end(after: 16, .uuid)
        var bytes = InlineArray<16, UInt8>(repeating: 0)
        for index in bytes.indices { bytes[index] = key[end - 16 + index] ^ mask }
        advance(to: end)
        return UUID(networkBytes: bytes)
    }

    /// Reads a versionstamp, complete or incomplete.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type.
    public mutating func decodeVersionstamp() throws(TupleError) -> Tuple.Versionstamp {
        let code = try nextCode()
        guard code == TupleCode.versionstamp else { throw mismatch(.versionstamp, code) }
        let end = try end(after: 12, .versionstamp)
        let stamp = Tuple.Versionstamp(
            commitVersion: word(end - 12..<end - 4),
            batchNumber: UInt16(truncatingIfNeeded: word(end - 4..<end - 2)),
            userVersion: UInt16(truncatingIfNeeded: word(end - 2..<end))
        )
        advance(to: end)
        return stamp
    }

    /// Reads an element with a given code and size.
    private mutating func decodeWord(
        _ expected: UInt8, byteCount: Int, _ kind: Tuple.Element.Kind
    ) throws(TupleError) -> UInt64 {
        let code = try nextCode()
        guard code == expected else { throw mismatch(kind, code) }
        let end = try end(after: byteCount, kind)
        let bits = word(end - byteCount..<end)
        advance(to: end)
        return bits
    }
}

// MARK: - Integers

extension TupleDecoder {
    /// Reads an integer.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type,
    ///   ``TupleError/Code/outOfRange`` if `Int64` cannot represent the value.
    public mutating func decodeInt64() throws(TupleError) -> Int64 {
        let code = try nextCode()
        let value: Int64?
        let end: Int
        if TupleCode.integers.contains(code) {
            let integer = try readInteger(code)
            value = Int64(magnitude: integer.magnitude, isNegative: code < TupleCode.zero)
            end = integer.end
        } else {
            let integer = try readBigInteger(code)
            value = Int64(exactly: integer.value)
            end = integer.end
        }
        guard let value else { throw .outOfRange("Int64", at: offset) }
        advance(to: end)
        return value
    }

    /// Reads a nonnegative integer.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type,
    ///   ``TupleError/Code/outOfRange`` if `UInt64` cannot represent the value.
    public mutating func decodeUInt64() throws(TupleError) -> UInt64 {
        let code = try nextCode()
        let value: UInt64?
        let end: Int
        if TupleCode.integers.contains(code) {
            let integer = try readInteger(code)
            value = code < TupleCode.zero ? nil : integer.magnitude
            end = integer.end
        } else {
            let integer = try readBigInteger(code)
            value = UInt64(exactly: integer.value)
            end = integer.end
        }
        guard let value else { throw .outOfRange("UInt64", at: offset) }
        advance(to: end)
        return value
    }

    /// Reads an integer of any size.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type.
    public mutating func decodeBigInteger() throws(TupleError) -> Tuple.BigInteger {
        let code = try nextCode()
        if TupleCode.integers.contains(code) {
            let integer = try readInteger(code)
            advance(to: integer.end)
            return Tuple.BigInteger(integer.magnitude, isNegative: code < TupleCode.zero)
        }
        let integer = try readBigInteger(code)
        advance(to: integer.end)
        return integer.value
    }

    /// Returns the absolute value of the integer of at most eight bytes at `offset`, and its end.
    func readInteger(_ code: UInt8) throws(TupleError) -> (magnitude: UInt64, end: Int) {
        let byteCount = TupleDecoder.byteCount(ofInteger: code)
        let end = try end(after: byteCount, .integer)
        let bits = word(end - byteCount..<end)
        // A negative integer is stored as the complement of its magnitude, in these bytes only.
        let magnitude = code < TupleCode.zero ? ~bits & (.max >> UInt64(64 - 8 * byteCount)) : bits
        guard magnitude.minimalByteCount == byteCount else { throw .nonCanonical(at: offset) }
        return (magnitude, end)
    }

    /// Returns the integer with a length byte at `offset`, and its end.
    func readBigInteger(_ code: UInt8) throws(TupleError) -> (value: Tuple.BigInteger, end: Int) {
        guard code == TupleCode.positiveBigInteger || code == TupleCode.negativeBigInteger else {
            throw mismatch(.integer, code)
        }
        let isNegative = code == TupleCode.negativeBigInteger
        let content = try bigIntegerContent(code)
        let complement = isNegative ? ~mask : mask
        let magnitude = content.map { key[$0] ^ complement }
        let isMinimal = magnitude.count > 8 && magnitude.first != 0
        // The form of ±(2^64 - 1) that the Python binding of FoundationDB writes.
        let isPython = magnitude.count == 8 && magnitude.allSatisfy { $0 == 0xff }
        guard isMinimal || isPython, let value = Tuple.BigInteger(magnitude: magnitude, isNegative: isNegative) else {
            throw .nonCanonical(at: offset)
        }
        return (value, content.upperBound)
    }
}

// MARK: - Text and bytes

extension TupleDecoder {
    /// Reads a string, without Unicode normalization.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type,
    ///   ``TupleError/Code/invalidUTF8`` if its bytes are not UTF-8.
    /// - Complexity: O(n) in its bytes.
    public mutating func decodeString() throws(TupleError) -> String {
        let code = try nextCode()
        guard code == TupleCode.string else { throw mismatch(.string, code) }
        let content = offset + 1
        let terminator = try terminator(from: content, of: code)
        let string: String
        do throws(UTF8.ValidationError) {
            if terminator.zeroCount == 0, mask == 0 {
                string = String(copying: try UTF8Span(validating: key.extracting(content..<terminator.offset)))
            } else {
                let bytes = unescaped(content..<terminator.offset, zeroCount: terminator.zeroCount)
                string = String(copying: try UTF8Span(validating: bytes.span))
            }
        } catch {
            throw .invalidUTF8(at: offset)
        }
        advance(to: terminator.offset + 1)
        return string
    }

    /// Reads a byte string.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type, including a
    ///   string.
    /// - Complexity: O(n) in its bytes.
    public mutating func decodeBytes() throws(TupleError) -> [UInt8] {
        let code = try nextCode()
        guard code == TupleCode.bytes else { throw mismatch(.bytes, code) }
        let content = offset + 1
        let terminator = try terminator(from: content, of: code)
        let bytes = unescaped(content..<terminator.offset, zeroCount: terminator.zeroCount)
        advance(to: terminator.offset + 1)
        return bytes
    }

    /// Returns the bytes at `positions`, without the escape that follows each of the `zeroCount` zeros.
    private func unescaped(_ positions: Range<Int>, zeroCount: Int) -> [UInt8] {
        // Appending nothing would write to the storage that all empty arrays share.
        if positions.isEmpty { return [] }
        let content = key.extracting(positions)
        let mask = mask
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: content.count - zeroCount) { output in
            var index = 0
            while index < content.count {
                let byte = content[index] ^ mask
                output.append(byte)
                index += byte == TupleCode.terminator ? 2 : 1
            }
        }
        return bytes
    }
}
