package import LevelKit
internal import Synchronization

/// The text indexes of a store in memory: the views for readers, and a ``TextIndexMaintainer`` for each index that was
/// written to.
package final class TextIndexes: Sendable {
    package let views = TextIndexViews()
    /// The errors that occurred while segments were flushed or merged.
    private let failures = Mutex([UInt32: String]())
    package let cache = TermCache()
    private let work = Work()

    package init() {}

    /// State that only the writer accesses.
    private final class Work: @unchecked Sendable {
        // Unchecked: every access is under the writer's lock.
        var maintainers: [UInt32: TextIndexMaintainer] = [:]
        var limits = TextMaintenanceLimits()
    }

    // MARK: - Batches

    /// Returns the maintainer of an index, and loads its view if necessary. Called under the writer's lock.
    private func maintainer(
        of source: TextIndexSource, _ database: Database
    ) throws -> (TextIndexMaintainer, TextIndexReader) {
        let number = source.index.number
        if let known = work.maintainers[number], let view = views.newest(number) { return (known, view) }
        let (view, deletedSlots) = try TextIndexLoader(source: source, reader: database).load()
        let maintainer = TextIndexMaintainer(
            index: source.index, views: views, cache: cache, database: database, deletedSlots: deletedSlots)
        work.maintainers[number] = maintainer
        views.confirm([number: view])
        return (maintainer, view)
    }

    /// The changes of a batch to text indexes, before it is written.
    package struct Batch {
        fileprivate var views: [UInt32: TextIndexReader] = [:]
        fileprivate var deletedSlots: [UInt32: [UInt32]] = [:]
        fileprivate var documentCounts: [UInt32: Int] = [:]
    }

    /// Adds the writes that result from changes of text fields to a batch. Called under the writer's lock.
    package func apply(
        _ changes: [UInt32: [TextChange]], of indexes: some TextIndexDirectory, database: Database, to batch: WriteBatch
    ) throws -> Batch {
        if changes.isEmpty { return Batch() }
        do {
            return try applied(changes, indexes, database, batch)
        } catch {
            // Words of a batch that is not written must not stay in memory: another batch will use the same slots.
            forget()
            throw error
        }
    }

    private func applied(
        _ changes: [UInt32: [TextChange]], _ indexes: some TextIndexDirectory, _ database: Database, _ batch: WriteBatch
    ) throws -> Batch {
        var result = Batch()
        for (number, changes) in changes.sorted(by: { $0.key < $1.key }) {
            guard let source = indexes.textIndex(numbered: number) else { continue }
            let (_, view) = try maintainer(of: source, database)
            var writer = TextIndexWriter(index: source.index, view: view, reader: database)
            try writer.apply(changes, to: batch)
            result.views[number] = writer.view
            result.deletedSlots[number] = writer.deletedSlots
            result.documentCounts[number] = changes.count
        }
        return result
    }

    /// Writes a batch and makes its changes to text indexes visible to readers. Called under the writer's lock.
    package func write(_ changes: Batch, _ body: () throws -> Void) throws {
        views.announce(changes.views)
        do {
            try body()
        } catch {
            forget()
            throw error
        }
        views.confirm(changes.views)
        for (number, count) in changes.documentCounts {
            work.maintainers[number]?.didWrite(
                deletedSlots: changes.deletedSlots[number] ?? [], credit: count * work.limits.mergeBytesPerDocument)
        }
    }

    /// Discards the state of a dropped index. Called under the writer's lock.
    package func drop(_ number: UInt32) {
        work.maintainers[number] = nil
        views.remove(number)
        cache.remove(cache.segments(of: number), of: number)
        failures.withLock { $0[number] = nil }
    }

    /// Discards all state after a failed write, because it is unknown what was stored.
    package func forget() {
        views.removeAll()
        work.maintainers = [:]
        cache.removeAll()
    }

    // MARK: - Maintenance

    /// Changes the limits for flushes and merges. Called under the writer's lock. Lets tests trigger them with few
    /// documents.
    package func setLimits(_ limits: TextMaintenanceLimits) { work.limits = limits }

    /// The reasons why segments could not be flushed or merged, by index number. These indexes are not maintained again
    /// until the store is reopened or compaction is requested.
    package var maintenanceFailures: [UInt32: String] { failures.withLock { $0 } }

    /// Does maintenance that is due: continues a flush or a merge, and deletes merged segments. Called under the
    /// writer's lock, after a batch. Failures are kept in ``maintenanceFailures`` and not retried: the batch is stored,
    /// and the index remains usable.
    package func maintain(after changes: Batch) {
        for (number, count) in changes.documentCounts {
            guard let maintainer = work.maintainers[number] else { continue }
            attempt(number) { try maintainer.maintain(after: count, limits: work.limits) }
        }
    }

    /// Flushes pending documents if there are more of them than single commits leave pending, so that the next opening
    /// of the store need not read the documents of a load again. Called under the writer's lock, after the last batch
    /// of a load or a build, and before the database is closed.
    ///
    /// - Returns: whether any were flushed.
    @discardableResult
    package func settle(_ indexes: some TextIndexDirectory) -> Bool {
        var hasWritten = false
        for (number, maintainer) in work.maintainers where maintainer.hasMuchPending(limits: work.limits) {
            // The keys of a dropped index may already be deleted.
            if indexes.textIndex(numbered: number) == nil { continue }
            attempt(number) {
                hasWritten = true
                try maintainer.settle(limits: work.limits)
            }
        }
        return hasWritten
    }

    /// Runs maintenance of an index, unless it has failed before.
    private func attempt(_ number: UInt32, _ body: () throws -> Void) {
        if failures.withLock({ $0.keys.contains(number) }) { return }
        do {
            try body()
        } catch {
            // After a failed write the state in memory cannot be trusted. A retry would only fail again.
            forget()
            failures.withLock { $0[number] = "\(error)" }
        }
    }

    /// Returns the numbers of the indexes that only a rebuild makes small again. Called under the writer's lock.
    package func sparseIndexes(_ indexes: some TextIndexDirectory, database: Database) throws -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        for source in indexes.textIndexes {
            let (_, view) = try maintainer(of: source, database)
            if view.structure.isSparse { numbers.insert(source.index.number) }
        }
        return numbers
    }

    /// Flushes all pending documents of every text index and, if requested, merges all its segments into one. Called
    /// under the writer's lock.
    package func compact(_ indexes: some TextIndexDirectory, database: Database, merges: Bool) throws {
        for source in indexes.textIndexes {
            let (maintainer, _) = try maintainer(of: source, database)
            do {
                try maintainer.compact(merges: merges, limits: work.limits)
                failures.withLock { $0[source.index.number] = nil }
            } catch {
                forget()
                throw error
            }
        }
    }
}
