/// The tables and numbers of a database after some edits of its manifest.
package struct Version: Hashable, Sendable {
    /// The name of the key order, or `nil` if no edit contains it.
    package private(set) var comparatorName: String?
    /// Another name of the key order that a later edit contains. LevelDB compares each of them, and writes one.
    package private(set) var otherComparatorName: String?
    /// The number of the oldest log with writes that are not in tables.
    package private(set) var logNumber: UInt64?
    /// The number of a log that was being written to a table, in databases of LevelDB before 1.0.
    package private(set) var previousLogNumber: UInt64?
    /// The number for the next file.
    package var nextFileNumber: UInt64?
    /// The number of the last write that the manifest knows.
    package private(set) var lastSequence: UInt64?
    private var tablesByKey: [VersionEdit.TableKey: VersionEdit.Table] = [:]

    /// Creates an empty version.
    package init() {}

    /// The tables in use, by level and number.
    package var tables: [VersionEdit.Table] {
        tablesByKey.values.sorted { ($0.level, $0.number) < ($1.level, $1.number) }
    }

    /// Returns the level of a table in use, or `nil` if the table is not in use.
    package func level(ofTable number: UInt64) -> Int? {
        (0..<VersionEdit.levelCount).first { tablesByKey[VersionEdit.TableKey(level: $0, number: number)] != nil }
    }

    /// Returns a table in use, or `nil` if it is not in use.
    func table(_ key: VersionEdit.TableKey) -> VersionEdit.Table? { tablesByKey[key] }

    /// The number of tables in use.
    package var tableCount: Int { tablesByKey.count }

    /// Returns a table with a write after the last one that the manifest knows, or `nil` if there is none. LevelDB does
    /// not find such writes, and gives their numbers to new ones.
    package var tableAheadOfLastSequence: VersionEdit.Table? {
        guard let lastSequence else { return nil }
        return tables.first { max($0.smallest.sequence, $0.largest.sequence) > lastSequence }
    }

    /// A table that two levels name, which LevelDB would delete while it is in use; `nil` if there is none.
    package var tableInTwoLevels: UInt64? {
        let numbers = tablesByKey.keys.map(\.number).sorted()
        return zip(numbers, numbers.dropFirst()).first(where: ==)?.0
    }

    /// The largest number of a write that the manifest names as a bound of a table; 0 without tables. The writes in the
    /// logs are newer.
    package var newestBound: UInt64 {
        tablesByKey.values.reduce(0) { max($0, $1.smallest.sequence, $1.largest.sequence) }
    }

    /// The maximum number of tables, far more than a database of a terabyte has. It bounds the memory for a manifest.
    package static let tableLimit = 1 << 20

    /// The fault of a manifest with more tables than ``tableLimit``, as a clause.
    package static let tooManyTables = "it names more than \(tableLimit) tables, more than a database can have"

    /// Whether the keys are in bytewise order.
    package var isBytewise: Bool { comparatorName == Version.bytewiseName && otherComparatorName == nil }

    /// The name of LevelDB's default order.
    package static let bytewiseName = "leveldb.BytewiseComparator"

    /// Returns whether a log must be read when the database is opened.
    package func needsLog(_ number: UInt64) -> Bool {
        number >= logNumber ?? 0 || (previousLogNumber ?? 0) != 0 && number == previousLogNumber
    }

    /// Applies an edit.
    package mutating func apply(_ edit: VersionEdit) {
        if let name = edit.comparatorName {
            if let first = comparatorName, !first.utf8.elementsEqual(name.utf8) { otherComparatorName = name }
            comparatorName = comparatorName ?? name
        }
        logNumber = edit.logNumber ?? logNumber
        previousLogNumber = edit.previousLogNumber ?? previousLogNumber
        nextFileNumber = edit.nextFileNumber ?? nextFileNumber
        lastSequence = edit.lastSequence ?? lastSequence
        // In this order, because an edit may delete a table and add it again.
        for key in edit.deletedTables { tablesByKey[key] = nil }
        for table in edit.newTables { tablesByKey[table.key] = table }
    }
}
