package import LevelKit

/// Loads the view of a text index from the store, when the store is opened and after a failed batch.
///
/// Norms, rows and deleted slots are read as stored. Pending documents are analyzed again from their bodies: a record of
/// their words would be written with each commit but hardly ever read.
package struct TextIndexLoader {
    let source: TextIndexSource
    let reader: any KeyValueReader

    package init(source: TextIndexSource, reader: any KeyValueReader) {
        self.source = source
        self.reader = reader
    }

    private var index: TextIndex { source.index }

    /// - Throws: ``DocIndexError`` with `corruption`.
    /// - Complexity: O(*n*) in the slots of the index, a few bytes each, plus one document body per pending document.
    package func load() throws -> (view: TextIndexReader, deletedSlots: [UInt32]) {
        var view = TextIndexReader(weights: index.weights)
        let structure = try TextStructure.read(index.number, name: index.name, in: reader)
        view.slots = SlotTable(capacity: Int(structure.nextSlot) + 1024)
        try loadChunks(structure, into: &view)
        view.structure = structure
        let deletedSlots = try loadTombstones(into: &view)
        try loadPending(into: &view, deletedSlots: deletedSlots)
        return (view, deletedSlots)
    }

    private func loadChunks(_ structure: TextStructure, into view: inout TextIndexReader) throws {
        let upper = structure.pendingSlot
        var lower: UInt32 = 0
        while lower < upper {
            let chunk = lower / TextStructure.chunkSlotCount
            let count = Int(min(TextStructure.chunkSlotCount, upper - lower))
            guard let norms = try value(.norms, chunk), norms.count == count,
                let rows = try value(.rows, chunk).flatMap(SlotRows.decoded), rows.count == count
            else { throw damage("the norms or rows of chunk \(chunk) are missing or cannot be read") }
            for offset in 0..<count {
                let slot = lower + UInt32(offset)
                view.slots.set(slot, row: rows[offset], norm: norms[offset])
                view.note(row: rows[offset], slot: slot)
            }
            if let bits = try value(.deleted, chunk) {
                guard let deleted = DeletedSlots(encoded: bits) else {
                    throw damage("the deleted slots of chunk \(chunk) cannot be read")
                }
                view.deleted[Int(chunk)] = deleted
            }
            lower += UInt32(count)
        }
    }

    private func value(_ kind: TextIndexKey, _ chunk: UInt32) throws -> [UInt8]? {
        try reader.value(forKey: kind.key(index.number, UInt64(chunk)))
    }

    private func loadTombstones(into view: inout TextIndexReader) throws -> [UInt32] {
        let prefix = TextIndexKey.tombstones.prefix(index.number)
        var deletedSlots: [UInt32] = []
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        while try cursor.advance() {
            guard let number = TextIndexKey.number(in: cursor.key, at: prefix.count),
                let slot = UInt32(exactly: number),
                slot < view.structure.nextSlot, let terms = TombstoneRecord.terms(cursor.value)
            else { throw damage("the record of a deleted document cannot be read") }
            // A pending document has not been counted in any segment.
            if slot < view.structure.pendingSlot { _ = view.pending.delete(terms, number: view.tombstoneCount) }
            view.tombstoneCount += 1
            deletedSlots.append(slot)
        }
        return deletedSlots
    }

    private func loadPending(into view: inout TextIndexReader, deletedSlots: [UInt32]) throws {
        let prefix = TextIndexKey.pending.prefix(index.number)
        let structure = view.structure
        var slot = structure.pendingSlot
        var cursor = try reader.cursor(in: .prefix(prefix), cache: .bypass)
        var live: [(slot: UInt32, row: UInt64, length: Int)] = []
        while try cursor.advance() {
            guard TextIndexKey.number(in: cursor.key, at: prefix.count) == UInt64(slot), slot < structure.nextSlot,
                let values = Varint.readAll(cursor.value.copied()), values.count == 2,
                let row = UInt32(exactly: values[0]), values[1] <= UInt64(UInt32.max)
            else { throw damage("the pending slot \(slot) is missing or cannot be read") }
            view.slots.set(slot, row: row, norm: TextNorm.code(Int(values[1])))
            view.note(row: row, slot: slot)
            live.append((slot, UInt64(row), Int(values[1])))
            slot += 1
        }
        guard slot == structure.nextSlot else { throw damage("the pending slot \(slot) is missing") }
        for slot in deletedSlots { view.delete(slot) }
        var words = AnalyzedDocument()
        for entry in live where !view.isDeleted(entry.slot) {
            guard let document = try source.document(entry.row, reader) else {
                throw damage("row \(entry.row) is pending but has no document")
            }
            index.analyze(document, into: &words)
            guard words.length == entry.length || !source.isCurrent else {
                throw damage("row \(entry.row) is pending with a different number of words")
            }
            view.pending.add(words, slot: entry.slot)
        }
    }

    private func damage(_ what: String) -> DocIndexError { DocIndexError.damagedTextIndex(index.name, what) }
}

/// The stored terms of a deleted document: each term after its length.
package enum TombstoneRecord {
    package static func terms(_ bytes: Span<UInt8>) -> SimpleAnalyzer.Terms? {
        var terms = SimpleAnalyzer.Terms()
        var offset = 0
        while offset < bytes.count {
            guard let length = Varint.read(bytes, &offset), length > 0, length <= UInt64(bytes.count - offset) else {
                return nil
            }
            terms.append(bytes.extracting(offset..<offset + Int(length)))
            offset += Int(length)
        }
        return terms
    }
}

/// The stored rows of one chunk of slots: the difference between each row and the previous one, as a varint whose
/// lowest bit is the sign. Part of the on-disk format; must not change.
enum SlotRows {
    static func encoded(_ rows: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        var previous: Int64 = 0
        for row in rows {
            let step = Int64(row) - previous
            Varint.append(UInt64(bitPattern: step << 1 ^ step >> 63), to: &bytes)
            previous = Int64(row)
        }
        return bytes
    }

    static func decoded(_ bytes: [UInt8]) -> [UInt32]? {
        guard let steps = Varint.readAll(bytes) else { return nil }
        var rows: [UInt32] = []
        rows.reserveCapacity(steps.count)
        var previous: Int64 = 0
        for step in steps {
            guard step <= 1 << 34 else { return nil }
            previous += Int64(bitPattern: step >> 1) ^ -Int64(bitPattern: step & 1)
            guard let row = UInt32(exactly: previous) else { return nil }
            rows.append(row)
        }
        return rows
    }
}
