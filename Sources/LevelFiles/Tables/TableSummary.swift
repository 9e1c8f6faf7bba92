/// Statistics of a table.
package struct TableSummary: Sendable {
    /// The number of data blocks.
    package private(set) var dataBlockCount = 0
    /// The stored size of the data blocks in bytes.
    package private(set) var storedByteCount: UInt64 = 0
    /// The uncompressed size of the data blocks in bytes.
    package private(set) var unpackedByteCount: UInt64 = 0
    /// The number of entries, including tombstones.
    package private(set) var entryCount: UInt64 = 0
    /// The number of tombstones.
    package private(set) var deletionCount: UInt64 = 0
    /// The size of the user keys in bytes.
    package private(set) var keyByteCount: UInt64 = 0
    /// The size of the values in bytes.
    package private(set) var valueByteCount: UInt64 = 0
    /// The smallest and the largest sequence number, or `nil` for a table without entries.
    package private(set) var sequences: ClosedRange<UInt64>?
    /// The first key, or `nil` for a table without entries.
    package private(set) var firstKey: [UInt8]?
    /// The last key, or `nil` for a table without entries.
    package private(set) var lastKey: [UInt8]?
    /// The compressions of the data blocks with the number of blocks each, most frequent first.
    package private(set) var compressions: [(name: String, blockCount: Int)] = []
    /// The stored size of the index in bytes.
    package let indexByteCount: UInt64
    /// The filters and their stored sizes.
    package let filters: [Filter]

    /// A filter.
    package struct Filter: Hashable, Sendable {
        /// `filter.` and the name of its policy.
        package let name: String
        /// The stored size in bytes.
        package let byteCount: UInt64
    }

    /// Reads a whole table.
    ///
    /// - Throws: ``FileError``.
    package init(_ table: Table) throws(FileError) {
        indexByteCount = table.footer.index.byteCount
        filters = try table.metaIndex().map { Filter(name: $0.name, byteCount: $0.handle.byteCount) }
        var counts: [String: Int] = [:]
        for entry in try table.index() {
            let stored = try table.block(at: entry.handle)
            dataBlockCount += 1
            storedByteCount += entry.handle.byteCount
            unpackedByteCount += UInt64(stored.bytes.count)
            counts[stored.compression.name, default: 0] += 1
            try add(entry.handle, of: table)
        }
        compressions = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    private mutating func add(_ handle: BlockHandle, of table: Table) throws(FileError) {
        var summary = self
        try table.forEachEntry(inBlockAt: handle) { entry throws(FileError) in
            summary.entryCount += 1
            if entry.key.kind == .deletion { summary.deletionCount += 1 }
            summary.keyByteCount += UInt64(entry.key.userKey.count)
            summary.valueByteCount += UInt64(entry.value.count)
            let sequence = entry.key.sequence
            let known = summary.sequences ?? sequence...sequence
            summary.sequences = min(known.lowerBound, sequence)...max(known.upperBound, sequence)
            if summary.firstKey == nil { summary.firstKey = entry.key.userKey }
            summary.lastKey = entry.key.userKey
        }
        self = summary
    }
}
