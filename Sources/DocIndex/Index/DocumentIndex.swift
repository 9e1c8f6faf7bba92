internal import LevelKit

/// An index, which maps a document to entries.
///
/// The only operation that writes is ``update(old:new:row:in:)``. The entries of a document depend on the document
/// alone. An update therefore writes the difference between the entries of the old and the new document, and
/// verification recomputes the entries.
protocol DocumentIndex: Sendable {
    /// The number in the catalog.
    var number: UInt32 { get }
    /// The declaration.
    var definition: IndexDefinition { get }
    /// Whether no two documents may have the same values.
    var isUnique: Bool { get }
    /// Whether a commit must know which values are added and removed.
    var isWatched: Bool { get }
    /// The prefix of all keys of the index.
    var entryPrefix: [UInt8] { get }

    /// Calls `body` with each entry of a document. The keys are distinct.
    ///
    /// - Throws: Errors of `body`; ``IndexTuples/LimitError`` for a document with too many entries.
    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws

    /// Updates the index from the old version of a document to the new one; `nil` means no document.
    ///
    /// - Throws: ``IndexTuples/LimitError`` for a document with too many entries.
    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws
}

/// The effects of one batch on indexes: its operations, changes of totals, and the values to be checked when the batch
/// is complete.
struct IndexChanges {
    let batch: WriteBatch
    /// The changes of text indexes, in the order of the batch.
    var texts: [UInt32: [TextChange]] = [:]
    /// The changes of indexes that are unique or counted.
    var values: [UInt32: ValueChanges] = [:]
    /// The documents that got a value in a unique index.
    var documents: [UInt32: [UInt64: Document]] = [:]

    init(batch: WriteBatch) { self.batch = batch }
}

extension DocumentIndex {
    var isUnique: Bool { definition.isUnique }
    var isWatched: Bool { definition.isUnique || definition.countsValues }

    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws {
        try updateEntries(old: old, new: new, row: row, in: &changes)
    }

    /// Returns whether the two versions have the same values in everything the index uses.
    func isUnchanged(from old: DocumentObject, to new: DocumentObject) -> Bool {
        // A condition may depend on any field.
        definition.condition == nil && definition.inputPaths.allSatisfy { $0.leadsToSame(in: old, and: new) }
    }

    /// Writes the difference between the entries of the old and the new version of a document.
    func updateEntries(
        old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges
    ) throws {
        if let old, let new, isUnchanged(from: old, to: new) { return }
        let batch = changes.batch
        let isWatched = self.isWatched
        // Most documents are new, so no old version exists to compare with.
        if old == nil, !isWatched {
            if let new { try forEachEntry(of: new, row: row) { try batch.put($1.span, forKey: $0.span) } }
            return
        }
        var stale: [[UInt8]: [UInt8]] = [:]
        if let old { try forEachEntry(of: old, row: row) { stale[$0] = $1 } }
        var tail: [UInt8] = []
        StoreKey.appendRow(row, to: &tail)
        func value(of key: [UInt8]) -> [UInt8] { Array(key[entryPrefix.count..<key.count - tail.count]) }
        var watched = ValueChanges()
        if isWatched { swap(&watched, &changes.values[number, default: ValueChanges()]) }
        if let new {
            try forEachEntry(of: new, row: row) { key, content in
                guard let before = stale.removeValue(forKey: key) else {
                    try batch.put(content, forKey: key)
                    if isWatched { watched.add(value(of: key), row: row) }
                    return
                }
                if before != content { try batch.put(content, forKey: key) }
            }
        }
        for key in stale.keys {
            try batch.delete(key)
            if isWatched { watched.remove(value(of: key), row: row) }
        }
        if isWatched { changes.values[number] = watched }
    }
}

extension FieldPath {
    /// Returns whether the path leads to the same values in both documents. May return `false` for equal values.
    fileprivate func leadsToSame(in a: DocumentObject, and b: DocumentObject) -> Bool {
        // Compares the whole top-level member.
        guard case .name(let name)? = steps.first else { return false }
        return a[name] == b[name]
    }
}
