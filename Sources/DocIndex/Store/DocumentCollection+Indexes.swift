/// Counts and violations of single indexes.
extension DocumentCollection {
    /// Returns the number of index entries with these values, read from a counter; 0 if there are none.
    ///
    /// - Parameters:
    ///   - values: one value for each component; `nil` for a missing value.
    ///   - indexName: the name of the index.
    /// - Throws: ``DocIndexError`` with `unknownIndex` if the index does not exist or keeps no counters, or with
    ///   `invalidQuery` for a wrong number of values.
    /// - Complexity: One lookup.
    public func entryCount(of values: [DocumentValue?], in indexName: String) throws -> Int {
        let rows = try reader()
        guard let index = rows.index(named: indexName)?.valueIndex, index.definition.countsValues else {
            throw DocIndexError(
                .unknownIndex, "\(name) has no index \(indexName) that counts its values; declare it with count")
        }
        guard values.count == index.definition.components.count else {
            throw DocIndexError(
                .invalidQuery,
                "the index \(indexName) has \(index.definition.components.count) components; specify a value for each")
        }
        let value = Array(index.prefix(of: values).dropFirst(index.entryPrefix.count))
        return Int(clamping: try IndexCounters(index: index).count(value, in: rows.snapshot))
    }

    /// Returns the values that several documents share in a unique index, in the order of the index; empty if there are
    /// none.
    ///
    /// If existing documents violate a unique index, the index is built nevertheless. It answers queries and rejects
    /// further duplicates; the existing ones are listed here until they are fixed.
    ///
    /// - Parameters:
    ///   - indexName: the name of the index.
    ///   - limit: the maximum number of violations returned.
    /// - Throws: ``DocIndexError`` with `unknownIndex` if the collection has no unique index with that name.
    /// - Complexity: O(*n*) in the number of index entries.
    public func uniqueViolations(of indexName: String, limit: Int = 100) throws -> [DocIndexError.UniqueViolation] {
        let rows = try reader()
        guard let index = rows.index(named: indexName)?.valueIndex, index.definition.isUnique else {
            throw DocIndexError(.unknownIndex, "\(name) has no unique index \(indexName)")
        }
        return try UniqueValues(index: index).violations(in: rows, limit: limit)
    }
}

extension UniqueValues {
    /// Returns at most `limit` violations, in the order of the index.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    func violations(in rows: RowReader, limit: Int) throws -> [DocIndexError.UniqueViolation] {
        var violations: [DocIndexError.UniqueViolation] = []
        if limit <= 0 { return violations }
        try forEachViolation(in: rows.snapshot) { duplicates in
            let documents = try duplicates.map { try rows.document($0) }
            guard documents.count > 1 else { return true }
            violations.append(
                DocIndexError.UniqueViolation(
                    collection: rows.collection.name, index: index.definition.name,
                    values: commonValues(of: documents[0].content, and: documents[1].content),
                    ids: documents.map(\.id)))
            return violations.count < limit
        }
        return violations
    }
}
