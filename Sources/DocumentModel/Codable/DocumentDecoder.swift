/// Decodes documents as `Decodable` types.
///
/// It reads what ``DocumentEncoder`` writes. It also accepts equivalent values: a double without a fraction as an
/// integer, an integer that a double represents exactly as a `Double`, and a string in ISO 8601 as a date. A date
/// without a zone is decoded as a `Date` by reading its local time as UTC. An object with the members of an
/// ``Attachment`` is decoded as one. A conversion that would lose information is an error.
public struct DocumentDecoder: Sendable {
    /// The `userInfo` passed to `init(from:)` of the types.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates a decoder.
    public init() {}

    /// Decodes a document value as a type.
    ///
    /// - Throws: `DecodingError` with the coding path, and what the types throw.
    /// - Complexity: O(*n*) in the parts that the type decodes.
    public func decode<T: Decodable>(_ type: T.Type = T.self, from value: DocumentValue) throws -> T {
        let node = DecodingNode(value, .root, userInfo)
        return try DecodingNode.Item(value: value, key: nil, parent: node).decode(type)
    }

    /// Decodes an object as a type; see ``decode(_:from:)-(_,DocumentValue)``.
    public func decode<T: Decodable>(_ type: T.Type = T.self, from object: DocumentObject) throws -> T {
        try decode(type, from: .object(object))
    }
}

/// A value that is being decoded.
final class DecodingNode {
    let value: DocumentValue
    let link: CodingLink
    let userInfo: [CodingUserInfoKey: Any]

    init(_ value: DocumentValue, _ link: CodingLink, _ userInfo: [CodingUserInfoKey: Any]) {
        self.value = value
        self.link = link
        self.userInfo = userInfo
    }
}

extension DecodingNode: Decoder {
    var codingPath: [any CodingKey] { link.path() }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let object = try Item(value: value, key: nil, parent: self).object()
        return KeyedDecodingContainer(KeyedDecoding<Key>(node: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else {
            throw Item(value: value, key: nil, parent: self).mismatch([DocumentValue].self, "an array")
        }
        return UnkeyedDecoding(node: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleValueDecoding(node: self) }
}

extension DecodingNode {
    /// A value within another one, before its type is known. Scalars need no node.
    struct Item {
        let value: DocumentValue
        /// `nil` for the value of the parent itself.
        let key: (any CodingKey)?
        let parent: DecodingNode

        /// Decodes the value as a type that decodes itself.
        var node: DecodingNode {
            key.map { DecodingNode(value, parent.link.appending($0), parent.userInfo) } ?? parent
        }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            if let leaf = try DecodableLeaf.value(type, of: self) { return leaf }
            return try T(from: node)
        }
    }
}

// MARK: - Scalars

extension DecodingNode.Item {
    func bool() throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(Bool.self, "a Boolean") }
        return value
    }

    func string() throws -> String {
        guard case .string(let value) = value else { throw mismatch(String.self, "a string") }
        return value
    }

    func integer<Integer: FixedWidthInteger>() throws -> Integer {
        switch value {
        case .int(let value):
            guard let exact = Integer(exactly: value) else {
                throw corrupted("The integer does not fit into \(Integer.self).")
            }
            return exact
        case .double(let value):
            guard let exact = Integer(exactly: value) else {
                throw corrupted("The number has a fraction or does not fit into \(Integer.self).")
            }
            return exact
        default: throw mismatch(Integer.self, "an integer")
        }
    }

    func double() throws -> Double {
        switch value {
        case .double(let value): return value
        case .int(let value):
            guard let exact = Double(exactly: value) else { throw corrupted("The integer is not exact as a double.") }
            return exact
        default: throw mismatch(Double.self, "a number")
        }
    }

    /// Returns the nearest `Float`. Fractions such as 0.1 are rounded.
    func float() throws -> Float {
        let value = try double()
        let nearest = Float(value)
        guard nearest.isFinite || !value.isFinite else { throw corrupted("The number is too large for Float.") }
        return nearest
    }

    func bytes() throws -> [UInt8] {
        guard case .bytes(let value) = value else { throw mismatch([UInt8].self, "bytes") }
        return value
    }

    func object() throws -> DocumentObject {
        guard case .object(let value) = value else { throw mismatch(DocumentObject.self, "an object") }
        return value
    }

    func date() throws -> DocumentDate {
        switch value {
        case .date(let value): return value
        case .string(let text):
            guard let date = DocumentDate(iso8601: text) else { throw corrupted("The string is not an ISO 8601 date.") }
            return date
        default: throw mismatch(DocumentDate.self, "a date")
        }
    }

    /// Returns the attachment, or the one that an object with its members represents.
    func attachment() throws -> Attachment {
        switch value {
        case .attachment(let value): return value
        case .object(let object):
            guard let attachment = Attachment(members: object) else {
                throw corrupted("The object does not have the members of an attachment.")
            }
            return attachment
        default: throw mismatch(Attachment.self, "an attachment")
        }
    }
}

// MARK: - Errors

extension DecodingNode.Item {
    private func context(_ description: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: parent.link.path(key), debugDescription: description)
    }

    /// Returns the error for a value of a different kind. Null is reported as a missing value.
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        value.isNull
            ? .valueNotFound(type, context("Expected \(expected) but found null."))
            : .typeMismatch(type, context("Expected \(expected) but found \(value.kind.article)."))
    }

    /// Returns the error for a value of the right kind that the type cannot represent.
    func corrupted(_ description: String) -> DecodingError { .dataCorrupted(context(description)) }
}
