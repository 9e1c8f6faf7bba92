internal import LevelKit

/// Applies the changes of one batch to a text index: pending records go into the batch, words into memory.
///
/// The changes become visible when the batch has been written and the view is published. If the batch fails, the view
/// is discarded and none of it is ever seen.
struct TextIndexWriter {
    let index: TextIndex
    let reader: any KeyValueReader
    private(set) var view: TextIndexReader
    /// Slots that this batch deletes.
    private(set) var deletedSlots: [UInt32] = []
    private var words = AnalyzedDocument()

    init(index: TextIndex, view: TextIndexReader, reader: any KeyValueReader) {
        self.index = index
        self.view = view
        self.reader = reader
    }

    /// Applies the changes and adds the resulting writes to the batch.
    ///
    /// - Throws: ``DocIndexError``: `corruption`; `tooManyEntries` when slot or row numbers are exhausted.
    mutating func apply(_ changes: [TextChange], to batch: WriteBatch) throws {
        let first = view.structure.nextSlot
        for change in changes {
            if let old = change.old { try remove(old, row: change.row, from: batch, isReplaced: change.new != nil) }
            if let new = change.new { try add(new, row: change.row, to: batch) }
        }
        // Documents without words leave the index unchanged.
        guard view.structure.nextSlot != first || !deletedSlots.isEmpty else { return }
        view.structure.generation += 1
        try batch.put(view.structure.encoded, forKey: TextIndexKey.structure.prefix(index.number))
    }

    private mutating func add(_ document: DocumentObject, row: UInt64, to batch: WriteBatch) throws {
        index.analyze(document, into: &words)
        if words.isEmpty { return }
        guard let row32 = UInt32(exactly: row), view.structure.nextSlot < .max - 1 else {
            throw DocIndexError(
                .tooManyEntries,
                "the text index \(index.name) has no free slot numbers left; rebuild it, or dump the store "
                    + "and load the dump into a new one")
        }
        let slot = view.append(row: row32, norm: TextNorm.code(words.length))
        view.pending.add(words, slot: slot)
        view.structure.statistics += IndexStatistics(documents: 1, words: Int64(words.length))
        try batch.put(
            Self.record(row, UInt64(words.length)), forKey: TextIndexKey.pending.key(index.number, UInt64(slot)))
        try batch.put(
            Self.record(UInt64(slot), UInt64(words.length)), forKey: TextIndexKey.slots.key(index.number, row))
    }

    private mutating func remove(
        _ document: DocumentObject, row: UInt64, from batch: WriteBatch, isReplaced: Bool
    ) throws {
        let key = TextIndexKey.slots.key(index.number, row)
        guard let (slot, length) = try view.structure.slot(ofRow: row, index, in: reader) else { return }
        guard !view.isDeleted(slot) else {
            throw DocIndexError.damagedTextIndex(index.name, "row \(row) is already deleted")
        }
        index.analyze(document, into: &words)
        let record = view.pending.delete(words.terms, number: view.tombstoneCount)
        // A deleted pending document is not loaded again, so there is nothing to subtract for it, unless it is part of
        // a flush in progress.
        let stored = slot < view.firstPendingSlot ? record : []
        view.tombstoneCount += 1
        view.delete(slot)
        deletedSlots.append(slot)
        view.structure.statistics -= IndexStatistics(documents: 1, words: Int64(length))
        guard view.structure.statistics.documents >= 0, view.structure.statistics.words >= 0 else {
            throw DocIndexError.damagedTextIndex(index.name, "its document or word count is wrong")
        }
        try batch.put(stored, forKey: TextIndexKey.tombstones.key(index.number, UInt64(slot)))
        try batch.delete(key)
    }

    private static func record(_ a: UInt64, _ b: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(a, to: &bytes)
        Varint.append(b, to: &bytes)
        return bytes
    }
}
