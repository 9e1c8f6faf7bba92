/// The containers of ``DocumentDecoder``. The protocols require an overload for each type of the standard library; one
/// generic method implements the overloads for all integers.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: DecodingNode
    let object: DocumentObject

    var codingPath: [any CodingKey] { node.codingPath }

    var allKeys: [Key] { object.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { object.position(ofName: key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).value.isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).string() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).float() }
    func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type, forKey key: Key) throws -> I {
        try value(key).integer()
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    private func value(_ key: Key) throws -> DecodingNode.Item {
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "The document has no member \"\(key.stringValue)\" here.")
            )
        }
        return DecodingNode.Item(value: value, key: key, parent: node)
    }

    // Return `nil` if the member is missing or null, with a single lookup in the object.

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.string() }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.double() }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(key)?.float() }

    func decodeIfPresent<I: FixedWidthInteger & Decodable>(_ type: I.Type, forKey key: Key) throws -> I? {
        try present(key)?.integer()
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key)?.decode(type)
    }

    private func present(_ key: Key) -> DecodingNode.Item? {
        guard let value = object[key.stringValue], !value.isNull else { return nil }
        return DecodingNode.Item(value: value, key: key, parent: node)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(key).node.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).node.unkeyedContainer()
    }

    // The value that a class stores for its superclass; null if there is none.

    func superDecoder() throws -> any Decoder {
        DecodingNode(object["super"] ?? .null, node.link.appending(PlainKey.super), node.userInfo)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        DecodingNode(object[key.stringValue] ?? .null, node.link.appending(key), node.userInfo)
    }
}

/// The elements of an array in order.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let node: DecodingNode
    let elements: [DocumentValue]
    private(set) var currentIndex = 0

    init(node: DecodingNode, elements: [DocumentValue]) {
        self.node = node
        self.elements = elements
    }

    var codingPath: [any CodingKey] { node.codingPath }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Skips the next element only if it is null.
    mutating func decodeNil() throws -> Bool {
        guard try next(DocumentValue.self, { $0.value.isNull }) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try take(type) { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try take(type) { try $0.string() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try take(type) { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try take(type) { try $0.float() } }
    mutating func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type) throws -> I {
        try take(type) { try $0.integer() }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try take(type) { try $0.decode(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try take(DocumentObject.self) { try $0.node.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([DocumentValue].self) { try $0.node.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take(DocumentValue.self) { $0.node } }

    /// If an element cannot be decoded, it is not skipped.
    private mutating func take<T>(_ type: Any.Type, _ body: (DecodingNode.Item) throws -> T) throws -> T {
        let result = try next(type, body)
        currentIndex += 1
        return result
    }

    private func next<T>(_ type: Any.Type, _ body: (DecodingNode.Item) throws -> T) throws -> T {
        let key = PlainKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: node.link.path(key),
                    debugDescription: "The array has only \(elements.count) elements."))
        }
        return try body(DecodingNode.Item(value: elements[currentIndex], key: key, parent: node))
    }
}

/// A value that is neither an array nor an object, or a type that encodes itself as another type.
struct SingleValueDecoding: SingleValueDecodingContainer {
    let node: DecodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    private var item: DecodingNode.Item { DecodingNode.Item(value: node.value, key: nil, parent: node) }

    func decodeNil() -> Bool { node.value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try item.bool() }
    func decode(_ type: String.Type) throws -> String { try item.string() }
    func decode(_ type: Double.Type) throws -> Double { try item.double() }
    func decode(_ type: Float.Type) throws -> Float { try item.float() }
    func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type) throws -> I { try item.integer() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try item.decode(type) }
}
