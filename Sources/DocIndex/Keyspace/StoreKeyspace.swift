internal import LevelKit

/// Every key that a store writes. `docs/FORMAT.md` shows each with its bytes.
///
/// The first byte tells the kind; numbers behind it are tuple integers, which keep their order as bytes. Numbers of
/// collections, indexes and documents are never used twice.
enum StoreKeyspace: UInt8 {
    /// `M` → the catalog: format version, collections, indexes.
    case catalog = 0x4d
    /// `N collection` → the next row number, the count of documents, the count of member names.
    case counters = 0x4e
    /// `S` → the sequence number of the last commit.
    case state = 0x53
    /// `C sequence collection row` → what happened to a document, and its id.
    case changes = 0x43
    /// `P index` → the last row that an index being built holds; `P name` → that a migration has reached.
    case progress = 0x50
    /// `L name` → how far something that stores many documents has come.
    case markers = 0x4c
    /// `I collection id` → row number; of a deleted document, where its deletion stands among the changes.
    case ids = 0x49
    /// `D collection row` → the sequence number of the last change, and the body of a document.
    case documents = 0x44
    /// `F collection first` → member names, numbered from `first` on.
    case names = 0x46
    /// `V index value… row` → the values that the index covers, the location of a geo index, or nothing.
    case values = 0x56
    /// `G index value…` → the count of entries with these values.
    case valueCounts = 0x47
    /// `Q key` → a record that a rebuild has set aside because it cannot be read, under the key that it had.
    case setAside = 0x51
    /// `X index …` → a text index; see ``TextKeyspace``.
    case text = 0x58

    /// The key of the catalog.
    static let catalogKey: [UInt8] = [StoreKeyspace.catalog.rawValue]

    /// The key of the state.
    static let stateKey: [UInt8] = [StoreKeyspace.state.rawValue]

    /// The key of a change. Of the changes of one commit, the order is that of collections and rows.
    static func change(_ sequence: UInt64, collection: UInt32, row: UInt64) -> [UInt8] {
        var key = [StoreKeyspace.changes.rawValue]
        TupleEncoder.append(sequence, to: &key)
        TupleEncoder.append(Int64(collection), to: &key)
        appendRow(row, to: &key)
        return key
    }

    /// The changes of all commits behind one.
    static func changes(behind sequence: UInt64) -> KeyRange {
        var lower = [StoreKeyspace.changes.rawValue]
        TupleEncoder.append(sequence == .max ? sequence : sequence + 1, to: &lower)
        return .from(lower, to: [StoreKeyspace.changes.rawValue + 1])
    }

    /// The key of how far a migration has come.
    static func migrationProgress(_ name: String) -> [UInt8] {
        var key = [StoreKeyspace.progress.rawValue]
        TupleEncoder.append(name, to: &key)
        return key
    }

    /// The key of a marker.
    static func marker(_ name: String) -> [UInt8] {
        var key = [StoreKeyspace.markers.rawValue]
        TupleEncoder.append(name, to: &key)
        return key
    }

    /// The beginning of every key of a collection or an index.
    func prefix(_ number: UInt32) -> [UInt8] {
        var key = [rawValue]
        TupleEncoder.append(Int64(number), to: &key)
        return key
    }

    /// The key of a document's body.
    static func document(_ collection: UInt32, row: UInt64) -> [UInt8] {
        var key = StoreKeyspace.documents.prefix(collection)
        appendRow(row, to: &key)
        return key
    }

    /// The key of the member names that are numbered from `first` on.
    static func names(_ collection: UInt32, from first: Int) -> [UInt8] {
        var key = StoreKeyspace.names.prefix(collection)
        TupleEncoder.append(Int64(first), to: &key)
        return key
    }

    /// The key that leads from a document's id to its row.
    static func id(_ collection: UInt32, _ id: DocumentID) -> [UInt8] {
        var key = StoreKeyspace.ids.prefix(collection)
        id.append(to: &key)
        return key
    }

    /// Adds a row number, the last part of the keys of documents and index entries.
    static func appendRow(_ row: UInt64, to key: inout [UInt8]) {
        TupleEncoder.append(row, to: &key)
    }

    /// Reads the row number that begins at `offset` and ends the key; `nil` if the key does not end like that.
    ///
    /// Written out rather than left to the tuple decoder: it runs once for each index entry that a query visits.
    static func row(in key: Span<UInt8>, at offset: Int) -> UInt64? {
        guard offset < key.count else { return nil }
        let byteCount = Int(key[offset]) - 0x14
        guard byteCount >= 0, byteCount <= 8, key.count == offset + 1 + byteCount else { return nil }
        var row: UInt64 = 0
        for index in offset + 1..<key.count { row = row << 8 | UInt64(key[index]) }
        return row
    }
}

/// Unsigned integers of seven bits a byte, least significant first, as in LevelDB's own formats (`util/coding.cc`).
enum Varint {
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The integer at `offset`, which moves behind it; `nil` if the bytes end early or hold more than 64 bits.
    static func read(_ bytes: Span<UInt8>, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// All integers in `bytes`; `nil` if they are no sequence of integers.
    static func readAll(_ bytes: [UInt8]) -> [UInt64]? {
        var offset = 0
        var values: [UInt64] = []
        while offset < bytes.count {
            guard let value = read(bytes.span, &offset) else { return nil }
            values.append(value)
        }
        return values
    }
}
