/// The containers of ``DocumentEncoder``. The protocols require the many overloads; each type has one line.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) { node.set(key.stringValue, .null) }
    func encode(_ value: Bool, forKey key: Key) { node.set(key.stringValue, .bool(value)) }
    func encode(_ value: String, forKey key: Key) { node.set(key.stringValue, .string(value)) }
    func encode(_ value: Double, forKey key: Key) { node.set(key.stringValue, .double(value)) }
    func encode(_ value: Float, forKey key: Key) { node.set(key.stringValue, .double(Double(value))) }
    func encode(_ value: Int, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try encodeInteger(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try encodeInteger(value, key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        if let leaf = try EncodableLeaf.value(of: value, path: { node.link.path(key) }) {
            return node.set(key.stringValue, leaf)
        }
        let name = key.stringValue
        let child = EncodingNode(node.link.appending(key), stored: node.storedValue(name), mode: node.mode)
        try value.encode(to: child)
        node.set(name, child.finish())
    }

    private func encodeInteger(_ value: some FixedWidthInteger, _ key: Key) throws {
        guard let exact = Int64(exactly: value) else { throw EncodableLeaf.outOfRange(value, at: node.link.path(key)) }
        node.set(key.stringValue, .int(exact))
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
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { node.setAbsent(key.stringValue) }
    }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
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
    func encode(_ value: Int) throws { try encodeInteger(value) }
    func encode(_ value: Int8) throws { try encodeInteger(value) }
    func encode(_ value: Int16) throws { try encodeInteger(value) }
    func encode(_ value: Int32) throws { try encodeInteger(value) }
    func encode(_ value: Int64) throws { try encodeInteger(value) }
    func encode(_ value: UInt) throws { try encodeInteger(value) }
    func encode(_ value: UInt8) throws { try encodeInteger(value) }
    func encode(_ value: UInt16) throws { try encodeInteger(value) }
    func encode(_ value: UInt32) throws { try encodeInteger(value) }
    func encode(_ value: UInt64) throws { try encodeInteger(value) }

    func encode(_ value: some Encodable) throws {
        let key = PlainKey(intValue: count)
        if let leaf = try EncodableLeaf.value(of: value, path: { node.link.path(key) }) { return node.append(leaf) }
        let child = EncodingNode(node.link.appending(key), stored: nil, mode: node.mode)
        try value.encode(to: child)
        node.append(child.finish())
    }

    private func encodeInteger(_ value: some FixedWidthInteger) throws {
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
    func encode(_ value: Int) throws { try encodeInteger(value) }
    func encode(_ value: Int8) throws { try encodeInteger(value) }
    func encode(_ value: Int16) throws { try encodeInteger(value) }
    func encode(_ value: Int32) throws { try encodeInteger(value) }
    func encode(_ value: Int64) throws { try encodeInteger(value) }
    func encode(_ value: UInt) throws { try encodeInteger(value) }
    func encode(_ value: UInt8) throws { try encodeInteger(value) }
    func encode(_ value: UInt16) throws { try encodeInteger(value) }
    func encode(_ value: UInt32) throws { try encodeInteger(value) }
    func encode(_ value: UInt64) throws { try encodeInteger(value) }

    func encode(_ value: some Encodable) throws {
        if let leaf = try EncodableLeaf.value(of: value, path: { node.codingPath }) {
            node.set(leaf)
        } else {
            try value.encode(to: node)
        }
    }

    private func encodeInteger(_ value: some FixedWidthInteger) throws {
        guard let exact = Int64(exactly: value) else { throw EncodableLeaf.outOfRange(value, at: codingPath) }
        node.set(.int(exact))
    }
}
