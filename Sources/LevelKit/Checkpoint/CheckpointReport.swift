/// What a checkpoint holds, and how it was taken.
public struct CheckpointReport: Sendable, Hashable {
    /// The absolute path of the checkpoint.
    public let path: String
    /// Tables that are shared with the source by hard links.
    public let linkedTableCount: Int
    /// Tables that were copied.
    public let copiedTableCount: Int
    /// Bytes in all tables.
    public let tableByteCount: UInt64
    /// Bytes of logs, which were copied.
    public let logByteCount: UInt64
    /// The number of the last write in the checkpoint, counted by the engine from the first write of the database on.
    public let lastSequence: UInt64
    /// How many tries it took; above 1, the database changed meanwhile.
    public let tryCount: Int
    /// The process that has the database open; `nil` if nobody has, or this process itself.
    public let holder: Int32?
}
