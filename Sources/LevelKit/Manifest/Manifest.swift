internal import LevelFiles

/// The state of a database at one moment according to its `MANIFEST` file: its table files, and the logs that are not
/// in them yet.
///
/// Reading it takes no lock and changes nothing, so it works for a database that another process has open.
///
/// ```swift
/// let manifest = try Manifest(ofDatabaseAt: "photos.db")
/// print(manifest.comparatorName, manifest.tables.count, manifest.tableByteCount)
/// ```
public struct Manifest: Sendable, Hashable {
    /// A table file.
    public struct Table: Sendable, Hashable {
        /// The level: 0 for flushed memtables, which may overlap, up to 6 for the most compacted tables.
        public let level: Int
        /// The number in the file name.
        public let number: UInt64
        /// The size of the file in bytes.
        public let byteCount: UInt64
        /// The first key in the table, in the order of the database.
        public let smallestKey: [UInt8]
        /// The last key in the table.
        public let largestKey: [UInt8]
        /// The same, with the numbers and kinds of the operations.
        let bounds: Bounds

        /// The first and the last key as LevelDB stores them.
        struct Bounds: Hashable {
            let first: InternalKey
            let last: InternalKey
        }
    }

    /// The name of the manifest file, such as `MANIFEST-000004`.
    public let name: String
    /// The name of the key order.
    public let comparatorName: String
    /// The number of the oldest log with writes that are not in tables; 0 if no log was ever created.
    public let logNumber: UInt64
    /// The number of a log that was being written to a table, in databases of LevelDB before 1.0; otherwise 0.
    public let previousLogNumber: UInt64
    /// The number for the next file, as far as the manifest knows.
    public let nextFileNumber: UInt64
    /// The sequence number of the last write when the manifest was written. The logs may contain later writes.
    public let lastSequence: UInt64
    /// The table files in use, by level and number.
    public let tables: [Table]
    /// The largest number of a write that is a bound of a table; 0 without tables.
    let newestBound: UInt64

    /// The size of all table files in bytes.
    public var tableByteCount: UInt64 {
        tables.reduce(0) { sum, table in
            let (total, isOverflown) = sum.addingReportingOverflow(table.byteCount)
            return isOverflown ? .max : total
        }
    }

    /// Returns whether a log must be read when the database is opened.
    func needsLog(_ number: UInt64) -> Bool {
        number >= logNumber || (previousLogNumber != 0 && number == previousLogNumber)
    }
}

// MARK: - Reading

extension Manifest {
    /// Reads the manifest of the database in a directory.
    ///
    /// - Throws: ``LevelError``: `databaseNotFound`, `corruption`, `io`; `busy` if another process keeps replacing the
    ///   manifest.
    /// - Complexity: O(n) in the size of the manifest, usually a few kilobytes.
    public init(ofDatabaseAt path: String) throws(LevelError) {
        self = try DatabaseDirectory(path).readManifest()
    }

    /// Decodes the content of a manifest file. An unfinished record, or zeros after the last record, mark the end of
    /// the content. No input makes this trap.
    ///
    /// - Parameters:
    ///   - bytes: the content of the file.
    ///   - name: its path or name, for ``name`` and for errors.
    /// - Throws: ``LevelError`` with `corruption` that gives the position of the corruption.
    public init(decoding bytes: [UInt8], name: String) throws(LevelError) {
        var builder = ManifestBuilder(name: name)
        try builder.apply(recordsOf: bytes)
        self = try builder.manifest()
    }

    /// Returns the comparator names in the readable records of a possibly corrupt manifest. A sound one has a single
    /// name.
    static func comparatorNames(inDamaged bytes: [UInt8]) -> [String] {
        var reader = RecordReader(bytes, holding: .edits)
        var names: [String] = []
        while let item = try? reader.next() {
            if case .record(let record) = item, let name = (try? VersionEdit(decoding: record))?.comparatorName {
                names.append(name)
            }
        }
        return names
    }
}
