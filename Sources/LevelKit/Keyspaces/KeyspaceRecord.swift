extension Database {
    /// The recorded description of a keyspace.
    public struct KeyspaceDescription: Sendable, Hashable {
        /// The name of the keyspace.
        public let name: String
        /// The definition of its key schema; see ``KeySchema/definition``.
        public let keyDefinition: String
        /// The fingerprint of that definition.
        package let keyFingerprint: SchemaFingerprint
        /// The name of its value codec.
        public let codecName: String
        /// The version of its value codec.
        public let codecVersion: Int

        /// The name and version of the codec.
        var codec: String { "\(codecName) v\(codecVersion)" }
    }
}

extension Database.KeyspaceDescription: CustomStringConvertible {
    /// The name of the keyspace, its key definition and its codec.
    public var description: String { "\(name): \(keyDefinition) → \(codec)" }
}

/// The value stored under a keyspace's name.
///
/// Stored on disk, never change: a tuple of the definition of the key schema (string), its fingerprint (eight bytes,
/// big-endian), the name of the value codec (string), its version (integer), and the number of the keyspace (integer).
struct KeyspaceRecord: Hashable {
    let description: Database.KeyspaceDescription
    /// The number that follows ``KeyspaceCatalog/root`` in all keys of the keyspace.
    let number: Int64
}

extension KeyspaceRecord {
    /// Returns the bytes of the record.
    func encoded() -> [UInt8] {
        let bits = description.keyFingerprint.bits
        return Tuple([
            .string(description.keyDefinition),
            .bytes((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }),
            .string(description.codecName), .int(Int64(description.codecVersion)), .int(number),
        ]).packed()
    }

    /// Decodes the record of a keyspace.
    ///
    /// - Throws: ``LevelError`` with `corruption`.
    init(_ bytes: [UInt8], name: String, path: String) throws(LevelError) {
        guard let fields = try? Tuple(packed: bytes), fields.count == 5,
            case .string(let definition) = fields[0], case .bytes(let fingerprint) = fields[1],
            case .string(let codecName) = fields[2], case .int(let codecVersion) = fields[3],
            case .int(let number) = fields[4], let version = Int(exactly: codecVersion), number > 0
        else {
            throw Self.damaged(path: path, "the record of the keyspace \(name) is unreadable")
        }
        let bits = SchemaFingerprint(bits: fingerprint.reduce(0) { $0 << 8 | UInt64($1) })
        guard fingerprint.count == 8, bits == SchemaFingerprint(of: definition) else {
            throw Self.damaged(path: path, "the definition of the keyspace \(name) does not match its fingerprint")
        }
        description = Database.KeyspaceDescription(
            name: name, keyDefinition: definition, keyFingerprint: bits, codecName: codecName, codecVersion: version)
        self.number = number
    }

    static func damaged(path: String, _ cause: String) -> LevelError {
        LevelError(
            .corruption,
            "could not read the keyspaces of \(path): their records are damaged, or another program wrote keys "
                + "that start with \(hexadecimal(KeyspaceCatalog.root.prefix)); restore a backup",
            cause: cause)
    }
}
