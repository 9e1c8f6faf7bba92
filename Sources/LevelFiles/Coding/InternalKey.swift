/// A key as LevelDB stores it: that of the user, with the number and the kind of the operation that wrote it.
///
/// On disk eight bytes follow the user's key, the lowest first: the sequence number times 256, plus the kind
/// (`db/dbformat.h`). Keys are in the order of users' keys, and among equal ones the newest comes first.
package struct InternalKey: Hashable, Sendable {
    /// What an operation did. Stored on disk, never change.
    package enum Kind: UInt8, Hashable, Sendable {
        /// The key was deleted; there is no value.
        case deletion = 0
        /// A value was put under the key.
        case put = 1
    }

    /// The key as users know it.
    package var userKey: [UInt8]
    /// The number of the operation, counted from the first write of the database on; at most 2^56 - 1.
    package var sequence: UInt64
    /// What the operation did.
    package var kind: Kind

    /// A key with its parts.
    package init(userKey: [UInt8], sequence: UInt64, kind: Kind) {
        self.userKey = userKey
        self.sequence = sequence
        self.kind = kind
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatFault`` for fewer than eight bytes or an unknown kind.
    package init(decoding bytes: ArraySlice<UInt8>) throws(FormatFault) {
        let count = bytes.count - 8
        guard count >= 0 else { throw FormatFault("it has a key that is too short") }
        userKey = Array(bytes.prefix(count))
        var trailer = FieldReader(bytes.suffix(8))
        let number = try trailer.readFixed(UInt64.self)
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: number)) else {
            throw FormatFault("it has a key of an unknown kind (\(number & 0xff))")
        }
        self.kind = kind
        sequence = number >> 8
    }
}

extension InternalKey {
    /// Whether this key comes before another one in a database of bytewise order.
    package func precedesBytewise(_ other: InternalKey) -> Bool {
        if userKey == other.userKey {
            return (sequence, kind.rawValue) > (other.sequence, other.kind.rawValue)
        }
        return userKey.lexicographicallyPrecedes(other.userKey)
    }
}
