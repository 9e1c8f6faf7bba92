internal import LevelKit

/// What names a document within its collection: a text or an integer.
///
/// Texts are told apart by their UTF-8 bytes: the two spellings of `é` are two ids. Ids are ordered by their tuple
/// encoding: texts by their bytes, then integers by value.
public enum DocumentID: Sendable {
    /// A text.
    case string(String)
    /// An integer.
    case int(Int64)
}

extension DocumentID {
    /// The id that a value can serve as: a text or an integer; `nil` for every other kind.
    public init?(_ value: DocumentValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .int(let number): self = .int(number)
        default: return nil
        }
    }

    /// The id as a value of a document.
    public var value: DocumentValue {
        switch self {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        }
    }

    /// Adds the tuple encoding of the id to a key.
    func append(to key: inout [UInt8]) {
        switch self {
        case .string(let text): TupleEncoder.append(text, to: &key)
        case .int(let number): TupleEncoder.append(number, to: &key)
        }
    }

    /// The tuple encoding of the id alone.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}

extension DocumentID: Hashable, Comparable {
    /// Equality of the encoded bytes.
    public static func == (a: DocumentID, b: DocumentID) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.int(let a), .int(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text):
            hasher.combine(0)
            for byte in text.utf8 { hasher.combine(byte) }
        case .int(let number):
            hasher.combine(1)
            hasher.combine(number)
        }
    }

    /// The order of the encoded bytes.
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
    /// A text as id.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer as id.
    public init(integerLiteral value: Int64) { self = .int(value) }

    /// The text, or the digits.
    public var description: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        }
    }
}
