/// Counts the values of fields in columns, without reading documents.
struct ColumnCounts {
    let columns: ColumnSet
    let names: FieldNames
    /// The rows that are counted; `nil` for all.
    let rows: RowBitmap?

    /// Returns the values at a path with their counts, at least the `limit` most frequent ones; `nil` for all.
    ///
    /// - Complexity: O(*n*) in the rows, and in the distinct values.
    func facets(of path: FieldPath, limit: Int?) throws(BodyError) -> [DocumentCollection.Facet] {
        let column = columns[path]
        let counts = counts(of: column)
        return try column.values.facets(limit: limit, count: { counts[$0] }) { number throws(BodyError) in
            try BodyDecoder.value(column.values[number], names: names)
        }
    }

    /// Returns the number of documents for each value of a column.
    private func counts(of column: ValueColumn) -> [Int] {
        var counts = Array(repeating: 0, count: column.values.count)
        let cells = column.cells
        if let rows {
            rows.forEach { row in
                if row < cells.count { column.forEachValue(inCell: cells[row]) { counts[$0] += 1 } }
            }
        } else {
            for cell in cells { column.forEachValue(inCell: cell) { counts[$0] += 1 } }
        }
        return counts
    }
}

extension ColumnCounts {
    /// Returns the groups of documents by the only key of an aggregation that computes nothing but counts, in key order.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge` if there are more groups than allowed.
    func groups(_ aggregation: Aggregation, by key: Aggregation.GroupKey) throws -> [Aggregation.Group] {
        let column = columns[key.path]
        var found: [[UInt8]: (key: DocumentValue?, count: Int)] = [:]
        func add(_ group: DocumentValue?, _ count: Int) throws {
            found[OrderedValue.encoded(group), default: (group, 0)].count += count
            if found.count > aggregation.groupLimit { throw aggregation.tooManyGroups }
        }
        for (number, count) in counts(of: column).enumerated() where count > 0 {
            try add(GroupSummary.group(try BodyDecoder.value(column.values[number], names: names), key), count)
        }
        let missingCount = missingCount(of: column)
        if missingCount > 0 { try add(nil, missingCount) }
        return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { entry in
            let count = DocumentValue.int(Int64(entry.value.count))
            return Aggregation.Group(key: [entry.value.key], values: aggregation.measures.map { _ in count })
        }
    }

    /// Returns the number of documents without a value.
    private func missingCount(of column: ValueColumn) -> Int {
        let cells = column.cells
        guard let rows else { return cells.reduce(0) { $1 == ValueColumn.Cell.noValue ? $0 + 1 : $0 } }
        var count = 0
        rows.forEach { if $0 < cells.count, cells[$0] == ValueColumn.Cell.noValue { count += 1 } }
        return count
    }
}

extension Aggregation {
    /// The path whose column is sufficient; `nil` unless documents are counted by one key that has one value in each.
    var columnPath: FieldPath? {
        // Two elements may belong to the same group, in which the document counts once.
        guard keys.count == 1, measures.allSatisfy({ $0 == .count }), !keys[0].path.hasArrayStep else { return nil }
        return keys[0].path
    }
}

extension DocumentCollection {
    /// Returns the groups of an aggregation from a column; `nil` if there is none that is sufficient.
    func columnGroups(
        _ aggregation: Aggregation, _ query: Query, rows: RowReader, plan: Plan, _ options: Query.Options
    ) throws -> [Aggregation.Group]? {
        guard let path = aggregation.columnPath else { return nil }
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        guard let (columns, found) = try executor.rowsWithColumns(for: [path]) else { return nil }
        do {
            return try ColumnCounts(columns: columns, names: rows.collection.names.current, rows: found)
                .groups(aggregation, by: aggregation.keys[0])
        } catch is BodyError {
            return nil
        }
    }

    /// Returns the facets of some paths from columns; `nil` if there are none that are sufficient.
    func columnFacets(
        _ paths: [FieldPath], _ query: Query, limit: Int?, rows: RowReader, plan: Plan, _ options: Query.Options
    ) throws -> [[Facet]]? {
        let executor = QueryExecutor(rows: rows, query: query, plan: plan, options: options)
        guard let (columns, found) = try executor.rowsWithColumns(for: paths) else { return nil }
        let counts = ColumnCounts(columns: columns, names: rows.collection.names.current, rows: found)
        do {
            return try paths.map { Self.ranked(try counts.facets(of: $0, limit: limit), limit: limit) }
        } catch is BodyError {
            // Reading the documents reports which one is damaged.
            return nil
        }
    }
}
