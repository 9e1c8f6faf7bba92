/// Answers from columns in place of documents.
extension QueryExecutor {
    /// Returns the rows of the result and columns for some paths; `nil` if the columns are not there, or documents must be
    /// read to find the rows.
    ///
    /// - Returns: The rows are `nil` for all documents. They are in no order, and without limit and offset.
    func rowsWithColumns(for paths: [FieldPath]) throws -> (columns: ColumnSet, rows: RowBitmap?)? {
        // A hint is for the indexes, and building a column is a scan.
        guard options.hint == nil, !options.refusesScan else { return nil }
        if query.filter.normalized.isAll { return try rows.columns(paths).map { ($0, nil) } }
        guard searches == nil || plan.isExact else { return nil }
        if let filter = columnFilter, let columns = try rows.columns(paths + filter.paths), isCheaper(filter, columns) {
            return try decided(filter, columns).map { (columns, $0) }
        }
        let rest = plan.isExact ? nil : columnResidual
        guard plan.isExact || rest != nil, plan.access.isRowSet,
            let columns = try rows.columns(paths + (rest?.paths ?? []))
        else { return nil }
        let found = try rowSet(plan.access)
        // Reading the documents reports which one an index refers to in vain.
        guard columns.haveDocuments(in: found) else { return nil }
        guard let rest else { return (columns, found) }
        return try decided(rest, columns, among: found).map { (columns, $0) }
    }

    /// Returns the rows that satisfy a condition; `nil` if reading the documents must tell whether they do.
    ///
    /// - Parameter candidates: the rows to choose from; `nil` for all.
    private func decided(
        _ filter: ColumnFilter, _ columns: ColumnSet, among candidates: RowBitmap? = nil
    ) throws -> RowBitmap? {
        do {
            if let candidates { return try filter.rows(columns, names, among: candidates) }
            return try filter.rows(columns, names)
        } catch let error as CancellationError {
            throw error
        } catch {
            // The value may be in a document that the plan does not read; if it is not, the plan reports it.
            return nil
        }
    }

    /// Puts the results in order by columns and visits them.
    ///
    /// - Returns: Whether the columns were sufficient; if not, nothing was visited.
    func sortByColumns(_ visit: Visit) throws -> Bool {
        guard let paths = positions.columnPaths, let (set, found) = try rowsWithColumns(for: paths) else {
            return false
        }
        let positions = ColumnPositions(self.positions, paths.map { set[$0] }, names)
        var top = TopRows(needed: window.neededCount, byteLimit: options.sortByteLimit)
        var position: [UInt8] = []
        do {
            for row in (found ?? set.rowsWithDocument).sorted {
                try step()
                position.removeAll(keepingCapacity: true)
                try positions.append(Int(row), to: &position)
                if let start, !start.lexicographicallyPrecedes(position) { continue }
                try top.add(position.span, row: row)
            }
        } catch is BodyError {
            // Reading the documents reports which one is damaged.
            return false
        }
        let sorted = top.sorted()
        let projection = try columnProjection(rowCount: sorted.count)
        for row in sorted where window.admit() {
            try step()
            if try !self.visit(row, projection, isRepeated: false, visit) || window.isFull { return true }
        }
        return true
    }

    /// Fewer documents are likely to be in memory with their selected fields, which is faster.
    static var leastProjectedCount: Int { 1000 }

    /// Returns the projection that takes results from columns; `nil` if documents are requested or there are few results.
    func columnProjection(rowCount: Int) throws -> ColumnProjection? {
        guard rowCount >= Self.leastProjectedCount, options.hint == nil, !options.refusesScan,
            let paths = entryVisit?.paths,
            !paths.contains(where: \.hasArrayStep)
        else { return nil }
        return try rows.columns(paths).flatMap { ColumnProjection(paths, $0, names) }
    }

    /// Visits a result, with its fields from columns or from memory if possible.
    ///
    /// - Parameter isRepeated: whether the query has read the row before.
    func visit(
        _ row: UInt64, _ projection: ColumnProjection? = nil, isRepeated: Bool, _ visit: Visit
    ) throws -> Bool {
        if let entryVisit, let object = projection?.object(row) ?? entryVisit.known(row) {
            return try entryVisit.visit(object)
        }
        return try rows.withRecord(row, isRepeated: isRepeated) { try visit(row, $0) }
    }

    /// Notes what was read because ``rowsWithColumns(for:)`` had no columns for these paths.
    func noteMissedColumns(for paths: [FieldPath]) {
        rows.noteMissedColumns(
            paths + ((columnFilter ?? columnResidual)?.paths ?? []), max(work.keysExamined, work.documentsExamined))
    }

    /// Whether deciding the condition for every row takes less time than what the plan reads to find the rows.
    private func isCheaper(_ filter: ColumnFilter, _ columns: ColumnSet) -> Bool {
        let costs = CostModel()
        let onColumns =
            costs.columnCell * Double(columns.cellCount * filter.paths.count)
            + costs.columnValue * Double(filter.paths.reduce(0) { $0 + columns[$1].values.count })
        let keyCount = Double(plan.estimate.keyCount)
        if plan.isExact { return onColumns < costs.entryForward * keyCount }
        if plan.access.isRowSet, let rest = columnResidual {
            return onColumns < (costs.entryForward + costs.columnValue * Double(rest.paths.count)) * keyCount
        }
        return onColumns < 1000 * Double(plan.estimate.microseconds)
    }
}

extension Plan.Access {
    /// Whether it finds rows in no particular order, without reading every document.
    fileprivate var isRowSet: Bool {
        switch self {
        case .nothing, .ranges, .ids, .search, .union, .intersection: true
        case .scan, .ordered, .nearest, .ranked: false
        }
    }
}
