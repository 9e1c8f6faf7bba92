internal import LevelKit

/// Every key of a text index, after `X index`. `docs/FORMAT.md` lists each key with its bytes.
///
/// Slots number the indexed versions of documents in the order in which they were written. Each segment holds the
/// postings of a range of slots. Numbers of slots and segments are never reused.
package enum TextIndexKey: Int64, CaseIterable {
    /// `0` → the structure: totals, and the list of segments.
    case structure = 0
    /// `1 segment term` → a term, with the first of its postings.
    case terms = 1
    /// `2 segment term group` → further postings of a frequent term.
    case groups = 2
    /// `3 segment term group` → the positions of a group.
    case positions = 3
    /// `4 chunk` → the norms of 4,096 slots.
    case norms = 4
    /// `5 chunk` → a bit for each of 4,096 slots that is set if the slot is deleted.
    case deleted = 5
    /// `6 chunk` → the rows of 4,096 slots.
    case rows = 6
    /// `7 row` → the slot of a document, and its number of words.
    case slots = 7
    /// `8 slot` → a document that is not in a segment yet.
    case pending = 8
    /// `9 slot` → the terms of a document whose slot died since the last flush.
    case tombstones = 9

    /// The first byte of the keys of all text indexes, `X`. It is the one that `StoreKey.text` of DocIndex reserves.
    static let firstByte: UInt8 = 0x58

    /// Returns the prefix of all keys of this kind.
    package func prefix(_ index: UInt32) -> [UInt8] {
        var key = [Self.firstByte]
        TupleEncoder.append(Int64(index), to: &key)
        TupleEncoder.append(rawValue, to: &key)
        return key
    }

    /// Returns a key of this kind with one number.
    package func key(_ index: UInt32, _ number: UInt64) -> [UInt8] {
        var key = prefix(index)
        TupleEncoder.append(number, to: &key)
        return key
    }

    /// Returns the number between `offset` and the end of a key; `nil` if there is none.
    static func number(in key: Span<UInt8>, at offset: Int) -> UInt64? {
        var decoder = TupleDecoder(key, from: offset)
        guard let number = try? decoder.decodeUInt64(), decoder.isAtEnd else { return nil }
        return number
    }

    /// Returns the prefix of the keys of a segment.
    package func segment(_ index: UInt32, _ segment: UInt32) -> [UInt8] { key(index, UInt64(segment)) }

    /// Returns the key of a term in a segment. A number follows in the keys of ``groups`` and ``positions``.
    func term(_ index: UInt32, _ segment: UInt32, _ term: [UInt8]) -> [UInt8] {
        var key = self.segment(index, segment)
        key.reserveCapacity(key.count + term.count + 4)
        Self.append(term: term, to: &key)
        return key
    }

    /// Appends a term as a tuple string, which sorts like the term's bytes.
    static func append(term: [UInt8], to key: inout [UInt8]) {
        key.append(0x02)
        for byte in term {
            key.append(byte)
            if byte == 0 { key.append(0xff) }
        }
        key.append(0x00)
    }

    /// Returns the term encoded as a tuple string between `offset` and the end of the key; `nil` if there is none.
    package static func term(in key: Span<UInt8>, at offset: Int) -> [UInt8]? {
        guard offset + 1 < key.count, key[offset] == 0x02, key[key.count - 1] == 0 else { return nil }
        var term: [UInt8] = []
        term.reserveCapacity(key.count - offset - 2)
        var position = offset + 1
        while position < key.count - 1 {
            term.append(key[position])
            if key[position] == 0 {
                guard position + 1 < key.count - 1, key[position + 1] == 0xff else { return nil }
                position += 1
            }
            position += 1
        }
        return term
    }
}
