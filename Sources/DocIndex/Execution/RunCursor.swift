internal import LevelKit

/// A cursor over the entries of one run of an ordered scan.
///
/// This is a class because arrays cannot hold noncopyable cursors. It returns copies of the bytes that the cursor
/// lends.
final class RunCursor: SortedRun {
    private var position: RunPosition

    init(
        _ run: Plan.OrderedIndexScan.Run, of scan: Plan.OrderedIndexScan, index: ValueIndex, from start: [UInt8]?,
        in snapshot: Snapshot
    ) throws {
        position = try RunPosition(run, of: scan, index: index, from: start, in: snapshot)
    }

    var run: Plan.OrderedIndexScan.Run { position.run }
    /// The bytes that determine the order.
    var sortKey: [UInt8] { position.sortKey }
    var row: UInt64 { position.row }
    /// Whether the entry passes the filters.
    var isAdmitted: Bool { position.isAdmitted }
    var isAtEnd: Bool { position.isAtEnd }

    /// Moves to the next entry.
    ///
    /// - Parameter checks: Whether skipped damage is reported immediately; otherwise ``checkForErrors()`` reports it.
    /// - Returns: Whether there is a next entry.
    func advance(checks: Bool = true) throws -> Bool { try position.advance(checks: checks) }

    /// Returns the requested fields of the document; `nil` if the entry does not contain them all.
    func object(_ projection: CoveredProjection) -> DocumentObject? { position.object(projection) }

    /// Throws errors that previous moves encountered.
    func checkForErrors() throws { try position.checkForErrors() }

    /// Moves so that the next entry is the first one with another sort key, in the direction of travel.
    func skipSortKey(isDescending: Bool) { position.skipSortKey(isDescending: isDescending) }
}

/// The state of a ``RunCursor``.
private struct RunPosition: ~Copyable {
    let run: Plan.OrderedIndexScan.Run
    private let index: ValueIndex
    private let prefixCount: Int
    private let sortComponents: Range<Int>
    private let filters: [EntryFilter]
    private var cursor: Cursor
    private(set) var sortKey: [UInt8] = []
    private(set) var row: UInt64 = 0
    private(set) var isAdmitted = true
    private(set) var isAtEnd = false

    init(
        _ run: Plan.OrderedIndexScan.Run, of scan: Plan.OrderedIndexScan, index: ValueIndex, from start: [UInt8]?,
        in snapshot: Snapshot
    ) throws {
        self.run = run
        self.index = index
        prefixCount = run.prefix.count
        sortComponents = scan.sortComponents
        filters = scan.filters
        cursor = try snapshot.cursor(in: run.range, direction: scan.isDescending ? .descending : .ascending)
        if let start { cursor.seek(to: run.prefix + start) }
    }

    func object(_ projection: CoveredProjection) -> DocumentObject? {
        projection.object(key: cursor.key, value: cursor.value)
    }

    mutating func checkForErrors() throws { try cursor.checkForErrors() }

    mutating func advance(checks: Bool) throws -> Bool {
        guard try checks ? cursor.advance() : cursor.advanceUnchecked() else {
            isAtEnd = true
            return false
        }
        let end = try readSortKey()
        guard let row = StoreKey.row(in: cursor.key, at: end) else { throw index.damaged }
        self.row = row
        isAdmitted = try filters.isEmpty || index.admits(cursor.key, filters)
        return true
    }

    /// Reads the bytes that determine the order.
    ///
    /// - Returns: The offset of the row.
    private mutating func readSortKey() throws -> Int {
        var keyEnd = prefixCount
        for position in sortComponents {
            guard let next = index.skip(position, in: cursor.key, from: keyEnd) else {
                throw index.damaged
            }
            keyEnd = next
        }
        if !hasSortKey(endingAt: keyEnd) {
            sortKey.removeAll(keepingCapacity: true)
            for position in prefixCount..<keyEnd { sortKey.append(cursor.key[position]) }
        }
        var end = keyEnd
        for position in sortComponents.upperBound..<index.components.count {
            guard let next = index.skip(position, in: cursor.key, from: end) else { throw index.damaged }
            end = next
        }
        return end
    }

    private func hasSortKey(endingAt end: Int) -> Bool {
        sortKey.count == end - prefixCount && cursor.key.extracting(prefixCount..<end).hasSameBytes(as: sortKey.span)
    }

    mutating func skipSortKey(isDescending: Bool) {
        // In descending order, a longer string continues with `00` and comes before the key.
        cursor.seek(to: isDescending ? run.prefix + sortKey + [0x01] : run.prefix + sortKey + OrderedValue.behind)
    }
}

extension ValueIndex {
    /// Returns whether an entry satisfies filters on its components.
    ///
    /// - Throws: The errors of ``Filter/TextPattern/hasBoundedMatch(in:)``.
    func admits(_ key: Span<UInt8>, _ filters: [EntryFilter]) throws -> Bool {
        var offset = entryPrefix.count
        for position in components.indices {
            guard let next = skip(position, in: key, from: offset) else { return true }
            for case .component(position, let filter) in filters {
                // If the component is unreadable, the document decides.
                if let decoded = decoded(position, key.extracting(offset..<next)), try !filter.admits(decoded) {
                    return false
                }
            }
            offset = next
        }
        return true
    }

    /// The error for a key that is not a valid entry.
    var damaged: DocIndexError {
        DocIndexError(.corruption, "the index \(definition.name) contains an unreadable key; run verify")
    }
}
