/// The pairs of a database as they were after one of its writes, as far as the files still contain them.
///
/// Merges all tables and logs in use. For each key it selects the newest version that is not newer than the write. If a
/// compaction has dropped that version, because the key was later overwritten or deleted, the key may be missing.
package struct HistoricalScan {
    /// A sorted sequence of entries to merge.
    private protocol Source {
        /// The current entry.
        var entry: Table.Entry { get }
        /// Moves to the next entry.
        ///
        /// - Returns: whether a next entry exists.
        mutating func next() throws(FileError) -> Bool
    }

    private let files: DatabaseFiles
    private let sequence: UInt64

    /// Creates a scan of the state after the write with a given number.
    ///
    /// - Throws: ``FileError`` with `foreign` for a database that is not in bytewise order.
    package init(_ files: DatabaseFiles, sequence: UInt64) throws(FileError) {
        guard let manifest = files.manifest else {
            throw files.manifestFault ?? FileError(.missing, file: "CURRENT", reason: "no manifest exists")
        }
        guard manifest.version.isBytewise else {
            throw FileError(.foreign, file: manifest.name, reason: "its keys are not in the order of their bytes")
        }
        self.files = files
        self.sequence = sequence
    }

    /// Calls `body` with each pair from a key on, in key order, as long as it returns `true`.
    ///
    /// - Complexity: O(n log t) in the entries and the tables. The operations of the logs are kept in memory.
    package func forEach(
        from lower: [UInt8], _ body: (_ key: [UInt8], _ value: ArraySlice<UInt8>) throws -> Bool
    ) throws {
        var sources = try self.sources(from: lower)
        // A heap of the sources. The one with the smallest entry is at the front.
        var heap: [Int] = []
        func precedes(_ left: Int, _ right: Int) -> Bool {
            sources[left].entry.key.precedesBytewise(sources[right].entry.key)
        }
        func sink() {
            var index = 0
            while true {
                var first = index
                for child in [2 * index + 1, 2 * index + 2]
                where child < heap.count && precedes(heap[child], heap[first]) {
                    first = child
                }
                if first == index { return }
                heap.swapAt(index, first)
                index = first
            }
        }
        heap = sources.indices.sorted(by: precedes)
        var last: [UInt8]?
        while let front = heap.first {
            let entry = sources[front].entry
            if entry.key.sequence <= sequence, last != entry.key.userKey {
                last = entry.key.userKey
                if entry.key.kind == .put, try !body(entry.key.userKey, entry.value) { return }
            }
            if try !sources[front].next() {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            sink()
        }
    }

    private func sources(from lower: [UInt8]) throws(FileError) -> [any Source] {
        var sources: [any Source] = []
        var operations: [Table.Entry] = []
        let tables = files.manifest?.version.tables ?? []
        for file in files.files where files.use(of: file).use == .live {
            switch file.kind {
            case .table(let number):
                if let table = tables.first(where: { $0.number == number }),
                    table.largest.userKey.lexicographicallyPrecedes(lower)
                {
                    continue
                }
                var source = try TableSource(Table(at: files.path(of: file.name)), from: lower)
                if try source.next() { sources.append(source) }
            case .log: operations += try Self.operations(of: WriteLog(at: files.path(of: file.name)), from: lower)
            default: continue
            }
        }
        operations.sort { $0.key.precedesBytewise($1.key) }
        var source = LogSource(entries: operations)
        if source.next() { sources.append(source) }
        return sources
    }

    private static func operations(of log: WriteLog, from lower: [UInt8]) throws(FileError) -> [Table.Entry] {
        var log = log
        var entries: [Table.Entry] = []
        while let item = try log.next() {
            switch item {
            case .damage(let fault, _): throw fault
            case .batch(let batch, _):
                for operation in batch.operations where !operation.key.userKey.lexicographicallyPrecedes(lower) {
                    entries.append(Table.Entry(key: operation.key, value: operation.value))
                }
            }
        }
        return entries
    }

    /// The entries of a table, read block by block.
    private struct TableSource: Source {
        private let table: Table
        private let lower: [UInt8]
        private var index: ArraySlice<Table.IndexEntry>
        private var block: ArraySlice<Table.Entry> = []
        private(set) var entry = Table.Entry(key: InternalKey(userKey: [], sequence: 0, kind: .put), value: [])

        init(_ table: Table, from lower: [UInt8]) throws(FileError) {
            self.table = table
            self.lower = lower
            index = try table.index().drop { $0.separator.dropLast(8).lexicographicallyPrecedes(lower) }
        }

        mutating func next() throws(FileError) -> Bool {
            while true {
                while block.isEmpty {
                    guard let next = index.popFirst() else { return false }
                    var entries: [Table.Entry] = []
                    try table.forEachEntry(inBlockAt: next.handle) { entry throws(FileError) in entries.append(entry) }
                    block = entries[...]
                }
                entry = block.removeFirst()
                if !entry.key.userKey.lexicographicallyPrecedes(lower) { return true }
            }
        }
    }

    /// The operations of all logs, sorted.
    private struct LogSource: Source {
        private var rest: ArraySlice<Table.Entry>
        private(set) var entry = Table.Entry(key: InternalKey(userKey: [], sequence: 0, kind: .put), value: [])

        init(entries: [Table.Entry]) { rest = entries[...] }

        mutating func next() -> Bool {
            guard let next = rest.popFirst() else { return false }
            entry = next
            return true
        }
    }
}
