internal import LevelKit

/// Sets of rows.
extension QueryExecutor {

    /// Returns the rows of an access.
    func rowSet(_ access: Plan.Access) throws -> RowBitmap {
        var found = RowBitmap()
        try collect(access, into: &found)
        return found
    }

    private func collect(_ access: Plan.Access, into found: inout RowBitmap) throws {
        switch access {
        case .nothing, .ordered, .nearest, .ranked: break
        case .search(let scan):
            guard let searches else { throw Self.unknown(scan.index) }
            for row in try searches.rows(of: scan.query) {
                try noteKey()
                found.insert(row)
            }
        case .scan:
            var cursor = try rows.documentCursor()
            while try cursor.advance() {
                try noteKey()
                found.insert(try rows.row(ofDocumentKey: cursor.key))
            }
        case .union(let parts): for part in parts { try collect(part, into: &found) }
        case .intersection(let parts):
            guard let first = parts.first else { return }
            var left = try rowSet(first)
            for part in parts.dropFirst() where left.count > 0 { left = try intersection(left, part) }
            found.formUnion(left)
        case .ids(let scan): try collect(scan, into: &found)
        case .ranges(let scan):
            if let index = rows.index(named: scan.index)?.geoIndex {
                try collect(scan, index, into: &found)
            } else {
                try collect(scan, try valueIndex(named: scan.index), into: &found)
            }
        }
    }

    private func collect(_ scan: Plan.IDScan, into found: inout RowBitmap) throws {
        if let ids = scan.ids {
            for id in ids {
                try noteKey()
                if let row = try rows.row(of: id) { found.insert(row) }
            }
            return
        }
        for range in scan.ranges {
            var cursor = try rows.snapshot.cursor(in: range)
            while try cursor.advanceUnchecked() {
                try noteKey()
                if let row = try rows.row(inIDValue: cursor.value) { found.insert(row) }
            }
        }
    }

    private func collect(_ scan: Plan.IndexScan, _ index: ValueIndex, into found: inout RowBitmap) throws {
        // In all entries of one value, the row is at the same offset.
        if scan.hasRisingRows, scan.ranges.count == 1, scan.filters.isEmpty,
            case .included(let lower) = scan.ranges[0].lower, lower.last == 0x01
        {
            let offset = lower.count - 1
            try forEachEntry(of: scan) { cursor in
                try noteKey()
                guard let row = StoreKey.row(in: cursor.key, at: offset) else { throw index.damaged }
                found.insert(row)
            }
            return
        }
        try forEachEntry(of: scan) { cursor in
            try noteKey()
            guard let row = index.row(of: cursor.key) else { throw index.damaged }
            if try scan.filters.isEmpty || index.admits(cursor.key, scan.filters) { found.insert(row) }
        }
    }

    /// Visits the entries in the ranges of a scan. One cursor serves all ranges, because creating a cursor costs more
    /// than moving one.
    ///
    /// Discard what the entries showed if this throws: damage between entries may be reported only at the end.
    func forEachEntry(of scan: Plan.IndexScan, _ body: (borrowing Cursor) throws -> Void) throws {
        guard let first = scan.ranges.first, let last = scan.ranges.last else { return }
        var hull = first
        hull.upper = last.upper
        var cursor = try rows.snapshot.cursor(in: hull)
        for range in scan.ranges {
            if scan.ranges.count > 1 {
                guard case .included(let lower) = range.lower else { continue }
                cursor.seek(to: lower)
            }
            while try cursor.advanceUnchecked() {
                if scan.ranges.count > 1, !range.isAbove(cursor.key) { break }
                try body(cursor)
            }
        }
        try cursor.checkForErrors()
    }

    /// Returns the projection that takes results from the entries of an index; `nil` unless the plan is exact and the
    /// entries contain the requested paths.
    func projection(from index: ValueIndex) -> CoveredProjection? {
        guard plan.isExact, let entryVisit else { return nil }
        return CoveredProjection(entryVisit.paths, in: index)
    }

    /// Returns the same for a scan of one value, whose entries are in the order of rows.
    func projection(of scan: Plan.IndexScan) -> CoveredProjection? {
        guard query.sort.isEmpty, start == nil, scan.hasRisingRows, scan.ranges.count == 1, scan.filters.isEmpty,
            let index = rows.index(named: scan.index)?.valueIndex
        else { return nil }
        return projection(from: index)
    }

    /// Visits the entries of one value, and reads the documents of entries that are not sufficient.
    func visitEntries(of scan: Plan.IndexScan, _ visit: Visit) throws {
        guard let entryVisit, let projection = projection(of: scan) else { return }
        let index = try valueIndex(named: scan.index)
        var cursor = try rows.snapshot.cursor(in: scan.ranges[0])
        while !window.isFull, try cursor.advance() {
            try noteKey()
            guard let row = index.row(of: cursor.key) else { throw index.damaged }
            guard window.admit() else { continue }
            if let object = projection.object(key: cursor.key, value: cursor.value) {
                if try !entryVisit.visit(object) { return }
                continue
            }
            let goesOn = try rows.withRecord(row) { record in
                self.work.documentsExamined += 1
                return try visit(row, record)
            }
            if !goesOn { return }
        }
    }

    /// Returns how many documents an exact scan finds, from its entries or from the counters of the index; `nil` if a
    /// document may have several entries in the scan.
    func entryCount(_ scan: Plan.IndexScan) throws -> Int? {
        guard let index = rows.index(named: scan.index), scan.filters.isEmpty else { return nil }
        let isOneValue = scan.hasRisingRows && scan.ranges.count == 1
        guard isOneValue || !index.definition.fields.contains(where: \.hasArrayStep) else { return nil }
        if let index = index.valueIndex, index.definition.countsValues { return try countedEntries(scan, index) }
        var count = 0
        try forEachEntry(of: scan) { _ in
            try noteKey()
            count += 1
        }
        return count
    }

    /// Returns the sum of the counts of the values in a scan.
    private func countedEntries(_ scan: Plan.IndexScan, _ index: ValueIndex) throws -> Int {
        var sum: UInt64 = 0
        try forEachCount(of: scan, index) { _, count in sum &+= count }
        return Int(clamping: sum)
    }

    /// Visits each distinct value in the ranges of a scan, with the count that the index keeps for it: the key prefix
    /// of its entries, and their number.
    func forEachCount(
        of scan: Plan.IndexScan, _ index: ValueIndex, _ body: (_ entry: Span<UInt8>, _ count: UInt64) throws -> Void
    ) throws {
        let counters = IndexCounters(index: index)
        for range in scan.ranges {
            guard let range = CounterRange(of: range, in: index) else { throw index.damaged }
            if scan.hasRisingRows {
                try noteKey()
                let count = try counters.count(Array(range.singleValue), in: rows.snapshot)
                if count > 0 { try body(range.entryBeginning.span, count) }
                continue
            }
            var cursor = try rows.snapshot.cursor(in: range.counters)
            var entry: [UInt8] = []
            while try cursor.advanceUnchecked() {
                try noteKey()
                guard range.setFirstEntry(&entry, ofCounter: cursor.key) else { continue }
                try body(entry.span, try counters.count(cursor.value))
            }
        }
    }

    private func collect(_ scan: Plan.IndexScan, _ index: GeoIndex, into found: inout RowBitmap) throws {
        try forEachEntry(of: scan) { cursor in
            try noteKey()
            if scan.filters.isEmpty {
                // Entries without a location have no cell.
                guard let row = index.row(of: cursor.key) else { throw index.damaged }
                found.insert(row)
                return
            }
            guard let (row, point) = index.entry(key: cursor.key, value: cursor.value) else { throw index.damaged }
            if scan.filters.allSatisfy({ $0.admits(point) }) { found.insert(row) }
        }
    }

    /// Returns the rows that are also in another access.
    private func intersection(_ known: RowBitmap, _ access: Plan.Access) throws -> RowBitmap {
        var left = RowBitmap()
        if case .ranges(let scan) = access,
            CostModel.probes(access, for: known.count, estimate: scan.estimatedEntryCount)
        {
            // The key of an entry is the start of its range followed by the row.
            let range = scan.ranges[0]
            guard case .included(var key) = range.lower, key.last == 0x01 else { return known }
            key.removeLast()
            let count = key.count
            for row in known.sorted {
                try noteKey()
                StoreKey.appendRow(row, to: &key)
                if try rows.snapshot.contains(key) { left.insert(row) }
                key.removeSubrange(count...)
            }
            return left
        }
        var found = RowBitmap()
        try collect(access, into: &found)
        found.formIntersection(known)
        return found
    }
}

extension KeyRange {
    /// Returns whether a key is less than the upper bound.
    func isAbove(_ key: Span<UInt8>) -> Bool {
        guard case .excluded(let upper) = upper else { return true }
        let upperSpan = upper.span
        let common = min(key.count, upperSpan.count)
        for place in 0..<common where key[place] != upperSpan[place] { return key[place] < upperSpan[place] }
        return key.count < upperSpan.count
    }
}

extension EntryFilter {
    /// Returns whether a location satisfies the filter.
    func admits(_ point: GeoPoint) -> Bool {
        switch self {
        case .component: true
        case .near(let center, let meters): center.distance(to: point) <= meters
        case .within(let box): box.contains(point)
        }
    }
}

extension GeoIndex {
    /// The error for a key that is not a valid entry.
    var damaged: DocIndexError {
        DocIndexError(.corruption, "the index \(definition.name) contains an unreadable entry; run verify")
    }
}
