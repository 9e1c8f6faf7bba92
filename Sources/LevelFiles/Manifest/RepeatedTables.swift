/// Finds tables that a manifest adds more than once in different forms.
///
/// LevelDB keeps every table that the edits have ever added to a level, and leaves out those whose numbers are deleted at
/// the end (`db/version_set.cc`, `VersionSet::Builder`). If an edit adds a number again with other keys, both tables are
/// in use, and LevelDB ends the process if they overlap. LevelDB never writes such a manifest.
package struct RepeatedTables: Sendable {
    /// A filter with a bit for each hash of a level and a number. Its size does not depend on the manifest.
    private var seen = [UInt64](repeating: 0, count: Self.wordCount)
    private static let wordCount = 2048

    /// Whether a table may have been added twice, so that ``fault(inRecordsOf:of:)`` is worth its time.
    package private(set) var isSuspected = false

    package init() {}

    /// Enters the tables of the next edit.
    package mutating func enter(_ edit: VersionEdit) {
        for table in edit.newTables {
            let hash = (table.number &* 8 &+ UInt64(table.level)) &* 0x9e37_79b9_7f4a_7c15
            let (word, bit) = (Int(hash >> 53), UInt64(1) << (hash >> 47 & 63))
            if seen[word] & bit != 0 { isSuspected = true }
            seen[word] |= bit
        }
    }

    /// Returns the first record that adds a table in use in another form than the last one.
    ///
    /// - Parameters:
    ///   - bytes: the manifest.
    ///   - version: the state after all of its records.
    /// - Returns: the number of the table and the end of the record; `nil` if there is none.
    /// - Complexity: O(n) in the size of the manifest.
    package static func fault(
        inRecordsOf bytes: [UInt8], of version: Version
    ) -> (table: UInt64, endOffset: UInt64)? {
        var reader = RecordReader(bytes, holding: .edits)
        // Reading from memory does not fail.
        while let item = try? reader.next() {
            guard case .record(let record) = item, let edit = try? VersionEdit(decoding: record) else { continue }
            for table in edit.newTables {
                if let used = version.table(table.key), used != table { return (table.number, reader.endOffset) }
            }
        }
        return nil
    }
}
