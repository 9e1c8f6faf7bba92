internal import LevelKit
internal import Synchronization

/// The in-memory state of a store's text indexes: views for readers, and the current work of the writer.
///
/// A reader takes a snapshot of the database and copies the views under one lock. While a batch is being written, an
/// index has two views, one before and one after the batch; the generation in the snapshot identifies the one that
/// belongs to it. So readers and the writer do not wait for each other, and no reader sees part of a batch.
final class TextIndexes: Sendable {
    typealias Views = [UInt32: [TextIndexReader]]

    private let views = Mutex(Views())
    /// The latest view of each index that was loaded for a reader of an older snapshot. A reader whose snapshot was
    /// taken before any view existed requests it repeatedly.
    private let older = Mutex([UInt32: TextIndexReader]())
    /// The errors that occurred while segments were flushed or merged.
    private let failures = Mutex([UInt32: String]())
    let cache = TermCache()
    private let work = Work()

    /// State that only the writer accesses.
    private final class Work: @unchecked Sendable {
        // Unchecked: every access is under the writer's lock.
        struct Index {
            /// Slots deleted since the last flush.
            var deletedSlots: [UInt32] = []
            var flusher: SegmentFlusher?
            var merger: SegmentMerger?
            /// Segments whose keys can be deleted.
            var garbage: [UInt32] = []
            /// The number of bytes that merges may write; each stored document increases it.
            var credit = 0
            var isCleaned = false
        }
        var indexes: [UInt32: Index] = [:]
        var limits = TextMaintenanceLimits()
    }

    // MARK: - Readers

    /// Returns a snapshot and the views. For each index, one of the views belongs to the snapshot.
    func snapshot<S>(_ make: () throws -> S) rethrows -> (S, Views) {
        try views.withLock { views in (try make(), views) }
    }

    /// Returns the view of an index that belongs to a reader, from the views that were copied with its snapshot.
    func view(
        of index: TextIndex, in collection: Catalog.CollectionEntry, candidates: Views, reader: any KeyValueReader,
        database: Database
    ) throws -> TextIndexReader {
        let candidates = candidates[index.number] ?? []
        // With one view, no batch was being written.
        if candidates.count == 1 { return candidates[0] }
        let structure = try TextStructure.read(index.number, name: index.definition.name, in: reader)
        if let known = candidates.first(where: { $0.structure.generation == structure.generation }) { return known }
        if let known = older.withLock({ $0[index.number] }), known.structure.generation == structure.generation {
            return known
        }
        let view = try TextIndexLoader(index: index, collection: collection, reader: reader).load().view
        if try !adopt(view, of: index, database) { older.withLock { $0[index.number] = view } }
        return view
    }

    /// Keeps a view that was loaded if it is current and no other view exists.
    ///
    /// - Returns: whether the view was kept.
    private func adopt(_ view: TextIndexReader, of index: TextIndex, _ database: Database) throws -> Bool {
        try views.withLock { views in
            // While there are no views, no batch that changes this index is being written: its view would be here.
            guard views[index.number, default: []].isEmpty else { return false }
            let newest = try TextStructure.read(index.number, name: index.definition.name, in: database)
            guard newest.generation == view.structure.generation else { return false }
            views[index.number] = [view]
            return true
        }
    }

    // MARK: - The writer

    /// Returns the newest view. Called under the writer's lock.
    private func newest(
        _ index: TextIndex, _ collection: Catalog.CollectionEntry, _ database: Database
    ) throws -> TextIndexReader {
        if let view = views.withLock({ $0[index.number]?.last }), work.indexes[index.number] != nil { return view }
        let (view, deletedSlots) = try TextIndexLoader(index: index, collection: collection, reader: database).load()
        work.indexes[index.number] = Work.Index()
        work.indexes[index.number]?.deletedSlots = deletedSlots
        views.withLock { $0[index.number] = [view] }
        return view
    }

    /// The changes of a batch to text indexes, before it is written.
    struct Batch {
        fileprivate var views: [UInt32: TextIndexReader] = [:]
        fileprivate var deletedSlots: [UInt32: [UInt32]] = [:]
        fileprivate var documentCounts: [UInt32: Int] = [:]
    }

    /// Adds the writes that result from changes of text fields to a batch. Called under the writer's lock.
    func apply(_ changes: [UInt32: [TextChange]], catalog: Catalog, database: Database, to batch: WriteBatch) throws
        -> Batch
    {
        if changes.isEmpty { return Batch() }
        do {
            return try applied(changes, catalog, database, batch)
        } catch {
            // Words of a batch that is not written must not stay in memory: another batch will use the same slots.
            forget()
            throw error
        }
    }

    private func applied(
        _ changes: [UInt32: [TextChange]], _ catalog: Catalog, _ database: Database, _ batch: WriteBatch
    ) throws -> Batch {
        var result = Batch()
        for collection in catalog.collections {
            for entry in collection.indexes {
                guard let changes = changes[entry.number], let index = entry.index as? TextIndex else { continue }
                var writer = TextIndexWriter(
                    index: index, view: try newest(index, collection, database), reader: database)
                try writer.apply(changes, to: batch)
                result.views[index.number] = writer.view
                result.deletedSlots[index.number] = writer.deletedSlots
                result.documentCounts[index.number] = changes.count
            }
        }
        return result
    }

    /// Writes a batch and makes its changes to text indexes visible to readers. Called under the writer's lock.
    func write(_ changes: Batch, _ body: () throws -> Void) throws {
        announce(changes.views)
        do {
            try body()
        } catch {
            forget()
            throw error
        }
        confirm(changes.views)
        for (number, deletedSlots) in changes.deletedSlots { work.indexes[number]?.deletedSlots += deletedSlots }
        for (number, count) in changes.documentCounts {
            work.indexes[number]?.credit += count * work.limits.mergeBytesPerDocument
        }
    }

    private func announce(_ new: [UInt32: TextIndexReader]) {
        if new.isEmpty { return }
        views.withLock { views in for (number, view) in new { views[number, default: []].append(view) } }
    }

    private func confirm(_ new: [UInt32: TextIndexReader]) {
        if new.isEmpty { return }
        views.withLock { views in for (number, view) in new { views[number] = [view] } }
    }

    /// Discards all state after a failed write, because it is unknown what was stored.
    func forget() {
        views.withLock { $0 = [:] }
        older.withLock { $0 = [:] }
        work.indexes = [:]
        cache.removeAll()
    }

    // MARK: - Flushes and merges

    /// Changes the limits for flushes and merges. Called under the writer's lock. Lets tests trigger them with few
    /// documents.
    func setLimits(_ limits: TextMaintenanceLimits) { work.limits = limits }

    /// The reasons why segments could not be flushed or merged, by index number. These indexes are not maintained again
    /// until the store is reopened or compaction is requested.
    var maintenanceFailures: [UInt32: String] { failures.withLock { $0 } }

    /// Does maintenance that is due: continues a flush or a merge, and deletes merged segments. Called under the
    /// writer's lock, after a batch. Failures are kept in ``maintenanceFailures`` and not retried: the batch is stored,
    /// and the index remains usable.
    func maintain(after changes: Batch, catalog: Catalog, database: Database) {
        for (number, count) in changes.documentCounts {
            guard !failures.withLock({ $0.keys.contains(number) }), let view = views.withLock({ $0[number]?.last }),
                let (index, _) = Self.index(number, catalog)
            else { continue }
            do {
                try clean(index, view, database)
                try flushIfDue(index, view, documentCount: count, database)
                let slice = max(1, work.limits.mergeSliceByteCount)
                while let credit = work.indexes[number]?.credit, credit >= slice {
                    work.indexes[number]?.credit = min(credit - slice, 16 * slice)
                    if try !mergeSlice(index, database, byteCount: slice) { break }
                }
            } catch {
                // After a failed write the state in memory cannot be trusted. A retry would only fail again.
                forget()
                failures.withLock { $0[number] = "\(error)" }
            }
        }
    }

    /// Flushes pending documents if there are more of them than single commits leave pending, so that the next opening
    /// of the store need not read the documents of a load again. Called under the writer's lock, after the last batch
    /// of a load or a build, and before the database is closed.
    ///
    /// - Returns: whether any were flushed.
    @discardableResult
    func settle(catalog: Catalog, database: Database) -> Bool {
        var hasWritten = false
        for (number, views) in views.withLock({ $0 }) {
            guard !failures.withLock({ $0.keys.contains(number) }), let view = views.last,
                let (index, _) = Self.index(number, catalog), work.indexes[number] != nil,
                isMuch(view, from: view.structure.pendingSlot)
            else { continue }
            hasWritten = true
            do {
                try endFlush(index, database)
                if isMuch(view, from: view.firstPendingSlot) { try flush(index, database) }
            } catch {
                forget()
                failures.withLock { $0[number] = "\(error)" }
            }
        }
        return hasWritten
    }

    /// Returns whether there are more pending documents from a slot on than single commits leave pending.
    private func isMuch(_ view: TextIndexReader, from slot: UInt32) -> Bool {
        Int(view.structure.nextSlot - slot) >= work.limits.pendingDocumentCount
            || slot < view.structure.nextSlot && view.pending.wordCount >= work.limits.pendingWordCount
    }

    /// The cost of a document in addition to its words, in words: its records are deleted in one batch.
    private static let wordsOfDocument = 8

    /// Begins a flush when enough is pending (a load flushes larger segments), and continues the current flush.
    private func flushIfDue(_ index: TextIndex, _ view: TextIndexReader, documentCount: Int, _ database: Database)
        throws
    {
        let limits = work.limits
        let words = view.pending.wordCount
        let documents = Int(view.structure.nextSlot - view.firstPendingSlot) + Int(view.tombstoneCount)
        let isDue =
            documentCount >= limits.loadDocumentCount
            ? words + documents * Self.wordsOfDocument >= limits.loadWordCount
            : documents >= limits.pendingDocumentCount || words >= limits.pendingWordCount
        if isDue {
            try endFlush(index, database)
            beginFlush(index, database)
        }
        let (slice, isOver) = limits.flushSliceByteCount.multipliedReportingOverflow(by: documentCount + 1)
        if try work.indexes[index.number]?.flusher?.advance(byteCount: isOver ? .max / 4 : max(1, slice)) == true {
            try endFlush(index, database)
        }
    }

    private static func index(_ number: UInt32, _ catalog: Catalog) -> (TextIndex, Catalog.CollectionEntry)? {
        for collection in catalog.collections {
            for entry in collection.indexes where entry.number == number {
                if let index = entry.index as? TextIndex { return (index, collection) }
            }
        }
        return nil
    }

    /// Flushes all pending documents of every text index and, if requested, merges all its segments into one. Called
    /// under the writer's lock.
    func compact(catalog: Catalog, database: Database, merges: Bool) throws {
        for collection in catalog.collections {
            for entry in collection.indexes {
                guard let index = entry.index as? TextIndex else { continue }
                let view = try newest(index, collection, database)
                do {
                    try clean(index, view, database)
                    try flush(index, database)
                    if merges { try mergeAll(index, database) }
                    failures.withLock { $0[index.number] = nil }
                } catch {
                    forget()
                    throw error
                }
            }
        }
    }

    /// Finds segments that an earlier process left unfinished or merged but did not delete, and schedules their
    /// deletion.
    private func clean(_ index: TextIndex, _ view: TextIndexReader, _ database: Database) throws {
        guard work.indexes[index.number]?.isCleaned == false else { return }
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
                    throw TextDamage.error(index.definition.name, "the number of a segment cannot be read")
                }
                if !known.contains(number) { unknown.insert(number) }
                guard let next = KeyRange.successor(ofPrefix: kind.segment(index.number, number)) else { break }
                lower = next
            }
        }
        work.indexes[index.number]?.isCleaned = true
        work.indexes[index.number]?.garbage += unknown.sorted()
        // A segment number is never reused, even if the segment was not finished.
        guard let last = unknown.max(), last >= view.structure.nextSegment else { return }
        var new = view
        new.structure.nextSegment = last + 1
        try publish(index, new, WriteBatch(), database)
    }

    private static func segment(in key: Span<UInt8>, at offset: Int) -> UInt32? {
        guard offset < key.count else { return nil }
        let byteCount = Int(key[offset]) - 0x14
        guard byteCount >= 0, byteCount <= 4, offset + 1 + byteCount <= key.count else { return nil }
        var number: UInt32 = 0
        for index in offset + 1..<offset + 1 + byteCount { number = number << 8 | UInt32(key[index]) }
        return number < .max ? number : nil
    }

    /// Stores and publishes a structure whose segments or next segment number changed.
    private func publish(_ index: TextIndex, _ view: TextIndexReader, _ batch: WriteBatch, _ database: Database) throws
    {
        var view = view
        view.structure.generation += 1
        try batch.put(view.structure.encoded, forKey: TextIndexKey.structure.prefix(index.number))
        announce([index.number: view])
        try database.write(batch)
        confirm([index.number: view])
    }

    /// Flushes all pending documents. A flush in progress is completed first, as a separate segment.
    private func flush(_ index: TextIndex, _ database: Database) throws {
        try endFlush(index, database)
        beginFlush(index, database)
        try endFlush(index, database)
    }

    /// Closes the log of pending documents and opens a new one. Does nothing if there is nothing to flush.
    private func beginFlush(_ index: TextIndex, _ database: Database) {
        guard var view = views.withLock({ $0[index.number]?.last }),
            view.structure.nextSlot > view.structure.pendingSlot || view.tombstoneCount > 0
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
        let flusher = SegmentFlusher(
            database: database, index: index, number: number, view: view, frozen: frozen,
            deletedSlots: work.indexes[index.number]?.deletedSlots ?? [])
        work.indexes[index.number]?.flusher = flusher
        work.indexes[index.number]?.deletedSlots = []
        // The stored data is the same, so this view may replace the one that readers use.
        confirm([index.number: view])
    }

    /// Writes the rest of the current flush and adds its segment to the structure.
    private func endFlush(_ index: TextIndex, _ database: Database) throws {
        guard work.indexes[index.number]?.flusher != nil else { return }
        while try work.indexes[index.number]?.flusher?.advance(byteCount: .max / 4) == false {}
        guard let flusher = work.indexes[index.number]?.flusher, var view = views.withLock({ $0[index.number]?.last })
        else { return }
        view.structure.segments.append(flusher.segment)
        view.frozen = nil
        let batch = WriteBatch()
        let slots = flusher.lower..<flusher.frozen.limit.slot
        try putChunks(of: view, index, slots, deletedSlots: flusher.deletedSlots, to: batch)
        for slot in slots { try batch.delete(TextIndexKey.pending.key(index.number, UInt64(slot))) }
        for slot in flusher.deletedSlots { try batch.delete(TextIndexKey.tombstones.key(index.number, UInt64(slot))) }
        try publish(index, view, batch, database)
        work.indexes[index.number]?.flusher = nil
    }

    /// Puts the norms and rows of a range of slots by chunk, and every chunk of deleted slots that has changed.
    private func putChunks(
        of view: TextIndexReader, _ index: TextIndex, _ slots: Range<UInt32>, deletedSlots: [UInt32],
        to batch: WriteBatch
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

    /// Continues a merge, begins one, or deletes merged segments.
    ///
    /// - Returns: whether there was something to do.
    private func mergeSlice(_ index: TextIndex, _ database: Database, byteCount: Int) throws -> Bool {
        if let number = work.indexes[index.number]?.garbage.first {
            if try !deleteSlice(of: number, index, database) { work.indexes[index.number]?.garbage.removeFirst() }
            return true
        }
        guard let view = views.withLock({ $0[index.number]?.last }) else { return false }
        if work.indexes[index.number]?.merger == nil {
            let segments = view.structure.segments
            let next = work.limits.mergePolicy.next(segments) {
                Int($0.upper - $0.lower) - view.deletedCount($0.lower..<$0.upper)
            }
            guard let next else { return false }
            try beginMerge(of: Array(segments[next]), index, view, database)
        }
        if try work.indexes[index.number]?.merger?.advance(byteCount: byteCount) == true {
            try finishMerge(index, database)
        }
        return true
    }

    private func beginMerge(
        of inputs: [TextSegment], _ index: TextIndex, _ view: TextIndexReader, _ database: Database
    ) throws {
        // The number is reserved at once, so that a concurrent flush gets another one.
        var taken = view
        let number = view.structure.nextSegment
        taken.structure.nextSegment = number + 1
        try publish(index, taken, WriteBatch(), database)
        work.indexes[index.number]?.merger = SegmentMerger(
            database: database, index: index, inputs: inputs, number: number, view: view)
    }

    private func finishMerge(_ index: TextIndex, _ database: Database) throws {
        guard let merger = work.indexes[index.number]?.merger, var view = views.withLock({ $0[index.number]?.last }),
            let first = view.structure.segments.firstIndex(where: { $0.number == merger.inputs.first?.number })
        else { return }
        view.structure.segments.replaceSubrange(first..<first + merger.inputs.count, with: [merger.segment])
        try publish(index, view, WriteBatch(), database)
        work.indexes[index.number]?.merger = nil
        work.indexes[index.number]?.garbage += merger.inputs.map(\.number)
    }

    private func mergeAll(_ index: TextIndex, _ database: Database) throws {
        while try mergeSlice(index, database, byteCount: .max / 4) {}
        guard let view = views.withLock({ $0[index.number]?.last }) else { return }
        let segments = view.structure.segments
        let hasDeleted = view.deletedCount(0..<view.structure.pendingSlot) > 0
        if segments.count > 1 || (hasDeleted && segments.count == 1) {
            let isClean =
                segments.count == 1
                && Int(segments[0].documentCount)
                    == Int(segments[0].upper - segments[0].lower)
                    - view.deletedCount(segments[0].lower..<segments[0].upper)
            if isClean { return }
            try beginMerge(of: segments, index, view, database)
            while try work.indexes[index.number]?.merger?.advance(byteCount: .max / 4) == false {}
            try finishMerge(index, database)
        }
        while let number = work.indexes[index.number]?.garbage.first {
            if try !deleteSlice(of: number, index, database) { work.indexes[index.number]?.garbage.removeFirst() }
        }
    }

    /// Deletes some keys of an unreferenced segment.
    ///
    /// - Returns: whether there may be more.
    private func deleteSlice(of segment: UInt32, _ index: TextIndex, _ database: Database) throws -> Bool {
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
