/// What a table holds, in numbers.
package struct TableSummary: Sendable {
    /// Data blocks.
    package private(set) var dataBlockCount = 0
    /// Bytes of the data blocks as they are stored.
    package private(set) var storedByteCount: UInt64 = 0
    /// Bytes of the data blocks when they are unpacked.
    package private(set) var unpackedByteCount: UInt64 = 0
    /// Entries, deletions included.
    package private(set) var entryCount: UInt64 = 0
    /// Deletions among them.
    package private(set) var deletionCount: UInt64 = 0
    /// Bytes of the users' keys.
    package private(set) var keyByteCount: UInt64 = 0
    /// Bytes of the values.
    package private(set) var valueByteCount: UInt64 = 0
    /// The smallest and the largest sequence number; `nil` for a table without entries.
    package private(set) var sequences: ClosedRange<UInt64>?
    /// The first key; `nil` for a table without entries.
    package private(set) var firstKey: [UInt8]?
    /// The last key.
    package private(set) var lastKey: [UInt8]?
    /// How the data blocks are compressed, and how many are so, the most frequent first.
    package private(set) var compressions: [(name: String, blockCount: Int)] = []
    /// Bytes of the index as stored.
    package let indexByteCount: UInt64
    /// The names of filters, and their bytes as stored.
    package let filters: [Filter]

    /// A filter.
    package struct Filter: Hashable, Sendable {
        /// `filter.` and the name of its policy.
        package let name: String
        /// Bytes as stored.
        package let byteCount: UInt64
    }

    /// Reads a table whole.
    ///
    /// - Throws: ``FileFault``.
    package init(_ table: Table) throws(FileFault) {
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

    private mutating func add(_ handle: BlockHandle, of table: Table) throws(FileFault) {
        var summary = self
        try table.forEachEntry(inBlockAt: handle) { entry throws(FileFault) in
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
