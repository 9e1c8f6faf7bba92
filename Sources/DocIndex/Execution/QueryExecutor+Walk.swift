internal import LevelKit

/// Walking along indexes that have the order of the query.
extension QueryExecutor {
    /// The number of rows of one value collected backward before the walk rereads them in ascending order.
    private static let turningCount = 256

    /// Visits every matching row in the order of an index; rows with equal values come in the order of rows.
    ///
    /// How quickly a walk with a filter finds enough rows depends on their position in the index, which is not known in
    /// advance. A walk that has taken as long as reading and sorting all rows of the filter is abandoned: those rows
    /// are read and sorted instead, starting after the last result.
    ///
    /// - Parameter filter: The rows to choose from; `nil` for all.
    func walk(_ walk: Plan.OrderedIndexScan, among filter: RowBitmap?, _ visit: Visit) throws {
        let limit = try filter.flatMap { try costLimit(among: $0) }
        let begin = work
        let index = try valueIndex(named: walk.index)
        let projection = projection(from: index)
        let start = try self.start(of: walk, index)
        // Seek past the group, whatever bytes follow it.
        let seek = start.map { $0.group + (walk.isDescending ? OrderedValue.behind : [0x01]) }
        let cursors = try walk.runs.map {
            try RunCursor($0, of: walk, index: index, from: seek, in: rows.snapshot)
        }
        let endsWithSort = walk.sortComponents.upperBound == index.components.count
        let walker = OrderedWalk(walk: walk, cursors: cursors)
        for cursor in cursors { if try cursor.advance() { try noteKey() } }
        let isChecked = cursors.count > 1
        while let group = walker.nextGroup {
            if let limit, let filter, cost(of: walk, since: begin) > limit {
                for cursor in cursors { try cursor.checkForErrors() }
                didLeaveWalk = true
                return try sort(filter, behind: lastRow, visit)
            }
            let isFirst = start.map { group == $0.group } ?? false
            let behind = isFirst ? start?.row ?? 0 : 0
            let atGroup = cursors.filter { !$0.isAtEnd && $0.group == group }
            // The rows of one run are in order going forward. Going backward, they are reread forward if there are
            // many.
            if atGroup.count == 1, endsWithSort, !walk.isDescending {
                let cursor = atGroup[0]
                repeat {
                    if cursor.row > behind, try !emit(cursor, among: filter, projection, visit) { return }
                } while try advance(cursor, checks: isChecked) && cursor.group == group
                continue
            }
            var found: [FoundRow] = []
            var isTurned = false
            for cursor in atGroup {
                repeat {
                    if cursor.row > behind, cursor.isAdmitted, filter?.contains(cursor.row) ?? true {
                        found.append(FoundRow(row: cursor.row, object: projection.flatMap(cursor.object)))
                    }
                    if atGroup.count == 1, endsWithSort, found.count == Self.turningCount {
                        isTurned = true
                        break
                    }
                } while try advance(cursor, checks: isChecked) && cursor.group == group
            }
            if !isChecked, !found.isEmpty { try atGroup[0].checkForErrors() }
            if isTurned {
                guard try turn(group, atGroup[0], walk, index, behind: behind, among: filter, projection, visit)
                else { return }
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

    /// Visits the rows of one group from its beginning, then continues with the next group.
    private func turn(
        _ group: [UInt8], _ cursor: RunCursor, _ walk: Plan.OrderedIndexScan, _ index: ValueIndex, behind: UInt64,
        among filter: RowBitmap?, _ projection: CoveredProjection?, _ visit: Visit
    ) throws -> Bool {
        var forward = try rows.snapshot.cursor(in: .entries(behind: cursor.run.prefix + group))
        while try forward.advance() {
            try noteKey()
            guard let row = index.row(of: forward.key) else { throw index.damaged }
            guard row > behind, filter?.contains(row) ?? true,
                try walk.filters.isEmpty || index.admits(forward.key, walk.filters)
            else { continue }
            let object = projection?.object(key: forward.key, value: forward.value)
            if try !emit(FoundRow(row: row, object: object), visit) { return false }
        }
        cursor.skipGroup(isDescending: true)
        _ = try advance(cursor)
        return true
    }

    /// Returns the cost of reading the documents of some rows and keeping the first ones; `nil` if the walk must not be
    /// abandoned because sorting might exceed the memory limit.
    private func costLimit(among filter: RowBitmap) throws -> Double? {
        guard let needed = window.neededCount, needed < options.sortByteLimit / 1024 else { return nil }
        let costs = CostModel()
        let count = Double(filter.count)
        return count
            * (costs.document(of: count, among: Double(try rows.documentCount())) + costs.condition + costs.sortKey)
    }

    private func cost(of walk: Plan.OrderedIndexScan, since begin: Work) -> Double {
        let costs = CostModel()
        let step = walk.isDescending ? costs.entryBackward : costs.entryForward
        return Double(work.keysExamined - begin.keysExamined)
            * (step + costs.setMember + Double(walk.filters.count) * costs.entryCondition)
            + Double(work.documentsExamined - begin.documentsExamined) * costs.documentByRow
    }

    /// - Parameter checks: Whether damage is reported immediately rather than before the next result.
    private func advance(_ cursor: RunCursor, checks: Bool = true) throws -> Bool {
        guard try cursor.advance(checks: checks) else { return false }
        try noteKey()
        return true
    }

    private func emit(
        _ cursor: RunCursor, among filter: RowBitmap?, _ projection: CoveredProjection?, _ visit: Visit
    ) throws -> Bool {
        guard cursor.isAdmitted, filter?.contains(cursor.row) ?? true else { return true }
        // Before a result is returned, make sure that no damaged entry before it was skipped.
        try cursor.checkForErrors()
        return try emit(FoundRow(row: cursor.row, object: projection.flatMap(cursor.object)), visit)
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
        return try rows.withRecord(row) { record, bodyStart, sequence in
            guard try self.matches(row, record, bodyStart) else { return true }
            self.lastRow = row
            guard self.window.admit() else { return true }
            return try visit(row, record, bodyStart, sequence) && !self.window.isFull
        }
    }

    /// Returns the group and the row of the position after which the results begin, in the bytes of the index.
    private func start(of walk: Plan.OrderedIndexScan, _ index: ValueIndex) throws -> (group: [UInt8], row: UInt64)? {
        guard let start else { return nil }
        let (keys, row) = try parts(of: start)
        var group: [UInt8] = []
        for position in walk.sortComponents {
            let component = index.components[position]
            let own = query.sort.firstIndex {
                $0.key == .field(component.path) && $0.collation == component.collation
            }
            guard let place = own else {
                throw DocIndexError(.invalidQuery, "the token belongs to another query; request the first page")
            }
            let isTurned = query.sort[place].isDescending != (component.order == .descending)
            group += isTurned ? keys[place].map { ~$0 } : keys[place]
        }
        return (group, row)
    }
}

/// A row found by a walk, with the requested fields if its entry contains them all.
private struct FoundRow {
    let row: UInt64
    let object: DocumentObject?
}

/// Merges several runs.
private struct OrderedWalk {
    let walk: Plan.OrderedIndexScan
    let cursors: [RunCursor]

    /// The first group among the current entries of the cursors; `nil` at the end.
    var nextGroup: [UInt8]? {
        var next: [UInt8]?
        for cursor in cursors where !cursor.isAtEnd {
            guard let known = next else {
                next = cursor.group
                continue
            }
            if Self.precedes(cursor.group, known) != walk.isDescending, cursor.group != known { next = cursor.group }
        }
        return next
    }

    /// Compares values, one of which may be a prefix of the other. The added byte lies between the bytes with which
    /// longer strings continue in ascending and in descending order.
    private static func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        (a + [0x80]).lexicographicallyPrecedes(b + [0x80])
    }
}
