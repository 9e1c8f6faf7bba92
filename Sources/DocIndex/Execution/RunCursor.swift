internal import LevelKit

/// Moves over one run of a walk, entry by entry.
///
/// A class because noncopyable cursors cannot be held in an array; it gives copies of what the cursor lends.
final class RunCursor {
    private var position: RunPosition

    init(
        _ run: IndexWalk.Run, of walk: IndexWalk, index: ValueIndex, from start: [UInt8]?, in snapshot: Snapshot
    ) throws {
        position = try RunPosition(run, of: walk, index: index, from: start, in: snapshot)
    }

    var run: IndexWalk.Run { position.run }
    /// The bytes that decide about the order.
    var group: [UInt8] { position.group }
    var row: UInt64 { position.row }
    /// Whether the filters admit the entry.
    var isAdmitted: Bool { position.isAdmitted }
    var isAtEnd: Bool { position.isAtEnd }

    /// Moves to the next entry.
    ///
    /// - Parameter checks: whether damage that was passed over is an error at once; else ``checkForErrors()`` tells of it.
    /// - Returns: whether there is one.
    func advance(checks: Bool = true) throws -> Bool { try position.advance(checks: checks) }

    /// What the entry tells of its document; `nil` if that is not all.
    func object(_ projection: CoveredProjection) -> DocumentObject? { position.object(projection) }

    /// Throws what the moves so far have met.
    func checkForErrors() throws { try position.checkForErrors() }

    /// Makes the next entry the first one behind the group, in the direction of travel.
    func skipGroup(isDescending: Bool) { position.skipGroup(isDescending: isDescending) }
}

/// The place of a ``RunCursor``.
private struct RunPosition: ~Copyable {
    let run: IndexWalk.Run
    private let index: ValueIndex
    private let prefixCount: Int
    private let sortComponents: Range<Int>
    private let filters: [EntryFilter]
    private var cursor: Cursor
    private(set) var group: [UInt8] = []
    private(set) var row: UInt64 = 0
    private(set) var isAdmitted = true
    private(set) var isAtEnd = false

    init(
        _ run: IndexWalk.Run, of walk: IndexWalk, index: ValueIndex, from start: [UInt8]?, in snapshot: Snapshot
    ) throws {
        self.run = run
        self.index = index
        prefixCount = run.prefix.count
        sortComponents = walk.sortComponents
        filters = walk.filters
        cursor = try snapshot.cursor(in: run.range, reverse: walk.isDescending)
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
        let end = try readGroup()
        guard let row = StoreKeyspace.row(in: cursor.key, at: end) else { throw index.damaged }
        self.row = row
        isAdmitted = try filters.isEmpty || index.admits(cursor.key, filters)
        return true
    }

    /// Reads what decides about the order.
    ///
    /// - Returns: where the row begins.
    private mutating func readGroup() throws -> Int {
        var groupEnd = prefixCount
        for position in sortComponents {
            guard let next = index.skip(position, in: cursor.key, from: groupEnd) else {
                throw index.damaged
            }
            groupEnd = next
        }
        if !hasGroup(endingAt: groupEnd) {
            group.removeAll(keepingCapacity: true)
            for position in prefixCount..<groupEnd { group.append(cursor.key[position]) }
        }
        var end = groupEnd
        for position in sortComponents.upperBound..<index.components.count {
            guard let next = index.skip(position, in: cursor.key, from: end) else { throw index.damaged }
            end = next
        }
        return end
    }

    private func hasGroup(endingAt end: Int) -> Bool {
        group.count == end - prefixCount && cursor.key.extracting(prefixCount..<end).hasSameBytes(as: group.span)
    }

    mutating func skipGroup(isDescending: Bool) {
        // A longer text goes on with `00` where the order is reversed, and lies before the group.
        cursor.seek(to: isDescending ? run.prefix + group + [0x01] : run.prefix + group + OrderedValue.behind)
    }
}

extension ValueIndex {
    /// Whether an entry satisfies filters on its components.
    ///
    /// - Throws: as ``TextPattern/hasBoundedMatch(in:)``.
    func admits(_ key: Span<UInt8>, _ filters: [EntryFilter]) throws -> Bool {
        var offset = entryPrefix.count
        for position in components.indices {
            guard let next = skip(position, in: key, from: offset) else { return true }
            for case .component(position, let predicate) in filters {
                // What cannot be read is left to the document.
                if let decoded = decoded(position, key.extracting(offset..<next)), try !predicate.admits(decoded) {
                    return false
                }
            }
            offset = next
        }
        return true
    }

    /// The error of a key that is no entry.
    var damaged: DocIndexError {
        DocIndexError(.corruption, "the index \(definition.name) holds a key that cannot be read; run verify")
    }
}
