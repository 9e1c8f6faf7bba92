internal import LevelKit

/// Runs a plan on one snapshot and returns the resulting rows in the order of the query.
///
/// Used by a single thread. Checks for cancellation between steps.
final class QueryExecutor {
    /// The amount of data read to find the result.
    struct Work {
        var keysExamined = 0
        var documentsExamined = 0
    }

    /// Receives a row of the result and its record. Returns whether to continue.
    typealias Visit = (_ row: UInt64, _ record: borrowing RowRecord) throws -> Bool

    /// The paths that results are reduced to, and the closure that receives results without a record.
    struct EntryVisit {
        let paths: [FieldPath]
        /// Returns the values at the paths in the document of a row; `nil` if they are not in memory.
        let known: (_ row: UInt64) -> DocumentObject?
        /// Receives the values. Returns whether to continue.
        let visit: (DocumentObject) throws -> Bool
    }

    let rows: RowReader
    let query: Query
    let plan: Plan
    let options: Query.Options
    /// The position after which the results begin; `nil` for the beginning.
    let start: [UInt8]?
    var work = Work()
    /// The part of the condition that the plan does not decide, evaluated on each document.
    let residual: CompiledFilter
    /// The order of the results. Scans in that order need it only for a position after which the results begin.
    private(set) lazy var positions = SortPosition(query.sort, names: names, searches: searches)
    /// The condition as one on columns; `nil` if columns cannot decide it.
    private(set) lazy var columnFilter = ColumnFilter(query.filter.normalized)
    /// The same for the part that the plan does not decide.
    private(set) lazy var columnResidual = ColumnFilter(plan.residual)
    /// The field names used by the bodies of the snapshot, and perhaps later ones.
    let names: FieldNames
    /// The matches of searches; `nil` without searches.
    let searches: SearchResults?
    private let openSearches: Set<Filter.Search>
    var window: ResultWindow
    /// Receives results from entries, columns or memory, in place of the visit of rows; `nil` if documents are requested.
    var entryVisit: EntryVisit?
    /// Whether the caller uses the results only once ``run(_:)`` has returned. Damage is then reported at the end of a
    /// scan rather than before each result.
    var reportsDamageAtEnd = false
    private var stepCount = 0
    /// The last result row found by an ordered scan.
    var lastRow: UInt64?
    /// Whether the access of the plan was abandoned because it took too long; see ``visitInOrder(_:among:_:)`` and
    /// ``scanInOrder(_:)``.
    var didSwitchAccess = false

    init(
        rows: RowReader, query: Query, plan: Plan, options: Query.Options = Query.Options(), after start: [UInt8]? = nil
    ) {
        self.rows = rows
        self.query = query
        self.plan = plan
        self.options = options
        self.start = start
        names = rows.collection.names.current
        searches = rows.search.map(SearchResults.init)
        openSearches = plan.residual.searches
        residual = CompiledFilter(plan.residual, names: names, searches: searches)
        window = ResultWindow(query, isContinued: start != nil)
    }

    /// Calls `visit` with each row of the result until it returns `false`.
    ///
    /// - Throws: Errors of `visit`; ``DocIndexError`` with `corruption` or `queryTooLarge`; `LevelError`;
    ///   `CancellationError`.
    func run(_ visit: Visit) throws {
        if window.isFull { return }
        try refuseScan()
        try findSearches()
        if plan.ordering != .found, !query.sort.isEmpty {
            if try sortByColumns(visit) { return }
            defer { positions.columnPaths.map { noteMissedColumns(for: $0) } }
            return try runPlan(visit)
        }
        try runPlan(visit)
    }

    private func runPlan(_ visit: Visit) throws {
        switch plan.access {
        case .nothing: return
        case .ranked(let scan, let filter): try visitRanked(scan, among: try filter.map(rowSet), visit)
        case .ordered(let scan, let filter): try visitInOrder(scan, among: try filter.map(rowSet), visit)
        case .nearest(let name, let center): try visitNearest(try geoIndex(named: name), center, visit)
        case .scan where query.sort.isEmpty: try scanInOrder(visit)
        case .scan: try sort(countsReads: false, visit) { add in try scan(from: 0, add) }
        case .ranges(let scan) where projection(of: scan) != nil: try visitEntries(of: scan, visit)
        default:
            let found = try rowSet(plan.access)
            if query.sort.isEmpty {
                try visitInOrder(found, from: try startRow.map { $0 + 1 } ?? 0, visit)
            } else {
                try sort(found, visit)
            }
        }
    }

    /// Reads the documents of some rows and visits the results in order.
    private func sort(_ found: RowBitmap, _ visit: Visit) throws {
        try sort(countsReads: true, visit) { add in
            var fetcher = RowFetcher(rows)
            let wanted = found.sorted
            for (place, row) in wanted.enumerated() {
                let next = place + 1 < wanted.count ? wanted[place + 1] : nil
                let goesOn = try fetcher.withRecord(row, before: next) { record in
                    try self.matches(row, record) ? add(row, record) : true
                }
                if !goesOn { return }
            }
        }
    }

    /// Continues after a result row without the planned scan: reads the documents of the remaining rows and sorts them.
    func sort(_ found: RowBitmap, behind row: UInt64?, _ visit: Visit) throws {
        var position = start
        if let row {
            position = try rows.withRecord(row, isRepeated: true) { record in
                try rows.reading(row) {
                    var bytes: [UInt8] = []
                    try positions.append(record.body, row: row, to: &bytes)
                    return bytes
                }
            }
        }
        // Documents are now checked for the conditions that the scan decided too.
        let rest = Plan(
            access: plan.access, ordering: .top, isExact: false, estimate: plan.estimate,
            residual: query.filter.normalized)
        let executor = QueryExecutor(rows: rows, query: query, plan: rest, options: options, after: position)
        executor.window = window
        try executor.findSearches()
        defer {
            window = executor.window
            work.keysExamined += executor.work.keysExamined
            work.documentsExamined += executor.work.documentsExamined
        }
        try executor.sort(found, visit)
    }

    /// Throws if the plan is a scan and scans are not allowed.
    private func refuseScan() throws {
        guard options.refusesScan, case .scan = plan.access else { return }
        throw DocIndexError(
            .scanRefused,
            "the query would read every document of \(rows.collection.name); declare an index for it, or allow scans")
    }

    /// Returns the number of rows without a limit and an offset. Reads no documents if the plan is exact.
    func count() throws -> Int {
        reportsDamageAtEnd = true
        try refuseScan()
        if plan.isExact, case .nothing = plan.access { return 0 }
        if plan.isExact {
            switch plan.access {
            case .ranges(let scan): if let count = try entryCount(scan) { return count }
            default: break
            }
            switch plan.access {
            case .ranges, .ids, .search, .union, .intersection: return try rowSet(plan.access).count
            default: break
            }
        }
        try findSearches()
        var count = 0
        switch plan.access {
        case .nothing: break
        case .scan:
            try scan(from: 0) { _, _ in
                count += 1
                return true
            }
        default:
            try run { _, _ in
                count += 1
                return true
            }
        }
        return count
    }

    /// Returns the rows of the result. Reads no documents if the plan is exact.
    func matchingRows() throws -> RowBitmap {
        reportsDamageAtEnd = true
        if plan.isExact {
            switch plan.access {
            case .ranges, .ids, .search, .union, .intersection: return try rowSet(plan.access)
            default: break
            }
        }
        var found = RowBitmap()
        try run { row, _ in
            found.insert(row)
            return true
        }
        return found
    }

    /// Runs the searches that documents are checked for or sorted by.
    private func findSearches() throws {
        guard let searches else { return }
        try searches.find(openSearches)
        let isSortedByScore = query.sort.contains { $0.key == .score }
        if case .ranked = plan.access { return }
        if isSortedByScore, let scoring = query.filter.scoringQuery { try searches.findScores(of: scoring) }
    }

    // MARK: - Steps

    /// Counts a step. At intervals, checks for cancellation and reports progress.
    func step() throws {
        stepCount &+= 1
        guard stepCount & 0xff == 0 else { return }
        try CancellationCheck.now()
        if stepCount & 0xfff == 0, let progress = options.progress {
            progress(
                Query.Options.Progress(
                    keysExamined: work.keysExamined, documentsExamined: work.documentsExamined,
                    expectedKeyCount: plan.estimate.keyCount))
        }
    }

    func noteKey() throws {
        work.keysExamined += 1
        try step()
    }

    /// Returns whether the document in a record satisfies the condition.
    func matches(_ row: UInt64, _ record: borrowing RowRecord) throws -> Bool {
        work.documentsExamined += 1
        try step()
        // A condition may take long for one document, such as a pattern on a long string.
        try CancellationCheck.now()
        do {
            return try residual.matches(record.body, row: row)
        } catch let error as BodyError {
            throw rows.damaged(row, error)
        }
    }

    /// The row of the position after which the results begin.
    var startRow: UInt64? {
        get throws { try start.map { try self.parts(of: $0).row } }
    }

    func parts(of position: [UInt8]) throws -> (keys: [[UInt8]], row: UInt64) {
        guard let parts = positions.parts(of: position), parts.row < .max else {
            throw DocIndexError(.invalidQuery, "the token belongs to another query; request the first page")
        }
        return parts
    }

    // MARK: - Access to documents

    /// Visits matching documents in the order of rows, which is that of the query.
    ///
    /// Results may all be at the end of the collection. A scan that has taken as long as the best plan with indexes
    /// continues with that plan, so it takes at most twice as long.
    private func scanInOrder(_ visit: Visit) throws {
        let first = try startRow.map { $0 + 1 } ?? 0
        let costs = CostModel()
        let limit = plan.fallback.map { Int(min($0.cost / (costs.documentInScan + costs.condition), 1e15)) } ?? .max
        var cursor = try rows.documentCursor(from: first)
        while try cursor.advanceUnchecked() {
            let row = try rows.row(ofDocumentKey: cursor.key)
            if let fallback = plan.fallback, work.documentsExamined >= limit {
                try cursor.checkForErrors()
                didSwitchAccess = true
                return try visitInOrder(try rowSet(fallback.access), from: row, visit)
            }
            try noteKey()
            guard try matches(row, rows.record(cursor.value, row: row)), window.admit() else { continue }
            // Before a result is returned, make sure that no damaged entry before it was skipped.
            try cursor.checkForErrors()
            if try !visit(row, rows.record(cursor.value, row: row)) || window.isFull { return }
        }
    }

    /// Visits every matching document in the order of rows.
    private func scan(from first: UInt64, _ visit: Visit) throws {
        var cursor = try rows.documentCursor(from: first)
        while try cursor.advanceUnchecked() {
            try noteKey()
            let row = try rows.row(ofDocumentKey: cursor.key)
            guard try matches(row, rows.record(cursor.value, row: row)) else { continue }
            // Before a result is returned, make sure that no damaged entry before it was skipped.
            try cursor.checkForErrors()
            if try !visit(row, rows.record(cursor.value, row: row)) { return }
        }
    }

    /// Visits rows in ascending order, which is that of the query.
    private func visitInOrder(_ found: RowBitmap, from first: UInt64, _ visit: Visit) throws {
        let projection = plan.isExact ? try columnProjection(rowCount: found.count) : nil
        var fetcher = RowFetcher(rows)
        defer {
            if plan.isExact, found.count >= Self.leastProjectedCount, let paths = entryVisit?.paths {
                rows.noteMissedColumns(paths, fetcher.readCount)
            }
        }
        let wanted = found.sorted
        for (place, row) in wanted.enumerated() where row >= first {
            // Skipped results need not be read.
            if plan.isExact, window.isSkipping {
                _ = window.admit()
                continue
            }
            if plan.isExact, let entryVisit, let object = projection?.object(row) ?? entryVisit.known(row) {
                try step()
                guard window.admit() else { continue }
                if try !entryVisit.visit(object) || window.isFull { return }
                continue
            }
            let next = place + 1 < wanted.count ? wanted[place + 1] : nil
            let goesOn = try fetcher.withRecord(row, before: next) { record in
                guard try self.matches(row, record), self.window.admit() else { return true }
                return try visit(row, record) && !self.window.isFull
            }
            if !goesOn || window.isFull { return }
        }
    }

    /// Keeps the first of the rows that `source` provides, and visits them in order.
    ///
    /// - Parameter countsReads: whether reading a row in `source` counts as its use by this query.
    private func sort(countsReads: Bool, _ visit: Visit, _ source: (Visit) throws -> Void) throws {
        var top = TopRows(needed: window.neededCount, byteLimit: options.sortByteLimit)
        var position: [UInt8] = []
        let (rows, positions, start) = (self.rows, self.positions, self.start)
        try source { row, record in
            position.removeAll(keepingCapacity: true)
            do throws(BodyError) {
                try positions.append(record.body, row: row, to: &position)
            } catch {
                throw rows.damaged(row, error)
            }
            if let start, !start.lexicographicallyPrecedes(position) { return true }
            try top.add(position.span, row: row)
            return true
        }
        for row in top.sorted() where window.admit() {
            try step()
            if try !self.visit(row, isRepeated: countsReads, visit) || window.isFull { return }
        }
    }

    // MARK: - Indexes

    func valueIndex(named name: String) throws -> ValueIndex {
        guard let index = rows.index(named: name)?.valueIndex else { throw Self.unknown(name) }
        return index
    }

    func geoIndex(named name: String) throws -> GeoIndex {
        guard let index = rows.index(named: name)?.geoIndex else { throw Self.unknown(name) }
        return index
    }

    static func unknown(_ name: String) -> DocIndexError {
        DocIndexError(.unknownIndex, "the index \(name) does not exist; see the schema for the declared indexes")
    }
}

/// Applies the offset and the limit to the results.
struct ResultWindow {
    private var toSkip: Int
    private var left: Int
    /// The number of results up to the last one returned; `nil` for all.
    let neededCount: Int?

    init(_ query: Query, isContinued: Bool) {
        toSkip = isContinued ? 0 : query.offset
        left = query.limit ?? .max
        let skipped = toSkip
        neededCount = query.limit.map { limit in
            let (sum, overflow) = limit.addingReportingOverflow(skipped)
            return overflow ? .max : sum
        }
    }

    var isFull: Bool { left == 0 }
    var isSkipping: Bool { toSkip > 0 }

    /// Returns whether the next result is inside the window.
    mutating func admit() -> Bool {
        if toSkip > 0 {
            toSkip -= 1
            return false
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
