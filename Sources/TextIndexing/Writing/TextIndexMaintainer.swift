internal import LevelKit

/// Flushes pending documents of one text index to segments, merges segments, and deletes merged ones, a slice at a
/// time. Used under the writer's lock.
///
/// A flush or a merge writes the keys of its segment while the index does not refer to it. One batch then replaces the
/// structure record. If the process ends before that, the next one finds the keys of an unknown segment and deletes
/// them.
final class TextIndexMaintainer {
    private let index: TextIndex
    private let views: TextIndexViews
    private let cache: TermCache
    private let database: Database
    /// Slots deleted since the last flush began.
    private var deletedSlots: [UInt32]
    private var flusher: SegmentFlusher?
    private var merger: SegmentMerger?
    /// Segments whose keys can be deleted.
    private var garbage: [UInt32] = []
    /// The number of bytes that merges may write; each stored document increases it.
    private var credit = 0
    private var isCleaned = false

    init(index: TextIndex, views: TextIndexViews, cache: TermCache, database: Database, deletedSlots: [UInt32]) {
        self.index = index
        self.views = views
        self.cache = cache
        self.database = database
        self.deletedSlots = deletedSlots
    }

    private var newest: TextIndexReader? { views.newest(index.number) }

    /// Records the effects of a written batch.
    func didWrite(deletedSlots: [UInt32], credit: Int) {
        self.deletedSlots += deletedSlots
        self.credit += credit
    }

    /// Does the maintenance that is due after a batch.
    func maintain(after documentCount: Int, limits: TextMaintenanceLimits) throws {
        try clean()
        try flushIfDue(documentCount: documentCount, limits)
        let slice = max(1, limits.mergeSliceByteCount)
        while credit >= slice {
            credit = min(credit - slice, 16 * slice)
            if try !mergeSlice(byteCount: slice, limits) { break }
        }
    }

    /// Flushes all pending documents and, if requested, merges all segments into one.
    func compact(merges: Bool, limits: TextMaintenanceLimits) throws {
        try clean()
        try flush()
        if merges { try mergeAll(limits) }
    }

    // MARK: - Flushes

    /// The cost of a document in addition to its words, in words: its records are deleted in one batch.
    private static let wordsOfDocument = 8

    /// Returns whether there are more pending documents than single commits leave pending.
    func hasMuchPending(limits: TextMaintenanceLimits) -> Bool {
        newest.map { Self.isMuch($0, from: $0.structure.pendingSlot, limits) } ?? false
    }

    /// Flushes what is pending, except for the few documents that came after a flush began.
    func settle(limits: TextMaintenanceLimits) throws {
        guard let view = newest else { return }
        try endFlush()
        if Self.isMuch(view, from: view.firstPendingSlot, limits) { try flush() }
    }

    private static func isMuch(_ view: TextIndexReader, from slot: UInt32, _ limits: TextMaintenanceLimits) -> Bool {
        Int(view.structure.nextSlot - slot) >= limits.pendingDocumentCount
            || slot < view.structure.nextSlot && view.pending.wordCount >= limits.pendingWordCount
    }

    /// Begins a flush when enough is pending (a load flushes larger segments), and continues the current flush.
    private func flushIfDue(documentCount: Int, _ limits: TextMaintenanceLimits) throws {
        guard let view = newest else { return }
        let words = view.pending.wordCount
        let documents = Int(view.structure.nextSlot - view.firstPendingSlot) + Int(view.tombstoneCount)
        let isDue =
            documentCount >= limits.loadDocumentCount
            ? words + documents * Self.wordsOfDocument >= limits.loadWordCount
            : documents >= limits.pendingDocumentCount || words >= limits.pendingWordCount
        if isDue {
            try endFlush()
            beginFlush()
        }
        let (slice, isOver) = limits.flushSliceByteCount.multipliedReportingOverflow(by: documentCount + 1)
        if try flusher?.advance(byteCount: isOver ? .max / 4 : max(1, slice)) == true { try endFlush() }
    }

    /// Flushes all pending documents. A flush in progress is completed first, as a separate segment.
    private func flush() throws {
        try endFlush()
        beginFlush()
        try endFlush()
    }

    /// Closes the log of pending documents and opens a new one. Does nothing if there is nothing to flush.
    private func beginFlush() {
        guard var view = newest, view.structure.nextSlot > view.structure.pendingSlot || view.tombstoneCount > 0
        else { return }
        let number = view.structure.nextSegment
        // Stored with the next batch. If the process ends before that, the next one deletes the keys of the segment.
        view.structure.nextSegment = number + 1
        let frozen = TextIndexReader.Frozen(
            pending: view.pending,
            limit: InMemoryIndex.Limit(slot: view.structure.nextSlot, tombstoneCount: view.tombstoneCount))
        view.frozen = frozen
        view.pending = InMemoryIndex(weights: index.weights)
        view.tombstoneCount = 0
        flusher = SegmentFlusher(
            database: database, index: index, number: number, view: view, frozen: frozen, deletedSlots: deletedSlots)
        deletedSlots = []
        // The stored data is the same, so this view may replace the one that readers use.
        views.confirm([index.number: view])
    }

    /// Writes the rest of the current flush and adds its segment to the structure.
    private func endFlush() throws {
        guard flusher != nil else { return }
        while try flusher?.advance(byteCount: .max / 4) == false {}
        guard let flusher, var view = newest else { return }
        view.structure.segments.append(flusher.segment)
        view.frozen = nil
        let batch = WriteBatch()
        let slots = flusher.lower..<flusher.frozen.limit.slot
        try putChunks(of: view, slots, deletedSlots: flusher.deletedSlots, to: batch)
        for slot in slots { try batch.delete(TextIndexKey.pending.key(index.number, UInt64(slot))) }
        for slot in flusher.deletedSlots { try batch.delete(TextIndexKey.tombstones.key(index.number, UInt64(slot))) }
        try publish(view, batch)
        self.flusher = nil
    }

    /// Puts the norms and rows of a range of slots by chunk, and every chunk of deleted slots that has changed.
    private func putChunks(
        of view: TextIndexReader, _ slots: Range<UInt32>, deletedSlots: [UInt32], to batch: WriteBatch
    ) throws {
        let size = TextStructure.chunkSlotCount
        var chunk = slots.lowerBound / size
        while !slots.isEmpty, chunk <= (slots.upperBound - 1) / size {
            let range = chunk * size..<min(slots.upperBound, chunk * size + min(size, .max - chunk * size))
            try batch.put(range.map(view.slots.norm), forKey: TextIndexKey.norms.key(index.number, UInt64(chunk)))
            try batch.put(
                SlotRows.encoded(range.map(view.slots.row)), forKey: TextIndexKey.rows.key(index.number, UInt64(chunk)))
            chunk += 1
        }
        let changed = Set(deletedSlots.map { $0 / size })
        for chunk in changed.sorted() {
            guard let deleted = view.deleted[Int(chunk)] else { continue }
            try batch.put(deleted.encoded, forKey: TextIndexKey.deleted.key(index.number, UInt64(chunk)))
        }
    }

    // MARK: - Merges

    /// Continues a merge, begins one, or deletes merged segments.
    ///
    /// - Returns: whether there was something to do.
    private func mergeSlice(byteCount: Int, _ limits: TextMaintenanceLimits) throws -> Bool {
        if let number = garbage.first {
            if try !deleteSlice(of: number) { garbage.removeFirst() }
            return true
        }
        guard let view = newest else { return false }
        if merger == nil {
            let segments = view.structure.segments
            let next = limits.mergePolicy.next(segments) {
                Int($0.upper - $0.lower) - view.deletedCount($0.lower..<$0.upper)
            }
            guard let next else { return false }
            try beginMerge(of: Array(segments[next]), view)
        }
        if try merger?.advance(byteCount: byteCount) == true { try finishMerge() }
        return true
    }

    private func beginMerge(of inputs: [TextSegment], _ view: TextIndexReader) throws {
        // The number is reserved at once, so that a concurrent flush gets another one.
        var taken = view
        let number = view.structure.nextSegment
        taken.structure.nextSegment = number + 1
        try publish(taken, WriteBatch())
        merger = SegmentMerger(database: database, index: index, inputs: inputs, number: number, view: view)
    }

    private func finishMerge() throws {
        guard let merger, var view = newest,
            let first = view.structure.segments.firstIndex(where: { $0.number == merger.inputs.first?.number })
        else { return }
        view.structure.segments.replaceSubrange(first..<first + merger.inputs.count, with: [merger.segment])
        try publish(view, WriteBatch())
        self.merger = nil
        garbage += merger.inputs.map(\.number)
        cache.remove(merger.inputs.map(\.number), of: index.number)
    }

    private func mergeAll(_ limits: TextMaintenanceLimits) throws {
        while try mergeSlice(byteCount: .max / 4, limits) {}
        guard let view = newest else { return }
        let segments = view.structure.segments
        let hasDeleted = view.deletedCount(0..<view.structure.pendingSlot) > 0
        if segments.count > 1 || (hasDeleted && segments.count == 1) {
            let isClean =
                segments.count == 1
                && Int(segments[0].documentCount)
                    == Int(segments[0].upper - segments[0].lower)
                    - view.deletedCount(segments[0].lower..<segments[0].upper)
            if isClean { return }
            try beginMerge(of: segments, view)
            while try merger?.advance(byteCount: .max / 4) == false {}
            try finishMerge()
        }
        while let number = garbage.first {
            if try !deleteSlice(of: number) { garbage.removeFirst() }
        }
    }

    // MARK: - Segments

    /// Stores and publishes a structure whose segments or next segment number changed.
    private func publish(_ view: TextIndexReader, _ batch: WriteBatch) throws {
        var view = view
        view.structure.generation += 1
        try batch.put(view.structure.encoded, forKey: TextIndexKey.structure.prefix(index.number))
        views.announce([index.number: view])
        try database.write(batch)
        views.confirm([index.number: view])
    }

    /// Finds segments that an earlier process left unfinished or merged but did not delete, and schedules their
    /// deletion.
    private func clean() throws {
        guard !isCleaned, let view = newest else { return }
        let known = Set(view.structure.segments.map(\.number))
        var unknown: Set<UInt32> = []
        for kind in [TextIndexKey.terms, .groups, .positions] {
            let prefix = kind.prefix(index.number)
            var lower = prefix
            while true {
                var range = KeyRange.prefix(prefix)
                range.lower = .included(lower)
                var cursor = try database.cursor(in: range, cache: .bypass)
                guard try cursor.advance() else { break }
                guard let number = Self.segment(in: cursor.key, at: prefix.count) else {
                    throw DocIndexError.damagedTextIndex(index.name, "the number of a segment cannot be read")
                }
                if !known.contains(number) { unknown.insert(number) }
                guard let next = KeyRange.successor(ofPrefix: kind.segment(index.number, number)) else { break }
                lower = next
            }
        }
        isCleaned = true
        garbage += unknown.sorted()
        // A segment number is never reused, even if the segment was not finished.
        guard let last = unknown.max(), last >= view.structure.nextSegment else { return }
        var new = view
        new.structure.nextSegment = last + 1
        try publish(new, WriteBatch())
    }

    private static func segment(in key: Span<UInt8>, at offset: Int) -> UInt32? {
        guard offset < key.count else { return nil }
        let byteCount = Int(key[offset]) - 0x14
        guard byteCount >= 0, byteCount <= 4, offset + 1 + byteCount <= key.count else { return nil }
        var number: UInt32 = 0
        for index in offset + 1..<offset + 1 + byteCount { number = number << 8 | UInt32(key[index]) }
        return number < .max ? number : nil
    }

    /// Deletes some keys of an unreferenced segment.
    ///
    /// - Returns: whether there may be more.
    private func deleteSlice(of segment: UInt32) throws -> Bool {
        let batch = WriteBatch()
        for kind in [TextIndexKey.terms, .groups, .positions] where batch.count == 0 {
            let range = KeyRange.prefix(kind.segment(index.number, segment))
            var cursor = try database.cursor(in: range, cache: .bypass)
            while batch.count < 4096, try cursor.advance() { try batch.delete(cursor.key) }
        }
        if batch.count == 0 { return false }
        try database.write(batch)
        return true
    }
}
