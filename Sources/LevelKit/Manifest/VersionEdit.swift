/// One record of a manifest: what changed from one version of the database to the next (`db/version_edit.cc`).
///
/// A record is a row of fields, each a tag and its values; numbers are varints, and bytes are preceded by their count.
struct VersionEdit: Equatable {
    /// Tags of fields. Stored on disk, never change.
    private enum Tag: UInt32 {
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
    struct TableKey: Hashable {
        let level: Int
        let number: UInt64
    }

    /// Levels of LevelDB (`config::kNumLevels`).
    static let levelCount = 7

    var comparatorName: String?
    var logNumber: UInt64?
    var previousLogNumber: UInt64?
    var nextFileNumber: UInt64?
    var lastSequence: UInt64?
    var deletedTables: [TableKey] = []
    var newTables: [Manifest.Table] = []

    /// Reads a record.
    ///
    /// - Throws: ``FormatFault`` with what is wrong.
    init(decoding record: [UInt8]) throws(FormatFault) {
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
                _ = try fields.readLevel()
                _ = try fields.readInternalKey()
            case .deletedTable:
                deletedTables.append(TableKey(level: try fields.readLevel(), number: try fields.readVarint64()))
            case .newTable:
                newTables.append(
                    Manifest.Table(
                        level: try fields.readLevel(), number: try fields.readVarint64(),
                        byteCount: try fields.readVarint64(), smallestKey: try fields.readInternalKey(),
                        largestKey: try fields.readInternalKey()))
            case nil: throw FormatFault("it has a field of an unknown kind (\(tag))")
            }
        }
    }
}

/// Why stored bytes cannot be read; a clause about a record, such as `it ends within a number`.
struct FormatFault: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Takes the values of fields off the front of a record.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// A number of at most ten bytes, seven bits in each, the lowest first; the highest bit says that more follow.
    mutating func readVarint64() throws(FormatFault) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw FormatFault("it ends within a number") }
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
        }
        throw FormatFault("it has a number that is too long")
    }

    /// A number of at most 32 bits.
    mutating func readVarint32() throws(FormatFault) -> UInt32 {
        guard let value = UInt32(exactly: try readVarint64()) else { throw FormatFault("it has a number out of range") }
        return value
    }

    /// Bytes, preceded by their count.
    mutating func readBytes() throws(FormatFault) -> ArraySlice<UInt8> {
        let count = Int(try readVarint32())
        guard count <= rest.count else { throw FormatFault("it ends within a key or a name") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func readLevel() throws(FormatFault) -> Int {
        let level = try readVarint32()
        guard level < VersionEdit.levelCount else { throw FormatFault("it names level \(level)") }
        return Int(level)
    }

    /// A key as users know it: LevelDB appends eight bytes, the sequence number and the kind of the operation.
    mutating func readInternalKey() throws(FormatFault) -> [UInt8] {
        let bytes = try readBytes()
        guard bytes.count >= 8 else { throw FormatFault("it has a key that is too short") }
        return Array(bytes.dropLast(8))
    }
}
