internal import LevelKit

/// Values that a unique index may hold once and that several documents have.
public struct UniqueViolation: Sendable, Hashable {
    /// The collection.
    public let collection: String
    /// The index.
    public let index: String
    /// The values of the first document, one for each component; `nil` for one that is missing.
    public let values: [DocumentValue?]
    /// The documents.
    public let ids: [DocumentID]
}

extension UniqueViolation: CustomStringConvertible {
    /// Index, values and documents in one line. Holds values of documents: mind where it is logged.
    public var description: String {
        let values = self.values.map { $0?.json ?? "missing" }.joined(separator: ", ")
        let ids = self.ids.map(\.description).joined(separator: ", ")
        return "\(collection).\(index): \(values) in the documents \(ids)"
    }
}

/// What a batch does to the values of one index that must be unique or are counted.
struct ValueChanges {
    /// By the bytes of the values: how many entries more.
    var counts: [[UInt8]: Int64] = [:]
    /// The rows that got an entry, and those that lost one.
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

/// The law of a unique index: of the entries whose values are neither missing nor `null`, no two have the same.
///
/// There is no second set of keys for it. The entries of one value lie side by side, so one seek finds those that
/// conflict; and an index over duplicates that were there before can hold them, which a map from values to rows
/// cannot.
struct UniqueValues {
    let index: ValueIndex

    /// Whether entries with these bytes may be as many as they like.
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

    /// The first value that a batch gives to a document while another has it when the batch is done; with the rows of
    /// both, the one that was added first. `nil` if there is none.
    ///
    /// Values that a document had before are not looked at, so duplicates that were there stay and may be put right
    /// one by one.
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
    /// - Complexity: O(*n*) in the entries.
    func forEachViolation(
        in reader: some KeyValueReader, _ body: (_ rows: [UInt64]) throws -> Bool
    ) throws {
        let prefixCount = index.entryPrefix.count
        var value: [UInt8] = []
        var rows: [UInt64] = []
        var cursor = try reader.cursor(in: .prefix(index.entryPrefix))
        while try cursor.advance() {
            let key = cursor.key
            guard let end = index.rowOffset(in: key), let row = StoreKeyspace.row(in: key, at: end) else { continue }
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

    /// The values that several documents have, at most `limit` of them, in the order of the index.
    ///
    /// - Complexity: O(*n*) in the entries.
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

    /// The values that two documents have in common.
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
    /// The entries whose keys begin with whole components: behind a longer text, which begins with the same bytes, there
    /// is `ff`, or `00` where the order is reversed; neither begins a component or a row.
    static func entries(behind prefix: [UInt8]) -> KeyRange {
        .from(prefix + [0x01], to: prefix + OrderedValue.behind)
    }
}

extension DocumentCollection {
    /// The values that several documents have in a unique index, in the order of the index; empty if there are none.
    ///
    /// An index that is declared unique over documents that are not is built all the same: it answers queries and
    /// refuses every further duplicate, and those that were there are listed here until they are put right.
    ///
    /// - Parameter limit: how many at most.
    /// - Throws: ``DocIndexError`` with `unknownIndex` if the collection has no unique index of that name.
    /// - Complexity: O(*n*) in the entries of the index.
    public func uniqueViolations(of indexName: String, limit: Int = 100) throws -> [UniqueViolation] {
        let rows = try reader()
        guard let index = rows.index(named: indexName) as? ValueIndex, index.definition.isUnique else {
            throw DocIndexError(.unknownIndex, "\(name) has no unique index \(indexName)")
        }
        return try UniqueValues(index: index).violations(in: rows, limit: limit)
    }
}
