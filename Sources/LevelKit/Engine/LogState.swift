/// What is known about LevelDB's log and memtable while writes go on: how much a flush would write, whether a power
/// loss would lose something, and whether the log is damaged.
///
///            write fails, and the log cannot be replaced
///     sound ──────────────────────────────────────────> damaged
///       ^                                                 │
///       └──── the log was replaced (``didReplaceLog()``) ─┘
struct LogState {
    /// The reason that writes are refused, or `nil` if the log is sound.
    private(set) var failure: String?
    /// The bytes written since the memtable was last known to be empty, at most a write buffer and the last write.
    private(set) var memtableByteCount = 0
    /// Whether earlier writes may not be on the disk yet.
    private(set) var hasBufferedWrites = false
    /// The bytes written since the disk space was last checked.
    private var uncheckedByteCount = Self.checkInterval

    /// The bytes written between two checks of the disk space.
    private static let checkInterval = 256 << 10

    /// Counts the bytes of a write against the next check of the disk space.
    ///
    /// - Returns: whether to check now. This is repeated at each write until ``didFindRoom()``.
    mutating func needsRoomCheck(for byteCount: Int) -> Bool {
        uncheckedByteCount += byteCount
        return uncheckedByteCount >= Self.checkInterval
    }

    /// Records that the disk has room.
    mutating func didFindRoom() { uncheckedByteCount = 0 }

    /// Returns the bytes for which a write needs room on the disk: those of the next table, and its own.
    func roomByteCount(for byteCount: Int, writeBufferByteCount: Int) -> Int {
        min(memtableByteCount, writeBufferByteCount) + byteCount
    }

    /// Counts a write that starts. LevelDB starts a new memtable when a write buffer is full.
    mutating func willWrite(_ byteCount: Int, writeBufferByteCount: Int) {
        memtableByteCount = min(memtableByteCount + byteCount, writeBufferByteCount + byteCount)
    }

    /// Records a successful write.
    mutating func didWrite(_ durability: Durability) { hasBufferedWrites = durability == .buffered }

    /// Records a failed write after which the log could not be replaced.
    mutating func didFail(_ reason: String) { failure = reason }

    /// Records that a new log is in use. The memtable was flushed to a table.
    mutating func didReplaceLog() {
        failure = nil
        memtableByteCount = 0
    }
}
