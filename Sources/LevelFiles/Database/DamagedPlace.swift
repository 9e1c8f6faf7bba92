/// An unreadable part of a database, and what is known about its content.
package struct DamagedPlace: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of places.
    package enum Kind: String, Hashable, Sendable {
        /// A whole table file: it is missing, or neither its index nor its first block is readable.
        case table
        /// A data block of a table file.
        case block
        /// The part of a table file after its last readable block. Its index is unreadable, so the number of blocks in
        /// that part is unknown.
        case tableEnd
        /// A part of a log, or a whole log.
        case log
        /// The end of a log within a write. A killed process or a truncated file may cause it.
        case unfinishedWrite
        /// The manifest or its end. The set of tables that belong to the database is uncertain.
        case manifest
    }

    /// The kind of place.
    package let kind: Kind
    /// The name of the file, without its directory.
    package let file: String
    /// The byte offset in the file, or `nil` if no position applies.
    package let offset: UInt64?
    /// The number of unreadable bytes.
    package let byteCount: UInt64
    /// The reason, as a clause.
    package let reason: String
    /// The user keys that enclose the lost ones, both inclusive, or `nil` if unknown.
    package let keys: (lower: [UInt8], upper: [UInt8])?
    /// The minimum number of lost entries; 0 for a manifest.
    package var entryCount: UInt64
    /// The number of lost entries estimated from the corrupt bytes or their neighbors, or `nil` if unknown.
    package var estimatedEntryCount: UInt64?

    /// Creates a place.
    package init(
        _ kind: Kind, _ fault: FileError, byteCount: UInt64, keys: (lower: [UInt8], upper: [UInt8])? = nil,
        entryCount: UInt64 = 1, estimatedEntryCount: UInt64? = nil
    ) {
        self.kind = kind
        file = fault.file
        offset = fault.offset
        reason = fault.reason
        self.byteCount = byteCount
        self.keys = keys
        self.entryCount = entryCount
        self.estimatedEntryCount = estimatedEntryCount
    }

    /// The file, the position in it and the reason.
    package var description: String { (offset.map { "\(file), byte \($0)" } ?? file) + ": " + reason }

    package static func == (left: DamagedPlace, right: DamagedPlace) -> Bool {
        left.kind == right.kind && left.file == right.file && left.offset == right.offset
            && left.byteCount == right.byteCount && left.reason == right.reason && left.entryCount == right.entryCount
            && left.estimatedEntryCount == right.estimatedEntryCount && left.keys?.lower == right.keys?.lower
            && left.keys?.upper == right.keys?.upper
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(file)
        hasher.combine(offset)
        hasher.combine(reason)
    }
}
