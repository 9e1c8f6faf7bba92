/// Merges all stored versions of all keys from tables and logs that may be corrupt, ordered by key, newest first.
///
/// Unreadable parts are skipped and recorded in ``damage``. All other versions are returned.
///
/// ```
/// var merge = VersionMerge(tables: paths, logs: paths) { compare($0, $1) }
/// while let version = merge.next() { print(version.entry.key.sequence, merge.sources[version.source].name) }
/// ```
package struct VersionMerge {
    /// Compares two user keys: negative, zero or positive.
    package typealias Order = ([UInt8], [UInt8]) -> Int

    /// A source of the merge.
    package struct Source {
        /// The name of the file without its directory, or `nil` for the logs, which form a single source.
        package let name: String?
        fileprivate var reader: TableReader?
        fileprivate var logEntries: ArraySlice<Table.Entry> = []
        fileprivate var entry: Table.Entry?
    }

    /// A version and its source.
    package struct Version {
        package let entry: Table.Entry
        /// The position in ``VersionMerge/sources``.
        package let source: Int
    }

    /// A table to merge, and its entry in the manifest.
    package struct TableFile {
        package let path: String
        package let listed: VersionEdit.Table?

        package init(path: String, listed: VersionEdit.Table?) {
            self.path = path
            self.listed = listed
        }
    }

    /// The sources: one per table, followed by a single one for all logs.
    package private(set) var sources: [Source] = []
    private let order: Order
    // A heap of the unfinished sources. The one with the smallest entry is at the front.
    private var heap: [Int] = []
    private var placesOutsideTables: [DamagedPlace] = []

    /// Opens files and moves to their first entries.
    ///
    /// - Complexity: logs are read completely and kept in memory; of each table, the index and a block.
    package init(tables: [TableFile], logs: [String], order: @escaping Order) {
        self.order = order
        for table in tables {
            do throws(FileError) {
                let reader = try TableReader(table, order)
                sources.append(Source(name: reader.table.name, reader: reader))
            } catch {
                placesOutsideTables.append(Self.place(of: table, error))
            }
        }
        var survey = LogSurvey()
        for log in logs { survey.read(log) }
        placesOutsideTables += survey.places
        if !survey.entries.isEmpty {
            let sorted = survey.entries.sorted { Self.compare($0.key, $1.key, order) < 0 }
            sources.append(Source(name: nil, logEntries: sorted[...]))
        }
        for index in sources.indices where advance(index) { heap.append(index) }
        heap = heap.sorted { precedes($0, $1) }
    }

    private static func place(of table: TableFile, _ fault: FileError) -> DamagedPlace {
        let size = (try? OpenFile(reading: table.path).status().byteCount) ?? 0
        let keys = table.listed.map { ($0.smallest.userKey, $0.largest.userKey) }
        // Tables are never written without entries.
        let atLeast: UInt64 = table.listed.map { $0.smallest == $0.largest ? 1 : 2 } ?? 1
        return DamagedPlace(
            .table, fault, byteCount: max(size, table.listed?.byteCount ?? 0), keys: keys, entryCount: atLeast)
    }

    // MARK: - Reading

    /// Returns the next version, or `nil` at the end.
    package mutating func next() -> Version? {
        guard let front = heap.first, let entry = sources[front].entry else { return nil }
        if !advance(front) {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        sink()
        return Version(entry: entry, source: front)
    }

    private mutating func advance(_ index: Int) -> Bool {
        if sources[index].reader != nil {
            sources[index].entry = sources[index].reader?.next()
        } else {
            sources[index].entry = sources[index].logEntries.popFirst()
        }
        return sources[index].entry != nil
    }

    private mutating func sink() {
        var index = 0
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && precedes(heap[child], heap[first]) {
                first = child
            }
            if first == index { return }
            heap.swapAt(index, first)
            index = first
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        guard let left = sources[left].entry, let right = sources[right].entry else { return false }
        return Self.compare(left.key, right.key, order) < 0
    }

    /// Compares internal keys: for equal user keys, the newest comes first.
    private static func compare(_ left: InternalKey, _ right: InternalKey, _ order: Order) -> Int {
        let difference = order(left.userKey, right.userKey)
        if difference != 0 { return difference }
        if left.sequence != right.sequence { return left.sequence > right.sequence ? -1 : 1 }
        return Int(right.kind.rawValue) - Int(left.kind.rawValue)
    }

    // MARK: - Damage

    /// The unreadable parts so far; complete once ``next()`` has returned `nil`.
    ///
    /// If the corrupt bytes do not reveal the number of entries, it is estimated from the density of the readable
    /// blocks.
    package var damage: [DamagedPlace] {
        let readers = sources.compactMap(\.reader)
        let entryCount = readers.reduce(0) { $0 + $1.entryCount }
        let byteCount = readers.reduce(0) { $0 + $1.byteCount }
        return (readers.flatMap(\.places) + placesOutsideTables).map { place in
            guard place.estimatedEntryCount == nil, entryCount > 0, byteCount > 0,
                place.kind == .block || place.kind == .table || place.kind == .tableEnd
            else { return place }
            var estimated = place
            let share = Double(place.byteCount) * Double(entryCount) / Double(byteCount)
            estimated.estimatedEntryCount = max(place.entryCount, UInt64(share.rounded(.up)))
            return estimated
        }
    }
}

/// Reads a table block by block, and records the unreadable blocks.
private struct TableReader {
    let table: Table
    private let listed: VersionEdit.Table?
    private var index: ArraySlice<Table.IndexEntry>
    private var block: ArraySlice<Table.Entry> = []
    private var lastSeparator: [UInt8]?
    private(set) var places: [DamagedPlace] = []
    /// The number of entries read, and the stored size of their blocks.
    private(set) var entryCount: UInt64 = 0
    private(set) var byteCount: UInt64 = 0

    init(_ file: VersionMerge.TableFile, _ order: @escaping VersionMerge.Order) throws(FileError) {
        listed = file.listed
        lastSeparator = file.listed?.smallest.userKey
        if let remains = try TableRemains(ofTableAt: file.path, order: order) {
            table = remains.table
            index = remains.index[...]
            if let end = remains.lostEnd(file) { places.append(end) }
        } else {
            table = try Table(at: file.path)
            index = try table.index()[...]
        }
    }

    mutating func next() -> Table.Entry? {
        while block.isEmpty {
            guard let next = index.popFirst() else { return nil }
            read(next)
        }
        return block.removeFirst()
    }

    private mutating func read(_ next: Table.IndexEntry) {
        var entries: [Table.Entry] = []
        let separator = Array(next.separator.dropLast(8))
        do throws(FileError) {
            try table.forEachEntry(inBlockAt: next.handle) { entry throws(FileError) in entries.append(entry) }
            entryCount += UInt64(entries.count)
            byteCount += next.handle.byteCount
            block = entries[...]
        } catch {
            // The separator of the last block may be far beyond its last key.
            let upper = index.isEmpty ? listed?.largest.userKey ?? separator : separator
            let count = table.apparentEntryCount(ofBlockAt: next.handle)
            places.append(
                DamagedPlace(
                    .block, error, byteCount: next.handle.byteCount, keys: (lastSeparator ?? [], upper),
                    estimatedEntryCount: count))
        }
        lastSeparator = separator
    }
}

extension TableRemains {
    /// The part that is lost, or `nil` if the blocks end with the last key in the manifest.
    fileprivate func lostEnd(_ file: VersionMerge.TableFile) -> DamagedPlace? {
        if lastKey == file.listed?.largest { return nil }
        let size = (try? OpenFile(reading: file.path).status().byteCount) ?? endOffset
        let byteCount = max(size, file.listed?.byteCount ?? 0)
        return DamagedPlace(
            .tableEnd, FileError(.damaged, file: fault.file, offset: endOffset, reason: fault.reason),
            byteCount: byteCount - min(byteCount, endOffset),
            keys: file.listed.map { (lastKey.userKey, $0.largest.userKey) },
            // Without the manifest, the rest may consist of the filters and the index.
            entryCount: file.listed == nil ? 0 : 1)
    }
}

/// Reads the operations in logs, and records the unreadable parts.
private struct LogSurvey {
    private(set) var entries: [Table.Entry] = []
    private(set) var places: [DamagedPlace] = []
    /// The number of the last operation read.
    private var lastSequence: UInt64?
    /// The position in `places` of corruption after that operation. The number of the next operation reveals how many
    /// it contained.
    private var openDamage: Int?

    mutating func read(_ path: String) {
        do throws(FileError) {
            var log = try WriteLog(at: path)
            while let item = try log.next() {
                switch item {
                case .damage(let fault, let byteCount):
                    // A header alone contains no entry.
                    let isHeader = byteCount <= UInt64(RecordReader.headerByteCount)
                    add(DamagedPlace(.log, fault, byteCount: byteCount, entryCount: isHeader ? 0 : 1))
                case .batch(let batch, let endOffset): add(batch, log.name, endOffset)
                }
            }
            try checkEnd(of: log, at: path)
        } catch {
            add(DamagedPlace(.log, error, byteCount: 0))
        }
    }

    private mutating func add(_ place: DamagedPlace) {
        // All corruption within a gap shares the gap in the numbers.
        if openDamage == nil { openDamage = places.count }
        places.append(place)
    }

    private mutating func add(_ batch: BatchRecord, _ file: String, _ endOffset: UInt64) {
        defer { openDamage = nil }
        if let last = lastSequence, batch.sequence > last + 1 {
            let missing = batch.sequence - last - 1
            if let open = openDamage {
                let others = UInt64(places.count - open - 1)
                places[open].entryCount = missing > others ? missing - others : 1
                places[open].estimatedEntryCount = places[open].entryCount
            } else {
                let fault = FileError(
                    .damaged, file: file, offset: endOffset,
                    reason: "writes \(last + 1) to \(batch.sequence - 1) are missing before the write that ends here")
                places.append(
                    DamagedPlace(
                        .log, fault, byteCount: 0, entryCount: missing, estimatedEntryCount: missing))
            }
        }
        for operation in batch.operations { entries.append(Table.Entry(key: operation.key, value: operation.value)) }
        if !batch.operations.isEmpty { lastSequence = batch.sequence + UInt64(batch.operations.count) - 1 }
    }

    private mutating func checkEnd(of log: WriteLog, at path: String) throws(FileError) {
        guard log.endOffset < log.byteCount, places.last?.file != log.name || places.last?.offset ?? 0 < log.endOffset
        else { return }
        let rest: [UInt8]
        do throws(SystemError) {
            rest = try OpenFile(reading: path).read(
                at: log.endOffset, byteCount: Int(min(log.byteCount - log.endOffset, 1 << 20)))
        } catch {
            throw FileError(error, file: log.name)
        }
        if rest.allSatisfy({ $0 == 0 }) { return }
        add(
            DamagedPlace(
                .unfinishedWrite,
                FileError(
                    .damaged, file: log.name, offset: log.endOffset,
                    reason: "the log ends within a write, which is unfinished or truncated"),
                byteCount: log.byteCount - log.endOffset))
    }
}
