extension Database.RepairReport {
    /// The data that a repair could not save: the unreadable places, and the differences between the keys before and after
    /// the repair.
    ///
    /// Corrupt bytes do not always show what they contained, so entry counts are lower bounds. An entry is one stored
    /// version of a key: a value or a tombstone. If the newest version of a key is lost and an older one is still stored,
    /// reads return the older one after the repair.
    ///
    /// Some losses leave no trace in the files: a log that was truncated between two writes, or a missing log that was the
    /// newer of two. The remaining data is then the database as it was before those writes.
    public struct Losses: Sendable, Hashable {
        /// An unreadable part of the database.
        public struct Place: Sendable, Hashable, CustomStringConvertible {
            /// The kinds of places.
            public enum Kind: String, Sendable, Hashable, CaseIterable {
                /// A whole table file: it was missing, or neither its index nor its first block was readable.
                case table
                /// A data block of a table file.
                case block
                /// The part of a table file after its last readable block. Its index was unreadable, so the number of
                /// blocks in that part is unknown.
                case tableEnd
                /// A part of a log, or a whole log.
                case log
                /// A log that ended within a write, which was unfinished or truncated.
                case unfinishedWrite
                /// The manifest or its end. The set of tables that belonged to the database is uncertain.
                case manifest
            }

            /// The kind of place.
            public let kind: Kind
            /// The name of the file.
            public let file: String
            /// The byte offset of the corruption, or `nil` if no position applies.
            public let offset: UInt64?
            /// The number of unreadable bytes.
            public let byteCount: UInt64
            /// The range that contains the lost keys, or `nil` if unknown. Keys are user data: do not log them.
            public let keys: KeyRange?
            /// The minimum number of lost entries. 0 for a manifest, and for a missing log, which may have been empty.
            public let entryCount: UInt64
            /// The number of lost entries estimated from the corrupt bytes or their neighbors, or `nil` if unknown.
            public let estimatedEntryCount: UInt64?
            /// The reason, as a clause.
            public let reason: String

            /// The file, the position in it and the reason, without keys.
            public var description: String { (offset.map { "\(file), byte \($0)" } ?? file) + ": " + reason }
        }

        /// The unreadable places, at most 1000.
        public internal(set) var places: [Place] = []
        /// The total number of unreadable places.
        public internal(set) var placeCount = 0
        /// The names of table files that are lost completely.
        public internal(set) var tableNames: [String] = []
        /// The number of lost data blocks, not counting completely lost table files.
        public internal(set) var blockCount = 0
        /// The total size of all places in bytes.
        public internal(set) var byteCount: UInt64 = 0
        /// The minimum number of lost entries.
        public internal(set) var entryCount: UInt64 = 0
        /// The estimated number of lost entries, or `nil` if any place has no estimate.
        public internal(set) var estimatedEntryCount: UInt64? = 0
        /// The number of keys that were readable before the repair and are missing after it.
        public internal(set) var missingKeyCount: UInt64 = 0
        /// The number of keys whose value after the repair differs from the one readable before it.
        public internal(set) var changedKeyCount: UInt64 = 0
        /// The number of keys that exist after the repair although their newest readable version was a tombstone.
        public internal(set) var returnedKeyCount: UInt64 = 0
        /// Whether the manifest was readable to its end. If not, table files may be missing that nothing names.
        public internal(set) var isManifestComplete = true

        /// The maximum number of listed places.
        package static let placeLimit = 1000

        /// Whether nothing was lost.
        public var isEmpty: Bool {
            placeCount == 0 && missingKeyCount == 0 && changedKeyCount == 0 && returnedKeyCount == 0
                && isManifestComplete
        }

        mutating func add(_ place: Place) {
            placeCount += 1
            if places.count < Self.placeLimit { places.append(place) }
            byteCount &+= place.byteCount
            entryCount &+= place.entryCount
            switch place.kind {
            case .table: tableNames.append(place.file)
            case .block: blockCount += 1
            case .manifest: isManifestComplete = false
            case .log, .unfinishedWrite, .tableEnd: break
            }
            guard place.kind != .manifest else { return }
            if let estimate = place.estimatedEntryCount, let sum = estimatedEntryCount {
                estimatedEntryCount = sum &+ estimate
            } else {
                estimatedEntryCount = nil
            }
        }
    }
}
