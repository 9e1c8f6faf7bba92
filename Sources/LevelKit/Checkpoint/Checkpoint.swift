/// Takes a copy of a database as it is at one moment, while it is in use.
///
/// A checkpoint is an ordinary database in a directory of its own. It holds every write that had returned before it was
/// begun, perhaps some later ones, and never a write without all those before it. That makes it a backup, and the way
/// to look into a database that another process has open:
///
/// ```swift
/// let report = try Checkpoint.take(of: "/srv/app/photos.db", to: "/tmp/photos-now.db")
/// let database = try Database.open(at: report.path)
/// ```
///
/// No lock is taken, and in the directory of the source nothing is made, renamed, changed or opened for writing. Tables
/// are never changed by LevelDB once they are written, so a checkpoint shares them by hard links where it can, which
/// takes no space until the source drops them. A backup that is to outlast damage to the disk asks for copies.
public enum Checkpoint {
    /// How the tables get into the checkpoint.
    public enum Tables: Sendable, Hashable {
        /// By hard links where the file system allows it, by copies where not.
        case linked
        /// By copies, so that nothing is shared with the source.
        case copied
    }

    /// Takes a checkpoint of the database in a directory. Any process may have it open for writing, or none.
    ///
    /// - Parameters:
    ///   - source: the directory of the database.
    ///   - destination: the directory to make; it must not exist. Its parents are made where they are missing. It
    ///     appears under its name when it is complete.
    ///   - tables: whether tables are shared or copied.
    ///   - tryLimit: how often to begin again when the database changes too fast; more than one or two tries are rare.
    /// - Throws: ``LevelError``: `busy` when every try was overtaken, which is no damage; `databaseNotFound`;
    ///   `databaseExists` for a destination that is there; `corruption` only if two tries in a row found the same;
    ///   `invalidArgument`, `io`. Nothing is left behind.
    /// - Complexity: O(n) in the number of tables and the bytes of the logs, which are up to two write buffers; plus
    ///   the bytes of the tables if they are copied.
    @discardableResult
    public static func take(
        of source: String, to destination: String, tables: Tables = .linked, tryLimit: Int = 10
    ) throws(LevelError) -> CheckpointReport {
        let taking = try CheckpointTaking(
            source: DatabaseDirectory(source), destination: DatabaseDirectory(destination), tables: tables,
            tryLimit: tryLimit)
        return try taking.run()
    }
}
