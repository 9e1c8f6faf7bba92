internal import LevelKit

/// Finds the values at a path in the keys of an index, without reading documents.
struct ValueCounts {
    let rows: RowReader

    /// Returns the values and the number of documents with each, at least the `limit` most frequent ones; `nil` if no
    /// index contains them. Adds the number of entries read to `keyCount`.
    ///
    /// - Complexity: O(*n*) in the entries of the index, or in its distinct values if it counts them.
    func counts(
        of path: FieldPath, limit: Int?, examining keyCount: inout Int
    ) throws -> [DocumentCollection.Facet]? {
        guard let index = index(over: path) else { return nil }
        var facets: [DocumentCollection.Facet] = []
        var largest = LargestCounts(limit: limit)
        var isComplete = true
        try forEachValue(of: index, examining: &keyCount) { bytes, count in
            if count < largest.least { return }
            switch index.decoded(0, bytes) {
            case .value(let value):
                facets.append(DocumentCollection.Facet(value: value, count: count))
                largest.add(count)
            case .missing: break
            case nil: isComplete = false
            }
        }
        return isComplete ? facets : nil
    }

    /// Calls `body` with each distinct value of the first component as bytes, in order, and the number of its entries.
    ///
    /// Results are only valid once this returns, because corruption may be detected at the end.
    ///
    /// - Complexity: O(*n*) in the entries of the index, or in its distinct values if it counts them.
    func forEachValue(
        of index: ValueIndex, examining keyCount: inout Int, _ body: (_ bytes: Span<UInt8>, _ count: Int) throws -> Void
    ) throws {
        let counters = index.definition.countsValues ? IndexCounters(index: index) : nil
        let prefix = counters?.key([]) ?? index.entryPrefix
        var cancellation = CancellationCheck()
        // Entries of one value are adjacent, and so are its counters with different values of other components.
        var last: [UInt8] = []
        var count = 0
        var cursor = try rows.snapshot.cursor(in: .prefix(prefix))
        while try cursor.advanceUnchecked() {
            try cancellation.step()
            keyCount += 1
            guard let end = index.skip(0, in: cursor.key, from: prefix.count) else {
                throw counters?.damaged ?? index.damaged
            }
            if !cursor.key.extracting(prefix.count..<end).hasSameBytes(as: last.span) {
                if count > 0 { try body(last.span, count) }
                last = cursor.key.extracting(prefix.count..<end).copied()
                count = 0
            }
            count += try counters.map { Int(clamping: try $0.count(cursor.value)) } ?? 1
        }
        if count > 0 { try body(last.span, count) }
    }

    /// Returns an index whose first component is the path and which has one entry of every document for each value,
    /// preferably one that counts its values; `nil` if there is none.
    func index(over path: FieldPath) -> ValueIndex? {
        let usable = rows.valueIndexes.filter { index in
            index.components[0].path == path && index.components[0].hasOrderOfValues
                && index.definition.condition == nil
                // A document has an entry for each combination of values, but only one value of a path without `[]`.
                && !index.components.dropFirst().contains { $0.path.hasArrayStep }
        }
        return usable.first { $0.definition.countsValues } ?? usable.first
    }

    // MARK: - Distinct values

    /// Returns the distinct values of the documents that match a condition, in order; `nil` if no index contains them.
    /// The condition must fix the components before the path and nothing else.
    ///
    /// - Complexity: O(*n*) in the distinct values: after each value, a seek skips the rest of its entries.
    func values(of path: FieldPath, where filter: Filter, limit: Int?) throws -> [DocumentValue]? {
        guard let list = list(of: path, where: filter) else { return nil }
        return try values(behind: list.prefix, list.component, limit: limit)
    }

    /// Returns the index, key prefix and component in which the values at a path are consecutive; `nil` if there is no
    /// such index.
    func list(
        of path: FieldPath, where filter: Filter
    ) -> (index: ValueIndex, prefix: [UInt8], component: IndexDefinition.Component)? {
        let conjuncts = filter.normalized.conjuncts
        let conditions = PlannedCondition.all(of: conjuncts)
        for index in rows.valueIndexes where index.definition.condition == nil && !index.definition.isSparse {
            var prefix = IndexPrefix(index)
            while prefix.position < index.components.count, index.components[prefix.position].path != path,
                prefix.takePoints(conditions)
            {}
            guard prefix.position < index.components.count, prefix.exact.count == conjuncts.count,
                prefix.prefixes.count == 1, index.components[prefix.position].path == path,
                index.components[prefix.position].hasOrderOfValues,
                // An entry for another element of a shared array is unrelated to this one.
                prefix.position == 0 || !index.definition.fields.contains(where: \.hasArrayStep)
            else { continue }
            return (index, prefix.prefixes[0], index.components[prefix.position])
        }
        return nil
    }

    private func values(
        behind prefix: [UInt8], _ component: IndexDefinition.Component, limit: Int?
    ) throws -> [DocumentValue]? {
        var values: [DocumentValue] = []
        let isDescending = component.order == .descending
        var cursor = try rows.snapshot.cursor(in: .entries(behind: prefix))
        while try cursor.advance() {
            try CancellationCheck.now()
            guard let end = component.skip(in: cursor.key, from: prefix.count),
                let decoded = OrderedValue.decoded(
                    cursor.key.extracting(prefix.count..<end), isDescending: isDescending)
            else { return nil }
            switch decoded {
            case .missing: break
            case .value(let value): values.append(value)
            }
            if !isDescending, let limit, values.count >= limit { break }
            let behind = cursor.key.extracting(0..<end).copied() + OrderedValue.behind
            cursor.seek(to: behind)
        }
        if isDescending { values.reverse() }
        return limit.map { Array(values.prefix(max(0, $0))) } ?? values
    }
}
