internal import LevelKit

/// An identifier that is unique within a collection: a string or an integer.
///
/// Strings are compared by their UTF-8 bytes, so the two encodings of `é` are two IDs. IDs are ordered by their tuple
/// encoding: strings by their bytes, then integers by value.
public enum DocumentID: Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case int(Int64)
}

extension DocumentID {
    /// Creates an ID from a value; `nil` if it is neither a string nor an integer.
    public init?(_ value: DocumentValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .int(let number): self = .int(number)
        default: return nil
        }
    }

    /// The ID as a document value.
    public var value: DocumentValue {
        switch self {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        }
    }

    /// Appends the tuple encoding of the ID to a key.
    package func append(to key: inout [UInt8]) {
        switch self {
        case .string(let text): TupleEncoder.append(text, to: &key)
        case .int(let number): TupleEncoder.append(number, to: &key)
        }
    }

    /// The tuple encoding of the ID.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}

extension DocumentID: Hashable, Comparable {
    /// Whether both have the same encoded bytes.
    public static func == (a: DocumentID, b: DocumentID) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.int(let a), .int(let b)): a == b
        default: false
        }
    }

    /// Hashes the encoded content.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text):
            hasher.combine(0)
            var text = text
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .int(let number):
            hasher.combine(1)
            hasher.combine(number)
        }
    }

    /// Whether the encoded bytes of the left ID come first.
    public static func < (a: DocumentID, b: DocumentID) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.int(let a), .int(let b)): a < b
        case (.string, .int): true
        case (.int, .string): false
        }
    }
}

extension DocumentID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates a string ID.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer ID.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// The string, or the digits of the integer.
    public var description: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        }
    }
}
