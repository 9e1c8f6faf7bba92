/// What ``Database/repair(at:options:)`` did and what is lost.
public struct RepairReport: Sendable, Hashable {
    /// The directory beside the database that holds its files as they were.
    public let backupPath: String
    /// Whether the order of the keys was checked against a manifest. Where none could be read, the options decided, and
    /// a wrong order shows as problems of the ``verification``.
    public let isOrderChecked: Bool
    /// What could not be saved.
    public let losses: RepairLosses
    /// Bytes of tables and logs that are known to be left out; never 0 where ``losses`` has bytes.
    public let droppedByteCount: UInt64
    /// What the engine said about them, without the lines that show keys.
    public let messages: [EngineMessage]
    /// Tables and logs that the manifest did not name any more; used, they would bring deleted keys back. They are in
    /// the backup only.
    public let obsoleteNames: [String]
    /// Files that the engine has moved to the directory `lost` of the database: damaged ones, and those of which the
    /// content is in new tables.
    public let archivedNames: [String]
    /// The state of the database afterwards.
    public let verification: VerificationReport
}
