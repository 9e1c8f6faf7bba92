internal import LevelKit

/// An index: what it stores of a document.
///
/// One verb writes, ``update(old:new:row:in:)``. Which entries a document has depends on the document alone, so an
/// update is the difference between the entries of the old and the new form, and checking an index is recomputing them.
protocol DocumentIndex: Sendable {
    /// The number in the catalog.
    var number: UInt32 { get }
    /// The declaration.
    var definition: IndexDefinition { get }
    /// The beginning of the key of every entry.
    var entryPrefix: [UInt8] { get }

    /// Calls `body` with each entry of a document, keys distinct.
    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void)
        rethrows

    /// What the document adds to the sums that the index keeps.
    func statistics(of document: DocumentObject) -> IndexStatistics
}

/// Sums over all documents of an index, kept by the writer and stored with each batch.
struct IndexStatistics: Sendable, Hashable {
    /// Documents with at least one word.
    var documents: Int64 = 0
    /// Words of all documents.
    var words: Int64 = 0

    static func += (sum: inout IndexStatistics, other: IndexStatistics) {
        sum.documents += other.documents
        sum.words += other.words
    }

    static func -= (sum: inout IndexStatistics, other: IndexStatistics) {
        sum.documents -= other.documents
        sum.words -= other.words
    }
}

/// What one batch does to indexes: its operations, and the sums that change with it.
struct IndexChanges {
    let batch: WriteBatch
    var statistics: [UInt32: IndexStatistics] = [:]
}

extension DocumentIndex {
    /// Brings the index from the old form of a document to the new one; `nil` stands for no document.
    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws {
        if let old, let new, definition.fields.allSatisfy({ $0.leadsToSame(in: old, and: new) }) { return }
        try updateEntries(old: old, new: new, row: row, in: changes.batch)
        var difference = new.map(statistics(of:)) ?? IndexStatistics()
        if let old { difference -= statistics(of: old) }
        if difference != IndexStatistics() { changes.statistics[number, default: IndexStatistics()] += difference }
    }

    private func updateEntries(old: DocumentObject?, new: DocumentObject?, row: UInt64, in batch: WriteBatch) throws {
        guard let old else {
            if let new { try forEachEntry(of: new, row: row) { try batch.put($1, forKey: $0) } }
            return
        }
        var stale: [[UInt8]: [UInt8]] = [:]
        forEachEntry(of: old, row: row) { stale[$0] = $1 }
        if let new {
            try forEachEntry(of: new, row: row) { key, value in
                if stale.removeValue(forKey: key) != value { try batch.put(value, forKey: key) }
            }
        }
        for key in stale.keys { try batch.delete(key) }
    }
}

extension FieldPath {
    /// Whether what the path leads to is the same in both documents, so that no index over it can differ.
    fileprivate func leadsToSame(in a: DocumentObject, and b: DocumentObject) -> Bool {
        // The member that the path begins with decides: it is compared whole.
        guard case .name(let name) = steps[0] else { return false }
        return a[name] == b[name]
    }
}

extension Catalog.IndexEntry {
    /// The index that does the work.
    var index: any DocumentIndex {
        switch definition.kind {
        case .value: ValueIndex(number: number, definition: definition)
        case .text: TextIndex(number: number, definition: definition)
        }
    }
}
