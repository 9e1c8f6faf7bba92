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
    /// The number of the newest log when the logs were last synced; `nil` if they have not been synced yet.
    private var logNumber: UInt64?
    /// An upper bound of the memory of the memtable.
    private var memtableLimit = Self.emptyMemtableLimit
    /// An upper bound of the memory of all writes since the logs were last synced.
    private var recentLimit = Self.emptyMemtableLimit
    /// The number of running compactions, each of which starts a new log at some moment.
    private var forcedLogCount = 0
    /// The bytes written since the disk space was last checked.
    private var uncheckedByteCount = Self.checkInterval

    /// The number of operations of a write whose size is not known.
    static let unknownCount = 1 << 32
    /// An upper bound of the memory of an empty memtable: a block and the head of the skip list.
    private static let emptyMemtableLimit = 8 << 10

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
    mutating func willWrite(_ byteCount: Int, count: Int = 1, writeBufferByteCount: Int) {
        memtableByteCount = min(memtableByteCount + byteCount, writeBufferByteCount + byteCount)
        // An entry takes at most 129 bytes besides its key and value: a node of the skip list with 12 levels, a tag, two
        // lengths, and alignment. The arena allocates blocks of 4 KiB, leaves less than a quarter of each unused, and
        // allocates more than 1 KiB separately (memtable.cc, skiplist.h and arena.cc of LevelDB).
        let usedLimit = byteCount + 150 * count
        let limit = usedLimit + min(usedLimit / 3, 1200 * count)
        memtableLimit += limit
        recentLimit += limit
    }

    /// Returns whether LevelDB may start a new log for the next write, or may have started one for a write that is not
    /// synced. If not, everything that is not on the disk is in the log that the next write goes to, so syncing that
    /// write is enough.
    ///
    /// LevelDB starts a new log for a write before which the memtable took more memory than the write buffer, and for
    /// compactions. It does not report its logs, so this relies on an upper bound of that memory.
    func mayStartLog(writeBufferByteCount: Int) -> Bool {
        logNumber == nil || forcedLogCount > 0 || memtableLimit > writeBufferByteCount
    }

    /// Records that all logs were synced.
    ///
    /// - Parameter newest: the number of the newest log; `nil` if there is none.
    mutating func didSyncLogs(newest: UInt64?) {
        // If the log is a new one, so is the memtable, and it contains nothing from before the previous call.
        if logNumber != nil, newest != logNumber { memtableLimit = recentLimit }
        logNumber = newest
        recentLimit = Self.emptyMemtableLimit
    }

    /// Records the start of a compaction.
    mutating func willForceLog() { forcedLogCount += 1 }

    /// Records the end of a compaction. What was in the memtable at its start is in a synced table file.
    mutating func didForceLog() { forcedLogCount -= 1 }

    /// Records a successful write.
    mutating func didWrite(_ durability: Durability) { hasBufferedWrites = durability == .buffered }

    /// Records that everything written so far is in table files.
    mutating func didFlush() { memtableByteCount = 0 }

    /// Records a failed write after which the log could not be replaced.
    mutating func didFail(_ reason: String) { failure = reason }

    /// Records that a new log is in use. The memtable was flushed to a table.
    mutating func didReplaceLog() {
        failure = nil
        memtableByteCount = 0
        logNumber = nil
        memtableLimit = Self.emptyMemtableLimit
    }
}
