/// What a repair could not save: the places that were unreadable, and how the keys differ from those that were readable.
///
/// Damaged bytes do not always tell what they held, so counts of entries are lower bounds. An entry is one stored version of
/// a key: a value, or the mark that the key was deleted. Where the newest version of a key is lost and an older one is still
/// stored, the older one is what a read returns after the repair.
///
/// One loss leaves no trace in the files: a log that was cut off between two writes, or the newer of two logs that is gone.
/// What is left is then the database as it was before those writes.
public struct RepairLosses: Sendable, Hashable {
    /// A part of the database that was unreadable.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        /// The kinds of places.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A whole table: its file was missing, or its index was unreadable.
            case table
            /// A data block of a table.
            case block
            /// A part of a log of writes, or a whole log.
            case log
            /// A log ended within a write, which was not finished or was cut off.
            case unfinishedWrite
            /// The manifest or its end: which tables belonged to the database is not known for certain.
            case manifest
        }

        /// The kind of place.
        public let kind: Kind
        /// The name of the file.
        public let file: String
        /// Where in the file the damage begins; `nil` where no place is to blame.
        public let offset: UInt64?
        /// The bytes that were unreadable.
        public let byteCount: UInt64
        /// The keys between which the lost ones lie; `nil` where nothing tells. Keys are the user's: do not log them.
        public let keys: KeyRange?
        /// How many entries are lost at least. 0 for a manifest, and for a missing log, which may have been empty.
        public let entryCount: UInt64
        /// How many entries are lost, by what the damaged bytes or their neighbors show; `nil` where nothing tells.
        public let estimatedEntryCount: UInt64?
        /// What was wrong, as a clause.
        public let reason: String

        /// The file, the place in it and what was wrong; without keys.
        public var description: String { (offset.map { "\(file), byte \($0)" } ?? file) + ": " + reason }
    }

    /// The places that were unreadable, at most ``placeLimit``.
    public internal(set) var places: [Place] = []
    /// How many such places there were in all.
    public internal(set) var placeCount = 0
    /// The names of tables that are lost as a whole.
    public internal(set) var tableNames: [String] = []
    /// Data blocks that are lost, those of whole tables not counted.
    public internal(set) var blockCount = 0
    /// Bytes of all places.
    public internal(set) var byteCount: UInt64 = 0
    /// Entries that are lost at least.
    public internal(set) var entryCount: UInt64 = 0
    /// Entries that are lost by what damaged bytes and their neighbors show; `nil` where nothing tells for a place.
    public internal(set) var estimatedEntryCount: UInt64? = 0
    /// Keys that were readable before the repair and are missing after it.
    public internal(set) var missingKeyCount: UInt64 = 0
    /// Keys that have another value after the repair than the one that was readable before it.
    public internal(set) var changedKeyCount: UInt64 = 0
    /// Keys that are there after the repair although the newest readable version was a deletion.
    public internal(set) var returnedKeyCount: UInt64 = 0
    /// Whether the manifest was readable to its end. Where it was not, tables may be missing that nothing names.
    public internal(set) var isManifestComplete = true

    /// How many places are listed.
    public static let placeLimit = 1000

    /// Whether nothing was lost.
    public var isEmpty: Bool {
        placeCount == 0 && missingKeyCount == 0 && changedKeyCount == 0 && returnedKeyCount == 0 && isManifestComplete
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
        case .log, .unfinishedWrite: break
        }
        guard place.kind != .manifest else { return }
        if let estimate = place.estimatedEntryCount, let sum = estimatedEntryCount {
            estimatedEntryCount = sum &+ estimate
        } else {
            estimatedEntryCount = nil
        }
    }
}
