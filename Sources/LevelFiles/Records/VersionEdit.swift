/// A record of a manifest: the difference between two consecutive versions of the database (`db/version_edit.cc`).
///
/// A record is a sequence of fields, each with a tag and values. Numbers are varints, and byte strings are preceded by
/// their length.
package struct VersionEdit: Hashable, Sendable {
    /// The tags of fields. Stored on disk, never change.
    enum Tag: UInt32 {
        case comparator = 1
        case logNumber = 2
        case nextFileNumber = 3
        case lastSequence = 4
        case compactPointer = 5
        case deletedTable = 6
        case newTable = 7
        // 8 was used for references to large values.
        case previousLogNumber = 9
    }

    /// The level and number of a table.
    package struct TableKey: Hashable, Sendable {
        /// The level, from 0 to 6.
        package let level: Int
        /// The number in the file name.
        package let number: UInt64

        /// Creates a table key.
        package init(level: Int, number: UInt64) {
            self.level = level
            self.number = number
        }
    }

    /// A table that is added to the database.
    package struct Table: Hashable, Sendable {
        /// The level, from 0 to 6.
        package let level: Int
        /// The number in the file name.
        package let number: UInt64
        /// The size of the file in bytes.
        package let byteCount: UInt64
        /// The first key in the table, in the order of the database.
        package let smallest: InternalKey
        /// The last key in the table.
        package let largest: InternalKey

        /// Creates a table.
        package init(level: Int, number: UInt64, byteCount: UInt64, smallest: InternalKey, largest: InternalKey) {
            self.level = level
            self.number = number
            self.byteCount = byteCount
            self.smallest = smallest
            self.largest = largest
        }

        /// The level and number of the table.
        package var key: TableKey { TableKey(level: level, number: number) }
    }

    /// The progress of the rotating compactions of a level.
    package struct CompactPointer: Hashable, Sendable {
        /// The level, from 0 to 6.
        package let level: Int
        /// The key at which the next compaction of the level starts.
        package let key: InternalKey
    }

    /// The number of levels in LevelDB (`config::kNumLevels`).
    package static let levelCount = 7

    package var comparatorName: String?
    package var logNumber: UInt64?
    package var previousLogNumber: UInt64?
    package var nextFileNumber: UInt64?
    package var lastSequence: UInt64?
    package var compactPointers: [CompactPointer] = []
    package var deletedTables: [TableKey] = []
    package var newTables: [Table] = []

    /// The maximum number of fields of an edit. An edit of LevelDB names at most every table once.
    private static let fieldLimit = 2 << 20

    /// Creates an edit that changes nothing.
    package init() {}

    /// Decodes a record.
    ///
    /// - Throws: ``FormatError`` with the reason.
    package init(decoding record: [UInt8]) throws(FormatError) {
        var fields = FieldReader(record)
        var fieldCount = 0
        while !fields.isAtEnd {
            fieldCount += 1
            guard fieldCount <= Self.fieldLimit else {
                throw FormatError("it has more than \(Self.fieldLimit) fields")
            }
            let tag = try fields.readVarint32()
            switch Tag(rawValue: tag) {
            case .comparator: comparatorName = String(decoding: try fields.readBytes(), as: UTF8.self)
            case .logNumber: logNumber = try fields.readVarint64()
            case .previousLogNumber: previousLogNumber = try fields.readVarint64()
            case .nextFileNumber: nextFileNumber = try fields.readVarint64()
            case .lastSequence: lastSequence = try fields.readVarint64()
            case .compactPointer:
                compactPointers.append(
                    CompactPointer(level: try fields.readLevel(), key: try fields.readInternalKey()))
            case .deletedTable:
                deletedTables.append(TableKey(level: try fields.readLevel(), number: try fields.readVarint64()))
            case .newTable:
                newTables.append(
                    Table(
                        level: try fields.readLevel(), number: try fields.readVarint64(),
                        byteCount: try fields.readVarint64(), smallest: try fields.readInternalKey(),
                        largest: try fields.readInternalKey()))
            case nil: throw FormatError("it has a field of an unknown kind (\(tag))")
            }
        }
    }
}

extension FieldReader {
    /// Reads the number of a level.
    ///
    /// - Throws: ``FormatError`` if LevelDB has no such level.
    fileprivate mutating func readLevel() throws(FormatError) -> Int {
        let level = try readVarint32()
        guard level < VersionEdit.levelCount else { throw FormatError("it names level \(level)") }
        return Int(level)
    }
}
