package import LevelKit

/// The metadata of a text index: statistics over its documents, and the segments with its postings.
///
/// Stored in one record, so that a flush or a merge takes effect with one put. Segments are contiguous: the first
/// begins at slot 0, each begins where the previous one ends, and the pending slots follow the last.
package struct TextStructure: Sendable, Hashable {
    /// Increases with each batch that changes the index; identifies the state of the index in memory.
    var generation: UInt64 = 0
    /// The number of documents with at least one word, and the number of their words.
    package internal(set) var statistics = IndexStatistics()
    /// The slot of the next document.
    package internal(set) var nextSlot: UInt32 = 0
    /// The number of the next segment.
    var nextSegment: UInt32 = 1
    package internal(set) var segments: [TextSegment] = []

    /// The first slot that is not in a segment.
    package var pendingSlot: UInt32 { segments.last?.upper ?? 0 }

    /// The number of slots in a chunk of norms, rows and deleted bits. Part of the on-disk format; must not change.
    package static let chunkSlotCount: UInt32 = 4096
    /// Whether most slots belong to former versions of documents. Slots are never reused, and each takes some two bytes
    /// of the database and five of memory, so a new index is less than half as large.
    var isSparse: Bool { nextSlot >= Self.chunkSlotCount && Int64(nextSlot) > 2 * statistics.documents }

    /// The format version of the record.
    private static let format: UInt64 = 1

    /// The encoded record.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for value in [
            Self.format, generation, UInt64(max(0, statistics.documents)), UInt64(max(0, statistics.words)),
            UInt64(nextSlot), UInt64(nextSegment), UInt64(segments.count),
        ] { Varint.append(value, to: &bytes) }
        for segment in segments {
            Varint.append(UInt64(segment.number), to: &bytes)
            Varint.append(UInt64(segment.upper - segment.lower), to: &bytes)
            Varint.append(UInt64(segment.documentCount), to: &bytes)
            Varint.append(segment.byteCount, to: &bytes)
        }
        return bytes
    }

    init() {}

    /// Decodes a record. Returns `nil` if it is inconsistent.
    init?(encoded: [UInt8]) {
        guard let values = Varint.readAll(encoded), values.count >= 7, values[0] == Self.format,
            values[1] < .max / 2, values[2] <= 1 << 32, values[3] <= 1 << 62,
            let nextSlot = UInt32(exactly: values[4]), let nextSegment = UInt32(exactly: values[5]),
            values[6] <= 1 << 20, UInt64(values.count) == 7 + 4 * values[6]
        else { return nil }
        generation = values[1]
        statistics = IndexStatistics(documents: Int64(values[2]), words: Int64(values[3]))
        self.nextSlot = nextSlot
        self.nextSegment = nextSegment
        var lower: UInt32 = 0
        var numbers: Set<UInt32> = []
        for start in stride(from: 7, to: values.count, by: 4) {
            guard let number = UInt32(exactly: values[start]), number < nextSegment, numbers.insert(number).inserted,
                values[start + 1] <= UInt64(nextSlot - lower), values[start + 2] <= values[start + 1]
            else { return nil }
            let upper = lower + UInt32(values[start + 1])
            segments.append(
                TextSegment(
                    number: number, lower: lower, upper: upper, documentCount: UInt32(values[start + 2]),
                    byteCount: values[start + 3]))
            lower = upper
        }
        guard statistics.documents <= Int64(nextSlot) else { return nil }
    }

    /// Reads the structure of an index; an empty one if none is stored yet.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    static func read(_ index: UInt32, name: String, in reader: some KeyValueReader) throws -> TextStructure {
        guard let bytes = try reader.value(forKey: TextIndexKey.structure.prefix(index)) else { return TextStructure() }
        guard let structure = TextStructure(encoded: bytes) else {
            throw DocIndexError.damagedTextIndex(name, "its structure cannot be read")
        }
        return structure
    }
}

/// The postings of a range of slots, written once and never changed.
package struct TextSegment: Sendable, Hashable {
    package let number: UInt32
    /// The first slot.
    let lower: UInt32
    /// The slot after the last.
    package let upper: UInt32
    /// The number of documents that were live when the segment was written.
    let documentCount: UInt32
    /// The total size of its keys and values, in bytes.
    let byteCount: UInt64
}

extension TextStructure {
    /// Returns the slot of a row and its number of words; `nil` if the row is not in the index.
    package func slot(
        ofRow row: UInt64, _ index: TextIndex, in reader: some KeyValueReader
    ) throws -> (slot: UInt32, length: UInt32)? {
        guard let bytes = try reader.value(forKey: TextIndexKey.slots.key(index.number, row)) else { return nil }
        guard let values = Varint.readAll(bytes), values.count == 2, values[0] < UInt64(nextSlot),
            let length = UInt32(exactly: values[1])
        else { throw DocIndexError.damagedTextIndex(index.name, "the slot of row \(row) cannot be read") }
        return (UInt32(values[0]), length)
    }
}

extension DocIndexError {
    /// Returns the error for corrupt data of a text index.
    static func damagedTextIndex(_ index: String, _ what: String) -> DocIndexError {
        DocIndexError(.corruption, "the text index \(index) is damaged: \(what); run verify, then rebuild the index")
    }
}
