package import LevelKit
internal import Synchronization

/// The views of a store's text indexes, as readers need them.
///
/// A reader takes a snapshot of the database and copies the views under one lock. While a batch is being written, an
/// index has two views, one before and one after the batch; the generation in the snapshot identifies the one that
/// belongs to it. So readers and the writer do not wait for each other, and no reader sees part of a batch.
package final class TextIndexViews: Sendable {
    /// The views of each index, by its number.
    package typealias Views = [UInt32: [TextIndexReader]]

    private let views = Mutex(Views())
    /// The latest view of each index that was loaded for a reader of an older snapshot. A reader whose snapshot was
    /// taken before any view existed requests it repeatedly.
    private let older = Mutex([UInt32: TextIndexReader]())

    // MARK: - Readers

    /// Returns a snapshot and the views. For each index, one of the views belongs to the snapshot.
    package func snapshot<S>(_ make: () throws -> S) rethrows -> (S, Views) {
        try views.withLock { views in (try make(), views) }
    }

    /// Returns the view of an index that belongs to a reader, from the views that were copied with its snapshot.
    package func view(
        of source: TextIndexSource, candidates: Views, reader: any KeyValueReader, database: Database
    ) throws -> TextIndexReader {
        let index = source.index
        let candidates = candidates[index.number] ?? []
        // With one view, no batch was being written.
        if candidates.count == 1 { return candidates[0] }
        let structure = try TextStructure.read(index.number, name: index.name, in: reader)
        if let known = candidates.first(where: { $0.structure.generation == structure.generation }) { return known }
        if let known = older.withLock({ $0[index.number] }), known.structure.generation == structure.generation {
            return known
        }
        let view = try TextIndexLoader(source: source, reader: reader).load().view
        if try !adopt(view, of: index, database) { older.withLock { $0[index.number] = view } }
        return view
    }

    /// Keeps a view that was loaded if it is current and no other view exists.
    ///
    /// - Returns: whether the view was kept.
    private func adopt(_ view: TextIndexReader, of index: TextIndex, _ database: Database) throws -> Bool {
        try views.withLock { views in
            // While no views exist, no batch that changes this index is being written: its view would be here.
            guard views[index.number, default: []].isEmpty else { return false }
            let newest = try TextStructure.read(index.number, name: index.name, in: database)
            guard newest.generation == view.structure.generation else { return false }
            views[index.number] = [view]
            return true
        }
    }

    // MARK: - The writer

    /// Returns the newest view of an index; `nil` if it is not loaded.
    func newest(_ number: UInt32) -> TextIndexReader? { views.withLock { $0[number]?.last } }

    /// Adds the views that are valid once a batch is written.
    func announce(_ new: [UInt32: TextIndexReader]) {
        if new.isEmpty { return }
        views.withLock { views in for (number, view) in new { views[number, default: []].append(view) } }
    }

    /// Replaces all views of these indexes by their new ones.
    func confirm(_ new: [UInt32: TextIndexReader]) {
        if new.isEmpty { return }
        views.withLock { views in for (number, view) in new { views[number] = [view] } }
    }

    /// Discards the views of a dropped index. Readers that have copied them keep them.
    func remove(_ number: UInt32) {
        views.withLock { $0[number] = nil }
        older.withLock { $0[number] = nil }
    }

    /// Discards all views.
    func removeAll() {
        views.withLock { $0 = [:] }
        older.withLock { $0 = [:] }
    }
}
