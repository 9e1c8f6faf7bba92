internal import LevelKit

/// What a text index knows of itself: sums over its documents, and which segments hold its postings.
///
/// One record, so that a flush or a merge takes effect with one put. Segments lie side by side: the first begins at
/// slot 0, each goes on where the one before it ends, and behind the last are the slots that are pending.
struct TextStructure: Sendable, Hashable {
    /// Rises with each batch that touches the index: tells the states of memory apart.
    var generation: UInt64 = 0
    /// Documents with at least one word, and words of all of them.
    var statistics = IndexStatistics()
    /// The slot that the next document gets.
    var nextSlot: UInt32 = 0
    /// The number that the next segment gets.
    var nextSegment: UInt32 = 1
    var segments: [TextSegment] = []

    /// The first slot that is in no segment.
    var pendingSlot: UInt32 { segments.last?.upper ?? 0 }

    /// Slots of one chunk of norms, rows and dead bits. Stored on disk, never change.
    static let chunkSlotCount: UInt32 = 4096
    /// The version of the record.
    private static let format: UInt64 = 1

    /// The record.
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

    /// Reads a record; `nil` if it contradicts itself.
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

    /// The structure of an index as a reader has it; an empty one where there is none yet.
    ///
    /// - Throws: ``DocIndexError`` with `corruption`.
    static func read(_ index: UInt32, name: String, in reader: some KeyValueReader) throws -> TextStructure {
        guard let bytes = try reader.value(forKey: TextKeyspace.structure.prefix(index)) else { return TextStructure() }
        guard let structure = TextStructure(encoded: bytes) else {
            throw TextDamage.error(name, "its structure cannot be read")
        }
        return structure
    }
}

/// The postings of a range of slots, written once and never changed.
struct TextSegment: Sendable, Hashable {
    let number: UInt32
    /// The first slot.
    let lower: UInt32
    /// The slot behind the last.
    let upper: UInt32
    /// Documents that were alive when it was written.
    let documentCount: UInt32
    /// Bytes of its keys and values.
    let byteCount: UInt64
}

/// The error for what cannot be read in a text index.
enum TextDamage {
    static func error(_ index: String, _ what: String) -> DocIndexError {
        DocIndexError(.corruption, "the text index \(index) is damaged: \(what); run verify, then rebuild the index")
    }
}
