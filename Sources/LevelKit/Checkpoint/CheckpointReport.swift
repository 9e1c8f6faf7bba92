/// The content of a checkpoint, and how it was taken.
public struct CheckpointReport: Sendable, Hashable {
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
    /// The sequence number of the last write in the checkpoint. LevelDB counts from the first write to the database.
    public let lastSequence: UInt64
    /// The number of attempts. If it is above 1, the database changed during the previous ones.
    public let tryCount: Int
    /// The process that has the database open, or `nil` if no process has, or only this one.
    public let holder: Int32?
}
