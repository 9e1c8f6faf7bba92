extension TupleDecoder {
    /// Reads the next element, of any type.
    ///
    /// - Throws: ``TupleError`` if the element is unreadable or missing.
    /// - Complexity: O(n) in its bytes.
    public mutating func decodeElement() throws(TupleError) -> Tuple.Element {
        let code = try nextCode()
        switch code {
        case TupleCode.null:
            try decodeNull()
            return .null
        case TupleCode.bytes: return .bytes(try decodeBytes())
        case TupleCode.string: return .string(try decodeString())
        case TupleCode.nested: return .tuple(try decodeTuple())
        case TupleCode.integers: return try decodeInteger(code)
        case TupleCode.positiveBigInteger, TupleCode.negativeBigInteger: return .bigInteger(try decodeBigInteger())
        case TupleCode.float: return .float(try decodeFloat())
        case TupleCode.double: return .double(try decodeDouble())
        case TupleCode.boolFalse, TupleCode.boolTrue: return .bool(try decodeBool())
        case TupleCode.uuid: return .uuid(try decodeUUID())
        case TupleCode.versionstamp: return .versionstamp(try decodeVersionstamp())
        case TupleCode.descending:
            return .descending(
                try decodeDescending { (decoder: inout TupleDecoder) throws(TupleError) in
                    try decoder.decodeElement()
                }
            )
        default: throw .unknownCode(code, at: offset)
        }
    }

    /// Reads all remaining elements. Returns an empty array at the end.
    ///
    /// - Throws: ``TupleError``, with the position of the first unreadable element.
    /// - Complexity: O(n) in the remaining bytes.
    public mutating func decodeRemainingElements() throws(TupleError) -> [Tuple.Element] {
        let start = self
        var elements: [Tuple.Element] = []
        do throws(TupleError) {
            while !isAtEnd { elements.append(try decodeElement()) }
        } catch {
            self = start
            throw error
        }
        return elements
    }

    /// Reads a nested tuple.
    ///
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type.
    /// - Complexity: O(n) in its bytes.
    public mutating func decodeTuple() throws(TupleError) -> Tuple {
        try decodeNested { (decoder: inout TupleDecoder) throws(TupleError) in
            Tuple(try decoder.decodeRemainingElements())
        }
    }

    /// Reads a nested tuple element by element.
    ///
    /// - Parameter read: reads the elements, up to ``isAtEnd`` or fewer. The rest is skipped.
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type,
    ///   ``TupleError/Code/tooDeep`` beyond ``Tuple/maximumDepth``.
    public mutating func decodeNested<Value>(
        _ read: (inout TupleDecoder) throws(TupleError) -> Value
    ) throws(TupleError) -> Value {
        let code = try nextCode()
        guard code == TupleCode.nested else { throw mismatch(.tuple, code) }
        let start = self
        do throws(TupleError) {
            try enter(.nested)
            let value = try read(&self)
            while !isAtEnd { try skipElement() }
            leave(to: start.scope, depth: start.depth, end: offset + 1)
            return value
        } catch {
            self = start
            throw error
        }
    }

    /// Reads the element inside a descending element. For the encoding see ``TupleEncoder/appendDescending(to:_:)``.
    ///
    /// - Parameter read: reads the element. If it reads nothing, the element is skipped.
    /// - Throws: ``TupleError``; ``TupleError/Code/typeMismatch`` if the next element has a different type,
    ///   ``TupleError/Code/tooDeep`` beyond ``Tuple/maximumDepth``.
    public mutating func decodeDescending<Value>(
        _ read: (inout TupleDecoder) throws(TupleError) -> Value
    ) throws(TupleError) -> Value {
        let code = try nextCode()
        guard code == TupleCode.descending else { throw mismatch(.descending, code) }
        let start = self
        do throws(TupleError) {
            try enter(.descending)
            mask = ~mask
            let contentCode = try nextCode()
            let value = try read(&self)
            if !isAtEnd { try skipElement() }
            var end = offset
            if TupleCode.endsAtTerminator(contentCode) {
                // The terminator of the content is a `00` not followed by `ff`. Only a second `00` may follow it.
                guard byte(at: end) == TupleCode.terminator else { throw .unterminated(.descending, at: start.offset) }
                end += 1
            }
            mask = ~mask
            leave(to: start.scope, depth: start.depth, end: end)
            return value
        } catch {
            self = start
            throw error
        }
    }

    /// Enters an element that contains others, after its type code.
    private mutating func enter(_ inner: Scope) throws(TupleError) {
        guard depth < Tuple.maximumDepth else { throw .tooDeep(at: offset) }
        depth += 1
        offset += 1
        scope = inner
    }

    /// Leaves an element that contains others.
    private mutating func leave(to outer: Scope, depth: Int, end: Int) {
        scope = outer
        self.depth = depth
        advance(to: end)
    }

    /// Reads an integer of at most eight bytes, which may be outside the range of Int64.
    private mutating func decodeInteger(_ code: UInt8) throws(TupleError) -> Tuple.Element {
        let isNegative = code < TupleCode.zero
        let integer = try readInteger(code)
        advance(to: integer.end)
        guard let value = Int64(magnitude: integer.magnitude, isNegative: isNegative) else {
            return .bigInteger(Tuple.BigInteger(integer.magnitude, isNegative: isNegative))
        }
        return .int(value)
    }
}
