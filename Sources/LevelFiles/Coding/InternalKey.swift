/// A key as LevelDB stores it: the user's key, with the number and the kind of the operation that wrote it.
///
/// On disk, eight little-endian bytes follow the user's key: the sequence number times 256, plus the kind
/// (`db/dbformat.h`). Internal keys are ordered by user key, and for equal user keys the newest comes first.
package struct InternalKey: Hashable, Sendable {
    /// The kind of an operation. Stored on disk, never change.
    package enum Kind: UInt8, Hashable, Sendable {
        /// The key was deleted. The entry is a tombstone without a value.
        case deletion = 0
        /// A value was stored under the key.
        case put = 1
    }

    /// The user's key.
    package var userKey: [UInt8]
    /// The number of the operation, counted from the first write to the database; at most 2^56 - 1.
    package var sequence: UInt64
    /// The kind of the operation.
    package var kind: Kind

    /// Creates a key.
    package init(userKey: [UInt8], sequence: UInt64, kind: Kind) {
        self.userKey = userKey
        self.sequence = sequence
        self.kind = kind
    }

    /// Decodes a key.
    ///
    /// - Throws: ``FormatError`` for fewer than eight bytes or an unknown kind.
    package init(decoding bytes: ArraySlice<UInt8>) throws(FormatError) {
        let count = bytes.count - 8
        guard count >= 0 else { throw FormatError("it has a key that is too short") }
        userKey = Array(bytes.prefix(count))
        var trailer = FieldReader(bytes.suffix(8))
        let number = try trailer.readFixed(UInt64.self)
        guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: number)) else {
            throw FormatError("it has a key of an unknown kind (\(number & 0xff))")
        }
        self.kind = kind
        sequence = number >> 8
    }

    /// The key as it is on disk.
    package var encoded: [UInt8] {
        let number = sequence << 8 | UInt64(kind.rawValue)
        return userKey + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

extension InternalKey {
    /// Returns whether this key sorts before another one in a database in bytewise order.
    package func precedesBytewise(_ other: InternalKey) -> Bool {
        if userKey == other.userKey {
            return (sequence, kind.rawValue) > (other.sequence, other.kind.rawValue)
        }
        return userKey.lexicographicallyPrecedes(other.userKey)
    }
}
