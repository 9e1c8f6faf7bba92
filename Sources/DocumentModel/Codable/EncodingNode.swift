/// Collects what a value encodes, and turns it into a document value with ``finish()``.
///
/// Scalars are added directly to the array or object being built. Only nested containers and encoders of superclasses
/// get separate nodes; their values are inserted at the end.
final class EncodingNode {
    /// The content encoded so far.
    private enum Content {
        case nothing
        case value(DocumentValue)
        case array([DocumentValue])
        case object(DocumentObject)
    }

    let link: CodingLink
    let mode: EncodingMode
    /// The stored value that is saved over; `nil` if there is none.
    private let stored: DocumentValue?
    private var content = Content.nothing
    /// Nodes whose values have not been inserted yet.
    private var children: [(position: Int, node: EncodingNode)] = []
    /// Whether the type knows a name; one closure for each type of keys.
    private var knowledge: [(String) -> Bool] = []
    /// Names that the type tried to encode with a value of `nil`.
    private var absentNames: [String] = []

    init(_ link: CodingLink, stored: DocumentValue?, mode: EncodingMode) {
        self.link = link
        self.stored = stored
        self.mode = mode
    }

    /// Encodes any encodable value as a document value.
    static func encoded(
        _ value: some Encodable, at link: CodingLink, stored: DocumentValue?, mode: EncodingMode
    ) throws -> DocumentValue {
        if let leaf = try EncodableLeaf.value(of: value, path: { link.path() }) { return leaf }
        let node = EncodingNode(link, stored: stored, mode: mode)
        try value.encode(to: node)
        return node.finish()
    }

    /// Returns the encoded value; an empty object if nothing was encoded.
    func finish() -> DocumentValue {
        let children = self.children
        self.children = []
        switch content {
        case .value(let value): return value.saved(over: stored)
        case .array(var elements):
            content = .nothing
            for child in children { elements[child.position] = child.node.finish() }
            return .array(elements)
        case .object(var object):
            content = .nothing
            for child in children { object.setValue(child.node.finish(), at: child.position) }
            return .object(merged(object))
        case .nothing: return .object(merged(DocumentObject()))
        }
    }

    /// Merges an encoded object into the stored one; see ``DocumentEncoder/merge(saving:over:)``.
    private func merged(_ encoded: DocumentObject) -> DocumentObject {
        guard case .object(var result) = stored else { return encoded }
        var gone: [String] = []
        for member in result where encoded.position(ofName: member.name) == nil {
            let isKnown =
                absentNames.contains { $0.hasSameBytes(as: member.name) } || knowledge.contains { $0(member.name) }
            if isKnown { gone.append(member.name) }
        }
        for name in gone { result.removeValue(forName: name) }
        for member in encoded { result[member.name] = member.value }
        return result
    }
}

// MARK: - Building

extension EncodingNode {
    /// Begins or continues an object. Replaces any other content.
    func beginObject<Key: CodingKey>(_ keys: Key.Type) {
        if case .object = content {} else { content = .object(DocumentObject()) }
        if case .object = stored {
            knowledge.append { name in Key(stringValue: name)?.stringValue.hasSameBytes(as: name) ?? false }
        }
    }

    /// Begins or continues an array. Replaces any other content.
    func beginArray() {
        if case .array = content {} else { content = .array([]) }
    }

    var elementCount: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    /// Sets a single value as the content.
    func set(_ value: DocumentValue) { content = .value(value) }

    func append(_ value: DocumentValue) {
        guard case .array(var elements) = content else { return }
        // Releases this node's reference first, so that the array grows in place.
        content = .nothing
        elements.append(value)
        content = .array(elements)
    }

    func set(_ name: String, _ value: DocumentValue) {
        guard case .object(var object) = content else { return }
        content = .nothing
        object[name] = stored == nil ? value : value.saved(over: storedValue(name))
        content = .object(object)
    }

    /// Records that the type knows a name for which it has no value.
    func setAbsent(_ name: String) {
        if case .object = stored { absentNames.append(name) }
    }

    /// Returns the stored value that a member is saved over.
    func storedValue(_ name: String) -> DocumentValue? { stored?[name] }

    /// Creates a node for a member.
    func makeNode(_ key: any CodingKey) -> EncodingNode {
        let name = key.stringValue
        set(name, .null)
        let node = EncodingNode(link.appending(key), stored: storedValue(name), mode: mode)
        if case .object(let object) = content, let position = object.position(ofName: name) {
            children.append((position, node))
        }
        return node
    }

    /// Creates a node for the next element.
    func makeElementNode() -> EncodingNode {
        let node = EncodingNode(link.appending(PlainKey(intValue: elementCount)), stored: nil, mode: mode)
        children.append((elementCount, node))
        append(.null)
        return node
    }
}

extension DocumentValue {
    /// Returns the stored value if it is equivalent to this one; otherwise this one.
    fileprivate func saved(over stored: DocumentValue?) -> DocumentValue {
        switch (self, stored) {
        case (.double(let value), .int(let stored)?) where Int64(exactly: value) == stored: .int(stored)
        case (.date(let value), .date(let stored)?) where value.milliseconds == stored.milliseconds: .date(stored)
        default: self
        }
    }
}

// MARK: - Encoder

extension EncodingNode: Encoder {
    var codingPath: [any CodingKey] { link.path() }

    var userInfo: [CodingUserInfoKey: Any] { mode.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        beginObject(type)
        return KeyedEncodingContainer(KeyedEncoding<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        beginArray()
        return UnkeyedEncoding(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueEncoding(node: self) }
}
