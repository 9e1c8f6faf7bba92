/// What ``Database/verify()`` found.
public struct VerificationReport: Sendable, Hashable {
    /// Something that is wrong with a database.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The kinds of problems.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// The manifest, or the name of it, cannot be read.
            case manifest
            /// A table file is gone, has the wrong size, or is no table.
            case table
            /// Tables of one level overlap, or a table has its bounds the wrong way round.
            case level
            /// A block could not be read; the keys in it are lost to readers.
            case unreadable
            /// Keys do not come in the order of the database.
            case order
            /// A table holds older versions of keys than a table of a deeper level, so that a read of one key may return what
            /// was overwritten or deleted. `Database.compact` puts it right.
            case version
        }

        /// The kind of problem.
        public let kind: Kind
        /// What is wrong, as a sentence without the user's keys or values.
        public let description: String
    }

    /// Keys that could be read.
    public internal(set) var keyCount: UInt64 = 0
    /// Bytes in those keys.
    public internal(set) var keyByteCount: UInt64 = 0
    /// Bytes in their values.
    public internal(set) var valueByteCount: UInt64 = 0
    /// Table files that are in use.
    public internal(set) var tableCount = 0
    /// Bytes in them.
    public internal(set) var tableByteCount: UInt64 = 0
    /// What is wrong; empty if nothing is. At most ``problemLimit`` are kept.
    public internal(set) var problems: [Problem] = []
    /// How many problems were met. After ``problemLimit`` of them the entries behind the last are not read, so that there
    /// may be more.
    public internal(set) var problemCount = 0

    /// How many problems are listed.
    public static let problemLimit = 100
    /// Places where two tables of one level meet in the same key. They are legal, and LevelDB 1.23 can return a deleted
    /// value from them after a compaction of a neighbouring range (google/leveldb#320). Compacting the whole database
    /// removes them.
    public internal(set) var sharedBoundaryCount = 0

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty }
}
