/// Conditions on values encoded in a body.
extension ValueCondition: EncodedCondition {
    /// Returns whether the condition holds for the value at an offset; `nil` if the value must be decoded to decide.
    ///
    /// Strings are compared in place, and only the kind and the count of arrays and objects are read, because decoding
    /// them would take most of the time.
    ///
    /// - Throws: ``BodyError`` if a part of the value that is read is damaged.
    func holds(in bytes: Span<UInt8>, at offset: Int, before end: Int) throws(BodyError) -> Bool? {
        guard offset < end else { throw BodyError(.truncated, at: offset) }
        let tag = bytes[offset]
        switch self {
        case .any: return true
        case .hasKind(let kinds): return BodyFormat.kind(ofTag: tag).map(kinds.contains)
        case .hasCount(let count):
            guard tag == BodyFormat.Tag.array else { return BodyFormat.kind(ofTag: tag).map { _ in false } }
            var cursor = BodyCursor(bytes, offset: offset + 1)
            return try cursor.readContainer(before: end).count == count
        case .compare(let comparison, .string(let constant)):
            guard let text = try Self.text(in: bytes, at: offset, before: end) else { return Self.isNoText(tag) }
            return comparison.holds(
                ValueOrder.compare(bytes.extracting(text), constant.utf8Span.span))
        case .compare(_, let constant):
            // Equality with an array or object can only be decided by decoding.
            if constant.arrayValue != nil || constant.objectValue != nil { return nil }
            return BodyFormat.isContainer(tag) || BodyFormat.isText(tag) ? false : nil
        // Only strings are decoded.
        case .folded: return BodyFormat.isText(tag) ? nil : Self.isNoText(tag)
        case .hasPrefix(let prefix):
            guard let text = try Self.text(in: bytes, at: offset, before: end) else { return Self.isNoText(tag) }
            return bytes.extracting(text).begins(with: prefix.utf8Span.span)
        case .contains(let part):
            guard let text = try Self.text(in: bytes, at: offset, before: end) else { return Self.isNoText(tag) }
            return bytes.extracting(text).contains(part.utf8Span.span)
        case .isBelow(let keyword, let beginning):
            guard let text = try Self.text(in: bytes, at: offset, before: end) else { return Self.isNoText(tag) }
            let span = bytes.extracting(text)
            return span.hasSameBytes(as: keyword.utf8Span.span) || span.begins(with: beginning.utf8Span.span)
        case .collates, .isIn, .hasMatch, .isCongruent, .isDated, .hasDatePart, .satisfies, .hasKey: return nil
        }
    }

    /// Returns the range of a string's UTF-8 bytes; `nil` if the value is not a string.
    private static func text(
        in bytes: Span<UInt8>, at offset: Int, before end: Int
    ) throws(BodyError) -> Range<Int>? {
        guard BodyFormat.isText(bytes[offset]) else { return nil }
        var cursor = BodyCursor(bytes, offset: offset)
        return try cursor.readTextRange(before: end)
    }

    /// Returns `false` for the tag of a value that is not a string, and `nil` for an invalid tag, which decoding will
    /// report.
    private static func isNoText(_ tag: UInt8) -> Bool? { BodyFormat.kind(ofTag: tag).map { _ in false } }
}

extension Span<UInt8> {
    /// Returns whether the span begins with these bytes.
    func begins(with prefix: Span<UInt8>) -> Bool {
        prefix.count <= count && extracting(0..<prefix.count).hasSameBytes(as: prefix)
    }

    /// Returns whether the span contains these bytes.
    func contains(_ part: Span<UInt8>) -> Bool {
        guard part.count <= count else { return false }
        if part.isEmpty { return true }
        for start in 0...(count - part.count) where self[start] == part[0] {
            var length = 1
            while length < part.count, self[start + length] == part[length] { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
