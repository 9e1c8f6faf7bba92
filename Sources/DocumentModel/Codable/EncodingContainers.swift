/// The containers of ``DocumentEncoder``. The protocols require an overload for each type of the standard library; one
/// generic method implements the overloads for all integers.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.set(key.stringValue, .null) }
    func encode(_ value: Bool, forKey key: Key) { node.set(key.stringValue, .bool(value)) }
    func encode(_ value: String, forKey key: Key) { node.set(key.stringValue, .string(value)) }
    func encode(_ value: Double, forKey key: Key) { node.set(key.stringValue, .double(value)) }
    func encode(_ value: Float, forKey key: Key) { node.set(key.stringValue, .double(Double(value))) }

    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) throws {
        guard let exact = Int64(exactly: value) else { throw EncodableLeaf.outOfRange(value, at: node.link.path(key)) }
        node.set(key.stringValue, .int(exact))
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        if let leaf = try EncodableLeaf.value(of: value, path: { node.link.path(key) }) {
            return node.set(key.stringValue, leaf)
        }
        let name = key.stringValue
        let child = EncodingNode(node.link.appending(key), stored: node.storedValue(name), mode: node.mode)
        try value.encode(to: child)
        node.set(name, child.finish())
    }

    // Nothing is encoded for `nil`, but the type is known to use the name.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) {
        if let value { encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: (some FixedWidthInteger & Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.makeNode(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.makeNode(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { node.makeNode(PlainKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { node.makeNode(key) }
}

/// The elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    var count: Int { node.elementCount }

    func encodeNil() { node.append(.null) }
    func encode(_ value: Bool) { node.append(.bool(value)) }
    func encode(_ value: String) { node.append(.string(value)) }
    func encode(_ value: Double) { node.append(.double(value)) }
    func encode(_ value: Float) { node.append(.double(Double(value))) }

    func encode(_ value: some Encodable) throws {
        let key = PlainKey(intValue: count)
        if let leaf = try EncodableLeaf.value(of: value, path: { node.link.path(key) }) { return node.append(leaf) }
        let child = EncodingNode(node.link.appending(key), stored: nil, mode: node.mode)
        try value.encode(to: child)
        node.append(child.finish())
    }

    func encode(_ value: some FixedWidthInteger & Encodable) throws {
        guard let exact = Int64(exactly: value) else {
            throw EncodableLeaf.outOfRange(value, at: node.link.path(PlainKey(intValue: count)))
        }
        node.append(.int(exact))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        node.makeElementNode().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.makeElementNode().unkeyedContainer() }

    func superEncoder() -> any Encoder { node.makeElementNode() }
}

/// A value that is neither an array nor an object, or a type that encodes itself as another type.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil() { node.set(.null) }
    func encode(_ value: Bool) { node.set(.bool(value)) }
    func encode(_ value: String) { node.set(.string(value)) }
    func encode(_ value: Double) { node.set(.double(value)) }
    func encode(_ value: Float) { node.set(.double(Double(value))) }

    func encode(_ value: some Encodable) throws {
        if let leaf = try EncodableLeaf.value(of: value, path: { node.codingPath }) {
            node.set(leaf)
        } else {
            try value.encode(to: node)
        }
    }

    func encode(_ value: some FixedWidthInteger & Encodable) throws {
        guard let exact = Int64(exactly: value) else { throw EncodableLeaf.outOfRange(value, at: codingPath) }
        node.set(.int(exact))
    }
}
