/// A consistent copy of a database that was taken while the database was in use.
///
/// A checkpoint is an ordinary database in a separate directory. It contains every write that returned before the
/// checkpoint started, perhaps some later ones, and never a write without all writes before it. It serves as a backup,
/// and for reading a database that another process has open:
///
/// ```swift
/// let checkpoint = try Checkpoint.take(of: "/srv/app/photos.db", to: "/tmp/photos-now.db")
/// let database = try Database.open(at: checkpoint.path)
/// ```
///
/// No lock is taken. In the source directory nothing is created, renamed, changed or opened for writing. LevelDB never
/// changes a table file once it is written, so a checkpoint shares table files by hard links where possible. They take
/// no disk space until the source deletes them. For a backup that must survive disk corruption, request copies.
public struct Checkpoint: Sendable, Hashable {
    /// The absolute path of the checkpoint.
    public let path: String
    /// The number of table files shared with the source by hard links.
    public let linkedTableCount: Int
    /// The number of copied table files.
    public let copiedTableCount: Int
    /// The size of all table files in bytes.
    public let tableByteCount: UInt64
    /// The size of the logs in bytes. Logs are always copied.
    public let logByteCount: UInt64
    /// The number of files in the directory `attachments`, which document stores use. They are linked or copied like
    /// tables.
    public let attachmentCount: Int
    /// The sequence number of the last write in the checkpoint. LevelDB counts from the first write to the database.
    public let lastSequence: UInt64
    /// The number of attempts. If it is above 1, the database changed during the previous ones.
    public let tryCount: Int
    /// The process that has the database open, or `nil` if no process has, or only this one.
    public let holder: Int32?

    /// How table files get into the checkpoint.
    public enum Tables: Sendable, Hashable {
        /// As hard links if the file system allows it, otherwise as copies.
        case linked
        /// As copies, so that nothing is shared with the source.
        case copied
    }

    /// Takes a checkpoint of the database in a directory. Any process may have it open for writing.
    ///
    /// - Parameters:
    ///   - source: the directory of the database.
    ///   - destination: the directory to create; it must not exist. Missing parents are created. The directory appears
    ///     under its name once it is complete.
    ///   - tables: whether table files are shared or copied.
    ///   - tryLimit: the number of attempts when the database changes too fast. More than two are rarely needed.
    /// - Throws: ``LevelError``: `busy` if the database changed during every attempt, which does not mean that it is
    ///   corrupt; `databaseNotFound`; `databaseExists` if the destination exists; `corruption` only if two consecutive
    ///   attempts found the same corruption; `invalidArgument`, `io`. Nothing is left at the destination.
    /// - Complexity: O(n) in the number of tables and the bytes of the logs, which are up to two write buffers, plus
    ///   the bytes of the tables if they are copied.
    @discardableResult
    public static func take(
        of source: String, to destination: String, tables: Tables = .linked, tryLimit: Int = 10
    ) throws(LevelError) -> Checkpoint {
        let taking = try CheckpointBuilder(
            source: DatabaseDirectory(source), destination: DatabaseDirectory(toChange: destination), tables: tables,
            tryLimit: tryLimit)
        return try taking.run()
    }
}
