internal import LevelKit

/// A violation of a unique index: values that several documents share.
public struct UniqueViolation: Sendable, Hashable {
    /// The collection.
    public let collection: String
    /// The index.
    public let index: String
    /// The values of the first document, one for each component; `nil` for a missing value.
    public let values: [DocumentValue?]
    /// The documents.
    public let ids: [DocumentID]
}

extension UniqueViolation: CustomStringConvertible {
    /// Index, values and documents in one line. Contains document values, so be careful where to log it.
    public var description: String {
        let values = self.values.map { $0?.json ?? "missing" }.joined(separator: ", ")
        let ids = self.ids.map(\.description).joined(separator: ", ")
        return "\(collection).\(index): \(values) in the documents \(ids)"
    }
}

/// The effects of a batch on the values of one unique or counted index.
struct ValueChanges {
    /// The changes in the number of entries, by encoded value.
    var counts: [[UInt8]: Int64] = [:]
    /// The rows that gained and lost an entry, by encoded value.
    var added: [[UInt8]: [UInt64]] = [:]
    var removed: [[UInt8]: Set<UInt64>] = [:]

    mutating func add(_ value: [UInt8], row: UInt64) {
        counts[value, default: 0] += 1
        added[value, default: []].append(row)
    }

    mutating func remove(_ value: [UInt8], row: UInt64) {
        counts[value, default: 0] -= 1
        removed[value, default: []].insert(row)
    }
}

/// The constraint of a unique index: among the entries whose values are neither missing nor `null`, no two have the
/// same values.
///
/// The constraint needs no separate set of keys. The entries of one value are adjacent, so one seek finds conflicts.
/// Moreover, the index can contain duplicates that existed before it was declared, unlike a map from values to rows.
struct UniqueValues {
    let index: ValueIndex

    /// Returns whether any number of entries may have these values.
    func isExempt(_ value: [UInt8]) -> Bool {
        if index.definition.nullsAreEqual { return false }
        var offset = 0
        for component in index.definition.components {
            guard offset < value.count, let end = component.skip(in: value.span, from: offset) else { return false }
            let kind = component.order == .descending ? ~value[offset] : value[offset]
            if kind == OrderedValue.Kind.missing.rawValue || kind == OrderedValue.Kind.null.rawValue { return true }
            offset = end
        }
        return false
    }

    /// Returns the first conflict: a value that a batch gives to a document while another document will have it after
    /// the batch. The result is the rows of both, with the added one first; `nil` without a conflict.
    ///
    /// Values that a document had before are not checked, so existing duplicates can be fixed one by one.
    func conflict(of changes: ValueChanges, in reader: some KeyValueReader) throws -> (added: UInt64, other: UInt64)? {
        for (value, rows) in changes.added.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let added = rows.first, !isExempt(value) else { continue }
            if rows.count > 1 { return (added, rows[1]) }
            let prefix = index.entryPrefix + value
            var cursor = try reader.cursor(in: .entries(behind: prefix))
            while try cursor.advance() {
                guard let row = index.row(of: cursor.key) else { continue }
                if row != added, changes.removed[value]?.contains(row) != true { return (added, row) }
            }
        }
        return nil
    }

    /// Calls `body` with the rows of each value that several documents have.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    func forEachViolation(
        in reader: some KeyValueReader, _ body: (_ rows: [UInt64]) throws -> Bool
    ) throws {
        let prefixCount = index.entryPrefix.count
        var value: [UInt8] = []
        var rows: [UInt64] = []
        var cursor = try reader.cursor(in: .prefix(index.entryPrefix))
        while try cursor.advance() {
            let key = cursor.key
            guard let end = index.rowOffset(in: key), let row = StoreKey.row(in: key, at: end) else { continue }
            let next = key.extracting(prefixCount..<end).copied()
            if next != value {
                if rows.count > 1, !isExempt(value), try !body(rows) { return }
                rows = []
                value = next
            }
            rows.append(row)
        }
        if rows.count > 1, !isExempt(value) { _ = try body(rows) }
    }

    /// Returns at most `limit` violations, in the order of the index.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    func violations(in rows: RowReader, limit: Int) throws -> [UniqueViolation] {
        var violations: [UniqueViolation] = []
        if limit <= 0 { return violations }
        try forEachViolation(in: rows.snapshot) { duplicates in
            let documents = try duplicates.map { try rows.document($0) }
            guard documents.count > 1 else { return true }
            violations.append(
                UniqueViolation(
                    collection: rows.collection.name, index: index.definition.name,
                    values: commonValues(of: documents[0].content, and: documents[1].content),
                    ids: documents.map(\.id)))
            return violations.count < limit
        }
        return violations
    }

    /// Returns the values that two documents have in common.
    func commonValues(of a: DocumentObject, and b: DocumentObject) -> [DocumentValue?] {
        func combinations(_ document: DocumentObject) -> [[DocumentValue?]] {
            (try? IndexTuples(index.definition.fields).combinations(in: document)) ?? []
        }
        let others = Set(combinations(b).map(index.prefix))
        return combinations(a).first { values in
            let prefix = index.prefix(of: values)
            return others.contains(prefix) && !isExempt(Array(prefix.dropFirst(index.entryPrefix.count)))
        } ?? []
    }
}

extension KeyRange {
    /// Returns the range of keys that begin with complete components. A longer string with the same bytes continues
    /// with `ff`, or with `00` in descending order; neither begins a component or a row.
    static func entries(behind prefix: [UInt8]) -> KeyRange {
        .from(prefix + [0x01], to: prefix + OrderedValue.behind)
    }
}

extension DocumentCollection {
    /// Returns the values that several documents share in a unique index, in the order of the index; empty if there are
    /// none.
    ///
    /// If existing documents violate a unique index, the index is built nevertheless. It answers queries and rejects
    /// further duplicates; the existing ones are listed here until they are fixed.
    ///
    /// - Parameters:
    ///   - indexName: The name of a unique index.
    ///   - limit: The maximum number of violations returned.
    /// - Throws: ``DocIndexError`` with `unknownIndex` if the collection has no unique index with that name.
    /// - Complexity: O(*n*) in the number of index entries.
    public func uniqueViolations(of indexName: String, limit: Int = 100) throws -> [UniqueViolation] {
        let rows = try reader()
        guard let index = rows.index(named: indexName) as? ValueIndex, index.definition.isUnique else {
            throw DocIndexError(.unknownIndex, "\(name) has no unique index \(indexName)")
        }
        return try UniqueValues(index: index).violations(in: rows, limit: limit)
    }
}
