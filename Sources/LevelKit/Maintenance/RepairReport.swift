extension Database {
    /// The result of ``Database/repair(at:options:stage:)``.
    public struct RepairReport: Sendable, Hashable {
        /// The directory next to the database that contains its original files.
        public let backupPath: String
        /// Whether the key order was checked against a manifest. If no manifest was readable, the options decided, and a
        /// wrong order shows up as problems in the ``verification``.
        public let isOrderChecked: Bool
        /// The data that could not be saved.
        public let losses: Database.RepairReport.Losses
        /// The bytes of table files and logs known to be dropped. Never 0 if ``losses`` contains bytes.
        public let droppedByteCount: UInt64
        /// LevelDB's messages about the losses, without lines that contain keys.
        public let messages: [Database.EngineMessage]
        /// Table files and logs that the manifest no longer names. Using them would resurrect deleted keys. They are only
        /// in the backup.
        public let obsoleteNames: [String]
        /// Files that LevelDB moved to the directory `lost` of the database: corrupt files, and files whose content is now
        /// in new table files.
        public let archivedNames: [String]
        /// The state of the database after the repair.
        public let verification: Database.VerificationReport
    }
}
