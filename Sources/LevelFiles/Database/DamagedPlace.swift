/// A part of a database that cannot be read, and what is known of what it held.
package struct DamagedPlace: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of places.
    package enum Kind: String, Hashable, Sendable {
        /// A whole table: its file is missing, or its index is unreadable.
        case table
        /// A data block of a table.
        case block
        /// A part of a log of writes, or a whole log.
        case log
        /// A log ends within a write. A process that was killed leaves that behind, and so does a file that was cut short.
        case unfinishedWrite
        /// The manifest, or its end: which tables belong to the database is not known for certain.
        case manifest
    }

    /// The kind of place.
    package let kind: Kind
    /// The name of the file, without its directory.
    package let file: String
    /// Where in the file; `nil` where no place is to blame.
    package let offset: UInt64?
    /// The bytes that cannot be read.
    package let byteCount: UInt64
    /// What is wrong, as a clause.
    package let reason: String
    /// The users' keys between which the lost ones lie, both included; `nil` where nothing tells.
    package let keys: (lower: [UInt8], upper: [UInt8])?
    /// How many entries are lost at least; 0 for a manifest.
    package var entryCount: UInt64
    /// How many entries are lost, by what the damaged bytes or their neighbors show; `nil` where nothing tells.
    package var estimatedEntryCount: UInt64?

    /// A place with its parts.
    package init(
        _ kind: Kind, _ fault: FileFault, byteCount: UInt64, keys: (lower: [UInt8], upper: [UInt8])? = nil,
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

    /// The file, the place in it and what is wrong.
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
