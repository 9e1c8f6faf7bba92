/// The typed description of a key: its components, each with a name, a Swift type and a direction.
///
/// ```swift
/// let byDate = KeySchema(
///     "photosByDate",
///     KeyComponent<Int64>("taken", .descending),
///     KeyComponent<String>("id"))
///
/// let key = byDate.pack(1_546_300_800, "IMG_0231")
/// let (taken, id) = try byDate.unpack(key)
/// let sameTime = byDate.range(.prefix(1_546_300_800))
/// ```
///
/// `Key` is the tuple type of the components: `(Int64, String)` here, or the type itself for a single component. The
/// compiler rejects keys with other types, prefixes that do not match, and types that cannot be components.
///
/// The bytes of keys sort like the keys: by the first component in its direction, then by the second, and so on. Every
/// key has exactly one encoding, and decoding anything else throws.
///
/// ``definition`` describes all of this in a line. A ``Keyspace`` records it and cannot be opened with a different
/// schema. Increase the version when the types stay the same but their meaning changes, for example from seconds to
/// milliseconds.
public struct KeySchema<Key: Sendable>: Sendable {
    /// The name of the schema.
    public let name: String
    /// The version of the schema.
    public let version: Int
    /// The components, most significant first.
    package let components: [KeyComponentDescription]
    /// The schema as a line, such as `photosByDate v1 (taken: int64 descending, id: string)`.
    ///
    /// Stored on disk, never change: name, version, and the components in order, without `ascending`.
    public let definition: String
    /// The fingerprint of the definition.
    package let fingerprint: SchemaFingerprint

    private let encode: @Sendable (Key, inout [UInt8]) -> Void
    private let decode: @Sendable (Span<UInt8>, Int) throws(KeySchemaError) -> Key

    /// Creates a schema of one or more components.
    ///
    /// - Precondition: the names consist of ASCII letters, digits, `_`, `-` and `.`, component names are unique, and
    ///   the version is not negative.
    @inlinable
    public init<each Component: KeyElementCodable>(
        _ name: String, version: Int = 1, _ component: repeat KeyComponent<each Component>
    ) where Key == (repeat each Component) {
        // Inlinable, because only the caller knows the types. Otherwise they would be looked up at run time for each
        // key.
        var descriptions: [KeyComponentDescription] = []
        for component in repeat each component { descriptions.append(KeyComponentDescription(component)) }
        let components = descriptions
        self.init(
            name: name, version: version, components: components,
            encode: { key, bytes in
                var index = 0
                for value in repeat each key {
                    value.append(components[index].direction, to: &bytes)
                    index += 1
                }
            },
            decode: { (bytes: Span<UInt8>, offset: Int) throws(KeySchemaError) -> Key in
                var decoder = KeySchemaDecoder(bytes, from: offset, name: name, version: version, components)
                let key = (repeat try (each Component).decode(from: &decoder))
                try decoder.requireEnd()
                return key
            })
    }

    @usableFromInline
    init(
        name: String, version: Int, components: [KeyComponentDescription],
        encode: @escaping @Sendable (Key, inout [UInt8]) -> Void,
        decode: @escaping @Sendable (Span<UInt8>, Int) throws(KeySchemaError) -> Key
    ) {
        Self.check(name, version: version, components)
        self.name = name
        self.version = version
        self.components = components
        definition = "\(name) v\(version) (\(components.map(\.description).joined(separator: ", ")))"
        fingerprint = SchemaFingerprint(of: definition)
        self.encode = encode
        self.decode = decode
    }

    private static func check(_ name: String, version: Int, _ components: [KeyComponentDescription]) {
        SchemaName.require(name, of: "key schema")
        precondition(version >= 0, "The version of the key schema \(name) is negative.")
        precondition(
            !components.isEmpty, "The key schema \(name) has no components: all of its keys would be the same.")
        precondition(
            Set(components.map(\.name)).count == components.count,
            "Two components of the key schema \(name) have the same name; errors could not tell them apart.")
    }
}

// MARK: - Keys

extension KeySchema {
    /// Returns the bytes of a key, given its components.
    ///
    /// - Complexity: O(n) in the bytes of the key.
    public func pack<each Component: KeyElementCodable>(
        _ component: repeat each Component
    ) -> [UInt8] where Key == (repeat each Component) {
        pack((repeat each component))
    }

    /// Returns the bytes of a key.
    ///
    /// - Complexity: O(n) in the bytes of the key.
    public func pack(_ key: Key) -> [UInt8] {
        var bytes: [UInt8] = []
        append(key, to: &bytes)
        return bytes
    }

    /// Appends the bytes of a key, for example to the prefix of a ``Subspace``.
    ///
    /// - Complexity: O(n) in the bytes of the key.
    public func append(_ key: Key, to bytes: inout [UInt8]) {
        encode(key, &bytes)
    }

    /// Decodes a key.
    ///
    /// - Throws: ``KeySchemaError`` with the unreadable component. No input traps.
    /// - Complexity: O(n) in the bytes of the key.
    public func unpack(_ bytes: [UInt8]) throws(KeySchemaError) -> Key {
        try decode(bytes.span, 0)
    }

    /// Decodes a key from borrowed bytes, such as those from a cursor.
    ///
    /// - Parameters:
    ///   - bytes: the bytes, which may start with a prefix.
    ///   - offset: the length of the prefix.
    /// - Throws: ``KeySchemaError`` with the unreadable component. No input traps.
    /// - Complexity: O(n) in the bytes of the key.
    public func unpack(_ bytes: Span<UInt8>, from offset: Int = 0) throws(KeySchemaError) -> Key {
        try decode(bytes, offset)
    }

    /// Returns the byte range that contains exactly the keys of this schema in a typed range.
    ///
    /// - Parameters:
    ///   - range: a range of keys of this schema.
    ///   - prefix: the prefix of the keys, such as the prefix of a ``Subspace``.
    public func range(_ range: TypedKeyRange<Key>, prefix: [UInt8] = []) -> KeyRange {
        range.resolved(by: self, prefix: prefix)
    }
}
