internal import LevelKit

/// Determines which documents the indexes of a collection would reject, before any document is stored: documents with
/// the same values as another document in a unique index, documents with too many entries, and documents whose field is
/// not a vector as a vector index requires.
///
/// Documents are considered in order. Admitted documents count as stored for later ones, so storing them in the
/// meantime does not change the result.
package struct IndexAdmission {
    /// A document to store.
    package struct Candidate {
        package let id: DocumentID
        /// The stored version; `nil` if there is none.
        package let old: DocumentObject?
        package let new: DocumentObject

        package init(id: DocumentID, old: DocumentObject?, new: DocumentObject) {
            self.id = id
            self.old = old
            self.new = new
        }
    }

    /// The values of a document in a unique index.
    private struct Entry {
        /// The position of the index.
        let index: Int
        let bytes: [UInt8]
    }

    /// The values that a document gains and loses.
    private struct Change {
        let id: DocumentID
        let gained: [Fingerprint: Entry]
        let lost: [Fingerprint: Entry]
    }

    /// A document that no longer has values.
    private struct Release: Hashable {
        let value: Fingerprint
        let id: DocumentID
    }

    private let collection: String
    /// The indexes that can refuse a document.
    private let indexes: [ValueIndex]
    /// The vector indexes.
    private let vectors: [VectorIndex]
    /// `nil` for a collection that does not exist yet.
    private let rows: RowReader?
    /// The values of documents that were admitted and are not in `rows`.
    private var holders: [Fingerprint: DocumentID] = [:]
    /// The values in `rows` that documents have lost since.
    private var released: Set<Release> = []

    /// Considers the documents that a collection has now.
    package init(_ collection: DocumentCollection) throws {
        let rows = try collection.reader()
        self.init(collection.name, rows.valueIndexes, rows.collection.readable.all.compactMap(\.vectorIndex), rows)
    }

    /// Considers a collection that does not exist yet.
    package init(of definition: CollectionDefinition) {
        let indexes = definition.indexes.filter { $0.kind == .value }.map { ValueIndex(number: 1, definition: $0) }
        let vectors = definition.indexes.filter { $0.kind == .vector }.map { VectorIndex(number: 1, definition: $0) }
        self.init(definition.name, indexes, vectors, nil)
    }

    private init(_ collection: String, _ indexes: [ValueIndex], _ vectors: [VectorIndex], _ rows: RowReader?) {
        self.collection = collection
        self.vectors = vectors
        self.indexes = indexes.filter { $0.isUnique || IndexTuples.multiplies($0.definition.fields) }
        self.rows = rows
    }

    /// Returns why each document would be refused; `nil` for those that would be stored, together or one by one.
    ///
    /// Of two documents with the same values, the first one is admitted.
    ///
    /// - Complexity: one lookup for each new value in a unique index; more if refused documents would have made way for
    ///   others.
    package mutating func refusals(of candidates: [Candidate]) throws -> [String?] {
        var reasons = [String?](repeating: nil, count: candidates.count)
        if indexes.isEmpty, vectors.isEmpty { return reasons }
        var changes: [Change?] = []
        for (position, candidate) in candidates.enumerated() {
            do throws(Refusal) {
                changes.append(try change(candidate))
            } catch {
                reasons[position] = error.reason
                changes.append(nil)
            }
        }
        var isStable = false
        while !isStable {
            isStable = true
            var freed = Set(changes.flatMap { $0.map(Self.releases) ?? [] })
            var claims: [Fingerprint: DocumentID] = [:]
            for (position, change) in changes.enumerated() {
                guard let change else { continue }
                if let reason = try conflict(change, claims, freed) {
                    reasons[position] = reason
                    changes[position] = nil
                    freed.subtract(Self.releases(change))
                    // Earlier ones may have counted on what it would have released.
                    if !change.lost.isEmpty { isStable = false }
                } else {
                    for value in change.gained.keys { claims[value] = change.id }
                }
            }
        }
        for change in changes { if let change { apply(change) } }
        return reasons
    }

    /// Considers a document as deleted.
    package mutating func remove(_ id: DocumentID, _ content: DocumentObject) {
        guard let lost = try? entries(of: content, id) else { return }
        apply(Change(id: id, gained: [:], lost: lost))
    }

    private mutating func apply(_ change: Change) {
        for value in change.lost.keys {
            if holders[value] == change.id { holders[value] = nil }
            released.insert(Release(value: value, id: change.id))
        }
        for value in change.gained.keys { holders[value] = change.id }
    }

    private static func releases(_ change: Change) -> [Release] {
        change.lost.keys.map { Release(value: $0, id: change.id) }
    }

    // MARK: - Values

    private struct Refusal: Error {
        let reason: String
    }

    private func change(_ candidate: Candidate) throws(Refusal) -> Change {
        try requireVectors(of: candidate.new, candidate.id)
        let new = try entries(of: candidate.new, candidate.id)
        // An older version may violate a limit that did not exist then.
        let old = (try? candidate.old.map { try entries(of: $0, candidate.id) }) ?? [:]
        return Change(
            id: candidate.id, gained: new.filter { old[$0.key] == nil }, lost: old.filter { new[$0.key] == nil })
    }

    private func requireVectors(of document: DocumentObject, _ id: DocumentID) throws(Refusal) {
        for index in vectors {
            do throws(VectorField.Failure) {
                try index.requireVector(in: document)
            } catch {
                let error = IndexChanges.notAVector(error, id, index: index.definition, collection: collection)
                throw Refusal(reason: error.message)
            }
        }
    }

    /// Returns the values of a document in the unique indexes.
    private func entries(of document: DocumentObject, _ id: DocumentID) throws(Refusal) -> [Fingerprint: Entry] {
        var tail: [UInt8] = []
        StoreKey.appendRow(0, to: &tail)
        var entries: [Fingerprint: Entry] = [:]
        for (position, index) in indexes.enumerated() {
            let values = UniqueValues(index: index)
            do {
                try index.forEachEntry(of: document, row: 0) { key, _ in
                    let value = Array(key[index.entryPrefix.count..<key.count - tail.count])
                    guard index.isUnique, !values.isExempt(value) else { return }
                    entries[Fingerprint(of: [UInt8(truncatingIfNeeded: position)] + value)] = Entry(
                        index: position, bytes: value)
                }
            } catch {
                throw Refusal(
                    reason: IndexChanges.tooManyEntries(id, index: index.definition.name, collection: collection)
                        .message)
            }
        }
        return entries
    }

    // MARK: - Conflicts

    /// Returns why a document cannot have the values that it gains; `nil` if it can.
    ///
    /// - Parameters:
    ///   - claims: the documents before it that gain values.
    ///   - freed: the values that documents lose together with this change.
    private func conflict(
        _ change: Change, _ claims: [Fingerprint: DocumentID], _ freed: Set<Release>
    ) throws -> String? {
        for (value, entry) in change.gained.sorted(by: { Self.precedes($0.value, $1.value) }) {
            guard let other = try holder(of: value, entry, change.id, claims, freed) else { continue }
            return IndexChanges.duplicate(
                change.id, other, index: indexes[entry.index].definition.name, collection: collection)
        }
        return nil
    }

    private static func precedes(_ a: Entry, _ b: Entry) -> Bool {
        a.index != b.index ? a.index < b.index : a.bytes.lexicographicallyPrecedes(b.bytes)
    }

    /// Returns another document that has, or will have, values; `nil` if there is none.
    private func holder(
        of value: Fingerprint, _ entry: Entry, _ id: DocumentID, _ claims: [Fingerprint: DocumentID],
        _ freed: Set<Release>
    ) throws -> DocumentID? {
        if let other = claims[value], other != id { return other }
        if let other = holders[value], other != id, !freed.contains(Release(value: value, id: other)) { return other }
        guard let rows else { return nil }
        let index = indexes[entry.index]
        var cursor = try rows.snapshot.cursor(in: .entries(behind: index.entryPrefix + entry.bytes))
        while try cursor.advance() {
            guard let row = index.row(of: cursor.key) else { continue }
            let other = try rows.document(row).id
            let release = Release(value: value, id: other)
            if other != id, !freed.contains(release), !released.contains(release) { return other }
        }
        return nil
    }
}
