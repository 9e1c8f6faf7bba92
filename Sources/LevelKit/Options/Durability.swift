/// The failure that a write survives once it has returned.
public enum Durability: Sendable, Hashable {
    /// The write is in the operating system's cache: it survives the end of the process, but not a power loss.
    case buffered
    /// The write and all writes before it are on the disk: they survive a power loss.
    ///
    /// LevelDB syncs only the current log, not the logs before it, so earlier buffered writes could be missing while
    /// this one is present. LevelKit syncs those logs too, but only if LevelDB may have started a new log since. That
    /// costs a directory listing and a sync after buffered writes, once the memtable is nearly full. It costs nothing if
    /// all writes are synced.
    case synced
    /// Like `synced`, and the memtable is written to a synced table file, so the next open has no log to read. Each
    /// flush creates a table file.
    case flushed
}
