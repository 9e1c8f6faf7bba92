/// The cursors of a database, and whether LevelDB may be closed.
///
/// LevelDB aborts the process if it is closed while an iterator exists. Whichever ends last closes it: the call that
/// closes the database, or a cursor.
///
///     open ── didDrain ──> drained ── beginRelease, once no cursor is left ──> released
struct CursorRegistry {
    private var cursors: [UInt64: LiveCursor] = [:]
    private var nextID: UInt64 = 0
    /// Whether the database is closed and no call is in flight, so that no cursor can be added.
    private var isDrained = false
    private var isReleased = false

    /// The number of cursors that use their iterator, or may use it again.
    var count: Int { cursors.count }

    /// Adds a cursor, and returns the number under which it is removed.
    mutating func insert(_ cursor: LiveCursor) -> UInt64 {
        defer { nextID += 1 }
        cursors[nextID] = cursor
        return nextID
    }

    /// Removes a cursor whose iterator was destroyed.
    ///
    /// - Returns: whether it was the last one of a closed database. Before that, the call that closes the database
    ///   closes LevelDB.
    mutating func remove(_ id: UInt64) -> Bool {
        cursors[id] = nil
        return isDrained && cursors.isEmpty
    }

    /// Records that the database is closed and no call is in flight.
    mutating func didDrain() { isDrained = true }

    /// Ends the cursors that are not on an entry.
    ///
    /// - Returns: whether cursors of other threads than `thread` remain.
    mutating func endResting(except thread: ThreadIdentity) -> Bool {
        for (id, cursor) in cursors where cursor.take() { cursors[id] = nil }
        return cursors.values.contains { $0.thread != thread }
    }

    /// Returns whether LevelDB must be closed now: no cursor is left, and it was not closed before.
    mutating func beginRelease() -> Bool {
        guard !isReleased, cursors.isEmpty else { return false }
        isReleased = true
        return true
    }
}
