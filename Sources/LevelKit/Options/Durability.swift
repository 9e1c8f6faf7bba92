/// What a write has survived when it returns.
public enum Durability: Sendable, Hashable {
    /// The operating system has it: it survives the end of the process, not the loss of power.
    case buffered
    /// The disk has this write and everything written before it: they survive the loss of power.
    ///
    /// LevelDB itself syncs the current log alone, and not one that it left for a new one, so that earlier buffered writes
    /// could be missing where this one is there; those logs are synced here. That costs a look into the directory where
    /// buffered writes came before, and nothing where all are synced.
    case synced
    /// The same, and what is in memory is written to a table, which is synced: the next opening has no log to read. Costs a
    /// table file each time.
    case flushed
}
