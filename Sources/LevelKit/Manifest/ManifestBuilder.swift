internal import LevelFiles

/// The state of a database after the manifest edits read so far, like `VersionSet::Recover`.
///
/// A manifest grows while its database is in use. The builder continues where it stopped, so following a long manifest
/// costs only the added part.
struct ManifestBuilder {
    private let name: String
    /// The bytes up to the end of the last applied record.
    private(set) var validByteCount = 0
    /// The state after the applied records.
    private(set) var version = Version()
    private var repeated = RepeatedTables()

    /// - Parameter name: the name of the file.
    init(name: String) { self.name = name }

    /// Applies the records that were not applied yet.
    ///
    /// - Parameter bytes: the file from its start.
    /// - Throws: ``LevelError`` with `corruption`. The builder is then unusable.
    mutating func apply(recordsOf bytes: [UInt8]) throws(LevelError) {
        var reader = RecordReader(bytes, from: validByteCount, holding: .edits)
        while let item = try Self.next(&reader) {
            switch item {
            case .damage(let damage):
                throw damaged("the record at byte \(damage.offset) is unreadable: \(damage.reason)", at: damage.offset)
            case .record(let record):
                do throws(FormatError) {
                    let edit = try VersionEdit(decoding: record)
                    version.apply(edit)
                    repeated.enter(edit)
                    guard version.tableCount <= Version.tableLimit else { throw FormatError(Version.tooManyTables) }
                } catch {
                    throw damaged(
                        "the record that ends at byte \(reader.endOffset) is invalid: \(error.reason)",
                        at: reader.endOffset)
                }
                validByteCount = Int(reader.endOffset)
            }
        }
        guard repeated.isSuspected, let fault = RepeatedTables.fault(inRecordsOf: bytes, of: version) else { return }
        throw damaged(
            "the record that ends at byte \(fault.endOffset) adds another table with the number \(fault.table)",
            at: fault.endOffset)
    }

    /// Returns the state after the records so far.
    ///
    /// - Throws: ``LevelError`` with `corruption` if they do not describe a complete database.
    func manifest() throws(LevelError) -> Manifest {
        guard let comparatorName = version.comparatorName else { throw damaged("it does not name a comparator") }
        guard version.otherComparatorName == nil else { throw damaged("it names two comparators") }
        guard let nextFileNumber = version.nextFileNumber, let logNumber = version.logNumber,
            let lastSequence = version.lastSequence
        else {
            throw damaged("it lacks the number of the log, of the next file or of the last write")
        }
        let tables = version.tables
        // LevelDB gives a new file the next number and truncates any existing file of that name.
        if let table = tables.first(where: { $0.number >= nextFileNumber || $0.number == 0 }) {
            throw damaged("it names table \(table.number), whose number has not been assigned yet")
        }
        if let number = version.tableInTwoLevels { throw damaged("it names table \(number) in two levels") }
        // LevelDB ends the process if the next log has a smaller number.
        guard logNumber < nextFileNumber else {
            throw damaged("it names log \(logNumber), whose number has not been assigned yet")
        }
        if let table = version.tableAheadOfLastSequence {
            throw damaged("table \(table.number) has writes after the last one that it names")
        }
        return Manifest(
            name: name, comparatorName: comparatorName, logNumber: logNumber,
            previousLogNumber: version.previousLogNumber ?? 0, nextFileNumber: nextFileNumber,
            lastSequence: lastSequence,
            tables: tables.map { table in
                Manifest.Table(
                    level: table.level, number: table.number, byteCount: table.byteCount,
                    smallestKey: table.smallest.userKey, largestKey: table.largest.userKey,
                    bounds: Manifest.Table.Bounds(first: table.smallest, last: table.largest))
            },
            newestBound: version.newestBound)
    }

    /// Reading from memory does not fail.
    private static func next(_ reader: inout RecordReader) throws(LevelError) -> RecordReader.Item? {
        do throws(SystemError) { return try reader.next() } catch { throw error.levelError("read a manifest") }
    }

    private func damaged(_ reason: String, at offset: UInt64? = nil) -> LevelError {
        LevelError(
            .corruption,
            "the manifest \(name) is damaged: \(reason); restore a backup, or salvage the data with repair",
            file: String(name[(name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex)...]),
            offset: offset)
    }
}
