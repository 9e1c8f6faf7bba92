/// Decoding of values from keys.
extension OrderedValue {
    /// A value decoded from a key.
    package enum Decoded {
        /// A missing member.
        case missing
        /// A value in its canonical form; see ``OrderedValue/canonical(_:)``.
        case value(DocumentValue)
    }

    /// Returns the canonical value among all values with the same encoding: whole numbers are integers, including those
    /// within arrays and objects, and the members of objects are sorted by name.
    package static func canonical(_ value: DocumentValue) -> DocumentValue {
        switch value {
        case .double(let number): return Int64(exactly: number).map { .int($0) } ?? value
        case .array, .object:
            if case .value(let canonical)? = decoded(encoded(value).span) { return canonical }
            return value
        default: return value
        }
    }

    /// Decodes a value that fills these bytes, from a component without collation, dates and levels.
    ///
    /// - Parameter isDescending: Whether the bytes are complemented.
    /// - Returns: `nil` if the bytes are not such a value, or it is nested too deeply for a document.
    package static func decoded(_ bytes: Span<UInt8>, isDescending: Bool = false) -> Decoded? {
        guard bytes.count > 0 else { return nil }
        let mask: UInt8 = isDescending ? 0xff : 0
        guard let kind = Kind(rawValue: bytes[0] ^ mask) else { return nil }
        if kind == .array || kind == .object {
            return ContainerDecoder.decoded(bytes, mask: mask).map { .value($0) }
        }
        return scalar(kind, bytes, mask: mask)
    }

    /// Decodes a value other than an array or object that fills these bytes.
    fileprivate static func scalar(_ kind: Kind, _ bytes: Span<UInt8>, mask: UInt8) -> Decoded? {
        switch kind {
        case .missing: return .missing
        case .null: return .value(.null)
        case .bool: return .value(.bool(false))
        case .boolTrue: return .value(.bool(true))
        case .number: return number(unescaped(bytes, mask: mask)).map { .value($0) }
        case .string: return .value(.string(String(decoding: unescaped(bytes, mask: mask), as: UTF8.self)))
        case .bytes: return .value(.bytes(unescaped(bytes, mask: mask)))
        case .date: return date(bytes, mask: mask).map { .value(.date($0)) }
        case .attachment: return attachment(bytes, mask: mask).map { .value(.attachment($0)) }
        case .naturalString, .levels, .other, .cell, .array, .object, .arrayMark, .objectMark: return nil
        }
    }

    private static func unescaped(_ bytes: Span<UInt8>, mask: UInt8) -> [UInt8] {
        var content: [UInt8] = []
        content.reserveCapacity(bytes.count)
        var offset = 1
        // The last byte is the terminator.
        while offset < bytes.count - 1 {
            content.append(bytes[offset] ^ mask)
            offset += bytes[offset] == mask ? 2 : 1
        }
        return content
    }

    private static func number(_ bytes: [UInt8]) -> DocumentValue? {
        guard bytes.count <= 10 else { return nil }
        var ordered: UInt64 = 0
        for position in 0..<8 { ordered = ordered << 8 | UInt64(position < bytes.count ? bytes[position] : 0) }
        // NaN is encoded as a zero byte or as no bytes.
        if ordered == 0 { return .double(.nan) }
        let number = Double(bitPattern: ordered >> 63 == 1 ? ordered & ~(1 << 63) : ~ordered)
        guard let whole = Int64(exactly: number) else { return .double(number) }
        var rest: Int64 = 0
        if bytes.count > 8 { rest = Int64(bytes[8]) << 8 | (bytes.count > 9 ? Int64(bytes[9]) : 0) }
        let (sum, overflow) = whole.addingReportingOverflow(rest)
        return overflow ? nil : .int(sum)
    }

    private static func attachment(_ bytes: Span<UInt8>, mask: UInt8) -> Attachment? {
        let isDescending = mask != 0
        let digestEnd = 1 + Attachment.Digest.byteCount
        guard digestEnd < bytes.count else { return nil }
        let digest = (1..<digestEnd).map { bytes[$0] ^ mask }
        var parts: [Decoded] = []
        var offset = digestEnd
        while offset < bytes.count {
            guard parts.count < 3, let end = skip(in: bytes, from: offset, isDescending: isDescending),
                let kind = Kind(rawValue: bytes[offset] ^ mask),
                kind == .number || kind == .string || kind == .missing,
                let part = scalar(kind, bytes.extracting(offset..<end), mask: mask)
            else { return nil }
            parts.append(part)
            offset = end
        }
        guard parts.count == 3, let digest = Attachment.Digest(digest.span),
            case .value(.int(let byteCount)) = parts[0],
            case .value(.string(let type)) = parts[1]
        else { return nil }
        switch parts[2] {
        case .missing: return Attachment(digest: digest, byteCount: byteCount, type: type)
        case .value(.string(let name)): return Attachment(digest: digest, byteCount: byteCount, type: type, name: name)
        case .value: return nil
        }
    }

    private static func date(_ bytes: Span<UInt8>, mask: UInt8) -> DocumentDate? {
        guard bytes.count == 11 else { return nil }
        var bits: UInt64 = 0
        for position in 1...8 { bits = bits << 8 | UInt64(bytes[position] ^ mask) }
        let milliseconds = Int64(bitPattern: bits ^ 1 << 63)
        let zone = Int(bytes[9] ^ mask) << 8 | Int(bytes[10] ^ mask)
        return zone == 0
            ? DocumentDate(milliseconds: milliseconds)
            : DocumentDate(milliseconds: milliseconds, offsetMinutes: zone - 0x8000)
    }
}

/// Decodes arrays and objects.
private enum ContainerDecoder {
    /// An array or object that is being decoded. The enclosing ones are below it on the stack.
    private struct Open {
        let isObject: Bool
        var elements: [DocumentValue] = []
        var members: [(String, DocumentValue)] = []
        /// The name of the member whose value comes next.
        var name: String?

        /// Returns `false` if the value should be a member name but is not a string.
        mutating func add(_ value: DocumentValue) -> Bool {
            if !isObject {
                elements.append(value)
            } else if let name {
                members.append((name, value))
                self.name = nil
            } else {
                guard case .string(let text) = value else { return false }
                name = text
            }
            return true
        }

        /// The complete value; `nil` if a member has no value or a name occurs twice.
        var value: DocumentValue? {
            guard isObject else { return .array(elements) }
            return name == nil ? (try? DocumentObject(uniqueMembers: members)).map { .object($0) } : nil
        }
    }

    /// Decodes an array or object that fills these bytes.
    static func decoded(_ bytes: Span<UInt8>, mask: UInt8) -> DocumentValue? {
        var open: [Open] = []
        var offset = 0
        while offset < bytes.count {
            let byte = bytes[offset] ^ mask
            var value: DocumentValue?
            if byte == OrderedValue.containerEnd {
                guard let whole = open.popLast()?.value else { return nil }
                offset += 1
                if open.isEmpty { return offset == bytes.count ? whole : nil }
                value = whole
            } else if byte == OrderedValue.Kind.array.rawValue || byte == OrderedValue.Kind.object.rawValue {
                guard open.count < DocumentValue.maximumDepth else { return nil }
                open.append(Open(isObject: byte == OrderedValue.Kind.object.rawValue))
                offset += 1
                continue
            } else {
                guard let kind = OrderedValue.Kind(rawValue: byte),
                    let end = OrderedValue.skip(in: bytes, from: offset, isDescending: mask != 0),
                    case .value(let scalar)? = OrderedValue.scalar(kind, bytes.extracting(offset..<end), mask: mask)
                else { return nil }
                value = scalar
                offset = end
            }
            guard let value, !open.isEmpty, open[open.count - 1].add(value) else { return nil }
        }
        return nil
    }
}
