extension Database {
    /// The result of ``Database/verify()``.
    public struct VerificationReport: Sendable, Hashable {
        /// A problem in a database.
        public struct Problem: Sendable, Hashable, CustomStringConvertible {
            /// The kinds of problems.
            public enum Kind: String, Sendable, Hashable, CaseIterable {
                /// The manifest or `CURRENT` is unreadable.
                case manifest
                /// A table file is missing, has the wrong size, or is not a table.
                case table
                /// Tables of a level overlap, or the bounds of a table are reversed.
                case level
                /// A block was unreadable. Readers cannot access its keys.
                case unreadable
                /// Keys are not in the order of the database.
                case order
                /// A table contains older versions of keys than a table of a deeper level, so a read may return an
                /// overwritten or deleted value. `Database.compact` fixes this.
                case version
            }

            /// The kind of problem.
            public let kind: Kind
            /// The problem, as a sentence without user keys or values.
            public let description: String
        }

        /// The number of readable keys.
        public internal(set) var keyCount: UInt64 = 0
        /// The size of those keys in bytes.
        public internal(set) var keyByteCount: UInt64 = 0
        /// The size of their values in bytes.
        public internal(set) var valueByteCount: UInt64 = 0
        /// The number of table files in use.
        public internal(set) var tableCount = 0
        /// The size of those files in bytes.
        public internal(set) var tableByteCount: UInt64 = 0
        /// The problems, at most ``problemLimit``; empty if none was found.
        public internal(set) var problems: [Problem] = []
        /// The number of problems found. After ``problemLimit`` problems the remaining entries are not read, so further
        /// problems may exist.
        public internal(set) var problemCount = 0

        /// The maximum number of listed problems.
        public static let problemLimit = 100
        /// The number of keys at which two tables of a level meet. This is legal, but after a compaction of a neighboring
        /// range LevelDB 1.23 can return a deleted value there (google/leveldb#320). Compacting the whole database removes
        /// these places.
        public internal(set) var sharedBoundaryCount = 0

        /// Whether no problem was found.
        public var isSound: Bool { problems.isEmpty }
    }
}
