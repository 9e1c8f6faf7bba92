internal import LevelFiles

/// What makes up a database at one moment: its tables and the logs that are not in them, as its `MANIFEST` file says.
///
/// Reading it takes no lock and changes nothing, so it works on a database that another process has open.
///
/// ```swift
/// let manifest = try Manifest(ofDatabaseAt: "photos.db")
/// print(manifest.comparatorName, manifest.tables.count, manifest.tableByteCount)
/// ```
public struct Manifest: Sendable, Hashable {
    /// A table file.
    public struct Table: Sendable, Hashable {
        /// 0 for tables that came from memory and may overlap, up to 6 for the most merged.
        public let level: Int
        /// The number in the name of the file.
        public let number: UInt64
        /// Bytes in the file.
        public let byteCount: UInt64
        /// The first key in the table, in the order of the database.
        public let smallestKey: [UInt8]
        /// The last key in the table.
        public let largestKey: [UInt8]
    }

    /// The name of the file that this was read from, such as `MANIFEST-000004`.
    public let name: String
    /// The name of the order of the keys.
    public let comparatorName: String
    /// The oldest log of which the writes are not all in tables; 0 if none was ever made.
    public let logNumber: UInt64
    /// A log that was being written to a table, in databases of LevelDB before 1.0; 0 otherwise.
    public let previousLogNumber: UInt64
    /// The number that the next file will get, as far as the manifest knows.
    public let nextFileNumber: UInt64
    /// The sequence number of the last write when the manifest was written; the logs may hold later ones.
    public let lastSequence: UInt64
    /// The tables that are in use, by level and number.
    public let tables: [Table]

    /// The sum of the sizes of all tables.
    public var tableByteCount: UInt64 {
        tables.reduce(0) { sum, table in
            let (total, isOverflown) = sum.addingReportingOverflow(table.byteCount)
            return isOverflown ? .max : total
        }
    }

    /// Whether a log is one that has to be read when the database is opened.
    func needsLog(_ number: UInt64) -> Bool {
        number >= logNumber || (previousLogNumber != 0 && number == previousLogNumber)
    }
}

// MARK: - Reading

extension Manifest {
    /// The manifest of the database in a directory.
    ///
    /// - Throws: ``LevelError``: `databaseNotFound`, `corruption`, `io`; `busy` if another process replaces the
    ///   manifest again and again.
    /// - Complexity: O(n) in the size of the manifest, usually some kilobytes.
    public init(ofDatabaseAt path: String) throws(LevelError) {
        self = try DatabaseDirectory(path).readManifest()
    }

    /// Decodes the content of a manifest file. A record that was not written to its end, and zeros behind the last one,
    /// are the end of the content; no bytes make this trap.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - name: its path or name, for ``name`` and for errors.
    /// - Throws: ``LevelError`` with `corruption` that says where the damage lies.
    public init(decoding bytes: [UInt8], name: String) throws(LevelError) {
        var builder = ManifestBuilder(name: name)
        try builder.apply(recordsOf: bytes)
        self = try builder.manifest()
    }

    /// The name of the comparator in a manifest that may be damaged; `nil` if no readable record has one.
    static func comparatorName(inDamaged bytes: [UInt8]) -> String? {
        var reader = RecordReader(bytes, holding: .edits)
        while let item = try? reader.next() {
            if case .record(let record) = item, let name = (try? VersionEdit(decoding: record))?.comparatorName {
                return name
            }
        }
        return nil
    }
}
