/// A value of a document: a JSON value, bytes, a date, or an attachment.
///
/// Integers and doubles are separate kinds, so that `1.0` stays `1.0` and every 64-bit integer is exact.
///
/// Two values are equal if they would be stored as the same bytes:
/// - values of different kinds are never equal: `.int(1)` and `.double(1)` differ, and so do an absent member and a
///   member that is `.null`;
/// - strings and member names are compared by their UTF-8 bytes, so the composed and the decomposed "é" differ;
/// - doubles are compared by their bits, so `0.0` and `-0.0` differ, except that all NaN values are equal whatever
///   their payload;
/// - objects are equal if they have equal members in the same order.
public enum DocumentValue: Sendable {
    /// The JSON `null`. It differs from an absent member.
    case null
    /// A truth value.
    case bool(Bool)
    /// An exact integer.
    case int(Int64)
    /// A binary floating-point number, possibly infinite or NaN.
    case double(Double)
    /// A Unicode string, stored byte for byte and never normalized.
    case string(String)
    /// Bytes. JSON cannot represent them; see ``JSONWriter``.
    case bytes([UInt8])
    /// A date, with or without a time zone. JSON cannot represent it; see ``JSONWriter``.
    case date(DocumentDate)
    /// An ordered list of values.
    case array([DocumentValue])
    /// Named values in order.
    case object(DocumentObject)
    /// A reference to an attachment, such as a photo. JSON cannot represent it; see ``JSONWriter``.
    ///
    /// It is boxed, because it is several times as large as the other cases.
    indirect case attachment(Attachment)

    /// The maximum nesting depth of arrays and objects, in JSON text and in stored bodies.
    ///
    /// It keeps the recursive functions that compare, write and free a value within the 512 KiB stack of a secondary
    /// thread. A deeper value can be built in memory, but storing it fails. Like any recursive Swift value, it
    /// is freed recursively: a program that nests a value a thousand times deeper needs a thread with a larger stack.
    public static let maximumDepth = 512
}

// MARK: - Equality

extension DocumentValue: Hashable {
    /// Whether both values would be stored as the same bytes; see ``DocumentValue``.
    ///
    /// - Complexity: O(*n*) in the size of the smaller value.
    public static func == (left: DocumentValue, right: DocumentValue) -> Bool {
        switch left {
        case .array(let elements): right.isArray(elements)
        case .object(let object): right.isObject(object)
        default: isSameScalar(left, right)
        }
    }

    private func isArray(_ other: [DocumentValue]) -> Bool {
        guard case .array(let elements) = self else { return false }
        return elements == other
    }

    private func isObject(_ other: DocumentObject) -> Bool {
        guard case .object(let object) = self else { return false }
        return object == other
    }

    // Recursive functions contain nothing but the recursion: without optimization, a stack frame has room for the
    // temporaries of all branches, and `maximumDepth` frames must fit on the stack.
    private static func isSameScalar(_ left: DocumentValue, _ right: DocumentValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left.storedBitPattern == right.storedBitPattern
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.attachment(let left), .attachment(let right)): left == right
        default: false
        }
    }

    /// Feeds the kind and the content into `hasher`.
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .array(let elements): elements.hash(into: &hasher)
        case .object(let object): object.hash(into: &hasher)
        default: hashScalar(into: &hasher)
        }
    }

    private func hashScalar(into hasher: inout Hasher) {
        switch self {
        case .null, .array, .object: break
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.storedBitPattern)
        case .string(let value): value.hashBytes(into: &hasher)
        case .bytes(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .attachment(let value): hasher.combine(value)
        }
    }
}

extension Double {
    /// The bits by which a double is compared and stored: its own, except that every NaN has the same pattern.
    ///
    /// The payload of a NaN differs between processors and has no JSON representation. Documents that differ only in a
    /// payload are equal.
    var storedBitPattern: UInt64 { isNaN ? 0x7ff8_0000_0000_0000 : bitPattern }
}
