/// One record of a manifest: what changed from one version of the database to the next (`db/version_edit.cc`).
///
/// A record is a row of fields, each a tag and its values; numbers are varints, and bytes are preceded by their count.
package struct VersionEdit: Hashable, Sendable {
    /// Tags of fields. Stored on disk, never change.
    enum Tag: UInt32 {
        case comparator = 1
        case logNumber = 2
        case nextFileNumber = 3
        case lastSequence = 4
        case compactPointer = 5
        case deletedTable = 6
        case newTable = 7
        // 8 was used for large values referred to elsewhere.
        case previousLogNumber = 9
    }

    /// A table in a level.
    package struct TableKey: Hashable, Sendable {
        /// 0 to 6.
        package let level: Int
        /// The number in the name of the file.
        package let number: UInt64

        /// A table in a level.
        package init(level: Int, number: UInt64) {
            self.level = level
            self.number = number
        }
    }

    /// A table that becomes part of the database.
    package struct Table: Hashable, Sendable {
        /// 0 to 6.
        package let level: Int
        /// The number in the name of the file.
        package let number: UInt64
        /// Bytes in the file.
        package let byteCount: UInt64
        /// The first key in the table, in the order of the database.
        package let smallest: InternalKey
        /// The last key in the table.
        package let largest: InternalKey

        /// A table with its parts.
        package init(level: Int, number: UInt64, byteCount: UInt64, smallest: InternalKey, largest: InternalKey) {
            self.level = level
            self.number = number
            self.byteCount = byteCount
            self.smallest = smallest
            self.largest = largest
        }

        /// Where the table is.
        package var key: TableKey { TableKey(level: level, number: number) }
    }

    /// Up to where the tables of a level have been compacted in turn.
    package struct CompactPointer: Hashable, Sendable {
        /// 0 to 6.
        package let level: Int
        /// The key at which the next compaction of the level begins.
        package let key: InternalKey
    }

    /// Levels of LevelDB (`config::kNumLevels`).
    package static let levelCount = 7

    package var comparatorName: String?
    package var logNumber: UInt64?
    package var previousLogNumber: UInt64?
    package var nextFileNumber: UInt64?
    package var lastSequence: UInt64?
    package var compactPointers: [CompactPointer] = []
    package var deletedTables: [TableKey] = []
    package var newTables: [Table] = []

    /// An edit that changes nothing.
    package init() {}

    /// Reads a record.
    ///
    /// - Throws: ``FormatFault`` with what is wrong.
    package init(decoding record: [UInt8]) throws(FormatFault) {
        var fields = FieldReader(record)
        while !fields.isAtEnd {
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
            case nil: throw FormatFault("it has a field of an unknown kind (\(tag))")
            }
        }
    }
}

extension FieldReader {
    /// Reads the number of a level.
    ///
    /// - Throws: ``FormatFault`` if LevelDB has no such level.
    fileprivate mutating func readLevel() throws(FormatFault) -> Int {
        let level = try readVarint32()
        guard level < VersionEdit.levelCount else { throw FormatFault("it names level \(level)") }
        return Int(level)
    }
}
