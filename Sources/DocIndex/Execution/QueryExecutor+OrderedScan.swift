internal import LevelKit

/// Scans of indexes in the order of the query.
extension QueryExecutor {
    /// The number of rows of one value collected backward before the scan rereads them in ascending order.
    private static let rereadingCount = 256

    /// Visits every matching row in the order of an index; rows with equal values come in the order of rows.
    ///
    /// How quickly a scan with a filter finds enough rows depends on their position in the index, which is not known in
    /// advance. A scan that has taken as long as reading and sorting all rows of the filter is abandoned: those rows
    /// are read and sorted instead, starting after the last result.
    ///
    /// - Parameter filter: The rows to choose from; `nil` for all.
    func visitInOrder(_ scan: Plan.OrderedIndexScan, among filter: RowBitmap?, _ visit: Visit) throws {
        let index = try valueIndex(named: scan.index)
        let start = try self.start(of: scan, index)
        let seek = start.map { start in
            var key = start.sortKey
            if !scan.isDescending, scan.endsWithSort(index) {
                StoreKey.appendRow(start.row, to: &key)
            } else {
                // Before all entries with the sort key, in the direction of the scan, whatever bytes follow it.
                key += scan.isDescending ? OrderedValue.behind : [0x01]
            }
            return key
        }
        let runs = try scan.runs.map { try RunCursor($0, of: scan, index: index, from: seek, in: rows.snapshot) }
        for run in runs { if try run.advance() { try noteKey() } }
        let merge = MergeCursor(runs: runs, isDescending: scan.isDescending, start: start)
        try visitInOrder(merge, scan, index, among: filter, visit)
        if reportsDamageAtEnd { for run in runs { try run.checkForErrors() } }
    }

    private func visitInOrder(
        _ merge: MergeCursor<RunCursor>, _ scan: Plan.OrderedIndexScan, _ index: ValueIndex, among filter: RowBitmap?,
        _ visit: Visit
    ) throws {
        let limit = try filter.flatMap { try costLimit(among: $0) }
        let begin = work
        let runs = merge.runs
        let projection = projection(from: index)
        let endsWithSort = scan.endsWithSort(index)
        let isChecked = runs.count > 1 && !reportsDamageAtEnd
        while let step = merge.next() {
            if let limit, let filter, cost(of: scan, since: begin) > limit {
                for run in runs { try run.checkForErrors() }
                didSwitchAccess = true
                return try sort(filter, behind: lastRow, visit)
            }
            // A single run has the rows of one sort key in ascending order if it goes forward, and in descending order
            // if it goes backward.
            let single = step.runs.count == 1 && endsWithSort ? step.runs[0] : nil
            if let single, !scan.isDescending {
                repeat {
                    if single.row > step.startRow, try !emit(single, among: filter, projection, visit) { return }
                } while try advance(single, checks: isChecked) && single.sortKey == step.sortKey
                continue
            }
            var found: [FoundRow] = []
            var isReread = false
            for run in step.runs {
                repeat {
                    if run.row > step.startRow, run.isAdmitted, filter?.contains(run.row) ?? true {
                        found.append(FoundRow(row: run.row, object: projection.flatMap(run.object)))
                    }
                    if single != nil, found.count == Self.rereadingCount {
                        isReread = true
                        break
                    }
                } while try advance(run, checks: isChecked) && run.sortKey == step.sortKey
            }
            if !isChecked, !reportsDamageAtEnd, !found.isEmpty { try step.runs[0].checkForErrors() }
            if let single, isReread {
                guard try reread(step, single, scan, index, among: filter, projection, visit) else { return }
                single.skipSortKey(isDescending: true)
                _ = try advance(single)
                continue
            }
            found.sort { $0.row < $1.row }
            var last: UInt64?
            for result in found where result.row != last {
                last = result.row
                if try !emit(result, visit) { return }
            }
        }
    }

    /// Visits the rows with one sort key in ascending order, from a run that goes backward. Takes O(*n*) in the rows with
    /// the key, wherever the results begin.
    ///
    /// - Returns: Whether to continue.
    private func reread(
        _ step: MergeCursor<RunCursor>.Step, _ run: RunCursor, _ scan: Plan.OrderedIndexScan, _ index: ValueIndex,
        among filter: RowBitmap?, _ projection: CoveredProjection?, _ visit: Visit
    ) throws -> Bool {
        var forward = try rows.snapshot.cursor(in: .entries(behind: run.run.prefix + step.sortKey))
        while try forward.advance() {
            try noteKey()
            guard let row = index.row(of: forward.key) else { throw index.damaged }
            guard row > step.startRow, filter?.contains(row) ?? true,
                try scan.filters.isEmpty || index.admits(forward.key, scan.filters)
            else { continue }
            let object = projection?.object(key: forward.key, value: forward.value)
            if try !emit(FoundRow(row: row, object: object), visit) { return false }
        }
        return true
    }

    /// Returns the cost of reading the documents of some rows and keeping the first ones; `nil` if the scan must not be
    /// abandoned because sorting might exceed the memory limit.
    private func costLimit(among filter: RowBitmap) throws -> Double? {
        guard let needed = window.neededCount, needed < options.sortByteLimit / 1024 else { return nil }
        let costs = CostModel()
        let count = Double(filter.count)
        return count
            * (costs.document(of: count, among: Double(try rows.documentCount())) + costs.condition + costs.sortKey)
    }

    private func cost(of scan: Plan.OrderedIndexScan, since begin: Work) -> Double {
        let costs = CostModel()
        let step = scan.isDescending ? costs.entryBackward : costs.entryForward
        return Double(work.keysExamined - begin.keysExamined)
            * (step + costs.setMember + Double(scan.filters.count) * costs.entryCondition)
            + Double(work.documentsExamined - begin.documentsExamined) * costs.documentByRow
    }

    /// - Parameter checks: Whether damage is reported immediately rather than before the next result, or at the end.
    private func advance(_ run: RunCursor, checks: Bool = true) throws -> Bool {
        guard try run.advance(checks: checks) else { return false }
        try noteKey()
        return true
    }

    private func emit(
        _ run: RunCursor, among filter: RowBitmap?, _ projection: CoveredProjection?, _ visit: Visit
    ) throws -> Bool {
        guard run.isAdmitted, filter?.contains(run.row) ?? true else { return true }
        // Before a result is returned, make sure that no damaged entry before it was skipped.
        if !reportsDamageAtEnd { try run.checkForErrors() }
        return try emit(FoundRow(row: run.row, object: projection.flatMap(run.object)), visit)
    }

    /// Reads a row and visits it if it is a result.
    ///
    /// - Returns: Whether to continue.
    private func emit(_ found: FoundRow, _ visit: Visit) throws -> Bool {
        let row = found.row
        if let object = found.object, let entryVisit {
            lastRow = row
            guard window.admit() else { return true }
            return try entryVisit.visit(object) && !window.isFull
        }
        if plan.isExact, window.isSkipping {
            _ = window.admit()
            lastRow = row
            return true
        }
        if plan.isExact, let entryVisit, let object = entryVisit.known(row) {
            work.documentsExamined += 1
            try step()
            lastRow = row
            guard window.admit() else { return true }
            return try entryVisit.visit(object) && !window.isFull
        }
        return try rows.withRecord(row) { record in
            guard try self.matches(row, record) else { return true }
            self.lastRow = row
            guard self.window.admit() else { return true }
            return try visit(row, record) && !self.window.isFull
        }
    }

    /// Returns the position after which the results begin, in the bytes of the index.
    private func start(
        of scan: Plan.OrderedIndexScan, _ index: ValueIndex
    ) throws -> MergeCursor<RunCursor>.Position? {
        guard let start else { return nil }
        let (keys, row) = try parts(of: start)
        var sortKey: [UInt8] = []
        for position in scan.sortComponents {
            let component = index.components[position]
            let own = query.sort.firstIndex {
                $0.key == .field(component.path) && $0.collation == component.collation
            }
            guard let place = own else {
                throw DocIndexError(.invalidQuery, "the token belongs to another query; request the first page")
            }
            let isComplemented = query.sort[place].isDescending != (component.order == .descending)
            sortKey += isComplemented ? keys[place].map { ~$0 } : keys[place]
        }
        return .init(sortKey: sortKey, row: row)
    }
}

extension Plan.OrderedIndexScan {
    /// Whether the components that determine the order are the last ones of the index.
    fileprivate func endsWithSort(_ index: ValueIndex) -> Bool { sortComponents.upperBound == index.components.count }
}

/// A row found by an ordered scan, with the requested fields if its entry contains them all.
private struct FoundRow {
    let row: UInt64
    let object: DocumentObject?
}
