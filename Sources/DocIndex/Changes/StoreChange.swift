internal import LevelKit

/// The last change of a document.
public struct StoreChange: Sendable, Hashable {
    /// The sequence number of the commit.
    public let sequence: UInt64
    /// The name of the collection.
    public let collection: String
    /// The ID of the document.
    public let id: DocumentID
    /// Whether the document was deleted. Otherwise it was stored.
    public let isDeletion: Bool
    /// Whether the document had several versions after the change, because replicas had edited it independently; see
    /// ``DocumentCollection/conflict(of:)``.
    public let hasConflict: Bool

    /// One byte with flags (1 for a deletion, 2 for a conflict), and the ID as a tuple.
    var encoded: [UInt8] {
        var bytes: [UInt8] = [(isDeletion ? 1 : 0) | (hasConflict ? 2 : 0)]
        id.append(to: &bytes)
        return bytes
    }

    /// Decodes a change.
    ///
    /// - Returns: `nil` if the bytes are malformed or the collection is unknown.
    init?(key: Span<UInt8>, value: Span<UInt8>, catalog: LoadedCatalog) {
        guard let key = StoreChange.Key(key), let collection = catalog.collection(numbered: key.collection),
            let value = StoreChange.Value(value)
        else { return nil }
        self.init(
            sequence: key.sequence, collection: collection.name, id: value.id, isDeletion: value.isDeletion,
            hasConflict: value.hasConflict)
    }

    /// The parts of a change's value in the feed.
    struct Value {
        let id: DocumentID
        let isDeletion: Bool
        let hasConflict: Bool

        /// - Returns: `nil` if the bytes are malformed.
        init?(_ value: Span<UInt8>) {
            guard value.count > 1, value[0] <= 2, let id = DocumentID(encoded: value.extracting(1..<value.count)) else {
                return nil
            }
            self.id = id
            isDeletion = value[0] == 1
            hasConflict = value[0] == 2
        }
    }

    init(sequence: UInt64, collection: String, id: DocumentID, isDeletion: Bool, hasConflict: Bool = false) {
        self.sequence = sequence
        self.collection = collection
        self.id = id
        self.isDeletion = isDeletion
        self.hasConflict = hasConflict
    }

    /// The parts of a change's key, in the feed or in the history.
    struct Key: Hashable {
        let sequence: UInt64
        let collection: UInt32
        let row: UInt64

        init(sequence: UInt64, collection: UInt32, row: UInt64) {
            self.sequence = sequence
            self.collection = collection
            self.row = row
        }

        init?(_ key: Span<UInt8>, kind: StoreKey = .changes) {
            guard key.count > 1, key[0] == kind.rawValue else { return nil }
            var decoder = TupleDecoder(key.extracting(1..<key.count))
            guard let sequence = try? decoder.decodeUInt64(), let collection = try? decoder.decodeUInt64(),
                let collection = UInt32(exactly: collection), let row = try? decoder.decodeUInt64(), decoder.isAtEnd
            else { return nil }
            self.sequence = sequence
            self.collection = collection
            self.row = row
        }
    }
}

extension DocumentID {
    /// Decodes the tuple encoding of an ID; `nil` for other bytes.
    init?(encoded bytes: Span<UInt8>) {
        var decoder = TupleDecoder(bytes)
        if let text = try? decoder.decodeString() {
            self = .string(text)
        } else if let number = try? decoder.decodeInt64() {
            self = .int(number)
        } else {
            return nil
        }
        guard decoder.isAtEnd else { return nil }
    }
}
